"""Further figures: scikit-learn's numbers, with intervals that contain them and that keep their promise."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, log_loss, mean_absolute_error, r2_score, root_mean_squared_error

from learnable.app.judging.figures import (
    average_precision,
    classification_figures,
    further_figures,
    recall_at,
    regression_figures,
)
from learnable.app.judging.metrics import BY_KEY
from learnable.app.trials.fitting import Output, output_of
from learnable.evaluation import t_interval


def figures_of(y, predicted):
    return regression_figures(y, Output(predicted))


def inside(interval):
    return interval.low <= interval.estimate <= interval.high and interval.low < interval.high


def test_regression_figures_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    y = rng.normal(size=200)
    predicted = y + rng.normal(size=200)
    found = figures_of(y, predicted)
    expected = {
        "root mean squared error": root_mean_squared_error(y, predicted),
        "mean absolute error": mean_absolute_error(y, predicted),
        "R²": r2_score(y, predicted),
    }
    assert {name: one.estimate for name, one in found.items()} == pytest.approx(expected)
    assert all(inside(one) and one.level == 0.95 and one.method for one in found.values())
    root = found["root mean squared error"]
    squared = t_interval((y - predicted) ** 2)
    assert (root.low**2, root.high**2) == pytest.approx((squared.low, squared.high))


def test_classification_figures_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = np.array(["a", "b", "c"])[np.clip(np.round(X[:, 0] + rng.normal(size=300) / 2), -1, 1).astype(int) + 1]
    model = LogisticRegression().fit(X[:150], y[:150])
    X, y = X[150:], y[150:]
    found = classification_figures(y, output_of(model, X))
    expected = {
        "error rate": np.mean(y != model.predict(X)),
        "balanced error rate": 1 - balanced_accuracy_score(y, model.predict(X)),
        "log loss": log_loss(y, model.predict_proba(X)),
    }
    assert {name: one.estimate for name, one in found.items()} == pytest.approx(expected)
    assert all(inside(one) for one in found.values())


def test_coverage():
    """True values by law: y = p + noise, p normal: mean square 1/4, mean absolute √(1/2π), R² = 1 − (1/4)/(5/4)."""
    rng = np.random.default_rng(1)
    truth = {"root mean squared error": 0.5, "mean absolute error": np.sqrt(0.5 / np.pi), "R²": 0.8}
    hits = dict.fromkeys(truth, 0)
    for _ in range(200):
        predicted = rng.normal(size=80)
        found = figures_of(predicted + rng.normal(size=80) / 2, predicted)
        for name, value in truth.items():
            hits[name] += found[name].low <= value <= found[name].high
    # 190 expected; fewer than 178 has a chance below 0.001 at 95 %.
    assert min(hits.values()) >= 178, hits


def test_no_figure_without_an_interval():
    y = np.r_[np.zeros(9), 1.0]
    assert "R²" not in figures_of(y, y + 0.1)  # a third of the resamples has no spread
    assert "R²" not in figures_of(np.ones(10), np.ones(10) + np.arange(10))
    model = DummyClassifier().fit([[0], [0]], ["a", "b"])
    assert classification_figures(np.array(["a"]), output_of(model, np.zeros((1, 1)))) == {}


def test_a_rare_class_is_judged_by_finding_it():
    from sklearn.metrics import average_precision_score

    rng = np.random.default_rng(3)
    positive = np.arange(2000) < 40
    scores = rng.random(2000) + 0.7 * positive
    y = np.where(positive, "fraud", "fine")
    probability = np.column_stack([1 - scores / 2, scores / 2])
    found = classification_figures(y, Output(np.full(2000, "fine"), probability, np.array(["fine", "fraud"])))
    assert average_precision(positive, scores) == pytest.approx(average_precision_score(positive, scores))
    assert found["average precision"].estimate == pytest.approx(
        average_precision_score(positive, 1 - probability[:, 0])
    )
    assert {"AUC", "average precision", "recall at 50% precision"} <= set(found)
    assert all(one.low <= one.estimate <= one.high for one in found.values())
    assert recall_at(positive, scores, 1.1) == 0
    assert recall_at(positive, scores, 0.0) == 1
    common = np.where(np.arange(2000) < 900, "fraud", "fine")
    assert "average precision" not in classification_figures(
        common, Output(common, probability, np.array(["fine", "fraud"]))
    )


def test_perfect_predictions():
    y = np.arange(10.0)
    assert str(figures_of(y, y)["R²"]) == "1 [1, 1]"
    assert str(figures_of(y, y)["root mean squared error"]) == "0 [0, 0]"


def test_the_same_rows_have_the_same_figures():
    rng = np.random.default_rng(2)
    y, predicted = rng.normal(size=(2, 50))
    assert figures_of(y, predicted) == figures_of(y, predicted)


def test_figures_do_not_depend_on_the_order_of_the_rows():
    """A saved model is judged by a file of the same rows, which may have been sorted since."""
    rng = np.random.default_rng(12)
    y, order = rng.normal(size=60), rng.permutation(60)
    rare = np.where(rng.random(60) < 0.04, "yes", "no")
    rare[:2] = "yes"
    share = rng.uniform(0.05, 0.95, 60)
    classes = np.array(["no", "yes"])
    called = Output(classes[(share > 0.5).astype(int)], np.column_stack([1.0 - share, share]), classes)
    cases = [
        (BY_KEY["rmse"], y, Output(y + rng.normal(size=60)), None),
        (BY_KEY["log_loss"], rare, called, None),
        (BY_KEY["average_precision"], rare, called, rng.uniform(0.5, 2.0, 60)),
    ]
    for metric, target, output, weight in cases:
        shuffled = target[order], output.take(order), metric, None if weight is None else weight[order]
        found, again = further_figures(target, output, metric, weight), further_figures(*shuffled)
        found["loss"], again["loss"] = metric.on(target, output, weight), metric.on(*shuffled[:2], shuffled[3])
        assert found.keys() == again.keys()
        for name, one in found.items():
            for part in ("estimate", "low", "high"):
                assert getattr(one, part) == pytest.approx(getattr(again[name], part), rel=1e-9), name
