"""Laws of running learners on the same folds."""

import sys
from typing import ClassVar

import joblib
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification, make_regression
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import KFold, RepeatedStratifiedKFold, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from tests.cases import each

from learnable.evaluation.compare import _fresh, compare

X, Y = make_classification(120, 6, random_state=0)
LEARNERS = {"tree": DecisionTreeClassifier(random_state=0), "bayes": GaussianNB(), "dummy": DummyClassifier()}


class Waiting(ClassifierMixin, BaseEstimator):
    """A classifier whose fit moves a clock that stands still otherwise."""

    now: ClassVar[int] = 0
    fits: ClassVar[int] = 0
    predictions: ClassVar[int] = 0

    def __init__(self, ticks=0):
        self.ticks = ticks

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        Waiting.now += self.ticks
        Waiting.fits += 1
        return self

    def predict(self, X):
        Waiting.predictions += 1
        return np.full(len(X), self.classes_[0])


class Failing(Waiting):
    def fit(self, X, y):
        raise RuntimeError("cannot learn")


def test_scores_are_scikit_learns_on_the_same_folds():
    folds = StratifiedKFold(5, shuffle=True, random_state=3)
    result = compare(LEARNERS, X, Y, cv=folds)
    for j, learner in enumerate(LEARNERS.values()):
        assert result.scores[:, j] == pytest.approx(cross_val_score(learner, X, Y, cv=folds))
    assert result.n_test.tolist() == [24] * 5
    assert (result.n_train + result.n_test).tolist() == [120] * 5


def test_repeats_give_k_times_r_rows_and_each_repeat_is_a_partition():
    class Recording(Waiting):
        seen: ClassVar[list] = []

        def predict(self, X):
            self.seen.extend(X[:, 0].tolist())
            return super().predict(X)

    ids = np.arange(60.0)[:, None]
    result = compare({"r": Recording()}, ids, np.tile([0, 1], 30), cv=3, repeats=4, random_state=0)
    assert result.scores.shape == (12, 1)
    for repeat in np.array(Recording.seen).reshape(4, 60):
        assert sorted(repeat) == ids[:, 0].tolist()


@each("backend", ["threading", "loky"])
def test_the_answer_is_the_same_for_any_number_of_workers(backend):
    learners = {
        "forest": RandomForestClassifier(n_estimators=3),
        "pipe": make_pipeline(StandardScaler(), DecisionTreeClassifier(max_features=2)),
    }
    alone = compare(learners, X, Y, cv=3, random_state=11)
    with joblib.parallel_config(backend=backend):
        together = compare(learners, X, Y, cv=3, random_state=11, n_jobs=2)
    assert (alone.scores == together.scores).all()
    assert learners["forest"].random_state is None
    assert not hasattr(learners["forest"], "estimators_")


def test_seeds_of_any_kind_and_another_seed_other_folds():
    for first, second in ((5, 5), (np.random.default_rng(5), np.random.default_rng(5))):
        runs = [compare(LEARNERS, X, Y, cv=3, random_state=seed).scores for seed in (first, second)]
        assert (runs[0] == runs[1]).all()
    assert compare(LEARNERS, X, Y, cv=3, random_state=np.random.RandomState(0)).scores.shape == (3, 3)
    assert (
        compare(LEARNERS, X, Y, cv=3, random_state=5).scores != compare(LEARNERS, X, Y, cv=3, random_state=6).scores
    ).any()
    with pytest.raises(TypeError, match="random_state"):
        compare(LEARNERS, X, Y, random_state="5")


def test_progress_reports_every_fit_once():
    seen = []
    compare(LEARNERS, X, Y, cv=4, on_fit=lambda name, fold: seen.append((name, fold)))
    assert seen == [(name, fold) for fold in range(4) for name in LEARNERS]


def test_regression_sparse_and_frames():
    import pandas as pd

    X_r, y_r = make_regression(80, 4, noise=5, random_state=0)
    learners = {"ols": LinearRegression(), "ridge": Ridge()}
    plain = compare(learners, X_r, y_r, cv=4, random_state=0)
    assert plain.metric == "R²"
    frame = compare(learners, pd.DataFrame(X_r), pd.Series(y_r), cv=4, random_state=0)
    assert frame.scores == pytest.approx(plain.scores)
    assert compare(learners, sparse.csr_array(X_r), y_r, cv=4, random_state=0).scores == pytest.approx(
        plain.scores, abs=1e-3
    )
    errors = compare(learners, X_r, y_r, cv=4, scoring="neg_mean_squared_error", random_state=0)
    assert errors.metric == "neg_mean_squared_error"
    assert (errors.scores < 0).all()


