"""Conditional laws of a Gaussian vector, through its covariance and through its precision. Syllabus: G1."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import linalg


class Conditional(NamedTuple):
    """The law of some coordinates given the others, N(offset + coef · x₂, covariance).

    Attributes
    ----------
    coef : (k, p − k) B with E[x₁ | x₂] = μ₁ + B (x₂ − μ₂).
    covariance : (k, k) Σ₁₁ − Σ₁₂ Σ₂₂⁻¹ Σ₂₁.
    precision : (k, k) Θ₁₁, the inverse of the covariance.
    difference : largest difference of the two routes, in units in which every variance is one.
    """

    coef: np.ndarray
    covariance: np.ndarray
    precision: np.ndarray
    difference: float


def gaussian_conditional(covariance, of: Sequence[int]) -> Conditional:
    """The law of the coordinates `of` given all others, by both routes.

    Through the covariance, B = Σ₁₂ Σ₂₂⁻¹ and Σ₁₁ − Σ₁₂ Σ₂₂⁻¹ Σ₂₁; through the precision Θ = Σ⁻¹, B = −Θ₁₁⁻¹ Θ₁₂ and
    Θ₁₁⁻¹. They are the same numbers. Syllabus: G1.

    Parameters
    ----------
    covariance : array (p, p), positive definite.
    of : the coordinates whose law is asked for.

    Examples
    --------
    >>> law = gaussian_conditional([[2.0, 1.0], [1.0, 1.0]], of=[0])
    >>> law.coef, law.covariance, law.difference < 1e-12
    (array([[1.]]), array([[1.]]), True)
    """
    sigma = checked_covariance(covariance, "gaussian_conditional")
    one = np.asarray(of, dtype=int)
    rest = np.setdiff1d(np.arange(len(sigma)), one)
    if len(np.unique(one)) != len(one) or not len(one) or one.min() < 0 or one.max() >= len(sigma):
        raise ValueError(f"gaussian_conditional(of={list(of)}): give different coordinates among 0 … {len(sigma) - 1}")
    # In units of the standard deviations, so that scales do not spoil the digits.
    unit = np.sqrt(np.diag(sigma))
    R = sigma / np.outer(unit, unit)
    theta = linalg.inv(R)
    by_theta = linalg.inv(theta[np.ix_(one, one)])
    coef_theta = -by_theta @ theta[np.ix_(one, rest)]
    across = R[np.ix_(one, rest)]
    coef = linalg.solve(R[np.ix_(rest, rest)], across.T, assume_a="pos").T if len(rest) else across
    spread = R[np.ix_(one, one)] - coef @ across.T
    difference = max(np.abs(coef - coef_theta).max(initial=0.0), np.abs(spread - by_theta).max(initial=0.0))
    size = np.outer(unit[one], unit[one])
    return Conditional(
        coef * np.divide.outer(unit[one], unit[rest]), spread * size, theta[np.ix_(one, one)] / size, float(difference)
    )


def independent_pairs(precision, tolerance: float = 1e-10) -> list[tuple[int, int]]:
    """Pairs (i, j) with Θᵢⱼ = 0: given all other coordinates, these two are independent.

    `tolerance` bounds the partial correlation |θᵢⱼ| / √(θᵢᵢ θⱼⱼ) that counts as zero.

    >>> independent_pairs([[2.0, 0.0, 0.5], [0.0, 1.0, 0.5], [0.5, 0.5, 3.0]])
    [(0, 1)]
    """
    theta = np.asarray(precision, dtype=float)
    size = np.sqrt(np.outer(np.diag(theta), np.diag(theta)))
    return [(int(i), int(j)) for i, j in np.argwhere(np.triu(np.abs(theta) <= tolerance * size, 1))]


def checked_covariance(covariance, owner: str) -> np.ndarray:
    """The matrix as symmetric positive definite floats; ValueError that says what is wrong."""
    sigma = np.array(covariance, dtype=float)
    if sigma.ndim != 2 or sigma.shape[0] != sigma.shape[1] or not len(sigma):
        raise ValueError(f"{owner}: the covariance must be a square matrix, got shape {sigma.shape}")
    if not np.all(np.isfinite(sigma)):
        raise ValueError(f"{owner}: the covariance has entries that are not finite")
    diagonal = np.diag(sigma)
    if np.any(diagonal <= 0.0):
        raise ValueError(f"{owner}: variable {int(np.argmax(diagonal <= 0.0))} has a variance of {diagonal.min():.3g}")
    unit = np.sqrt(diagonal)
    R = sigma / unit / unit[:, None]
    if np.abs(R - R.T).max() > 1e-8:
        raise ValueError(f"{owner}: the covariance is not symmetric")
    least = float(linalg.eigvalsh(0.5 * (R + R.T))[0])
    if least <= len(R) * np.finfo(float).eps:
        raise ValueError(
            f"{owner}: the covariance is not positive definite (smallest eigenvalue of the correlations {least:.1e}); "
            "leave out a variable that depends on the others"
        )
    return 0.5 * (sigma + sigma.T)
