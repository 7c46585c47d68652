"""Scores of fitted estimators: scikit-learn's numbers, the split of the risk, bad input."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn import metrics as outside
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tests.cases import each

from learnable.evaluation import (
    LOSSES,
    SCORES,
    cost_matrix_loss,
    mean_loss,
    risk_split,
    row_losses,
    score_with_interval,
)
from learnable.evaluation.interval import Interval

SEED = 20267
REGRESSION = {
    "mean_absolute_error",
    "mean_squared_error",
    "neg_mean_absolute_error",
    "neg_mean_squared_error",
    "neg_root_mean_squared_error",
    "r2",
    "root_mean_squared_error",
}
OURS_ONLY = {
    "brier": ("neg_brier_score", -1),
    "log_loss": ("neg_log_loss", -1),
    "mean_absolute_error": ("neg_mean_absolute_error", -1),
    "mean_squared_error": ("neg_mean_squared_error", -1),
    "root_mean_squared_error": ("neg_root_mean_squared_error", -1),
}


@pytest.fixture(scope="module")
def two_classes():
    X, y = make_classification(300, 6, n_informative=3, flip_y=0.2, random_state=SEED)
    return LogisticRegression().fit(X[:150], y[:150]), X[150:], y[150:]


@pytest.fixture(scope="module")
def three_classes():
    X, y = make_classification(300, 6, n_informative=4, n_classes=3, random_state=SEED)
    return LogisticRegression().fit(X[:150], y[:150]), X[150:], y[150:]


@pytest.fixture(scope="module")
def regression():
    X, y = make_regression(200, 5, noise=30, random_state=SEED)
    return LinearRegression().fit(X[:100], y[:100]), X[100:], y[100:]


@each("name", SCORES)
def test_numbers_are_those_of_scikit_learn(name, two_classes, regression):
    estimator, X, y = regression if name in REGRESSION else two_classes
    interval = score_with_interval(estimator, X, y, scoring=name, random_state=0)
    if name == "error":
        expected = 1 - estimator.score(X, y)
    else:
        scorer, sign = OURS_ONLY.get(name, (name, 1))
        expected = sign * get_scorer(scorer)(estimator, X, y)
    assert interval.estimate == pytest.approx(expected)
    assert interval.low < interval.estimate < interval.high


@each("name", ["neg_log_loss", "neg_brier_score", "f1_macro", "balanced_accuracy", "accuracy"])
def test_numbers_for_many_classes(name, three_classes):
    estimator, X, y = three_classes
    assert score_with_interval(estimator, X, y, scoring=name).estimate == pytest.approx(
        get_scorer(name)(estimator, X, y)
    )


def test_default_is_the_score_of_the_estimator(two_classes, regression):
    for estimator, X, y in (two_classes, regression):
        assert score_with_interval(estimator, X, y, random_state=0).estimate == pytest.approx(estimator.score(X, y))


def test_scorers_from_elsewhere_are_bootstrapped(two_classes, regression):
    estimator, X, y = two_classes

    def agreement(estimator, X, y):
        return np.mean(estimator.predict(X) == y)

    assert score_with_interval(estimator, X, y, scoring=agreement, random_state=0)[1:3] == pytest.approx(
        score_with_interval(estimator, X, y)[1:3], abs=0.03
    )
    estimator, X, y = regression
    interval = score_with_interval(estimator, X, y, scoring="explained_variance", random_state=0)
    assert interval.estimate == pytest.approx(outside.explained_variance_score(y, estimator.predict(X)))
    assert interval.method == "bootstrap_bca"
    assert interval.low < interval.estimate < interval.high


def test_ranking_needs_no_probabilities(two_classes):
    _, X, y = two_classes
    machine = LinearSVC().fit(X, y)
    expected = outside.roc_auc_score(y, machine.decision_function(X))
    assert score_with_interval(machine, X, y, scoring="roc_auc").estimate == pytest.approx(expected)
    with pytest.raises(TypeError, match="LinearSVC has no predict_proba"):
        score_with_interval(machine, X, y, scoring="log_loss")


def test_string_classes(two_classes):
    _, X, y = two_classes
    names = np.array(["no", "yes"])[y]
    model = LogisticRegression().fit(X, names)
    for scoring in ("roc_auc", "f1", "log_loss", "accuracy"):
        plain = score_with_interval(LogisticRegression().fit(X, y), X, y, scoring=scoring)
        assert score_with_interval(model, X, names, scoring=scoring) == pytest.approx(plain)


@each("loss", LOSSES)
def test_row_losses_average_to_the_mean_loss(loss, two_classes, regression):
    estimator, X, y = regression if loss in ("squared", "absolute") else two_classes
    rows = row_losses(estimator, X, y, loss)
    assert rows.shape == y.shape
    assert (rows >= 0).all()
    assert mean_loss(estimator, X, y, loss=loss).estimate == pytest.approx(rows.mean())


def test_losses_by_hand_named_made_by_the_user_and_by_a_table_of_costs():
    """Means of L(y, h(x)) over given rows, each loss written out."""
    X = np.arange(6.0)[:, None]
    y, said = np.array([1.0, 2.0, 4.0, 0.0, 1.0, 5.0]), np.array([1.0, 3.0, 2.5, 0.0, 2.0, 5.0])
    line = SimpleNamespace(predict=lambda X: said[X[:, 0].astype(int)])
    apart = [0.0, 1.0, -1.5, 0.0, 1.0, 0.0]
    expected = {"squared": [d * d for d in apart], "absolute": [abs(d) for d in apart]}
    for rows in (slice(0, 3), slice(2, 6)):
        for loss, values in expected.items():
            assert mean_loss(line, X[rows], y[rows], loss=loss).estimate == pytest.approx(np.mean(values[rows]))

        def lopsided(truth, prediction):
            return np.where(prediction < truth, 4.0, 1.0) * np.abs(truth - prediction)

        own = [4.0 * abs(d) if d < 0 else d for d in apart]
        assert row_losses(line, X[rows], y[rows], lopsided).tolist() == own[rows]
        assert mean_loss(line, X[rows], y[rows], loss=lopsided).estimate == pytest.approx(np.mean(own[rows]))
    truth, decided = np.array(list("aabbcc")), np.array(list("abbcca"))
    judge = SimpleNamespace(predict=lambda X: decided[X[:, 0].astype(int)], classes_=np.array(list("abc")))
    costs = np.array([[0.0, 1.0, 2.0], [3.0, 0.5, 4.0], [5.0, 6.0, -1.0]])  # of deciding (row) when it is (column)
    paid = [0.0, 3.0, 0.5, 6.0, -1.0, 2.0]
    assert row_losses(judge, X, truth, cost_matrix_loss(costs)).tolist() == paid
    assert mean_loss(judge, X, truth, loss=cost_matrix_loss(costs)).estimate == pytest.approx(np.mean(paid))
    wrong = mean_loss(judge, X, truth, loss=cost_matrix_loss(1.0 - np.eye(3))).estimate
    assert wrong == mean_loss(judge, X, truth, loss="zero_one").estimate == 0.5
    split = risk_split(judge, X[:3], truth[:3], X[3:], truth[3:], loss=cost_matrix_loss(costs))
    assert split.training.estimate == pytest.approx(3.5 / 3)
    assert split.risk.estimate == pytest.approx(7.0 / 3)
    with pytest.raises(ValueError, match="costs of 2 classes, but the estimator knows 3"):
        row_losses(judge, X, truth, cost_matrix_loss([[0, 1], [1, 0]]))
    with pytest.raises(ValueError, match="one number each"):
        row_losses(line, X, y, lambda truth, prediction: 0.0)


@each("learner", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_risk_is_training_error_plus_gap(learner):
    X, y = make_classification(400, 6, flip_y=0.3, random_state=SEED)
    tree = learner(random_state=0).fit(X[:200], y[:200])
    split = risk_split(tree, X[:200], y[:200], X[200:], y[200:])
    assert split.risk.estimate == pytest.approx(split.training.estimate + split.gap.estimate)
    # A grown tree knows its training rows by heart and the truth of the gap is its whole risk.
    assert split.training.estimate == 0
    assert split.gap[:3] == pytest.approx(split.risk[:3])
    assert split.gap.low > 0.05
    wrong = int(np.sum(tree.predict(X[200:]) != y[200:]))
    assert split.risk.estimate == pytest.approx(wrong / 200)
    assert str(split).count("[") == 3
    assert isinstance(split.training, Interval)


def test_gap_is_the_risk_moved_by_the_known_training_error(two_classes):
    estimator, X, y = two_classes
    split = risk_split(estimator, X[:75], y[:75], X[75:], y[75:], loss="log", level=0.9)
    assert split.gap.width == pytest.approx(split.risk.width)
    assert split.gap.level == 0.9
    assert split.gap.low == pytest.approx(split.risk.low - split.training.estimate)


def test_bad_input_is_refused(two_classes, three_classes, regression):
    estimator, X, y = two_classes
    with pytest.raises(ValueError, match="level must be in"):
        score_with_interval(estimator, X, y, level=1)
    with pytest.raises(ValueError, match="y holds the class 9"):
        score_with_interval(estimator, X[:2], [0, 9], scoring="log_loss")
    with pytest.raises(ValueError, match="1 classes"):
        score_with_interval(estimator, X[:3], [0, 0, 0], scoring="roc_auc")
    with pytest.raises(ValueError, match="choose one of 'absolute'"):
        risk_split(estimator, X, y, X, y, loss="hinge")
    with pytest.raises(ValueError, match="y_true has 2 rows"):
        score_with_interval(estimator, X, y[:2])
    many, X3, y3 = three_classes
    for scoring in ("f1", "roc_auc"):
        with pytest.raises(ValueError, match="two classes, not 3"):
            score_with_interval(many, X3, y3, scoring=scoring)
    model, Xr, yr = regression
    with pytest.raises(ValueError, match="all values of y are equal"):
        score_with_interval(model, Xr, np.ones(len(yr)))
    with pytest.raises(ValueError, match=r"y\[0\] is nan"):
        score_with_interval(model, Xr[:2], [np.nan, 1.0], scoring="mean_squared_error")
    with pytest.raises(ValueError, match="at least two"):
        score_with_interval(model, Xr[:1], yr[:1], scoring="mean_squared_error")


@each("scoring", ["f1", "precision", "recall", "roc_auc", "accuracy"])
def test_labels_that_are_objects_score_like_strings(scoring):
    X, y = make_classification(60, random_state=SEED)
    words = np.array(["no", "yes"])[y]
    as_objects, as_strings = (
        score_with_interval(LogisticRegression().fit(X, labels), X, labels, scoring=scoring)
        for labels in (words.astype(object), words)
    )
    assert as_objects == as_strings
