"""Ridge regression for many penalties from one decomposition: O(p²) for each penalty after the first."""

from typing import NamedTuple

import numpy as np
from scipy import linalg

from learnable.rows import Rows, moments, triangular_factor
from learnable.solvers.linear.graded import graded_svd
from learnable.solvers.linear.least_squares import TRUSTED


class RidgePath(NamedTuple):
    """Solutions of Σ wᵢ (yᵢ − xᵢ·β − b)² + α ‖β‖² for each α.

    Attributes
    ----------
    alphas : (m,)
    coefs : (p, m), one column a penalty.
    intercepts : (m,)
    df : (m,) effective degrees of freedom Σ d²/(d² + α) over the singular values d of the (centred) design.
    singular : (min(n, p),) those singular values.
    """

    alphas: np.ndarray
    coefs: np.ndarray
    intercepts: np.ndarray
    df: np.ndarray
    singular: np.ndarray


def ridge_path(rows: Rows, alphas: np.ndarray, intercept: bool, n_jobs: int | None = None) -> RidgePath:
    """One pass over the rows, one decomposition, then a diagonal scaling for each penalty.

    The eigendecomposition of the cross-products serves while they keep every digit at the smallest penalty; otherwise
    the singular values of a triangular factor of the data do.
    """
    found = moments(rows, centre=intercept, n_jobs=n_jobs)
    eigenvalues, V = linalg.eigh(found.scatter_xx)
    if eigenvalues[0] + alphas.min() > TRUSTED * (eigenvalues[-1] + alphas.min()):
        d2, along = np.maximum(eigenvalues[::-1], 0.0), V[:, ::-1].T @ found.scatter_xy[:, 0]
        V = V[:, ::-1]
    else:
        p = rows.n_columns
        mean = np.concatenate([found.mean_x, found.mean_y]) if intercept else None
        R = triangular_factor(rows, centre_at=mean, n_jobs=n_jobs)
        U, d, Vt = graded_svd(R[:p, :p])
        d2, along, V = d**2, d * (U.T @ R[:p, p]), Vt.T
    level = d2[:, None] + alphas
    alive = level > 0.0
    coefs = V @ np.divide(along[:, None], level, out=np.zeros_like(level), where=alive)
    df = np.divide(d2[:, None], level, out=np.zeros_like(level), where=alive).sum(axis=0)
    intercepts = found.mean_y[0] - found.mean_x @ coefs if intercept else np.zeros(len(alphas))
    return RidgePath(alphas, coefs, intercepts, df, np.sqrt(d2))
