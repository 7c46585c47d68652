"""Losses and the decisions they imply: 0-1, squared, absolute, and tables of costs. Syllabus: D2."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each

from learnable.bayes import bayes_decision, zero_one_loss
from learnable.evaluation import cost_matrix_loss, mean_loss
from learnable.linear import LinearDiscriminantAnalysis, LogisticRegression, cost_threshold, least_cost_classes

RANDOM = np.random.default_rng(5)
X = RANDOM.normal(size=(150, 2))
SCORE = X @ [1.0, -0.5] + RANDOM.logistic(size=150)
cost = st.floats(0.01, 100.0)


@given(alarm=cost, miss=cost, right=st.floats(-5.0, 5.0), p=st.floats(0.0, 1.0))
def test_above_the_threshold_the_second_class_costs_less(alarm, miss, right, p):
    costs = np.array([[right, right + miss], [right + alarm, right]])
    threshold = cost_threshold(costs)
    assert threshold == pytest.approx(alarm / (alarm + miss), rel=1e-9)
    against, in_favour = costs @ [1.0 - p, p]
    if abs(p - threshold) > 1e-9:
        assert (in_favour < against) == (p > threshold)


def test_costs_by_hand_and_the_threshold_they_imply():
    """Risk Σ_y P(y | x) c(d, y) written out, its least, and what is paid on rows whose class is known."""
    costs = np.array([[0.0, 9.0], [1.0, 0.5]])  # c(decision, truth)
    assert cost_threshold(costs) == pytest.approx(1.0 / 9.5)
    p = np.array([0.05, 0.2, 0.9])
    risk = np.column_stack([9.0 * p, (1.0 - p) + 0.5 * p])
    found = bayes_decision(np.column_stack([1.0 - p, p]), costs)
    np.testing.assert_allclose(found.expected_loss, risk)
    assert found.index.tolist() == [0, 1, 1] == (p > cost_threshold(costs)).astype(int).tolist()
    judge = SimpleNamespace(
        predict_proba=lambda X: np.column_stack([1.0 - p, p]), classes_=np.array(["well", "ill"]),
        predict=lambda X: least_cost_classes(judge, X, costs),
    )  # fmt: skip
    judge.classes_ = np.array(["ill", "well"])[::-1]
    assert least_cost_classes(judge, None, costs).tolist() == ["well", "ill", "ill"]
    named = SimpleNamespace(predict=lambda X: np.array([0, 1, 1]), classes_=np.array([0, 1]))
    paid = mean_loss(named, np.zeros((3, 1)), [1, 0, 1], loss=cost_matrix_loss(costs)).estimate
    assert paid == pytest.approx((9.0 + 1.0 + 0.5) / 3)


def test_a_missed_case_of_nine_times_the_cost_is_a_threshold_of_one_tenth():
    labels = np.where(SCORE > 0, "ill", "well")[:, None] == "ill"
    model = LogisticRegression().fit(X, labels.ravel().astype(int))
    costs = [[0.0, 9.0], [1.0, 0.0]]
    decided = least_cost_classes(model, X, costs)
    np.testing.assert_array_equal(decided, (model.predict_proba(X)[:, 1] >= cost_threshold(costs)).astype(int))
    assert decided.sum() > model.predict(X).sum()
    # On the rows themselves no other threshold that the costs could have meant does much better.
    paid = np.array(costs)[decided, labels.ravel().astype(int)].sum()
    assert paid < np.array(costs)[model.predict(X), labels.ravel().astype(int)].sum()


@each("model", [LogisticRegression(), LinearDiscriminantAnalysis()], ids=str)
def test_zero_one_loss_is_prediction_and_every_table_is_the_bayes_decision(model):
    y = np.digitize(SCORE, [-1.0, 1.0])
    model.fit(X, y)
    np.testing.assert_array_equal(least_cost_classes(model, X, zero_one_loss(3)), model.predict(X))
    costs = np.array([[0.0, 2.0, 9.0], [1.0, 0.0, 3.0], [5.0, 0.5, 0.0]])
    each = [bayes_decision(p, costs, actions=[0, 1, 2]) for p in model.predict_proba(X)]
    np.testing.assert_array_equal(least_cost_classes(model, X, costs), [decision.action for decision in each])
    assert all(decision.certificate.holds for decision in each)


def test_squared_loss_asks_for_the_mean_and_absolute_loss_for_the_median():
    from learnable.problems.linear import losses
    from learnable.problems.linear.regression_losses import Absolute

    y, probability = np.array([0.0, 1.0, 2.0, 10.0]), np.array([0.2, 0.35, 0.25, 0.2])
    grid = np.linspace(-1.0, 11.0, 1201)
    for loss, best in ((losses.Squared(), probability @ y), (Absolute(), 1.0)):
        risk = [probability @ losses.value(loss, y, np.full(4, f)) for f in grid]
        assert grid[np.argmin(risk)] == pytest.approx(best, abs=0.011)


def test_bad_tables_are_refused():
    model = LogisticRegression().fit(X, SCORE > 0)
    for costs, match in [
        ([[0, 1], [0, 0]], "a mistake must cost more"),
        ([[0, -1], [1, 0]], "a mistake must cost more"),
        ([[0, 1, 2]], r"shape \(1, 3\)"),
        ([[0, np.inf], [1, 0]], "must be finite"),
    ]:
        with pytest.raises(ValueError, match=match):
            cost_threshold(costs)
    with pytest.raises(ValueError, match=r"\(2, 2\)"):
        least_cost_classes(model, X, np.eye(3))
