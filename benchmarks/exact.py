"""Least squares without rounding: a float is a fraction, so the normal equations can be solved exactly."""

from fractions import Fraction

import numpy as np


def exact_least_squares(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """(XᵀX)⁻¹XᵀY for the numbers as they are stored, rounded once at the end. X must have full column rank.

    >>> exact_least_squares(np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([[1.0], [3.0], [5.0]]))
    array([[1.],
           [2.]])
    """
    p = X.shape[1]
    columns = [[Fraction(value) for value in column] for column in np.column_stack([X, Y]).T.tolist()]
    # [XᵀX | XᵀY], reduced to [I | solution].
    system = [[sum((a * b for a, b in zip(left, right)), Fraction(0)) for right in columns] for left in columns[:p]]
    for k in range(p):
        if system[k][k] == 0:
            raise ValueError(f"exact_least_squares: column {k} is a combination of the columns before it")
        system[k] = [value / system[k][k] for value in system[k]]
        for i in range(p):
            if i != k and system[i][k] != 0:
                factor = system[i][k]
                system[i] = [value - factor * pivot for value, pivot in zip(system[i], system[k])]
    return np.array([[float(value) for value in row[p:]] for row in system])


def correct_digits(found: np.ndarray, exact: np.ndarray) -> float:
    """−log₁₀ of the largest relative error of a coefficient, between 0 and 16.

    >>> round(correct_digits(np.array([1.0, 2.002]), np.array([1.0, 2.0])), 6)
    3.0
    """
    if not np.all(np.isfinite(found)):
        return 0.0
    error = np.max(np.abs(found - exact) / np.where(exact == 0.0, 1.0, np.abs(exact)))
    return float(min(16.0, max(0.0, -np.log10(max(error, 1e-300)))))
