"""Quadratic discriminants −½ log|Σ_k| − ½ (x − μ_k)ᵀΣ_k⁻¹(x − μ_k) + log π_k by class eigenvectors. Syllabus: C2.

One pass over the rows gives the class moments. Σ_k = V_k Λ_k V_kᵀ by an eigendecomposition, or, for classes whose
covariance is too ill-conditioned for that, by the singular values of a triangular factor of their rows.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy import linalg

from learnable.rows import Rows
from learnable.solvers.linear.class_covariance import Estimated, ledoit_wolf
from learnable.solvers.linear.class_moments import ClassMoments, class_moments, class_triangles
from learnable.solvers.linear.discriminant import signed
from learnable.solvers.linear.shrinkage import shrunk

# Smallest eigenvalue of a class covariance, relative to its largest, that the cross-products are trusted with.
TRUSTED = 1e-6


class QuadraticDiscriminantState(NamedTuple):
    """The solution.

    Attributes
    ----------
    objective : mean of −log(π_y φ(x; μ_y, Σ_y)).
    members : (K,) rows of each class.
    means, priors : (K, p) and (K,).
    rotations : K arrays (p, p), the eigenvectors V_k in columns.
    scalings : K arrays (p,), the eigenvalues Λ_k, largest first.
    """

    objective: float
    members: np.ndarray
    means: np.ndarray
    priors: np.ndarray
    rotations: list[np.ndarray]
    scalings: list[np.ndarray]

    @property
    def covariances(self) -> list[np.ndarray]:
        """K arrays (p, p), V_k Λ_k V_kᵀ."""
        return [(V * values) @ V.T for V, values in zip(self.rotations, self.scalings)]


def regularised(
    rows: Rows, n_classes: int, priors: np.ndarray | None, reg_param: float, tol: float, n_jobs: int | None = None
) -> Iterator[QuadraticDiscriminantState]:
    """One state: Λ_k = (1 − r) · (eigenvalues of S_k / W_k) + r."""
    found = _moments(rows, n_classes, n_jobs)
    covariances = found.scatter / found.weight[:, np.newaxis, np.newaxis]
    values, vectors = np.zeros(found.mean.shape), np.empty(covariances.shape)
    # The variances of the columns lie between the eigenvalues.
    variances = np.diagonal(covariances, axis1=1, axis2=2)
    doubtful = _doubtful(variances.min(axis=1), variances.max(axis=1), reg_param)
    if not doubtful.all():
        values[~doubtful], vectors[~doubtful] = _eigen(covariances[~doubtful])
        doubtful |= _doubtful(values[:, -1], values[:, 0], reg_param)
    if doubtful.any():
        chosen = np.flatnonzero(doubtful)
        factors = class_triangles(rows, found, np.ones(rows.n_columns), chosen=chosen, n_jobs=n_jobs)
        for k, R in zip(chosen, factors):
            _, d, Vt = linalg.svd(R, check_finite=False)
            values[k], vectors[k] = 0.0, signed(Vt.T)
            values[k, : len(d)] = d**2 / found.weight[k]
    yield _state(found, priors, (1.0 - reg_param) * np.maximum(values, 0.0) + reg_param, vectors, tol)


def _doubtful(lowest: np.ndarray, highest: np.ndarray, reg_param: float) -> np.ndarray:
    """Classes whose smallest eigenvalue is too small beside the largest to be found from cross-products."""
    return (1.0 - reg_param) * lowest + reg_param < TRUSTED * highest


def shrunken(
    rows: Rows,
    n_classes: int,
    priors: np.ndarray | None,
    shrinkage: float | str | None,
    estimated: Estimated | None,
    tol: float,
    n_jobs: int | None = None,
) -> Iterator[QuadraticDiscriminantState]:
    """One state: the eigenvectors of the class covariances, shrunk ("auto": Ledoit and Wolf's) or as estimated."""
    found = _moments(rows, n_classes, n_jobs)
    if estimated is not None:
        covariances = estimated.each
    elif shrinkage == "auto":
        covariances, _ = ledoit_wolf(rows, found, found.pooled, n_jobs)
    else:
        covariances = shrunk(found.scatter / found.weight[:, np.newaxis, np.newaxis], float(shrinkage or 0.0))
    yield _state(found, priors, *_eigen(covariances), tol)


def _moments(rows: Rows, n_classes: int, n_jobs: int | None) -> ClassMoments:
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        found = class_moments(rows, n_classes, each=True, n_jobs=n_jobs)
    bad = ~np.isfinite(np.diagonal(found.scatter, axis1=1, axis2=2)).all(axis=0)
    if bad.any():
        raise ValueError(f"the variance of column {int(np.argmax(bad))} exceeds the largest number: rescale the column")
    return found


def _eigen(covariances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(eigenvalues, largest first, eigenvectors in columns) of each matrix."""
    values, vectors = np.linalg.eigh(covariances)
    return values[:, ::-1].copy(), signed(vectors[:, :, ::-1])


def _state(
    found: ClassMoments, priors: np.ndarray | None, values: np.ndarray, vectors: np.ndarray, tol: float
) -> QuadraticDiscriminantState:
    pi = found.share if priors is None else priors
    p = values.shape[1]
    # A covariance of less than full rank has no density: the caller says so, by the class's name.
    singular = np.any(values <= tol, axis=1)
    safe = np.where(singular[:, np.newaxis], 1.0, values)
    form = np.einsum("kji,kji->ki", vectors, found.scatter @ vectors) / found.weight[:, np.newaxis]
    mean_loss = 0.5 * (p * np.log(2.0 * np.pi) + (np.log(safe) + form / safe).sum(axis=1)) - np.log(pi)
    return QuadraticDiscriminantState(
        objective=float(found.share @ mean_loss),
        members=found.members,
        means=found.mean,
        priors=pi,
        rotations=list(vectors),
        scalings=list(values),
    )
