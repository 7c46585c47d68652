"""The closer look: counts add up, curves start where they can, weights are named."""

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression

from learnable.app.judging import diagnostics
from learnable.app.judging.diagnostics import CURVE_SHARES, calibration, confusion, learning_curve, residuals
from learnable.app.judging.explaining import operating
from learnable.app.judging.metrics import METRICS
from learnable.app.judging.traits import columns_used
from learnable.app.trials.fitting import Output, output_of
from learnable.app.trials.rounds import mixed
from learnable.app.trials.tuning import Fold
from learnable.app.trials.workers import Deadline

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3))
Y = np.where(X[:, 0] + 0.5 * RNG.normal(size=200) > 0, "yes", "no")


def test_calibration_covers_every_row_and_a_true_model_is_calibrated():
    table = calibration(Y, output_of(LogisticRegression().fit(X, Y), X))
    assert table.positive == "yes"
    assert sum(table.counts) == 200
    assert table.predicted == sorted(table.predicted)
    inside = [one.low <= p <= one.high for p, one in zip(table.predicted, table.observed)]
    assert np.mean(inside) >= 0.7


def test_a_blend_is_calibrated_whatever_the_rounding_of_its_weights():
    sure = Output(Y, np.column_stack([Y == "no", Y == "yes"]).astype(float), np.array(["no", "yes"]))
    blended = mixed([sure, sure, sure], np.array([0.3, 0.3, 0.4 + 1e-15]))
    assert sum([0.3, 0.3, 0.4 + 1e-15]) > 1
    assert sum(calibration(Y, blended).counts) == 200


def test_no_calibration_without_probabilities_and_that_of_the_class_called_with_three():
    assert calibration(Y, output_of(LinearRegression().fit(X, X[:, 0]), X)) is None
    three = np.array(["a", "b", "c", "a"] * 50)
    found = calibration(three, output_of(LogisticRegression().fit(X, three), X))
    assert found.positive == "the class that was called"
    assert sum(found.counts) == 200


def test_the_operating_point_of_a_rare_class_is_that_of_the_confusion_table():
    """Few of 3,000 rows are of the class: thinned thresholds keep every step of the curve and the point in use."""
    y = np.where(np.arange(3000) < 7, "fraud", "no")
    odds = RNG.normal(size=3000) - 6 + 6 * (y == "fraud")
    share = 1 / (1 + np.exp(-odds))
    said = Output(np.where(share > 0.5, "fraud", "no"), np.column_stack([share, 1 - share]), np.array(["fraud", "no"]))
    found = operating(y, said, None)
    table = confusion(y, said.predicted, ["fraud", "no"]).counts
    place = max(i for i, value in enumerate(found.threshold) if value >= 0.5)
    assert found.recall[place] == table[0][0] / 7
    assert found.false_positive_rate[place] == table[1][0] / 2993
    assert set(np.round(np.multiply(found.recall, 7)).astype(int)) >= set(range(1, 8))
    area = np.trapezoid([0, *found.recall, 1], [0, *found.false_positive_rate, 1])
    assert area == pytest.approx(found.auc.estimate, abs=1e-3)


def test_confusion_counts_every_row_in_the_order_of_the_levels():
    table = confusion(np.array(["2", "10", "10"]), np.array(["10", "10", "2"]), ["2", "10"])
    assert table.counts == [[0, 1], [1, 1]]


def test_residuals_are_true_minus_predicted_and_sampled_when_many():
    few = residuals(np.array([1.0, 2.0]), np.array([0.5, 2.5]), RNG)
    assert few.residual == [0.5, -0.5]
    many = residuals(np.arange(5000.0), np.zeros(5000), RNG)
    assert len(many.residual) == 2000
    assert many.residual == sorted(many.residual)


@pytest.fixture
def every_share(monkeypatch):
    """The points of a curve as users get them; other tests of this room have fewer."""
    monkeypatch.setattr(diagnostics, "CURVE_SHARES", CURVE_SHARES)


def test_the_learning_curve_of_a_linear_truth_falls(every_share):
    y = X @ [1.0, 2.0, 3.0] + RNG.normal(size=200)
    folds = [
        Fold(np.delete(X, part, 0), np.delete(y, part), X[part], y[part]) for part in np.arange(200).reshape(5, 40)
    ]
    curve = learning_curve(LinearRegression(), folds, METRICS["regression"], 2, Deadline(None), lambda: None)
    assert curve.sizes == [16, 32, 64, 112, 160]
    assert curve.validation[-1].estimate < curve.validation[0].estimate
    assert curve.training[0].estimate < curve.validation[0].estimate


def test_sizes_at_which_a_fit_fails_are_left_out(every_share):
    y = np.array(["a"] * 100 + ["b"] * 100)  # the first rows are of one class
    folds = [Fold(X, y, X[:20], y[:20]), Fold(X, y, X[20:40], y[20:40])]
    curve = learning_curve(LogisticRegression(), folds, METRICS["classification"], 1, Deadline(None), lambda: None)
    assert curve.sizes == [140, 200]


def test_each_model_says_which_columns_it_uses_by_its_own_means():
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    model = LinearRegression().fit(X, X @ [1.0, -2.0, 0.0])
    model.coef_ = np.array([1.0, -2.0, 0.0])
    assert columns_used(model, ["p", "p", "q"], X) == ["p"]
    assert columns_used(GaussianNB().fit(X, Y), ["p", "q", "r"], X) == ["p", "q", "r"]
    assert columns_used(DecisionTreeClassifier(max_depth=1).fit(X, Y), ["p", "q", "r"], X) == ["p"]
    assert columns_used(DummyRegressor().fit(X, X[:, 0]), ["p", "q", "r"], X) == []
    model.features_used_ = np.array([False, False, True])
    assert columns_used(model, ["p", "p", "q"], X) == ["q"]
