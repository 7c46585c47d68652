"""The equations of the signs of a lasso, solved from the rows where cross-products would lose digits."""

import math
from typing import Any

import numpy as np
from scipy.linalg import lapack

# Columns of which one keeps less than this share of its length beside the others, squared: cross-products double the
# digits that are lost to that.
NEARLY_DEPENDENT = 0.1
# What the equations may miss, relative to the length of a column times that of y.
ROUNDED = 100.0 * float(np.finfo(float).eps)


def nearly_dependent(gram: np.ndarray) -> bool:
    """Whether a column of these cross-products nearly depends on those before it.

    >>> nearly_dependent(np.eye(2)), nearly_dependent(np.array([[1.0, 0.999], [0.999, 1.0]]))
    (False, True)
    """
    factor, failed = lapack.dpotrf(gram)
    return failed != 0 or bool((factor.diagonal() ** 2 < NEARLY_DEPENDENT * gram.diagonal()).any())


def missed(
    columns: np.ndarray,
    y: np.ndarray,
    weight_sum: float,
    push: np.ndarray,
    ridge: np.ndarray,
    coef: np.ndarray,
    size: np.ndarray,
) -> bool:
    """Whether `coef` is farther from solving the equations of `from_rows` than rounding takes it.

    size : (s,) what ‖x_j‖ ‖y‖ / W is.
    """
    left = (y - columns @ coef) @ columns
    left /= weight_sum
    left -= push
    left -= ridge * coef
    return bool((np.abs(left) > ROUNDED * size).any())


def from_rows(
    columns: np.ndarray, y: np.ndarray, weight_sum: float, push: np.ndarray, ridge: np.ndarray
) -> np.ndarray | None:
    """β with Xᵀ(y − Xβ) / W = push + ridge β, by reflections of the rows and by its residuals.

    None where the columns depend on each other.

    Parameters
    ----------
    columns, y : X (n, s) with n ≥ s, and (n,).
    push, ridge : (s,) the levels of L1 with the signs of β, and those of the squares.

    >>> X, y = np.array([[1.0, 1.0], [0.0, 1e-6], [0.0, 0.0]]), np.array([2.0, 1e-6, 5.0])
    >>> from_rows(X, y, 3.0, np.zeros(2), np.zeros(2))
    array([1., 1.])
    """
    size = len(push)
    tall = columns / math.sqrt(weight_sum)
    if ridge.any():
        tall = np.vstack([tall, np.diag(np.sqrt(ridge))])
    length = np.sqrt(np.einsum("ij,ij->j", tall, tall))
    right = np.linalg.qr(tall / length, mode="r")
    found: Any = np.zeros(size)
    # Seminormal equations: later rounds take off what the factor alone has cost.
    for _ in range(3):
        left = columns.T @ (y - columns @ found) / weight_sum - push - ridge * found
        half, singular = lapack.dtrtrs(right, left / length, trans=1)
        step, _ = lapack.dtrtrs(right, half)
        if singular or not np.isfinite(step).all():
            return None
        found = found + step / length
    return found
