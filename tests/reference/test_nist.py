"""Least squares on the NIST statistical reference sets that are given by a formula, and on Hilbert designs.

Source: NIST/ITL Statistical Reference Datasets, linear regression, Wampler1 to Wampler5: y is a polynomial of degree
five at x = 0, …, 20, plus a fixed pattern of disturbances in 3 to 5. Certified values as published there.
"""

from fractions import Fraction

import numpy as np
import pytest
from tests.cases import each

from learnable.linear import LinearRegression, Ridge

x = np.arange(21.0)
POWERS = x[:, None] ** np.arange(1, 6)
# The disturbances of Wampler3, in units of 1; Wampler4 and 5 multiply them by 100 and 10,000.
DELTA = np.array([
    759, -2048, 2048, -2048, 2523, -2048, 2048, -2048, 1838, -2048, 2048, -2048, 1838, -2048, 2048, -2048, 2523, -2048,
    2048, -2048, 759,
], dtype=float)  # fmt: skip
ONES = np.ones(6)
TENTHS = 0.1 ** np.arange(6)

# name: (y, certified coefficients from the constant up, certified residual standard deviation)
SETS = {
    "Wampler1": (1.0 + POWERS.sum(axis=1), ONES, 0.0),
    "Wampler2": (1.0 + POWERS @ TENTHS[1:], TENTHS, 0.0),
    "Wampler3": (1.0 + POWERS.sum(axis=1) + DELTA, ONES, 2360.14502379268),
    "Wampler4": (1.0 + POWERS.sum(axis=1) + 100 * DELTA, ONES, 236014.502379268),
    "Wampler5": (1.0 + POWERS.sum(axis=1) + 10000 * DELTA, ONES, 23601450.2379268),
}
# Digits the coefficients must keep: what a backward stable method can promise at this condition (about 1e6 after
# centring and scaling) and this size of the disturbances.
DIGITS = {"Wampler1": 9, "Wampler2": 12, "Wampler3": 9, "Wampler4": 8, "Wampler5": 6}


def digits(found, certified):
    error = np.abs(found - certified) / np.abs(certified)
    return -np.log10(max(error.max(), 1e-16))


@each("name", SETS)
def test_wampler(name):
    y, beta, sigma = SETS[name]
    model = LinearRegression().fit(POWERS, y)
    found = np.append(model.intercept_, model.coef_)
    assert digits(found, beta) >= DIGITS[name]
    residual = y - model.predict(POWERS)
    if sigma:
        assert np.sqrt(residual @ residual / 15) == pytest.approx(sigma, rel=1e-10)
    assert model.certificate_.holds
    assert model.rank_ == 5


@each("name", SETS)
def test_no_fewer_digits_than_lapack(name):
    y, beta, _ = SETS[name]
    model = LinearRegression().fit(POWERS, y)
    lapack = np.linalg.lstsq(np.column_stack([np.ones(21), POWERS]), y, rcond=None)[0]
    ours = digits(np.append(model.intercept_, model.coef_), beta)
    assert ours >= digits(lapack, beta) - 1.0


def exact_solution(A, b):
    """Gaussian elimination in rational numbers."""
    n = len(b)
    M = [[Fraction(v) for v in row] + [Fraction(t)] for row, t in zip(A, b)]
    for k in range(n):
        pivot = next(i for i in range(k, n) if M[i][k] != 0)
        M[k], M[pivot] = M[pivot], M[k]
        M[k] = [v / M[k][k] for v in M[k]]
        for i in range(n):
            if i != k:
                M[i] = [a - M[i][k] * c for a, c in zip(M[i], M[k])]
    return np.array([float(M[i][n]) for i in range(n)])


def exact_least_squares(X, y, alpha=0):
    columns = [[Fraction(float(v)) for v in column] for column in X.T]
    target = [Fraction(float(v)) for v in y]
    gram = [[sum(a * b for a, b in zip(u, v)) for v in columns] for u in columns]
    for j in range(len(gram)):
        gram[j][j] += Fraction(alpha)
    return exact_solution(gram, [sum(a * b for a, b in zip(u, target)) for u in columns])


@each("size", [4, 6, 8])
def test_hilbert_designs_against_rational_arithmetic(size):
    i = np.arange(1, size + 5)
    X = 1.0 / (i[:, None] + np.arange(size))
    y = np.cos(i.astype(float))
    expected = exact_least_squares(X, y)
    model = LinearRegression(fit_intercept=False).fit(X, y)
    lapack = np.linalg.lstsq(X, y, rcond=None)[0]
    ours, theirs = (np.abs(c - expected).max() / np.abs(expected).max() for c in (model.coef_, lapack))
    assert ours <= 30 * theirs + 1e-15
    assert model.rank_ == size
    assert model.certificate_.holds


def test_ridge_against_rational_arithmetic():
    i = np.arange(1, 12)
    X = 1.0 / (i[:, None] + np.arange(6))
    y = np.sin(i.astype(float))
    expected = exact_least_squares(X, y, alpha=2**-10)
    model = Ridge(alpha=2.0**-10, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(model.coef_, expected, rtol=1e-11)


def test_logistic_regression_with_a_closed_form():
    # One binary feature, no penalty: the log-odds of the four counts.
    from learnable.linear import LogisticRegression

    counts = {(0.0, 0): 30, (0.0, 1): 10, (1.0, 0): 5, (1.0, 1): 25}
    rows = [(a, b) for (a, b), k in counts.items() for _ in range(k)]
    X, y = np.array([[a] for a, _ in rows]), np.array([b for _, b in rows])
    model = LogisticRegression(C=np.inf, tol=1e-13).fit(X, y)
    assert model.intercept_[0] == pytest.approx(np.log(10 / 30), abs=1e-12)
    assert model.coef_[0, 0] == pytest.approx(np.log(25 / 5) - np.log(10 / 30), abs=1e-12)
