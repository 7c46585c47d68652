"""Tuning: the right setting, whatever the threads; a failing setting is out, not the learner."""

from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import Ridge
from tests.cases import each

from learnable.app.errors import TimeUp
from learnable.app.judging.metrics import METRICS
from learnable.app.trials import tuning
from learnable.app.trials.candidates import Candidate
from learnable.app.trials.tuning import EveryFitFailed, Fold, Slow, judge, judge_nested, tune
from learnable.app.trials.workers import Deadline

METRIC = METRICS["regression"]
FOREVER = Deadline(None)


class Constant(RegressorMixin, BaseEstimator):
    """Predicts `value`; fails for a negative one, is not finite for inf."""

    def __init__(self, value=0.0):
        self.value = value

    def fit(self, X, y):
        if self.value < 0:
            raise ValueError(f"value={self.value} is negative")
        return self

    def predict(self, X):
        return np.full(len(X), self.value)


@pytest.fixture
def folds():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X @ [1.0, -2.0, 0.5] + rng.normal(size=60)
    parts = np.array_split(np.arange(60), 4)
    return [Fold(np.delete(X, part, 0), np.delete(y, part), X[part], y[part]) for part in parts]


def candidate(estimator, name, values):
    return Candidate("name", "label", estimator, [{name: value} for value in values], False)


@each("jobs", [1, 3])
def test_agrees_with_grid_search(folds, jobs):
    alphas = [0.01, 1.0, 5.0, 100.0]
    tuned = tune(candidate(Ridge(), "alpha", alphas), folds, METRIC, jobs, FOREVER)
    means = [
        np.mean([np.mean((f.y_valid - Ridge(alpha=a).fit(f.X, f.y).predict(f.X_valid)) ** 2) for f in folds])
        for a in alphas
    ]
    assert tuned.params == {"alpha": alphas[int(np.argmin(means))]}
    assert [np.mean(one.scores) for one in tuned.tried] == pytest.approx(means, rel=1e-12)
    assert np.mean(tuned.scores) == pytest.approx(min(means), rel=1e-12)


def test_ties_go_to_the_first(folds):
    assert tune(candidate(Constant(), "value", [1.0, 1.0]), folds, METRIC, 1, FOREVER).tried[0].scores
    shifted = [Fold(f.X, f.y, f.X_valid, np.zeros_like(f.y_valid)) for f in folds]
    tuned = tune(candidate(Constant(), "value", [3.0, 1.0, 1.0]), shifted, METRIC, 1, FOREVER)
    assert tuned.params == {"value": 1.0}


def test_a_setting_that_fails_or_overflows_is_out(folds):
    tuned = tune(candidate(Constant(), "value", [-1.0, np.inf, 1e90, 2.0]), folds, METRIC, 2, FOREVER)
    assert tuned.params == {"value": 2.0}
    assert [one.scores == [] for one in tuned.tried] == [True, True, True, False]


def test_when_all_fail_the_cause_is_told(folds):
    with pytest.raises(EveryFitFailed, match=r"ValueError: value=-1.0 is negative"):
        tune(candidate(Constant(), "value", [-1.0, -2.0]), folds, METRIC, 2, FOREVER)


def test_the_time_limit(folds):
    with pytest.raises(TimeUp):
        tune(candidate(Ridge(), "alpha", [1.0]), folds, METRIC, 1, Deadline(0))


def test_the_middle_of_the_grid_is_tried_first_and_the_ends_are_left_out(folds, monkeypatch):
    """Of a grid from far too strong a penalty to far too weak a one, the few settings that fit in are sensible."""
    from learnable.app.trials import tuning

    begun, run = [], tuning.run_anywhere

    def twice(tasks, *rest):
        begun.append(tasks[0].args[1]["alpha"])
        if len(begun) > 2:
            raise TimeUp
        return run(tasks, *rest)

    monkeypatch.setattr(tuning, "run_anywhere", twice)
    found = tune(candidate(Ridge(), "alpha", [1e6, 10.0, 1.0, 0.1, 1e-9]), folds, METRIC, 1, FOREVER)
    assert begun[:2] == [1.0, 10.0]
    assert found.stopped
    assert [one.params["alpha"] for one in found.tried] == [10.0, 1.0]  # told in the order of the grid


