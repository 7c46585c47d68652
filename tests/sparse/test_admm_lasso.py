"""ADMM against the two other algorithms for the lasso, and its residuals (L8)."""

import numpy as np
import pytest
from tests.cases import each

from learnable import certify, watch
from learnable.sparse import ADMMLasso, Lasso, LassoLars
from learnable.trace import Status


def problem(n, p, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) + 0.5 * rng.standard_normal((n, 1)) + 3.0
    return X, X[:, :4] @ np.array([2.0, -1.5, 1.0, 0.5]) + 0.3 * rng.standard_normal(n)


@each("shape", [(80, 12), (30, 60)])
@each("intercept", [True, False])
def test_three_algorithms_agree(shape, intercept):
    X, y = problem(*shape)
    for alpha in (1.0, 0.1, 0.02):
        three = [
            Lasso(alpha=alpha, tol=1e-15, fit_intercept=intercept, max_iter=10_000).fit(X, y),
            LassoLars(alpha=alpha, fit_intercept=intercept).fit(X, y),
            ADMMLasso(alpha=alpha, fit_intercept=intercept).fit(X, y),
        ]
        for model in three[1:]:
            np.testing.assert_allclose(model.coef_, three[0].coef_, atol=1e-10)
            assert model.intercept_ == pytest.approx(three[0].intercept_, abs=1e-9)
            assert model.certificate_.holds, model.certificate_


def test_weights_are_repetitions():
    X, y = problem(40, 6)
    w = np.tile([1.0, 2.0, 3.0, 1.0], 10)
    one = ADMMLasso(alpha=0.1).fit(X, y, w)
    two = ADMMLasso(alpha=0.1).fit(np.repeat(X, w.astype(int), axis=0), np.repeat(y, w.astype(int)))
    np.testing.assert_allclose(one.coef_, two.coef_, atol=1e-12)


@each("rho", [0.05, 1.0, 20.0])
def test_any_rho_leads_to_the_same_answer_and_the_residuals_vanish(rho):
    X, y = problem(60, 8)
    steps = [step.state for step in watch(ADMMLasso(alpha=0.1, rho=rho), X, y)]
    np.testing.assert_allclose(steps[-1].coef, Lasso(alpha=0.1, tol=1e-15).fit(X, y).coef_, atol=1e-10)
    assert steps[-1].primal_residual == steps[-1].dual_residual == 0.0
    assert all(state.gap >= 0.0 for state in steps)
    assert steps[-2].primal_residual < steps[0].primal_residual or len(steps) < 3


def test_one_round_by_hand():
    X, y = problem(50, 5)
    first = next(watch(ADMMLasso(alpha=0.1, rho=2.0, fit_intercept=False), X, y)).state
    n = len(y)
    beta = np.linalg.solve(X.T @ X / n + 2.0 * np.eye(5), X.T @ y / n)
    z = np.sign(beta) * np.maximum(np.abs(beta) - 0.1 / 2.0, 0.0)
    np.testing.assert_allclose(first.coef, z, atol=1e-12)
    np.testing.assert_allclose(first.dual, beta - z, atol=1e-12)
    assert first.primal_residual == pytest.approx(np.linalg.norm(beta - z))
    assert first.dual_residual == pytest.approx(2.0 * np.linalg.norm(z))


def test_hostile_columns_and_targets():
    X, y = problem(30, 5)
    padded = np.column_stack([X, X[:, 0], np.zeros(30), np.full(30, 7.0)])
    model = ADMMLasso(alpha=0.05).fit(padded, y)
    assert model.certificate_.holds
    assert not model.coef_[6:].any()
    assert model.coef_[0] + model.coef_[5] == pytest.approx(Lasso(alpha=0.05, tol=1e-15).fit(X, y).coef_[0], abs=1e-9)
    nothing = ADMMLasso(alpha=0.05).fit(X, np.full(30, 4.0))
    assert not nothing.coef_.any()
    assert nothing.certificate_.holds
    assert nothing.intercept_ == pytest.approx(4.0, rel=1e-15)
    assert not ADMMLasso(alpha=1e3).fit(X, y).coef_.any()


def test_spent_budget_and_tampered_duals_are_named():
    X, y = problem(60, 8)
    with pytest.warns(Warning, match="raise max_iter"):
        short = ADMMLasso(alpha=0.01, max_iter=1, rho=30.0).fit(X, y)
    assert short.status_ is Status.BUDGET_SPENT
    assert not short.certificate_.holds
    model = ADMMLasso(alpha=0.1).fit(X, y)
    model.dual_ = model.dual_ + 0.1 * np.abs(model.dual_).max()
    assert not certify(model, X, y).holds
    with pytest.raises(ValueError, match="alpha"):
        ADMMLasso(alpha=0).fit(X, y)


def test_columns_in_units_far_apart_are_solved_too():
    """Columns eight orders apart and little penalty, where rounds with one rho hardly move some of them."""
    X, y = problem(50, 5)
    X = (X - X.mean(axis=0)) * np.array([1e-4, 1.0, 1.0, 1.0, 1e4])
    alpha = 1e-4 * np.abs(X.T @ y).max() / 50
    model = ADMMLasso(alpha=alpha).fit(X, y)
    assert certify(model, X, y).holds, model.certificate_
    exact = LassoLars(alpha=alpha).fit(X, y)
    np.testing.assert_allclose(model.coef_, exact.coef_, rtol=1e-6, atol=1e-9 * np.abs(exact.coef_).max())
    # More columns than rows and hardly any penalty: columns that depend on each other are exchanged.
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((12, 20)), 1e8 + 1e3 * rng.standard_normal(12)
    wide = ADMMLasso(alpha=1.0).fit(X, y)
    assert certify(wide, X, y).holds, wide.certificate_
    np.testing.assert_allclose(wide.coef_, LassoLars(alpha=1.0).fit(X, y).coef_, atol=1e-6)
