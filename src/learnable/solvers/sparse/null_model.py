"""The model without columns: the intercept that minimises the mean loss, and the slopes there. Syllabus: L21."""

from typing import Any

import numpy as np

from learnable.problems.linear import losses


def null_slopes(loss: Any, X: Any, y: np.ndarray, weight: np.ndarray, intercept: bool) -> tuple[float, np.ndarray]:
    """(b, slopes of the columns) of the mean loss at β = 0 with the best intercept, or b = 0.

    >>> from learnable.problems.linear.losses import Squared
    >>> b, slopes = null_slopes(Squared(), np.array([[1.0], [2.0]]), np.array([0.0, 4.0]), np.array([0.5, 0.5]), True)
    >>> round(b, 9), slopes.round(9)
    (2.0, array([-1.]))
    """

    def miss(b: float) -> float:
        with np.errstate(over="ignore"):
            return float(weight @ losses.gradient(loss, y, np.full(len(y), b)))

    low, high = (-1.0, 1.0) if intercept else (0.0, 0.0)
    # The slope in the intercept grows with it: bisection between two signs.
    while intercept and miss(low) > 0.0 and low > -1e9:
        low *= 2.0
    while intercept and miss(high) < 0.0 and high < 1e9:
        high *= 2.0
    while high - low > 1e-15 * max(abs(low), abs(high)) and low < 0.5 * (low + high) < high:
        middle = 0.5 * (low + high)
        if miss(middle) == 0.0:
            low = high = middle
        elif miss(middle) < 0.0:
            low = middle
        else:
            high = middle
    b = 0.5 * (low + high)
    u = losses.gradient(loss, y, np.full(len(y), b))
    return b, np.asarray(X.T @ (weight * u)).ravel()