def test_ten_learners_on_ten_by_ten_folds_are_fitted_and_asked_once_a_fold():
    learners = {f"learner {i}": Waiting() for i in range(10)}
    data, labels = make_classification(200, 20, random_state=0)
    Waiting.fits = Waiting.predictions = 0
    result = compare(learners, data, labels, cv=10, repeats=10, random_state=0)
    assert result.scores.shape == (100, 10)
    assert (Waiting.fits, Waiting.predictions) == (1000, 1000)


def test_what_a_fit_and_its_score_take_is_read_off_one_clock(monkeypatch):
    monkeypatch.setattr(sys.modules[compare.__module__], "clock", lambda: Waiting.now)
    result = compare({"three ticks": Waiting(3), "none": Waiting()}, X, Y, cv=2, random_state=0, n_jobs=1)
    np.testing.assert_array_equal(result.fit_seconds, [[3, 0]] * 2)
    np.testing.assert_array_equal(result.score_seconds, 0)


def test_a_failing_learner_is_named():
    with pytest.raises(RuntimeError, match="cannot learn") as caught:
        compare({"good": GaussianNB(), "bad": Failing()}, X, Y, cv=2)
    assert "learner 'bad' ran on fold 0" in caught.value.__notes__[0]


def test_folds_without_a_class():
    rare = np.array(["common"] * 117 + ["rare"] * 3)
    with pytest.raises(ValueError, match="class rare has 3 rows"):
        compare(LEARNERS, X, rare, cv=5)
    with pytest.raises(ValueError, match="training rows of fold 4 lack class rare"):
        compare(LEARNERS, X, rare, cv=KFold(5))
    assert compare(LEARNERS, X, rare, cv=3, random_state=0).scores.shape == (3, 3)


def test_undefined_scores_are_named():
    def undefined(model, X, y):
        return float("nan") if isinstance(model, GaussianNB) else 1.0

    with pytest.raises(ValueError, match="score of 'bayes' on fold 0 is nan"):
        compare(LEARNERS, X, Y, cv=3, scoring=undefined)


@each(
    ("options", "error", "message"),
    [
        ({"cv": 1}, ValueError, "cv=1"),
        ({"cv": 121}, ValueError, "cv=121"),
        ({"cv": [(np.arange(60), np.arange(60, 120))]}, ValueError, "1 fold"),
        ({"cv": KFold(3), "repeats": 2}, ValueError, "repeated splitter"),
        ({"repeats": 0}, ValueError, "repeats=0"),
        ({"repeats": 1.5}, ValueError, "repeats=1.5"),
        ({"alpha": 0, "cv": 3}, ValueError, "alpha=0"),
        ({"scoring": ["accuracy", "f1"], "cv": 3}, TypeError, "one scorer"),
        ({"cv": [(np.arange(120), np.arange(0)), (np.arange(120), np.arange(120))]}, ValueError, "0 test rows"),
    ],
)
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        compare(LEARNERS, X, Y, **options)


def test_bad_learners():
    for bad in ({}, [GaussianNB()], None):
        with pytest.raises(TypeError, match="mapping name -> estimator"):
            compare(bad, X, Y)
    with pytest.raises(ValueError, match="two learners are called 'a'"):
        compare({"a": GaussianNB(), "a ": GaussianNB()}, X, Y)
    with pytest.raises(ValueError, match="different measures"):
        compare({"a": GaussianNB(), "b": LinearRegression()}, X, Y)


def test_repeated_splitters_are_accepted():
    splitter = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    assert compare(LEARNERS, X, Y, cv=splitter).scores.shape == (6, 3)


def test_fits_of_one_learner_share_nothing():
    """Plain parameters are copied, anything else is cloned; the learners given are never touched."""
    held = [1, 2]
    plain, nested = LogisticRegression(C=2.0), make_pipeline(StandardScaler(), LogisticRegression())
    listed = KeepsList(held)
    for learner in (plain, nested, listed):
        first, second = _fresh(learner, {}), _fresh(learner, {})
        assert type(first) is type(learner)
        assert first.get_params(deep=False).keys() == learner.get_params(deep=False).keys()
        assert first is not second
        first.fit(X, Y)
        assert not hasattr(second, "n_features_in_")
        assert not hasattr(learner, "n_features_in_")
    assert _fresh(listed, {}).values is not held
    assert _fresh(plain, {"random_state": 7}).random_state == 7
    assert _fresh(nested, {"logisticregression__random_state": 7})[-1].random_state == 7
    assert plain.random_state is None


class KeepsList(GaussianNB):
    def __init__(self, values=None):
        super().__init__()
        self.values = values
