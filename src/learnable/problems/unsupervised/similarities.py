"""Kernels by the names that scikit-learn gives them, for graphs and kernel PCA. Syllabus: U6."""

from collections.abc import Callable
from typing import Any

import numpy as np

from learnable.problems.kernels.chi_squared import chi_squared_distances

KERNELS = ("linear", "poly", "polynomial", "rbf", "sigmoid", "cosine", "laplacian", "chi2", "additive_chi2")


def kernel_matrix(
    X: np.ndarray, Y: np.ndarray, kernel: str | Callable, gamma: float | None = None, degree: float = 3,
    coef0: float = 1, **others: Any,
) -> np.ndarray:  # fmt: skip
    """k(x_i, y_j), (n, m); gamma None stands for 1/p, and for 1 with "chi2".

    >>> kernel_matrix(np.array([[0.0], [1.0]]), np.array([[0.0]]), "rbf", gamma=1.0).round(3).ravel()
    array([1.   , 0.368])
    """
    gamma = default_gamma(kernel, X.shape[1]) if gamma is None else gamma
    if callable(kernel):
        return np.array([[kernel(x, y, **others) for y in Y] for x in X], dtype=float)
    if kernel == "laplacian":
        distances = np.zeros((len(X), len(Y)))
        for j in range(X.shape[1]):
            distances += np.abs(X[:, j, None] - Y[None, :, j])
        return np.exp(-gamma * distances)
    if kernel in ("chi2", "additive_chi2"):
        distances = chi_squared_distances(X, Y, f"kernel={kernel!r}")
        return np.exp(-gamma * distances) if kernel == "chi2" else -distances
    if kernel == "rbf":
        return np.exp(-gamma * squared_distances(X, Y))
    if kernel == "cosine":
        lengths = [np.linalg.norm(Z, axis=1, keepdims=True) for Z in (X, Y)]
        X, Y = (Z / np.where(length > 0.0, length, 1.0) for Z, length in zip((X, Y), lengths))
        return X @ Y.T
    products = X @ Y.T
    if kernel == "linear":
        return products
    if kernel in ("poly", "polynomial"):
        return (gamma * products + coef0) ** degree
    if kernel == "sigmoid":
        return np.tanh(gamma * products + coef0)
    raise ValueError(f"kernel={kernel!r}; known: {', '.join(KERNELS)}, or a callable of two rows")


def default_gamma(kernel: str | Callable, p: int) -> float:
    """What gamma=None stands for in tables of p columns."""
    return 1.0 if isinstance(kernel, str) and kernel == "chi2" else 1.0 / p


def squared_distances(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """‖x_i − y_j‖², about the mean of Y, where the products keep their digits."""
    origin = np.add.reduce(Y, axis=0) / len(Y)  # their mean, in half the time of that
    same = X is Y
    X = X - origin
    Y = X if same else Y - origin
    lengths = np.einsum("ij,ij->i", X, X)
    squares = lengths[:, None] + (lengths if same else np.einsum("ij,ij->i", Y, Y))
    products = X @ Y.T
    products *= 2.0
    squares -= products
    np.maximum(squares, 0.0, out=squares)
    if same:
        np.fill_diagonal(squares, 0.0)
    return squares
