"""Kernel ridge regression: (K + λW⁻¹) c = y, by one Cholesky factor, or by one decomposition for every λ.

Syllabus: K9.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh, lstsq


class RidgeState(NamedTuple):
    """The solution.

    Attributes
    ----------
    objective : Σ w (y − Kc)² + λ cᵀKc, summed over the targets.
    dual : (n, q).
    """

    objective: float
    dual: np.ndarray


def solution(K: np.ndarray, Y: np.ndarray, alpha: np.ndarray, weight: np.ndarray | None) -> Iterator[RidgeState]:
    """One state: the solution for each column of Y with its own λ, rows of weight 0 without a coefficient."""
    n, q = Y.shape
    counts = np.arange(n) if weight is None else np.flatnonzero(weight > 0.0)
    dual = np.zeros((n, q))
    inverse = np.ones(len(counts)) if weight is None else 1.0 / weight[counts]
    part = K[np.ix_(counts, counts)]
    for level in np.unique(alpha):
        columns = np.flatnonzero(alpha == level)
        matrix = part.copy()
        matrix[np.diag_indices(len(counts))] += level * inverse
        target = Y[np.ix_(counts, columns)]
        try:
            found = cho_solve(cho_factor(matrix, overwrite_a=True), target)
        except LinAlgError:
            # λ = 0 and a singular K: the shortest solution.
            matrix = part.copy()
            matrix[np.diag_indices(len(counts))] += level * inverse
            found = lstsq(matrix, target)[0]
        dual[np.ix_(counts, columns)] = found
    scores = K @ dual
    w = np.ones(n) if weight is None else weight
    objective = float(np.sum(w[:, None] * (Y - scores) ** 2) + np.sum(alpha * np.einsum("ij,ij->j", dual, scores)))
    yield RidgeState(objective, dual)


class RidgeSpectrum(NamedTuple):
    """K = U diag(s) Uᵀ and Uᵀy: all that a solution for any λ needs."""

    values: np.ndarray
    vectors: np.ndarray
    rotated: np.ndarray


def spectrum(K: np.ndarray, y: np.ndarray) -> RidgeSpectrum:
    """The one decomposition."""
    values, vectors = eigh(K)
    values = np.maximum(values, 0.0)
    return RidgeSpectrum(values, vectors, vectors.T @ y)
