"""A row of weight k counts as k rows, and a row of weight 0 as none: every linear estimator that takes weights."""

from inspect import signature

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone, is_classifier
from tests.cases import each

from learnable.checks import all_estimators
from learnable.linear import GeneralizedLinearRegressor, LinearDiscriminantAnalysis, LogisticRegression, RidgeCV
from learnable.linear import __name__ as LINEAR

ORDER_MATTERS = {
    "Perceptron": "two visits of a row are not one visit of twice the weight",
    "SGDClassifier": "two visits of a row are not one visit of twice the weight",
    "SGDRegressor": "two visits of a row are not one visit of twice the weight",
}
# Leaving out a row of weight 3 leaves out all of it, leaving out one of three equal rows does not: the law holds for
# the fit at a given penalty, not for the choice of the penalty.
SPECIAL = {"RidgeCV": RidgeCV(alphas=[2.0])}
MORE = {
    "LogisticRegression, no penalty": LogisticRegression(C=np.inf),
    "LogisticRegression, balanced": LogisticRegression(class_weight="balanced"),
    "GeneralizedLinearRegressor, gamma": GeneralizedLinearRegressor("gamma", "log", alpha=0.0),
    "LinearDiscriminantAnalysis, shrunk": LinearDiscriminantAnalysis(solver="eigen", shrinkage="auto"),
}
ANSWERS = ("coef_", "intercept_", "means_", "priors_", "covariance_", "scalings_", "coef_covariance_", "errors_")
RANDOM = np.random.default_rng(7)
X = RANDOM.normal(loc=[0.0, 1.0, -2.0], size=(90, 3))
SCORE = X @ [0.8, -0.5, 0.3] + RANDOM.logistic(size=90)
WEIGHT = RANDOM.integers(0, 4, 90)
REPEATED = np.repeat(np.arange(90), WEIGHT)


def weighted() -> dict[str, object]:
    kinds = [kind for _, kind in all_estimators() if kind.__module__.startswith(LINEAR)]
    kinds = [kind for kind in kinds if "sample_weight" in signature(kind.fit).parameters]
    models = {kind.__name__: SPECIAL.get(kind.__name__, kind()) for kind in kinds} | MORE
    for model in models.values():
        if {"tol", "max_iter"} <= model.get_params().keys():
            model.set_params(tol=1e-10)
    return models


MODELS = weighted()


def target(name: str) -> np.ndarray:
    if name == "RandomLinearClassifier":
        return np.where(SCORE > 0, "above", "below")
    return np.digitize(SCORE, np.quantile(SCORE, [0.3, 0.6])) if is_classifier(MODELS[name]) else np.exp(0.3 * SCORE)


def assert_same(a, b) -> None:
    found = [answer for answer in ANSWERS if hasattr(a, answer)]
    assert found
    for answer in found:
        for left, right in zip(np.atleast_1d(getattr(a, answer)), np.atleast_1d(getattr(b, answer)), strict=True):
            np.testing.assert_allclose(left, right, rtol=1e-8, atol=1e-9, err_msg=answer)
    assert a.certificate_.holds
    assert b.certificate_.holds


@each("as_sparse", [False, True])
@each("name", [name for name in MODELS if name not in ORDER_MATTERS])
def test_integer_weights_are_repetitions(name, as_sparse):
    given = sparse.csr_array(X) if as_sparse else X
    y = target(name)
    by_weight = clone(MODELS[name]).fit(given, y, sample_weight=WEIGHT)
    assert_same(by_weight, clone(MODELS[name]).fit(given[REPEATED], y[REPEATED]))


@each("name", [name for name in MODELS if name not in ORDER_MATTERS])
def test_what_is_in_a_row_of_weight_zero_does_not_matter(name):
    y, absent = target(name), WEIGHT == 0
    changed = X.copy()
    changed[absent] = 1e3 * X[absent][:, ::-1] + 5.0
    one, other = (clone(MODELS[name]).fit(given, y, sample_weight=WEIGHT) for given in (X, changed))
    assert_same(one, other)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@each("name", ORDER_MATTERS)
def test_where_the_order_matters_a_visit_still_counts_by_its_weight(name):
    """A visit of a row of weight w moves by w times the gradient."""
    model = MODELS[name]
    options = {"max_iter": 1, "tol": None, "shuffle": False}
    options |= {} if name == "Perceptron" else {"learning_rate": "constant", "eta0": 0.01, "alpha": 1e-12}
    y = np.array([1.0, -1.0])
    light = clone(model).set_params(**options).fit(X[:2], y, sample_weight=[1.0, 0.0])
    heavy = clone(model).set_params(**options).fit(X[:2], y, sample_weight=[3.0, 0.0])
    np.testing.assert_allclose(heavy.coef_, 3.0 * light.coef_, rtol=1e-9)
    assert np.any(light.coef_ != 0.0)
