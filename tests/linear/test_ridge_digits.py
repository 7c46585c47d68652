"""Digits of least squares and ridge regression on few cells: those of an orthogonal factorisation, or more."""

from fractions import Fraction
from itertools import product

import numpy as np
from scipy import linalg

from learnable.linear import LinearRegression, Ridge
from learnable.solvers.linear.least_squares import EXTENDED


def exact(X: np.ndarray, y: np.ndarray, alpha: float) -> np.ndarray:
    """The coefficients for the numbers as they are stored, rounded once at the end."""
    columns = [[Fraction(value) for value in column] for column in np.column_stack([X, y]).T.tolist()]
    centred = [[value - sum(column) / len(column) for value in column] for column in columns]
    p = X.shape[1]
    system = [[sum(a * b for a, b in zip(left, right)) for right in centred] for left in centred[:p]]
    for k in range(p):
        system[k][k] += Fraction(alpha)
    for k in range(p):
        system[k] = [value / system[k][k] for value in system[k]]
        for i in set(range(p)) - {k}:
            system[i] = [value - system[i][k] * pivot for value, pivot in zip(system[i], system[k])]
    return np.array([float(row[-1]) for row in system])


def by_reflections(X: np.ndarray, y: np.ndarray, alpha: float) -> np.ndarray:
    """Householder's way, on centred rows, with the penalty as rows of its own."""
    p = X.shape[1]
    rows = np.vstack([X - X.mean(axis=0), np.sqrt(alpha) * np.eye(p)])
    Q, R = np.linalg.qr(rows)
    return linalg.solve_triangular(R, Q.T @ np.append(y - y.mean(), np.zeros(p)))


def digits(found: np.ndarray, true: np.ndarray) -> float:
    return float(min(16.0, -np.log10(np.max(np.abs(found - true) / np.abs(true)) + 1e-300)))


def test_few_cells_have_the_digits_of_reflections():
    """Columns far from zero, in any units, nearly dependent; the answer of the cross-products alone loses to these."""
    leads = []
    for far, near, unit, alpha in product((0.0, 1e3, 1e6), (1.0, 1e-3), (0, 4), (0.0, 1e-3, 1.0)):
        random = np.random.default_rng([int(far), int(1e3 * near), unit])
        X = random.standard_normal((30, 4))
        X[:, 3] = X[:, 0] + X[:, 1] + near * X[:, 3]
        X = X * 10.0 ** random.uniform(-unit, unit, 4) + far * np.array([1.0, 0.0, 0.0, 1.0])
        y = X @ (random.standard_normal(4) / X.std(axis=0)) + 0.1 * random.standard_normal(30)
        true = exact(X, y, alpha)
        model = (Ridge(alpha) if alpha else LinearRegression()).fit(X, y)
        assert model.certificate_.holds
        leads.append(digits(model.coef_, true) - digits(by_reflections(X, y, alpha), true))
    # One draw of rounding errors may be luckier than another by a digit or so.
    assert np.mean(leads) > (1.0 if EXTENDED is not np.float64 else 0.0), leads
    assert np.min(leads) > (-0.5 if EXTENDED is not np.float64 else -2.0), leads
