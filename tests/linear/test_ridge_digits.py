"""Digits of least squares and ridge regression on few cells: those of an orthogonal factorisation, or more."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
from scipy import linalg
from tests.cases import each

from learnable.linear import LinearRegression, Ridge
from learnable.solvers.linear.exact_products import residual_sums


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
    ours, theirs = [], []
    for far, near, unit, alpha in product((0.0, 1e3, 1e6), (1.0, 1e-3), (0, 4), (0.0, 1e-3, 1.0)):
        random = np.random.default_rng([int(far), int(1e3 * near), unit])
        X = random.standard_normal((30, 4))
        X[:, 3] = X[:, 0] + X[:, 1] + near * X[:, 3]
        X = X * 10.0 ** random.uniform(-unit, unit, 4) + far * np.array([1.0, 0.0, 0.0, 1.0])
        y = X @ (random.standard_normal(4) / X.std(axis=0)) + 0.1 * random.standard_normal(30)
        true = exact(X, y, alpha)
        model = (Ridge(alpha) if alpha else LinearRegression()).fit(X, y)
        assert model.certificate_.holds
        ours.append(digits(model.coef_, true))
        theirs.append(digits(by_reflections(X, y, alpha), true))
    assert np.mean(ours) > np.mean(theirs) + 0.75, (ours, theirs)
    # Beyond 14 digits one draw of rounding errors may be luckier than another.
    assert (np.minimum(ours, 14.0) > np.minimum(theirs, 14.0) - 0.5).all(), (ours, theirs)


@each("rows, columns, targets, weighted", [(40, 5, 1, False), (12, 4, 2, True), (400, 3, 1, False)])
def test_residuals_and_their_products_are_exact_but_for_the_last_digits(rows, columns, targets, weighted):
    """Where nearly all cancels: at the solution, with columns in units far apart that depend on each other."""
    random = np.random.default_rng(rows)
    X = random.standard_normal((rows, columns)) * 10.0 ** random.uniform(-6, 6, columns)
    X[:, -1] = X[:, 0] + X[:, 1]
    y = random.standard_normal((rows, targets))
    weight = random.random(rows) if weighted else None
    level = 1e-3 * random.standard_normal(targets)
    coef = np.linalg.lstsq(X, y - level, rcond=None)[0]
    slope, total, square = residual_sums(X, y, weight, coef, level)
    for k in range(targets):
        left = [
            Fraction(one) - Fraction(level[k]) - sum(Fraction(a) * Fraction(b) for a, b in zip(row, coef[:, k]))
            for row, one in zip(X.tolist(), y[:, k].tolist())
        ]
        heavy = [r * Fraction(w) for r, w in zip(left, weight.tolist() if weighted else [1] * rows)]
        true = np.array([float(sum(Fraction(x) * r for x, r in zip(column, heavy))) for column in X.T.tolist()])
        added = np.abs(X).T @ np.abs(np.array(heavy, dtype=float))
        assert (np.abs(slope[:, k] - true) <= 1e-20 * added).all()
        assert math.isclose(total[k], float(sum(heavy)), rel_tol=1e-12)
        assert math.isclose(square[k], float(sum(r * h for r, h in zip(left, heavy))), rel_tol=1e-12)
