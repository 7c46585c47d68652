"""Bootstrap errors: by hand, against R's ipred on the same resamples, and their laws."""

import json
import re
from math import e
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from tests.cases import each

from learnable.selection import (
    bootstrap_error,
    combine_bootstrap_errors,
    no_information_error,
    probability_in_sample,
)

R = json.loads((Path(__file__).parents[1] / "reference" / "selection_r.json").read_text())
INDICES = np.array(R["bootstrap_indices_from_0"])


def test_a_tiny_example_worked_by_hand():
    y, full = [0, 0, 1, 1], [0, 0, 1, 0]
    counts = [[2, 1, 1, 0], [0, 2, 0, 2], [0, 1, 3, 0]]
    predictions = [[0, 0, 1, 0], [0, 1, 1, 1], [1, 1, 1, 1]]
    # C₋₀ = {2, 3}: losses 0, 1. C₋₁ is empty. C₋₂ = {2}: loss 0. C₋₃ = {1, 3}: losses 1, 0.
    errors = combine_bootstrap_errors(y, full, counts, predictions)
    assert errors.left_out.tolist() == [2, 0, 1, 2]
    np.testing.assert_array_equal(errors.per_observation, [0.5, np.nan, 0.0, 0.5])
    assert errors.never_left_out == 1
    assert errors.leave_one_out == pytest.approx(1 / 3)  # the average over replicates would be (1 + 0 + ½)/3
    assert errors.naive == pytest.approx((1 + 1 + 2) / 12)
    assert errors.resubstitution == 1 / 4
    assert errors.gamma == pytest.approx(1 / 2 * 3 / 4 + 1 / 2 * 1 / 4)
    assert errors.relative_overfitting == pytest.approx((1 / 3 - 1 / 4) / (1 / 2 - 1 / 4))
    omega = 0.632 / (1 - 0.368 / 3)
    assert errors.omega == pytest.approx(omega)
    assert errors.point632 == pytest.approx(0.368 / 4 + 0.632 / 3)
    assert errors.point632plus == pytest.approx((1 - omega) / 4 + omega / 3)
    assert "never left out" in str(errors)


def combined(estimator, X, y):
    counts = [np.bincount(row, minlength=len(y)) for row in INDICES]
    predictions = [estimator.fit(X[row], y[row]).predict(X) for row in INDICES]
    return combine_bootstrap_errors(y, estimator.fit(X, y).predict(X), counts, predictions)


@each(("key", "estimator"), [("nearest_neighbour", KNeighborsClassifier(1)), ("lda", LinearDiscriminantAnalysis())])
def test_agrees_with_ipred_on_the_same_resamples(key, estimator):
    X = np.column_stack([R["wt"], np.array(R["hp"]) / 100])
    errors = combined(estimator, X, np.array(R["am"]))
    assert errors.leave_one_out == pytest.approx(R[key]["leave_one_out"], rel=1e-12)
    assert errors.point632plus == pytest.approx(R[key]["point632plus"], rel=1e-12)


def test_relative_overfitting_is_clipped_where_ipred_goes_past_the_left_out_error():
    X = np.column_stack([R["mpg"], np.array(R["hp"]) / 10])
    errors = combined(KNeighborsClassifier(1), X, np.arange(1, 33) % 2)
    reference = R["noise_neighbour"]
    assert errors.leave_one_out == pytest.approx(reference["leave_one_out"], rel=1e-12)
    assert errors.leave_one_out > errors.gamma
    assert errors.relative_overfitting == 1
    assert errors.omega == pytest.approx(1)
    assert errors.point632plus == pytest.approx(errors.leave_one_out)
    assert reference["point632plus"] > errors.leave_one_out  # an unclipped rate above 1 leaves the range of its parts


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_ranges_and_identities_on_any_predictions(data):
    n, B = data.draw(st.integers(2, 8)), data.draw(st.integers(1, 6))
    labels = st.integers(0, 2)
    y, full = (np.array(data.draw(st.lists(labels, min_size=n, max_size=n))) for _ in range(2))
    predictions = np.array([data.draw(st.lists(labels, min_size=n, max_size=n)) for _ in range(B)])
    repeats = [data.draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n)) for _ in range(B)]
    counts = np.array([np.bincount(draw, minlength=n) for draw in repeats])
    if (counts > 0).all():
        with pytest.raises(ValueError, match="no observation was ever left out"):
            combine_bootstrap_errors(y, full, counts, predictions)
        return
    r = combine_bootstrap_errors(y, full, counts, predictions)
    assert 0 <= r.relative_overfitting <= 1
    assert 0.632 - 1e-12 <= r.omega <= 1 + 1e-12
    low, high = sorted([r.resubstitution, r.leave_one_out])
    assert low - 1e-12 <= r.point632plus <= high + 1e-12
    assert r.gamma == pytest.approx(np.mean(y[:, None] != full[None, :]))
    lists = [[predictions[b, i] != y[i] for b in range(B) if counts[b, i] == 0] for i in range(n)]
    assert r.leave_one_out == pytest.approx(np.mean([np.mean(part) for part in lists if part]))


def test_no_information_error_for_squared_loss_is_two_variances_and_a_bias():
    rng = np.random.default_rng(0)
    y, p = rng.normal(size=50), 3 + 2 * rng.normal(size=50)
    expected = y.var() + p.var() + (y.mean() - p.mean()) ** 2
    assert no_information_error(y, p, "squared") == pytest.approx(expected)


