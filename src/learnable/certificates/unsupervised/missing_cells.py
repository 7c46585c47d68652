"""Rows of a Gaussian mixture of which cells are missing: their marginal law, and the others given these.

By the covariance of the observed cells itself, its eigenvectors and its Schur complement. Syllabus: U5.
"""

from typing import NamedTuple

import numpy as np


class Marginals(NamedTuple):
    """m rows under each component.

    Attributes
    ----------
    log_terms : (m, K), log π_k N(x_o; μ_o, Σ_oo).
    rows : (K, m, d), E_k[x | x_o]. spreads : for each pattern its rows, its columns and Cov_k[x_m | x_o], (K, q, q).
    """

    log_terms: np.ndarray
    rows: np.ndarray
    spreads: list[tuple[np.ndarray, np.ndarray, np.ndarray]]


def marginals(X: np.ndarray, log_weights: np.ndarray, means: np.ndarray, matrices: np.ndarray) -> Marginals:
    """Rows with NaN where a cell is missing."""
    log_terms, filled = np.empty((len(X), len(means))), np.repeat(X[None], len(means), axis=0)
    spreads = []
    kept, pattern = np.unique(~np.isnan(X), axis=0, return_inverse=True)
    order = np.argsort(pattern.reshape(-1), kind="stable")
    starts = np.searchsorted(pattern.reshape(-1)[order], np.arange(len(kept) + 1))
    for number, observed in enumerate(kept):
        members = order[starts[number] : starts[number + 1]]
        o, m = np.flatnonzero(observed), np.flatnonzero(~observed)
        away = X[np.ix_(members, o)] - means[:, None, o]
        roots, logdet = _roots(matrices[:, o[:, None], o])
        squares = np.sum((away @ roots) ** 2, axis=2).T
        log_terms[members] = log_weights - 0.5 * (squares + logdet + len(o) * np.log(2.0 * np.pi))
        if len(m):
            regression = (matrices[:, m[:, None], o] @ roots) @ np.swapaxes(roots, 1, 2)
            filled[:, members[:, None], m] = means[:, None, m] + away @ np.swapaxes(regression, 1, 2)
            spreads.append((members, m, matrices[:, m[:, None], m] - regression @ matrices[:, o[:, None], m]))
    return Marginals(log_terms, filled, spreads)


def _roots(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(R with RRᵀ = Σ⁻¹, log |Σ|) of each matrix, its columns in units of their own deviations on the way."""
    unit = np.sqrt(np.diagonal(matrices, axis1=1, axis2=2))
    eigenvalues, V = np.linalg.eigh(matrices / (unit[:, :, None] * unit[:, None, :]))
    eigenvalues = np.maximum(eigenvalues, np.finfo(float).tiny)
    logdet = np.log(eigenvalues).sum(axis=1) + 2.0 * np.log(unit).sum(axis=1)
    return V / np.sqrt(eigenvalues)[:, None, :] / unit[:, :, None], logdet
