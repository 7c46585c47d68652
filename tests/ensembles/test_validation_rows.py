"""Boosting that cannot set rows aside, or has none that count, says which parameter to change."""

import numpy as np
import pytest
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state
from tests.cases import each

from learnable.ensembles import (
    BaggingRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
    validation_rows,
)
from learnable.trees import DecisionTreeRegressor

X = np.random.default_rng(0).standard_normal((60, 2))
BOOSTERS = [
    (GradientBoostingClassifier, {"n_estimators": 3, "n_iter_no_change": 2}, "n_iter_no_change=None"),
    (GradientBoostingRegressor, {"n_estimators": 3, "n_iter_no_change": 2}, "n_iter_no_change=None"),
    (HistGradientBoostingClassifier, {"max_iter": 3, "early_stopping": True}, "early_stopping=False"),
    (HistGradientBoostingRegressor, {"max_iter": 3, "early_stopping": True}, "early_stopping=False"),
]


def _targets(kind):
    return (X[:, 0] > 0).astype(int) if "Classifier" in kind.__name__ else X[:, 0]


@each(("kind", "given", "remedy"), BOOSTERS)
def test_a_share_that_leaves_no_rows_is_refused_by_name(kind, given, remedy):
    with pytest.raises(ValueError, match=rf"{kind.__name__}\(validation_fraction=0.999\): 60 rows .*{remedy}"):
        kind(validation_fraction=0.999, **given).fit(X, _targets(kind))


@each(("kind", "given", "remedy"), BOOSTERS[::2])
def test_a_class_of_one_row_is_named(kind, given, remedy):
    label = np.array(["rare", *["plain"] * 39, *["other"] * 20])
    with pytest.raises(ValueError, match=rf"only 1 member.*members are: \['rare'\].*{remedy}"):
        kind(**given).fit(X, label)


@each(("kind", "given", "remedy"), BOOSTERS)
@each(("aside", "what"), [(False, "left to learn from"), (True, "set aside")])
def test_rows_of_weight_zero_are_no_rows(kind, given, remedy, aside, what):
    model = kind(random_state=0, validation_fraction=0.2, **given)
    weight = np.full(60, float(not aside))
    weight[model.fit(X, _targets(kind)).train_rows_] = float(aside)
    empty = 12 if aside else 48
    with pytest.raises(ValueError, match=rf"{kind.__name__}.*all {empty} rows {what} have weight 0.*{remedy}"):
        model.fit(X, _targets(kind), sample_weight=weight)


def test_every_class_leaves_its_share_aside_and_any_row_may_be_among_it():
    label = np.repeat([0, 1, 2], [70, 8, 50])
    taken = np.zeros(128)
    for seed in range(40):
        model = HistGradientBoostingClassifier(max_iter=1, early_stopping=True, validation_fraction=0.25)
        model.set_params(random_state=seed).fit(np.resize(X, (128, 2)), label)
        aside = np.setdiff1d(np.arange(128), model.train_rows_)
        assert len(aside) == 32
        assert len(model.train_rows_) == 96
        assert np.all(np.diff(model.train_rows_) > 0)
        assert np.all(np.abs(np.bincount(label[aside]) - 32 * np.bincount(label) / 128) < 1)
        taken[aside] += 1
    assert taken.min() > 0
    assert taken.max() < 40


@each(("kind", "given", "remedy"), BOOSTERS)
@each("share", [0.1, 0.25, 1 / 3, 0.5])
@each("seed", [0, 1, 2**32 - 1])
def test_the_rows_set_aside_are_those_of_scikit_learn(kind, given, remedy, share, seed):
    rows = np.arange(60)
    # Shares of classes of equal sizes are cut off alike, and random numbers say where one more is set aside.
    target = np.resize([0, 1, 2, 2, 3], 60) if "Classifier" in kind.__name__ else X[:, 0]
    model = kind(random_state=seed, validation_fraction=share, **given).fit(X, target)
    if "Hist" in kind.__name__:
        seed = check_random_state(seed).randint(np.iinfo(np.uint32).max, dtype="u8")
    strata = target if "Classifier" in kind.__name__ else None
    train, _ = train_test_split(rows, test_size=share, random_state=seed, stratify=strata)
    assert np.array_equal(model.train_rows_, np.sort(train))


@each("rest", [[], [0], [7], [2, 3, 5], list(range(8))])
def test_the_others_are_all_but_those(rest, monkeypatch):
    monkeypatch.setattr(validation_rows, "BLOCK", 3)
    found = validation_rows.all_but(np.array(rest, dtype=np.int32), 8)
    assert found.dtype == np.int32
    assert found.tolist() == [row for row in range(8) if row not in rest]


@each("kind", [DecisionTreeRegressor, RandomForestRegressor, BaggingRegressor, *(each_[0] for each_ in BOOSTERS[1::2])])
@each(("kind_of", "said"), [("U", "y holds strings"), (object, "y holds 'a' in row 0")])
def test_words_are_no_targets_of_regression(kind, kind_of, said):
    with pytest.raises(ValueError, match=f"{kind.__name__}: {said}"):
        kind().fit(X, np.array(["a"] * 60, dtype=kind_of))
