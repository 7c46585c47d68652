"""Newton's method over the rows of a wide table: the same minimum as over its columns, from fewer numbers."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from tests.cases import each

from learnable.linear import LogisticRegression
from learnable.rows import as_rows
from learnable.solvers.linear import newton_cg, newton_over_rows
from learnable.solvers.linear.likelihood import CategoricalLikelihood

RNG = np.random.default_rng(3)


def posed(n_classes, intercept=True, weights=False, repeated=False, alpha=0.02):
    n, p = 40, 300
    X, y = RNG.standard_normal((n, p)), np.arange(n) % n_classes
    X[:, :5] += y[:, np.newaxis]
    if repeated:
        X[n // 2 :] = X[: n // 2]
    weight = RNG.uniform(0.5, 3.0, n) if weights else None

    def over(table):
        objective = CategoricalLikelihood(as_rows(table, y, weight), 1 if n_classes == 2 else n_classes, intercept)
        objective.alpha = alpha
        return objective

    return X, over


def end(states, enough):
    for state in states:
        if state.gradient_norm <= enough:
            break
    return state


@each("n_classes", [2, 4])
@each("form", [{}, {"intercept": False}, {"weights": True}, {"repeated": True}], ids=str)
def test_the_minimum_is_that_over_the_columns(n_classes, form):
    X, over = posed(n_classes, **form)
    objective = over(X)
    found = end(newton_over_rows.iterates(objective, X, over, None, 1e-11), 1e-11)
    expected = end(newton_cg.iterates(objective, None, 1e-11), 1e-11)
    assert found.gradient_norm <= 1e-11
    np.testing.assert_allclose(found.theta, expected.theta, atol=1e-8)
    assert np.abs(objective.value_and_gradient(found.theta)[1]).max() <= 1e-11


def test_states_tell_the_objective_and_the_gradient_over_the_columns():
    X, over = posed(3)
    objective = over(X)
    states = []
    for state in newton_over_rows.iterates(objective, X, over, None, 1e-9):
        states.append(state)
        if state.gradient_norm <= 1e-9:
            break
    assert len(states) > 3
    for state in states:
        value, gradient = objective.value_and_gradient(state.theta)
        np.testing.assert_allclose(state.objective, value, rtol=1e-10)
        np.testing.assert_allclose(state.gradient_norm, objective.norm(gradient), rtol=1e-4, atol=1e-12)
    assert all(a.objective >= b.objective for a, b in pairwise(states))
    assert [state.steps for state in states] == list(range(len(states)))


def test_a_start_is_where_the_states_begin():
    X, over = posed(3)
    objective = over(X)
    best = end(newton_over_rows.iterates(objective, X, over, None, 1e-10), 1e-10)
    again = next(newton_over_rows.iterates(objective, X, over, best.theta, 1e-6))
    np.testing.assert_allclose(again.theta, best.theta, atol=1e-9)


def test_few_products_are_made_over_the_columns(monkeypatch):
    X, over = posed(4)
    objective, made = over(X), []
    product = objective.hessian_product
    monkeypatch.setattr(objective, "hessian_product", lambda theta: made.append(1) or product(theta))
    end(newton_over_rows.iterates(objective, X, over, None, 1e-8), 1e-8)
    assert not made


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_wide_tables_are_fitted_so_and_the_certificate_holds(dtype, monkeypatch):
    used, iterates = [], newton_over_rows.iterates
    monkeypatch.setattr(newton_over_rows, "iterates", lambda *args: used.append(1) or iterates(*args))
    n, p = 60, 900
    y = np.arange(n) % 3
    X = (RNG.standard_normal((n, p)) + 0.3 * y[:, np.newaxis]).astype(dtype)
    dense = LogisticRegression(tol=1e-6).fit(X, y)
    assert used
    assert dense.certificate_.holds
    by_entries = LogisticRegression(tol=1e-6).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(dense.coef_, by_entries.coef_, atol=1e-4)
