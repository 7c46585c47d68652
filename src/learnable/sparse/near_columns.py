"""Columns far from zero, brought near it where the intercept is free."""

from typing import Any

import numpy as np
from scipy import sparse

# How many times its spread a mean must be for the products of the column to lose digits that matter.
FAR = 100.0


def near_columns(X: Any, free_intercept: bool) -> tuple[Any, np.ndarray]:
    """(X less its means where one of them is far, else X itself; what was taken off).

    >>> X, centre = near_columns(np.array([[1e9], [1e9 + 4.0]]), True)
    >>> X.ravel(), centre
    (array([-2.,  2.]), array([1.e+09]))
    """
    if not free_intercept or sparse.issparse(X):
        return X, np.zeros(X.shape[1])
    mean = X.mean(axis=0, dtype=float)
    spread = np.abs(X[:: max(len(X) // 64, 1)] - mean).max(axis=0)
    return (X - mean, mean) if np.any(np.abs(mean) > FAR * spread) else (X, np.zeros(X.shape[1]))
