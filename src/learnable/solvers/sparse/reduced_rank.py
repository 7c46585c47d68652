"""Least squares under a bound on the rank of the coefficient matrix, solved exactly (Eckart and Young).

With B̂ least squares, ‖Y − XB‖²_Γ = ‖Y − XB̂‖²_Γ + ‖XB̂ − XB‖²_Γ, ‖E‖²_Γ = tr(E Γ Eᵀ). The second term is least at the
best approximation of XB̂ Γ^½ of rank r, which its leading singular vectors V_r give: B = B̂ Γ^½ V_r V_rᵀ Γ^−½.
Syllabus: L17.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy import linalg

from learnable.rows import Rows
from learnable.solvers.linear import least_squares


class ReducedRankState(NamedTuple):
    """The solution; there is one state.

    Attributes
    ----------
    objective : ‖Y − XB‖²_Γ / (2W).
    coef : (p, q), intercept : (q,).
    singular_values : of the fitted values XB̂ Γ^½, all of them, each row scaled by √w.
    weight : (q, q) Γ.
    """

    objective: float
    coef: np.ndarray
    intercept: np.ndarray
    singular_values: np.ndarray
    weight: np.ndarray


def iterates(rows: Rows, rank: int, weight: np.ndarray | None, intercept: bool) -> Iterator[ReducedRankState]:
    """One state. `weight` is Γ, positive definite; None stands for the inverse covariance of the residuals of B̂.

    ValueError where that covariance is singular.
    """
    (least,) = least_squares.iterates(rows, np.zeros(1), intercept)
    B, b = least.coef, least.intercept
    total, sums, residual = rows.reduce(_products(B, b))
    mean = sums / total if intercept else np.zeros_like(b)
    # Predictions far from zero: their products are taken about their mean.
    fitted = rows.reduce(_spread(B, b - mean))
    if weight is None:
        weight = inverse_covariance(residual / total)
    root, back = square_roots(weight)
    # The right singular vectors of XB̂ Γ^½ are the eigenvectors of its cross-products.
    squares, V = linalg.eigh(root @ fitted @ root)
    squares, V = np.maximum(squares[::-1], 0.0), V[:, ::-1]
    onto = root @ V[:, :rank] @ V[:, :rank].T @ back
    coef = B @ onto
    offset = mean - (mean - b) @ onto if intercept else np.zeros(len(weight))
    objective = (float(np.sum(weight * residual)) + float(squares[rank:].sum())) / (2.0 * total)
    yield ReducedRankState(objective, coef, offset, np.sqrt(squares), weight)


def inverse_covariance(S: np.ndarray) -> np.ndarray:
    """S⁻¹, or a ValueError that says why there is none."""
    scale = np.sqrt(np.diag(S))
    if np.all(scale > 0.0):
        values = linalg.eigvalsh(S / np.outer(scale, scale))
        if values[0] > 1e3 * len(S) * np.finfo(float).eps:
            inverse = linalg.inv(S)
            return 0.5 * (inverse + inverse.T)
    raise ValueError(
        "the covariance of the residuals is singular (targets that depend on each other, or fewer rows than it takes), "
        "so it has no inverse; give a positive definite matrix as weight, or weight='identity'"
    )


def square_roots(weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(Γ^½, Γ^−½), symmetric.

    >>> square_roots(np.diag([4.0, 9.0]))[0]
    array([[2., 0.],
           [0., 3.]])
    """
    values, vectors = linalg.eigh(weight)
    root = np.sqrt(values)
    return (vectors * root) @ vectors.T, (vectors / root) @ vectors.T


def _products(B: np.ndarray, b: np.ndarray):
    """Block -> (W, Σ w f, EᵀWE) of the fitted values f = Bᵀx + b and the residuals E."""

    def sums(block):
        Y = block.y if block.y.ndim == 2 else block.y[:, None]
        F = np.asarray(block.X @ B, dtype=float) + b
        E, weight = Y - F, _weights(block)
        return float(weight.sum()), weight @ F, (weight[:, None] * E).T @ E

    return sums


def _spread(B: np.ndarray, b: np.ndarray):
    """Block -> FᵀWF of F = XB + b."""

    def sums(block):
        F = np.asarray(block.X @ B, dtype=float) + b
        return (_weights(block)[:, None] * F).T @ F

    return sums


def _weights(block) -> np.ndarray:
    n = block.stop - block.start
    return np.ones(n) if block.weight is None else np.asarray(block.weight, dtype=float)
