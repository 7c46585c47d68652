"""Digits of a lasso whose columns nearly depend on each other, beside those of reflections on its support."""

from fractions import Fraction

import numpy as np
from scipy.linalg import solve_triangular
from tests.cases import each

from learnable.sparse import Lasso

N = 24


def exact(X, y, sign, alpha):
    """Without any rounding: the coefficients whose signs are these, with an intercept."""
    rows, target = [[Fraction(v) for v in row] for row in X.tolist()], [Fraction(v) for v in y.tolist()]
    k = len(sign)
    means, mean = [sum(row[j] for row in rows) / N for j in range(k)], sum(target) / N
    Z, t = [[row[j] - means[j] for j in range(k)] for row in rows], [v - mean for v in target]
    A = [
        [sum(z[a] * z[b] for z in Z) for b in range(k)]
        + [sum(z[a] * v for z, v in zip(Z, t)) - N * Fraction(alpha) * int(sign[a])]
        for a in range(k)
    ]
    for i in range(k):
        A[i] = [value / A[i][i] for value in A[i]]
        for r in range(k):
            if r != i:
                A[r] = [u - A[r][i] * v for u, v in zip(A[r], A[i])]
    return np.array([float(row[k]) for row in A])


def by_reflections(X, y, sign, alpha):
    Q, R = np.linalg.qr(X - X.mean(axis=0))
    return solve_triangular(R, Q.T @ (y - y.mean()) - N * alpha * solve_triangular(R, sign, trans=1))


def digits(found, truth):
    return -np.log10(max(np.abs(found - truth).max() / np.abs(truth).max(), 1e-16))


@each("seed", range(12))
def test_no_digits_are_lost_to_cross_products(seed):
    """The squares of 1e-4 and 1e-5 are beyond what cross-products know: 4 to 7 digits were lost here."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 3))
    apart = (1e-4, 1e-5)[seed % 2]
    X[:, 2] = X[:, 0] + apart * X[:, 2]
    X[:, 1] += 1e4 * (seed % 3 == 1)
    coef = rng.normal(size=3)
    coef[2] = -coef[0] if seed % 4 < 2 else coef[2]
    y = X @ coef / np.sqrt(apart) + 0.1 * rng.normal(size=N)
    alpha = 1e-6 * np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / N
    found = Lasso(alpha=alpha).fit(X, y).coef_
    support, sign = np.flatnonzero(found), np.sign(found[found != 0.0])
    truth = exact(X[:, support], y, sign, alpha)
    np.testing.assert_array_equal(np.sign(truth), sign)
    ours, theirs = (digits(b, truth) for b in (found[support], by_reflections(X[:, support], y, sign, alpha)))
    assert ours >= min(theirs, 15.0) - 2.0, (ours, theirs)
