"""The ℓ1 ball and the penalty: one map, its inverse, and the constrained problem solved by another route."""

import numpy as np
import pytest
from scipy import optimize, sparse
from tests.cases import each

from learnable.sparse import Lasso, constrained_lasso

RNG = np.random.default_rng(2)
X = RNG.standard_normal((50, 6)) + 0.3
Y = X @ [2.0, -1.0, 0.5, 0.0, 0.0, 0.3] + 0.4 * RNG.standard_normal(50) + 1.0
W = RNG.uniform(0.3, 2.0, 50)


@each("weight", [None, W], ids=["", "weighted"])
@each("alpha", [0.02, 0.3, 1.0])
def test_constrained_and_penalised_are_inverse_to_each_other(alpha, weight):
    lasso = Lasso(alpha=alpha, tol=1e-14).fit(X, Y, weight)
    found = constrained_lasso(X, Y, radius=np.abs(lasso.coef_).sum(), sample_weight=weight)
    assert found.alpha == pytest.approx(alpha, rel=1e-6)
    np.testing.assert_allclose(found.coef, lasso.coef_, atol=1e-7)
    assert found.intercept == pytest.approx(lasso.intercept_, abs=1e-7)
    assert found.gap + found.slackness <= 1e-9


def test_quadratic_programming_agrees():
    # β = u − v with u, v ≥ 0 and Σ(u + v) ≤ t.
    A, y, t = X - X.mean(axis=0), Y - Y.mean(), 2.0

    def value(z):
        r = y - A @ (z[:6] - z[6:])
        g = -A.T @ r / 50
        return 0.5 * r @ r / 50, np.concatenate([g, -g])

    ball = {"type": "ineq", "fun": lambda z: t - z.sum(), "jac": lambda z: -np.ones(12)}
    answer = optimize.minimize(
        value, np.full(12, 0.01), jac=True, bounds=[(0, None)] * 12, constraints=[ball], options={"ftol": 1e-14}
    )
    found = constrained_lasso(X, Y, radius=t)
    np.testing.assert_allclose(found.coef, answer.x[:6] - answer.x[6:], atol=1e-4)
    assert found.norm == pytest.approx(t, abs=1e-9)


def test_a_wide_ball_is_least_squares():
    found = constrained_lasso(X, Y, radius=1e3)
    assert found.alpha == 0.0
    A = np.column_stack([X, np.ones(50)])
    np.testing.assert_allclose(found.coef, np.linalg.lstsq(A, Y, rcond=None)[0][:6], atol=1e-9)


@each("radius", [0.0, -1.0, np.inf, np.nan])
def test_a_radius_that_is_none_is_named(radius):
    with pytest.raises(ValueError, match="constrained_lasso"):
        constrained_lasso(X, Y, radius=radius)


@each("radius", [0.1, 1.0, 5.0])
def test_dependent_columns_cost_nothing(radius):
    rng = np.random.default_rng(3)
    A = rng.standard_normal((60, 3)) @ rng.standard_normal((3, 200))
    t = A[:, :10] @ rng.standard_normal(10) + rng.standard_normal(60)
    found = constrained_lasso(A, t, radius=radius)
    assert found.norm <= radius * (1.0 + 1e-12)
    assert found.gap + found.slackness <= 1e-9 * t.var()
    assert np.count_nonzero(found.coef) <= 3


def test_sparse_is_dense():
    A = np.where(np.abs(X) > 0.7, X, 0.0)
    dense, thin = (constrained_lasso(form, Y, radius=1.5, sample_weight=W) for form in (A, sparse.csr_matrix(A)))
    np.testing.assert_allclose(thin.coef, dense.coef, atol=1e-10)
    assert thin.alpha == pytest.approx(dense.alpha)
