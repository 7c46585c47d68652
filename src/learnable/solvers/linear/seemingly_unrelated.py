"""Seemingly unrelated regressions by iterated generalised least squares.

y_k = X_k β_k + ε_k for k = 1 … q with Cov(ε_ij, ε_ik) = Σ_jk: the equations share nothing but the correlation of their
errors. One pass over the rows reduces [X_1 … X_q  Y] to its triangular factor; every later step works on that.

1. β = arg min Σ_jk (Σ⁻¹)_jk ⟨r_j, r_k⟩, an ordinary least-squares problem after multiplying by a root of Σ⁻¹.
2. Σ = residual cross-products/n.

Each step raises the Gaussian likelihood. Syllabus: R14, R15.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy import linalg


class SystemState(NamedTuple):
    """One round.

    Attributes
    ----------
    objective : ½ (log det Σ + tr Σ⁻¹S), S the residual cross-products over n: minus the Gaussian log-likelihood a row.
    coef : (P,) the coefficients of all equations, one after the other.
    sigma : (q, q) the Σ these coefficients belong to.
    residual_sigma : (q, q) residual cross-products over n.
    inverse_root : (P, P) upper triangular T with Cov β̂ = T Tᵀ.
    change : largest change of a coefficient since the round before, in units of its standard error.
    """

    objective: float
    coef: np.ndarray
    sigma: np.ndarray
    residual_sigma: np.ndarray
    inverse_root: np.ndarray
    change: float


def iterates(
    designs: list[np.ndarray], targets: np.ndarray, n: float, sigma: np.ndarray | None
) -> Iterator[SystemState]:
    """Rounds of the two steps, or one round for a Σ that is given.

    `designs` and `targets` are columns of a triangular factor: their inner products are those of the data.
    """
    given = sigma is not None
    current = np.asarray(sigma) if sigma is not None else np.diag(_scales(designs, targets, n))
    before = None
    while True:
        coef, inverse_root = generalised_least_squares(designs, targets, current)
        residual_sigma = _residual_cross_products(designs, targets, coef) / n
        error = np.linalg.norm(inverse_root, axis=1)
        change = np.inf if before is None else float(np.max(np.abs(coef - before) / error))
        objective = 0.5 * (np.linalg.slogdet(current)[1] + np.trace(linalg.solve(current, residual_sigma)))
        yield SystemState(float(objective), coef, current, residual_sigma, inverse_root, change)
        if given:
            return
        current, before = residual_sigma, coef


def generalised_least_squares(designs, targets, sigma) -> tuple[np.ndarray, np.ndarray]:
    """(β̂, T) with Cov β̂ = T Tᵀ, for a known Σ."""
    # Σ = LLᵀ, so the rows of L⁻¹ turn the errors of the q equations into uncorrelated ones of variance 1.
    whiten = linalg.solve_triangular(linalg.cholesky(sigma, lower=True), np.eye(len(sigma)), lower=True)
    A = np.vstack([np.hstack([w * X for w, X in zip(row, designs)]) for row in whiten])
    b = np.concatenate([targets @ row for row in whiten])
    Q, R = linalg.qr(A, mode="economic")
    return linalg.solve_triangular(R, Q.T @ b), linalg.solve_triangular(R, np.eye(len(R)))


def _scales(designs, targets, n: float) -> np.ndarray:
    """Residual variances equation by equation: weights do not matter while Σ is diagonal."""
    rss = [np.linalg.norm(t - X @ linalg.lstsq(X, t)[0]) ** 2 for X, t in zip(designs, targets.T)]
    return np.maximum(np.array(rss) / n, np.finfo(float).tiny)


def _residual_cross_products(designs, targets, coef) -> np.ndarray:
    ends = np.cumsum([X.shape[1] for X in designs])
    fitted = np.column_stack([X @ part for X, part in zip(designs, np.split(coef, ends[:-1]))])
    residual = targets - fitted
    return residual.T @ residual
