"""Least squares and ridge over non-negative coefficients: an active-set method on the triangular factor of the data."""

from collections.abc import Iterator

import numpy as np

from learnable.rows import Rows, moments, triangular_factor
from learnable.solvers.linear.graded import graded_svd
from learnable.solvers.linear.least_squares import LeastSquaresState, unit_svd


def iterates(rows: Rows, alpha, intercept: bool) -> Iterator[LeastSquaresState]:
    """One state. The data enter through R of [X y] = QR, which has the same residual norms for every β."""
    from scipy.optimize import nnls

    p = rows.n_columns
    found = moments(rows, centre=intercept)
    alpha = np.broadcast_to(np.asarray(alpha, dtype=float), found.mean_y.shape)
    mean = np.concatenate([found.mean_x, found.mean_y]) if intercept else None
    R = triangular_factor(rows, centre_at=mean)
    coef, rss = np.zeros((p, len(alpha))), np.zeros(len(alpha))
    for k, level in enumerate(alpha):
        design, target = R[:, :p], R[:, p + k]
        if level > 0.0:
            design = np.vstack([design, np.sqrt(level) * np.eye(p)])
            target = np.concatenate([target, np.zeros(p)])
        coef[:, k], distance = nnls(design, target)
        rss[k] = distance**2
    offset = found.mean_y - found.mean_x @ coef if intercept else np.zeros(len(alpha))
    design = R[:p, :p]
    largest = np.abs(design).max(axis=0, initial=0.0)
    scale = np.exp2(np.floor(np.log2(np.where(largest > 0.0, largest, 1.0))))
    centre = found.mean_x / scale if intercept else np.zeros(p)
    _, _, d, _, rank = unit_svd(design / scale, centre, found.weight, rows.n_rows)
    condition = float(d[0] / d[rank - 1]) if rank else 1.0
    singular = graded_svd(design)[1]
    objective = float(rss.sum()) / (2.0 * found.weight)
    yield LeastSquaresState(objective, coef, offset, rank, singular, condition, "active set")
