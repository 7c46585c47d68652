"""Orthogonal designs: the closed forms equal the solvers, and brute force."""

from itertools import combinations

import numpy as np
import pytest
import sklearn.linear_model as other
from scipy import optimize
from tests.cases import each

from learnable.sparse import BestSubset, Lasso
from learnable.theory import orthogonal_design

RNG = np.random.default_rng(2)
N, P = 30, 5


def design(scale):
    Q = np.linalg.qr(RNG.standard_normal((N, P)))[0]
    return np.sqrt(scale) * Q, Q @ np.array([3.0, -2.0, 0.7, 0.2, 0.0]) * np.sqrt(scale) + 0.1 * RNG.standard_normal(N)


@each("scale", [1.0, N, 0.01])
@each("level", [0.05, 0.5, 1.0, 10.0])
def test_the_table_equals_the_solvers(scale, level):
    X, y = design(scale)
    table = orthogonal_design(X, y, level)
    np.testing.assert_allclose(table.least_squares, np.linalg.lstsq(X, y)[0], rtol=1e-10, atol=1e-12)
    lasso = Lasso(fit_intercept=False, tol=1e-14, **{table.lasso.parameter: table.lasso.setting}).fit(X, y)
    np.testing.assert_allclose(lasso.coef_, table.lasso.coef, atol=1e-8)
    ridge = other.Ridge(fit_intercept=False, **{table.ridge.parameter: table.ridge.setting}).fit(X, y)
    np.testing.assert_allclose(ridge.coef_, table.ridge.coef, atol=1e-10)
    direct = np.linalg.solve(X.T @ X + level * scale * np.eye(P), X.T @ y)
    np.testing.assert_allclose(direct, table.ridge.coef, atol=1e-10)
    if table.best_subset.setting:
        subset = BestSubset(k=int(table.best_subset.setting), fit_intercept=False).fit(X, y)
        np.testing.assert_allclose(subset.coef_, table.best_subset.coef, atol=1e-10)
    else:
        assert not table.best_subset.coef.any()


def test_each_minimises_the_objective_it_states():
    X, y = design(4.0)
    level = 0.6
    table = orthogonal_design(X, y, level)

    def loss(beta):
        return np.sum((y - X @ beta) ** 2) / 8.0

    best = np.inf
    for size in range(P + 1):
        for J in combinations(range(P), size):
            beta = np.zeros(P)
            beta[list(J)] = np.linalg.lstsq(X[:, J], y)[0] if J else 0.0
            best = min(best, loss(beta) + 0.5 * level**2 * size)
    assert table.best_subset.value == pytest.approx(best, rel=1e-12)
    for rule, penalty in (
        (table.ridge, lambda beta: 0.5 * level * beta @ beta),
        (table.lasso, lambda beta: level * np.abs(beta).sum()),
    ):
        assert rule.value == pytest.approx(loss(rule.coef) + penalty(rule.coef))
        found = optimize.minimize(
            lambda beta, penalty=penalty: loss(beta) + penalty(beta), rule.coef + 0.01, method="Powell", tol=1e-12
        )
        assert rule.value <= found.fun + 1e-9


def test_a_tie_at_the_threshold_costs_the_same_either_way():
    table = orthogonal_design(np.eye(2), [2.0, 1.0], 1.0)
    assert table.best_subset.coef.tolist() == [2.0, 0.0]
    with_both = 0.5 * 1.0**2 * 2
    assert table.best_subset.value == pytest.approx(with_both)


def test_errors_name_what_is_in_the_way():
    with pytest.raises(ValueError, match=r"columns 0 and 1 have the inner product"):
        orthogonal_design(np.array([[1.0, 1.0], [0.0, 0.1]]) / np.array([1.0, np.sqrt(1.01)]), [1.0, 2.0], 1.0)
    with pytest.raises(ValueError, match=r"squared length 4"):
        orthogonal_design(np.diag([1.0, 1.0, 2.0]), [1.0, 2.0, 3.0], 1.0)
    with pytest.raises(ValueError, match=r"not c·I"):
        orthogonal_design(np.zeros((3, 2)), [1.0, 2.0, 3.0], 1.0)
    with pytest.raises(ValueError, match="level must be"):
        orthogonal_design(np.eye(2), [1.0, 2.0], -0.5)
