"""Covariance matrices pulled towards a multiple of the identity. Syllabus: C1 (singular covariance)."""

import numpy as np


def shrunk(covariance: np.ndarray, intensity: float) -> np.ndarray:
    """(1 − s) Σ + s (tr Σ / p) I, for one matrix or a stack of them.

    >>> shrunk(np.array([[3.0, 1.0], [1.0, 1.0]]), 0.5)
    array([[2.5, 0.5],
           [0.5, 1.5]])
    """
    p = covariance.shape[-1]
    level = np.trace(covariance, axis1=-2, axis2=-1) / p
    return (1.0 - intensity) * covariance + intensity * np.multiply.outer(level, np.eye(p))


def ledoit_wolf_intensity(covariance: np.ndarray, weight: float, fourth: float) -> float:
    """Ledoit and Wolf's s, which minimises the expected ‖(1 − s) Σ̂ + s (tr Σ̂ / p) I − Σ‖² to first order.

    s = min(b, d) / d with d = ‖Σ̂ − (tr Σ̂ / p) I‖² and b = (Σᵢ ‖xᵢ − x̄‖⁴ / n − ‖Σ̂‖²) / n.

    Parameters
    ----------
    covariance : array (p, p), dividing by n.
    weight : n.
    fourth : Σᵢ ‖xᵢ − x̄‖⁴.

    >>> X = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 3.0], [0.0, -3.0]])
    >>> ledoit_wolf_intensity(X.T @ X / 4, 4, float(np.sum(np.sum(X**2, axis=1) ** 2)))
    0.640625
    """
    p = len(covariance)
    if p == 1:
        return 0.0
    squares = float(np.sum(covariance**2))
    spread = squares - float(np.trace(covariance)) ** 2 / p
    noise = min((fourth / weight - squares) / weight, spread)
    # A multiple of the identity is not changed by any intensity.
    return noise / spread if noise > 0.0 else 0.0