def test_the_estimator_of_the_panel_is_not_touched(folds):
    estimator = Ridge(alpha=7.0)
    tune(candidate(estimator, "alpha", [1.0]), folds, METRIC, 1, FOREVER)
    assert estimator.alpha == 7.0
    assert not hasattr(estimator, "coef_")


class Counted(Constant):
    """Counts its fits, by value."""

    fits: ClassVar[list[float]] = []

    def fit(self, X, y):
        self.fits.append(self.value)
        return super().fit(X, y)


def test_settings_that_were_tried_before_are_not_tried_again(folds):
    Counted.fits.clear()
    tried = candidate(Counted(), "value", [0.3, 2.0, -1.0, 0.1, 5.0])
    first = tune(tried, folds, METRIC, 1, FOREVER, most=1)
    assert first.params == {"value": 2.0}  # that in the middle fails
    assert not first.stopped
    then = tune(tried, folds, METRIC, 1, FOREVER, begun=first)
    assert sorted(Counted.fits) == sorted([-1.0] * 4 + [0.1, 0.3, 2.0, 5.0] * 4)
    whole = tune(tried, folds, METRIC, 1, FOREVER)
    assert [(one.params, one.scores) for one in then.tried] == [(one.params, one.scores) for one in whole.tried]
    assert (then.params, then.scores) == (whole.params, whole.scores)
    assert all(np.array_equal(one.predicted, other.predicted) for one, other in zip(then.outputs, whole.outputs))
    late = tune(tried, folds, METRIC, 1, Deadline(0), begun=first)
    assert (late.params, late.stopped) == (first.params, True)


@each("jobs, batches, slow", [(1, 4.5, False), (1, 3.5, True), (2, 2.5, False), (2, 1.5, True), (4, 1.5, False)])
def test_a_time_that_is_too_short_is_foreseen(folds, jobs, batches, slow):
    """A limit of so many batches of as many fits as run at once; there are four folds."""

    class Left(Deadline):
        expired = False

        @property
        def left(self):
            return batches - len(Counted.fits) // jobs

    Counted.fits.clear()
    tried = candidate(Counted(), "value", [1.0, 2.0])
    if not slow:
        assert len(tune(tried, folds, METRIC, jobs, Left(3600.0)).tried) == 2
        return
    with pytest.raises(Slow) as found:
        tune(tried, folds, METRIC, jobs, Left(3600.0))
    assert (found.value.needed, len(Counted.fits)) == (len(folds) / jobs, jobs)


def test_a_nested_fold_chooses_among_the_settings_it_has_time_for(folds, monkeypatch):
    tried = candidate(Ridge(), "alpha", [1e6, 0.1, 1e3, 1e-9])  # the best one stands beside the middle

    class Looks:
        """Is over when it was looked at so many times."""

        def __init__(self, seconds):
            self.left = seconds

        @property
        def expired(self):
            self.left -= 1
            return self.left < 0

    whole = judge_nested(tried, folds[0], METRIC)
    assert whole.loss == judge(Ridge(), {"alpha": 0.1}, folds[0], METRIC).loss
    monkeypatch.setattr(tuning, "Deadline", Looks)
    for looks, alpha in ((0, 1e3), (2, 1e3), (5, 1e3), (6, 0.1), (100, 0.1)):  # three inner folds a setting
        found = judge_nested(tried, folds[0], METRIC, looks)
        assert found.loss == judge(Ridge(), {"alpha": alpha}, folds[0], METRIC).loss, looks
