"""Sigmoid, logit, odds, likelihood and its slope, each from its definition. Syllabus: C5."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from tests.cases import each

from learnable.linear import LogisticRegression

RANDOM = np.random.default_rng(3)
X = RANDOM.standard_normal((80, 3))
Y = (RANDOM.random(80) < 1.0 / (1.0 + np.exp(-(X @ [1.0, -2.0, 0.5] + 0.4)))).astype(int)
X1 = np.column_stack([X, np.ones(80)])


def likelihood(point):
    """−Σ [y log h + (1 − y) log(1 − h)], h = 1 / (1 + e^(−x·θ))."""
    h = 1.0 / (1.0 + np.exp(-(X1 @ point)))
    return -np.sum(Y * np.log(h) + (1 - Y) * np.log(1.0 - h))


@each("labels", [(0, 1), (-1, 1), ("no", "yes")])
def test_the_logistic_model_by_its_formulas(labels):
    y = np.array(labels)[Y]
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(X, y)
    theta = np.append(model.coef_, model.intercept_)
    score = X1 @ theta
    h = 1.0 / (1.0 + np.exp(-score))
    np.testing.assert_allclose(model.decision_function(X), score, rtol=1e-12)
    np.testing.assert_allclose(model.predict_proba(X), np.column_stack([1.0 - h, h]), rtol=1e-10)
    # The logit undoes the sigmoid: log odds are linear.
    odds = model.predict_proba(X)[:, 1] / model.predict_proba(X)[:, 0]
    np.testing.assert_allclose(np.log(odds), score, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(model.predict(X), np.where(h > 0.5, labels[1], labels[0]))
    # Σ (h − y) x' is the slope of the likelihood, and vanishes at its least value, which is global.
    slope = X1.T @ (h - Y)
    np.testing.assert_allclose(slope, 0.0, atol=1e-6)
    other = theta + np.array([0.3, -0.2, 0.1, 0.5])
    steps = 1e-6 * np.eye(4)
    numeric = [(likelihood(other + step) - likelihood(other - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(X1.T @ (1.0 / (1.0 + np.exp(-(X1 @ other))) - Y), numeric, rtol=1e-6)
    least = likelihood(theta)
    assert all(likelihood(theta + step) > least for step in RANDOM.standard_normal((50, 4)))
    assert np.exp(model.predict_log_proba(X)).sum(axis=1) == pytest.approx(1.0)
    assert -np.sum(model.predict_log_proba(X)[np.arange(80), Y]) == pytest.approx(least)
    assert model.certificate_.holds


def test_ties_and_refusals_are_those_of_scikit_learn():
    model = LogisticRegression(fit_intercept=False).fit(X, Y)
    assert model.predict(np.zeros((1, 3)))[0] == model.classes_[0]
    long = csr_matrix(X)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    with pytest.raises(ValueError, match="32-bit integer indices"):
        LogisticRegression(solver="saga").fit(long, Y)
    np.testing.assert_allclose(LogisticRegression().fit(long, Y).coef_, LogisticRegression().fit(X, Y).coef_, rtol=1e-6)


@each("layout", [np.asarray, csr_matrix])
def test_an_l1_penalty_lets_go_of_a_coefficient_at_the_gradient_of_the_intercept_alone(layout):
    """Zero up to C = 1/max|Xᵀ(y − ȳ)|, whatever the solver: no intercept is penalised; without one, ȳ is ½."""
    random = np.random.default_rng(4)
    X, y = random.standard_normal((80, 5)), random.integers(0, 2, 80)
    for intercept, level in ((True, y.mean()), (False, 0.5)):
        edge = 1.0 / np.abs(X.T @ (y - level)).max()
        for solver in ("liblinear", "saga"):
            model = LogisticRegression(l1_ratio=1, solver=solver, fit_intercept=intercept, tol=1e-6)
            below = model.set_params(C=0.999 * edge).fit(layout(X), y)
            assert not below.coef_.any()
            assert np.isclose(below.intercept_[0], np.log(level / (1.0 - level)), atol=1e-6)
            assert np.count_nonzero(model.set_params(C=1.001 * edge).fit(layout(X), y).coef_) == 1