def test_a_learner_without_information_has_all_errors_at_gamma():
    # Labels carry no signal; nearest neighbours memorise: R̂ = 0, R¹ ≈ γ̂ = ½, and .632+ alone comes close to ½.
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 3)), np.arange(200) % 2
    r = bootstrap_error(KNeighborsClassifier(1), X, y, repeats=60)
    assert r.resubstitution == 0
    assert r.gamma == 0.5
    assert r.point632 == pytest.approx(0.632 * r.leave_one_out)
    assert r.point632 < 0.36
    assert abs(r.point632plus - 0.5) < 0.09
    assert r.naive < r.leave_one_out
    assert r.interval(r.omega, r.point632plus).low < 0.5


def test_share_of_observations_in_a_sample_tends_to_0632():
    assert probability_in_sample(1) == 1
    values = [probability_in_sample(n) for n in (2, 10, 100, 10**4, 10**7)]
    assert (np.diff(values) < 0).all()
    assert values[-1] == pytest.approx(1 - 1 / e, abs=1e-6)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 1)), rng.normal(size=100)
    r = bootstrap_error(DummyRegressor(), X, y, repeats=200)
    share_in = 1 - r.left_out.mean() / 200
    assert share_in == pytest.approx(probability_in_sample(100), abs=0.01)


def test_constant_predictor_has_nothing_to_overfit():
    y = np.repeat([0, 1], [30, 10])
    r = bootstrap_error(DummyClassifier(), np.zeros((40, 1)), y, repeats=20)
    assert r.resubstitution == r.gamma == 0.25
    assert r.relative_overfitting == 0
    assert r.omega == 0.632


def test_leave_one_out_bootstrap_estimates_the_true_error():
    rng = np.random.default_rng(9)
    beta = np.array([1.0, -1.0])
    values, truths = [], []
    for seed in range(40):
        X = rng.normal(size=(30, 2))
        y = X @ beta + rng.normal(size=30)
        model = LinearRegression().fit(X, y)
        truths.append(1 + ((model.coef_ - beta) ** 2).sum() + model.intercept_**2)
        values.append(bootstrap_error(LinearRegression(), X, y, repeats=12, random_state=seed).point632plus)
    assert np.mean(values) == pytest.approx(np.mean(truths), rel=0.1)


def test_same_answer_for_any_number_of_jobs():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(50, 2)), rng.integers(2, size=50)
    forest = RandomForestClassifier(4)
    one, two = (bootstrap_error(forest, X, y, repeats=6, n_jobs=jobs, random_state=7) for jobs in (1, 2))
    np.testing.assert_array_equal(one.per_observation, two.per_observation)
    assert one.point632plus == two.point632plus
    other = bootstrap_error(forest, X, y, repeats=6, random_state=8)
    assert (other.left_out != one.left_out).any()


def test_samples_with_a_single_class_are_drawn_anew_and_counted():
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 0, 0, 0, 1])
    r = bootstrap_error(LogisticRegression(), X, y, repeats=15)
    assert r.redrawn > 0
    assert f"{r.redrawn} sample(s) held a single class" in str(r)


@each(
    ("call", "message"),
    [
        (lambda: bootstrap_error(DummyRegressor(), [[0.0]], [1.0]), "n=1"),
        (lambda: bootstrap_error(DummyRegressor(), [[0.0]] * 3, [1.0, 2, 3], repeats=0), "repeats=0"),
        (lambda: bootstrap_error(DummyRegressor(), [[0.0]] * 3, [1.0, 2, np.nan]), r"y\[2\]=nan"),
        (lambda: bootstrap_error(DummyClassifier(), [[0.0]] * 3, [1, 1, 1]), "single class"),
        (lambda: bootstrap_error(DummyRegressor(), [[0.0]] * 3, [1.0, 2.0]), "3 rows and y has 2"),
        (
            lambda: bootstrap_error(DummyRegressor(), [[0.0]] * 9, np.arange(9.0), loss=lambda y, p: y / 0 * p),
            "is nan; the mean error is undefined",
        ),
        (lambda: combine_bootstrap_errors([0, 1], [0, 1], [[1, 1]], [[0, 1]]), "never|ever left out"),
        (lambda: combine_bootstrap_errors([0, 1], [0, 1], [[1, 1, 0]], [[0, 1]]), "B x n"),
        (lambda: probability_in_sample(0), "n=0"),
    ],
)
def test_bad_input_is_named(call, message):
    with np.errstate(all="ignore"), pytest.raises(ValueError, match=message):
        call()


def test_every_error_of_the_table_has_its_interval():
    y, full = np.array([0, 1, 0, 1]), np.array([0, 1, 1, 1])
    counts = np.array([[2, 1, 1, 0], [0, 1, 2, 1], [1, 0, 1, 2]])
    predictions = np.array([[0, 1, 0, 0], [1, 1, 0, 1], [0, 0, 0, 1]])
    errors = combine_bootstrap_errors(y, full, counts, predictions)
    assert errors.naive_losses.tolist() == pytest.approx([1 / 3, 1 / 3, 0, 1 / 3])
    assert errors.naive_losses.mean() == pytest.approx(errors.naive)
    rows = errors.table().rows
    assert len(rows) == 5
    assert all(re.fullmatch(r"\S+ \[\S+, \S+\]", cell) for _, cell, _ in rows)


@each("n", [10**12, 10**15, 10**17])
def test_probability_in_a_huge_sample_is_its_limit(n):
    """1 − 1/n rounds to 1 at n = 10¹⁷; 1 − (1 − 1/n)ⁿ = 1 − 1/e + O(1/n)."""
    assert probability_in_sample(n) == pytest.approx(1 - 1 / e, abs=2 / n + 1e-15)
    assert probability_in_sample(1) == 1.0


@each(("y", "predictions"), [([0, 1, 1], [0, 1]), ([], []), ([[0, 1]], [[0, 1]])])
def test_no_information_error_needs_one_prediction_a_response(y, predictions):
    with pytest.raises(ValueError, match="no_information_error: y and predictions have shapes"):
        no_information_error(y, predictions)
