"""Sparse discriminant analysis: the lemma at level zero, both programmes, thresholds (L19, L20)."""

import re

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from tests.cases import each

from learnable import certify
from learnable.sparse import Lasso, SparseLDA, SparseLDADantzig


def classes(n1=40, n2=70, p=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n1 + n2, p)) @ (np.eye(p) + 0.3) + 1.0
    X[n1:, :2] += np.array([1.5, -1.0])
    return X, np.array(["a"] * n1 + ["b"] * n2)


def moments(X, y):
    one, two = X[y == "a"], X[y == "b"]
    within = np.vstack([one - one.mean(axis=0), two - two.mean(axis=0)])
    return within.T @ within / len(X), two.mean(axis=0) - one.mean(axis=0)


def test_without_a_penalty_both_are_discriminant_analysis():
    X, y = classes()
    covariance, apart = moments(X, y)
    known = np.linalg.solve(covariance, apart)
    reference = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    for kind in (SparseLDA, SparseLDADantzig):
        model = kind(alpha=0.0).fit(X, y)
        direction = model.coef_[0]
        np.testing.assert_allclose(direction / np.linalg.norm(direction), known / np.linalg.norm(known), atol=1e-10)
        assert direction @ known > 0.0
        np.testing.assert_array_equal(model.predict(X), reference.predict(X))
        ratio = model.decision_function(X) / reference.decision_function(X)
        np.testing.assert_allclose(ratio, ratio[0], rtol=1e-8)
        assert model.certificate_.holds, model.certificate_


def test_it_is_the_lasso_on_these_labels():
    X, y = classes()
    labels = np.where(y == "a", -110 / 40, 110 / 70)
    for alpha in (0.05, 0.3):
        model = SparseLDA(alpha=alpha, tol=1e-14).fit(X, y)
        np.testing.assert_allclose(model.coef_[0], Lasso(alpha=alpha, tol=1e-14).fit(X, labels).coef_, atol=1e-10)
        assert model.certificate_.holds


@each("kind", [SparseLDA, SparseLDADantzig])
def test_more_columns_than_rows_and_few_in_use(kind):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((60, 90))
    y = np.repeat(["a", "b"], 30)
    X[30:, :3] += 1.5
    model = kind(alpha=1.0 if kind is SparseLDADantzig else 0.6).fit(X, y)
    assert 1 <= np.count_nonzero(model.coef_) <= 15
    assert model.score(X, y) > 0.8
    assert model.certificate_.holds, model.certificate_


def test_the_programme_meets_its_constraints_at_least_length():
    X, y = classes()
    covariance, apart = moments(X, y)
    model = SparseLDADantzig(alpha=0.3).fit(X, y)
    beta = model.coef_[0]
    assert np.abs(covariance @ beta - apart).max() <= 0.3 + 1e-10
    shorter = 0.99 * beta
    assert np.abs(covariance @ shorter - apart).max() > 0.3


def test_levels_out_of_reach_are_named_and_the_level_named_works():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((6, 12))
    y = np.array(["a", "b"] * 3)
    with pytest.raises(ValueError, match=r"SparseLDADantzig\(alpha=0.0\).*alpha must be >=") as error:
        SparseLDADantzig(alpha=0.0).fit(X, y)
    least = float(re.search(r">= ([0-9.e+-]+)", str(error.value))[1])
    assert SparseLDADantzig(alpha=least).fit(X, y).certificate_.holds


@each("kind", [SparseLDA, SparseLDADantzig])
def test_a_level_that_leaves_nothing_predicts_the_larger_class(kind):
    X, y = classes()
    model = kind(alpha=1e3).fit(X, y)
    assert not model.coef_.any()
    assert set(model.predict(X)) == {"b"}
    assert model.certificate_.holds


@each("kind", [SparseLDA, SparseLDADantzig])
def test_the_threshold_is_certified_and_bad_input_named(kind):
    X, y = classes()
    model = kind(alpha=0.2).fit(X, y)
    model.intercept_ = model.intercept_ + 1e-6
    assert not certify(model, X, y).holds
    with pytest.raises(ValueError, match="Only binary"):
        kind().fit(X, np.arange(len(y)) % 3)
    with pytest.raises(ValueError, match="one class"):
        kind().fit(X, np.zeros(len(y), dtype=int))


def test_the_threshold_is_the_best_along_the_direction():
    """For two normal classes projected on β, it is where the weighted densities cross."""
    X, y = classes(30, 90)
    model = SparseLDA(alpha=0.1).fit(X, y)
    covariance, _ = moments(X, y)
    beta = model.coef_[0]
    variance = beta @ covariance @ beta
    one, two = X[y == "a"].mean(axis=0) @ beta, X[y == "b"].mean(axis=0) @ beta
    at = -model.intercept_[0]
    assert np.log(30) - (at - one) ** 2 / (2 * variance) == pytest.approx(np.log(90) - (at - two) ** 2 / (2 * variance))
