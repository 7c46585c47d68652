"""A single unit trained on squared errors E(θ) = ½ Σᵢ (yᵢ − oᵢ)²: linear, oᵢ = θ·xᵢ, and sigmoid, oᵢ = σ(θ·xᵢ).

Their gradients are −Σ (y − o) x (the delta rule steps against it) and −Σ (y − o) o (1 − o) x. Syllabus: O4.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit


class LinearUnitLoss(NamedTuple):
    """o = θ·x; a column of ones in X gives it a threshold.

    >>> X, y = np.array([[1.0], [2.0]]), np.array([1.0, 3.0])
    >>> LinearUnitLoss(X, y).value_and_gradient(np.array([1.0]))
    (0.5, array([-2.]))
    """

    X: np.ndarray
    y: np.ndarray

    def value_and_gradient(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """E(θ) and its gradient −Σ (y − o) x."""
        error = self.y - self.X @ theta
        return 0.5 * float(error @ error), -(self.X.T @ error)


class SigmoidUnitLoss(NamedTuple):
    """o = 1 / (1 + e^{−θ·x}); E is not convex in θ.

    >>> X, y = np.array([[1.0]]), np.array([1.0])
    >>> SigmoidUnitLoss(X, y).value_and_gradient(np.array([0.0]))
    (0.125, array([-0.125]))
    """

    X: np.ndarray
    y: np.ndarray

    def value_and_gradient(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """E(θ) and its gradient −Σ (y − o) o (1 − o) x."""
        output = expit(self.X @ theta)
        error = self.y - output
        return 0.5 * float(error @ error), -(self.X.T @ (error * output * (1.0 - output)))
