"""Sums of rows with weights, as tasks of a pool of threads."""

from typing import Any

import numpy as np
from scipy.sparse import issparse


def weighted_sums(weights: np.ndarray, X: Any) -> np.ndarray:
    """Σᵢ wᵢ xᵢ over the rows of X, for weights (n,), or for each of several, (m, n): ``weights @ X``.

    NumPy's ``@`` holds the interpreter's lock where the result has fewer than 500 entries, however long the sums;
    `np.dot` lets other threads go on.

    Examples
    --------
    >>> weighted_sums(np.array([1.0, 2.0]), np.array([[1.0, 0.0, 3.0], [1.0, 1.0, 0.0]]))
    array([3., 2., 3.])
    """
    return np.asarray(weights @ X) if issparse(X) else np.dot(weights, X)
