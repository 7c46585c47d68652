"""Products with the rows of a block about a mean; the zeros of a sparse block stay zeros."""

from typing import Any

import numpy as np
import scipy.sparse


def centred_product(X: Any, mean: np.ndarray, G: np.ndarray) -> np.ndarray:
    """(X − 1 meanᵀ) G.

    >>> centred_product(np.array([[1.0, 2.0], [3.0, 2.0]]), np.array([2.0, 2.0]), np.eye(2))
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    if scipy.sparse.issparse(X):
        return np.asarray(X @ G) - mean @ G
    return (X - mean) @ G


def centred_adjoint(X: Any, mean: np.ndarray, H: np.ndarray) -> np.ndarray:
    """(X − 1 meanᵀ)ᵀ H."""
    if scipy.sparse.issparse(X):
        return np.asarray(X.T @ H) - np.outer(mean, H.sum(axis=0))
    return (X - mean).T @ H


def column_sums(X: Any) -> np.ndarray:
    """Σᵢ xᵢⱼ of each column in double precision: SciPy adds up sparse floats in their own, whatever it is asked for."""
    return X.T @ np.ones(X.shape[0]) if scipy.sparse.issparse(X) else X.sum(axis=0, dtype=float)


def squares_about(X: Any, mean: np.ndarray) -> np.ndarray:
    """Σᵢ (xᵢⱼ − meanⱼ)² of each column."""
    if scipy.sparse.issparse(X):
        doubles = X.astype(float, copy=False)
        squares, sums = column_sums(doubles.multiply(doubles)), column_sums(doubles)
        return np.maximum(squares - 2.0 * mean * sums + X.shape[0] * mean**2, 0.0)
    away = X - mean
    return np.einsum("ij,ij->j", away, away)
