"""The closer look: counts add up, curves start where they can, weights are named."""

import numpy as np
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from tests.cases import each

from learnable.app.comparing import METRICS
from learnable.app.diagnostics import calibration, coefficients, columns_used, confusion, learning_curve, residuals
from learnable.app.tuning import Fold
from learnable.app.workers import Deadline

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3))
Y = np.where(X[:, 0] + 0.5 * RNG.normal(size=200) > 0, "yes", "no")


def test_calibration_covers_every_row_and_a_true_model_is_calibrated():
    table = calibration(LogisticRegression().fit(X, Y), X, Y)
    assert table.positive == "yes"
    assert sum(table.counts) == 200
    assert table.predicted == sorted(table.predicted)
    inside = [one.low <= p <= one.high for p, one in zip(table.predicted, table.observed)]
    assert np.mean(inside) >= 0.7


def test_no_calibration_without_probabilities_or_with_three_classes():
    assert calibration(LinearRegression().fit(X, X[:, 0]), X, Y) is None
    three = np.array(["a", "b", "c", "a"] * 50)
    assert calibration(LogisticRegression().fit(X, three), X, three) is None


def test_confusion_counts_every_row_in_the_order_of_the_levels():
    table = confusion(np.array(["2", "10", "10"]), np.array(["10", "10", "2"]), ["2", "10"])
    assert table.counts == [[0, 1], [1, 1]]


def test_residuals_are_true_minus_predicted_and_sampled_when_many():
    few = residuals(np.array([1.0, 2.0]), np.array([0.5, 2.5]), RNG)
    assert few.residual == [0.5, -0.5]
    many = residuals(np.arange(5000.0), np.zeros(5000), RNG)
    assert len(many.residual) == 2000
    assert many.residual == sorted(many.residual)


def test_the_learning_curve_of_a_linear_truth_falls():
    y = X @ [1.0, 2.0, 3.0] + RNG.normal(size=200)
    folds = [
        Fold(np.delete(X, part, 0), np.delete(y, part), X[part], y[part]) for part in np.arange(200).reshape(5, 40)
    ]
    curve = learning_curve(LinearRegression(), folds, METRICS["regression"], 2, Deadline(None), lambda: None)
    assert curve.sizes == [16, 32, 64, 112, 160]
    assert curve.validation[-1].estimate < curve.validation[0].estimate
    assert curve.training[0].estimate < curve.validation[0].estimate


def test_sizes_at_which_a_fit_fails_are_left_out():
    y = np.array(["a"] * 100 + ["b"] * 100)  # the first rows are of one class
    folds = [Fold(X, y, X[:20], y[:20]), Fold(X, y, X[20:40], y[20:40])]
    curve = learning_curve(LogisticRegression(), folds, METRICS["classification"], 1, Deadline(None), lambda: None)
    assert curve.sizes == [140, 200]


def test_coefficients_are_named_and_sorted_and_zeros_left_out():
    model = LinearRegression().fit(X, X @ [1.0, -2.0, 0.0])
    model.coef_ = np.array([1.0, -2.0, 0.0])
    assert [(one.feature, one.weight) for one in coefficients(model, ["a", "b", "c"])] == [("b", -2.0), ("a", 1.0)]
    assert columns_used(model, ["p", "p", "q"]) == 1
    three = LogisticRegression().fit(X, ["a", "b", "c", "a"] * 50)
    assert {one.output for one in coefficients(three, ["a", "b", "c"])} == {"a", "b", "c"}


@each("features", [["a"], ["a", "b", "c"]])
def test_a_model_without_weights(features):
    model = DummyRegressor().fit(X, X[:, 0])
    assert coefficients(model, features) == []
    assert columns_used(model, features) is None
