"""Designs that break textbook formulas: every linear estimator fits them, with a certificate, or says why not."""

from inspect import signature

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from tests.cases import each

from learnable.checks import all_estimators
from learnable.linear import (
    GeneralizedLinearRegressor,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
)
from learnable.linear import __name__ as LINEAR
from learnable.trace import Status

MODELS = {name: kind() for name, kind in all_estimators() if kind.__module__.startswith(LINEAR)} | {
    "LogisticRegression, no penalty": LogisticRegression(C=np.inf),
    "GeneralizedLinearRegressor, no penalty": GeneralizedLinearRegressor(alpha=0.0),
    "GeneralizedLinearRegressor, gamma": GeneralizedLinearRegressor("gamma", "log", alpha=0.0),
    "PoissonRegressor, no penalty": PoissonRegressor(alpha=0.0),
    "Ridge, no penalty": Ridge(alpha=0.0),
}
TWO_CLASSES_ONLY = ("RandomLinearClassifier", "RandomMisclassifiedPerceptron")
RANDOM = np.random.default_rng(3)
N = 60
X = RANDOM.normal(size=(N, 3))
SCORE = X @ [0.8, -0.5, 0.3] + RANDOM.logistic(size=N)
DUMMIES = np.eye(3)[np.arange(N) % 3]
every = each("name", MODELS)
weighted = each("name", [name for name, model in MODELS.items() if "sample_weight" in signature(model.fit).parameters])
classifiers = each("name", [name for name, model in MODELS.items() if is_classifier(model)])
# Walks over rows that cannot be separated end by their budget, with a warning.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def target(name: str) -> np.ndarray:
    if is_classifier(MODELS[name]):
        return np.where(SCORE > 0, "above", "below")
    return np.exp(0.3 * SCORE)


def fit_or_reason(name: str, refusals: dict[str, str], X, y, **fit):
    """The fitted model, with a certificate that holds and finite answers; or None where a reason was to be given."""
    model = clone(MODELS[name])
    if name in refusals:
        with pytest.raises(ValueError, match=refusals[name]):
            model.fit(X, y, **fit)
        assert not hasattr(model, "status_")
        return None
    model.fit(X, y, **fit)
    for answer in ("coef_", "intercept_", "means_"):
        assert np.all(np.isfinite(getattr(model, answer, 0.0))), answer
    if "Perceptron" not in name and "SGD" not in name:  # a walk that ends nowhere says so in its certificate
        assert model.certificate_.holds, model.certificate_
    return model


def fit_without_maximum(name: str, X, y, **fit) -> None:
    """The likelihood of separated classes has no maximum: a warning names the direction, the certificate fails."""
    model = clone(MODELS[name])
    with pytest.warns(ConvergenceWarning, match="separated along the direction"):
        model.fit(X, y, **fit)
    assert model.status_ is Status.DIVERGED
    assert not model.certificate_.holds


NO_DENSITY = "not full rank"


@every
def test_a_column_twice(name):
    refusals = {"QuadraticDiscriminantAnalysis": NO_DENSITY}
    model = fit_or_reason(name, refusals, np.column_stack([X, X[:, 1]]), target(name))
    if name in ("LinearRegression", "Ridge, no penalty", "IndicatorRegression") or "no penalty" in name:
        plain = clone(MODELS[name]).fit(X, target(name))
        scores = "decision_function" if hasattr(plain, "decision_function") else "predict"
        np.testing.assert_allclose(
            getattr(model, scores)(np.column_stack([X, X[:, 1]])), getattr(plain, scores)(X), rtol=1e-4, atol=1e-4
        )
    if name == "Ridge":
        assert model.coef_[1] == pytest.approx(model.coef_[3], rel=1e-10)


@every
def test_dummies_that_add_up_to_the_intercept(name):
    refusals = {"QuadraticDiscriminantAnalysis": NO_DENSITY}
    model = fit_or_reason(name, refusals, DUMMIES, target(name))
    if name in ("LinearRegression", "Ridge, no penalty", "GeneralizedLinearRegressor, no penalty") or "gamma" in name:
        means = DUMMIES.T @ target(name) / DUMMIES.sum(axis=0)
        np.testing.assert_allclose(model.predict(np.eye(3)), means, rtol=1e-4)


@every
def test_fewer_rows_than_columns(name):
    wide = np.random.default_rng(4).normal(size=(8, 20))
    refusals = {"QuadraticDiscriminantAnalysis": NO_DENSITY}
    y = target(name)[:8].copy()
    if is_classifier(MODELS[name]):
        y[:4], y[4:] = "above", "below"
    if name == "LogisticRegression, no penalty":
        return fit_without_maximum(name, wide, y)
    model = fit_or_reason(name, refusals, wide, y)
    if name in ("LinearRegression", "Ridge, no penalty"):
        np.testing.assert_allclose(model.predict(wide), y, rtol=1e-9)
        centred = wide - wide.mean(axis=0)
        np.testing.assert_allclose(model.coef_, np.linalg.pinv(centred) @ (y - y.mean()), rtol=1e-7)
    return None


@weighted
@each("weight", [np.zeros(N), np.resize([1.0, -1.0], N), np.full(N, -1.0), np.full(N, np.nan)])
def test_weights_that_sum_to_nothing(name, weight):
    model = clone(MODELS[name])
    with pytest.raises(ValueError, match=r"(?i)weight"):
        model.fit(X, target(name), sample_weight=weight)
    assert not hasattr(model, "status_")


@classifiers
def test_a_class_with_one_member(name):
    y = target(name)
    y[0] = "alone"
    refusals = {"QuadraticDiscriminantAnalysis": "only 1 sample in class alone"}
    refusals |= dict.fromkeys(TWO_CLASSES_ONLY, "3 classes")
    if name == "LogisticRegression, no penalty":
        return fit_without_maximum(name, X, y)
    model = fit_or_reason(name, refusals, X, y)
    if model is not None:
        assert model.classes_.tolist() == ["above", "alone", "below"]
        assert set(model.predict(X)) <= set(model.classes_)
    return None


@each(
    "name",
    [name for name, m in MODELS.items() if is_classifier(m) and "sample_weight" in signature(m.fit).parameters],
)
def test_a_class_whose_rows_all_have_weight_zero(name):
    """Three labels are given, rows of two count."""
    y = target(name)
    y[:5] = "ghost"
    weight = np.where(y == "ghost", 0.0, 1.0)
    if name == "LogisticRegression, no penalty":
        return fit_without_maximum(name, X, y, sample_weight=weight)
    refusals = {"RandomLinearClassifier": "3 classes"}
    refusals |= dict.fromkeys(
        ("LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis", "IndicatorRegression"), "ghost"
    )
    model = fit_or_reason(name, refusals, X, y, sample_weight=weight)
    if model is not None:
        assert "ghost" not in model.predict(X)
    return None


def test_least_squares_names_what_is_not_identified():
    model = LinearRegression().fit(np.column_stack([X, X[:, 0] + X[:, 1]]), target("LinearRegression"))
    assert model.rank_ == 3
