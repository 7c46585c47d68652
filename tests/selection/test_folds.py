"""Cross-validation: averaged, pooled, leave one out."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.tree import DecisionTreeClassifier
from tests.cases import each

from learnable.selection import (
    check_partition,
    cross_validated,
    fitted_values,
    hat_matrix,
    leave_one_out,
    linear_leave_one_out,
)

R = json.loads((Path(__file__).parents[1] / "reference" / "selection_r.json").read_text())


@pytest.fixture
def regression():
    rng = np.random.default_rng(11)
    X = rng.normal(size=(23, 3))
    return X, X @ [1.0, -2.0, 0.5] + rng.normal(size=23)


def test_both_estimates_by_brute_force_on_unequal_folds(regression):
    X, y = regression
    result = cross_validated(LinearRegression(), X, y, cv=KFold(4))
    losses = (y - cross_val_predict(LinearRegression(), X, y, cv=KFold(4))) ** 2
    np.testing.assert_allclose(result.losses, losses)
    assert result.pooled.estimate == pytest.approx(losses.mean())
    folds = [losses[test].mean() for _, test in KFold(4).split(X)]
    assert result.averaged.estimate == pytest.approx(np.mean(folds))
    assert result.averaged.estimate != pytest.approx(result.pooled.estimate, abs=1e-6)
    assert result.fold_sizes.tolist() == [6, 6, 6, 5]
    spread = np.std(folds, ddof=1) / 2
    assert result.averaged.high - result.averaged.estimate == pytest.approx(3.182446 * spread, rel=1e-6)
    assert result.worst_fold() == (int(np.argmax(folds)), pytest.approx(max(folds)))


def test_equal_folds_make_the_estimates_coincide(regression):
    X, y = regression
    result = cross_validated(Ridge(), X[:20], y[:20], cv=5)
    assert result.averaged.estimate == pytest.approx(result.pooled.estimate)


def test_leave_one_out_is_press_and_agrees_with_r(regression):
    X, y = regression
    shortcut = linear_leave_one_out(hat_matrix(fitted_values(LinearRegression(), X), len(y)), y)
    honest = leave_one_out(LinearRegression(), X, y)
    np.testing.assert_allclose(shortcut.losses, honest.losses, rtol=1e-8)
    assert honest.averaged.estimate == pytest.approx(honest.pooled.estimate)
    cars, mpg = np.column_stack([R["wt"], R["hp"]]), np.array(R["mpg"])
    assert leave_one_out(LinearRegression(), cars, mpg).pooled.estimate == pytest.approx(R["loo"], rel=1e-10)


def test_ridge_without_intercept_obeys_the_same_shortcut(regression):
    X, y = regression
    ridge = Ridge(2.0, fit_intercept=False)
    shortcut = linear_leave_one_out(hat_matrix(fitted_values(ridge, X), len(y)), y)
    np.testing.assert_allclose(shortcut.losses, leave_one_out(ridge, X, y).losses, rtol=1e-8)


def test_zero_one_losses_get_a_wilson_interval():
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(-9, 1, (20, 1)), rng.normal(9, 1, (20, 1))]
    result = cross_validated(LogisticRegression(), X, np.repeat(["no", "yes"], 20), cv=5)
    assert result.pooled.estimate == 0
    assert result.pooled.method == "wilson"
    assert result.pooled.high > 0.05


def test_groups_and_repeats_pass_through(regression):
    X, y = regression
    groups = np.arange(23) // 3
    result = cross_validated(Ridge(), X, y, cv=GroupKFold(4), groups=groups)
    expected = (y - cross_val_predict(Ridge(), X, y, cv=GroupKFold(4), groups=groups)) ** 2
    np.testing.assert_allclose(result.losses, expected)
    repeated = RepeatedKFold(n_splits=3, n_repeats=4, random_state=0)
    result = cross_validated(Ridge(), X, y, cv=repeated)
    assert result.repeats == 4
    by_hand = np.zeros(23)
    for train, test in repeated.split(X):
        by_hand[test] += (y[test] - Ridge().fit(X[train], y[train]).predict(X[test])) ** 2 / 4
    np.testing.assert_allclose(result.losses, by_hand)


def test_stratified_by_default_for_classifiers():
    y = np.repeat([0, 1], [30, 10])
    X = np.arange(40.0)[:, None]
    by_default = cross_validated(LogisticRegression(), X, y, cv=5)
    stratified = cross_validated(LogisticRegression(), X, y, cv=StratifiedKFold(5))
    np.testing.assert_array_equal(by_default.losses, stratified.losses)


def test_same_answer_for_any_number_of_jobs():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 3)), rng.integers(2, size=60)
    forest = RandomForestClassifier(5)
    one, two = (cross_validated(forest, X, y, cv=3, n_jobs=jobs) for jobs in (1, 2))
    np.testing.assert_array_equal(one.losses, two.losses)
    assert forest.random_state is None


def test_partition_check_counts_repeats():
    splits = list(KFold(3).split(np.zeros(9)))
    assert check_partition(splits, 9) == 1
    assert check_partition(splits + splits, 9) == 2


ONE = np.ones((6, 1))


@each(
    ("call", "message"),
    [
        (lambda: cross_validated(Ridge(), ONE, np.ones(6), cv=1), "cv=1"),
        (lambda: cross_validated(Ridge(), ONE, np.ones(6), cv=7), "more folds than the n=6"),
        (lambda: cross_validated(Ridge(), ONE[:1], [1.0]), "n=1"),
        (lambda: cross_validated(Ridge(), ONE, np.ones(5)), "6 rows and y has 5"),
        (lambda: cross_validated(Ridge(), ONE, np.ones(6), cv=ShuffleSplit(3)), "must partition"),
        (lambda: cross_validated(Ridge(), ONE, np.ones(6), cv=[([0], [1])]), "k=1 folds"),
        (lambda: cross_validated(Ridge(), ONE, np.ones(6), cv=[(range(6), range(6)), ([0], [1])]), "both trained on"),
        (
            lambda: cross_validated(LogisticRegression(), ONE, list("aaabbb"), cv=KFold(2)),
            "fold 0: the training part has no member of class",
        ),
        (
            lambda: cross_validated(Ridge(), ONE, np.arange(6.0), loss=lambda y, p: np.full(len(y), np.inf)),
            "is inf; the mean error is undefined",
        ),
        (lambda: cross_validated(Ridge(), ONE, np.arange(6.0), loss=lambda y, p: 1.0), "element by element"),
        (lambda: cross_validated(Ridge(), ONE, np.arange(6.0), level=1.5), "level"),
        (lambda: linear_leave_one_out(np.eye(2), [1.0, 2.0]), "leverage of observation 0"),
        (lambda: check_partition([([0], [1]), ([1], [])], 2), "test part is empty"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_hat_matrix_of_another_size_is_refused():
    for H, y in ((np.eye(3) * 0.5, [1.0, 2.0]), (np.ones((2, 3)), [1.0, 2.0, 3.0])):
        with pytest.raises(ValueError, match="needs a row and a column for each"):
            linear_leave_one_out(H, y)


def test_no_error_of_a_loss_without_bound_excludes_nothing():
    """Squared errors that are all 0 (or 0 and 1) are no counts of mistakes."""
    X = np.arange(12.0)[:, None]
    exact = cross_validated(DummyRegressor(strategy="constant", constant=0.0), X, np.zeros(12), cv=3)
    assert (exact.pooled.estimate, exact.pooled.low, exact.pooled.high) == (0.0, 0.0, np.inf)
    halves = cross_validated(DummyRegressor(strategy="constant", constant=0.0), X, np.arange(12) % 2, cv=3)
    assert halves.pooled.method == "normal"
    assert linear_leave_one_out(np.zeros((3, 3)), [0.0, 0.0, 0.0]).pooled.high == np.inf
    own = cross_validated(DummyRegressor(), X, np.zeros(12), cv=3, loss=lambda y, guess: 0.0 * guess - 2.0)
    assert (own.pooled.low, own.pooled.high) == (-np.inf, np.inf)


def test_no_mistake_of_a_classifier_has_the_interval_of_wilson():
    X, y = np.arange(12.0)[:, None], np.tile([0, 1], 6)
    found = cross_validated(DecisionTreeClassifier(), np.column_stack([X, y]), y, cv=3).pooled
    assert (found.method, found.estimate) == ("wilson", 0.0)
    assert 0.2 < found.high < 0.3
