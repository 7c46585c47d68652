"""Least squares without rounding: floats are fractions with a power of two below, so integers can do all the work."""

from fractions import Fraction

import numpy as np


def exact_least_squares(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """(XᵀX)⁻¹Xᵀy for the numbers as they are stored, rounded once at the end. X must have full column rank.

    >>> exact_least_squares(np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([1.0, 3.0, 5.0]))
    array([1., 2.])
    """
    A = [[Fraction(value) for value in row] for row in X.tolist()]
    b = [Fraction(value) for value in y.tolist()]
    p = X.shape[1]
    system = [
        [*(sum(row[i] * row[j] for row in A) for j in range(p)), sum(row[i] * target for row, target in zip(A, b))]
        for i in range(p)
    ]
    # Gauss–Jordan; XᵀX is positive definite, so no pivot vanishes.
    for k in range(p):
        if system[k][k] == 0:
            raise ValueError(f"exact_least_squares: column {k} is a combination of the columns before it")
        system[k] = [value / system[k][k] for value in system[k]]
        for i in range(p):
            if i != k and system[i][k] != 0:
                factor = system[i][k]
                system[i] = [value - factor * pivot for value, pivot in zip(system[i], system[k])]
    return np.array([float(row[p]) for row in system])


def correct_digits(found: np.ndarray, exact: np.ndarray) -> float:
    """−log₁₀ of the largest relative error of a coefficient, between 0 and 16.

    >>> correct_digits(np.array([1.0, 2.002]), np.array([1.0, 2.0]))
    3.0
    """
    if not np.all(np.isfinite(found)):
        return 0.0
    error = np.abs(found - exact) / np.where(exact == 0.0, 1.0, np.abs(exact))
    return float(np.clip(round(-np.log10(max(error.max(), 1e-16)), 6), 0.0, 16.0))
