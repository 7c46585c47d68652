"""Histogram boosting that stops by rows that users give, by their scores, or by its training rows."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, r2_score
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.ensembles import HistGradientBoostingClassifier, HistGradientBoostingRegressor

rng = np.random.default_rng(0)
X, X_val = rng.standard_normal((150, 3)), rng.standard_normal((80, 3))
y, y_val = (cells[:, 0] * cells[:, 1] + 0.3 * rng.standard_normal(len(cells)) for cells in (X, X_val))
BOTH = ((HistGradientBoostingRegressor, y, y_val), (HistGradientBoostingClassifier, y > 0.0, y_val > 0.0))
SETTINGS = {"max_iter": 60, "learning_rate": 0.4, "max_leaf_nodes": 6, "n_iter_no_change": 4, "random_state": 0}


@each("kind, y, y_val", BOTH)
def test_rows_given_are_as_good_as_the_same_rows_set_aside(kind, y, y_val):
    inside = kind(early_stopping=True, validation_fraction=0.3, **SETTINGS).fit(X, y)
    rows = inside.train_rows_
    rest = np.setdiff1d(np.arange(len(X)), rows)
    beside = kind(**SETTINGS).fit(X[rows], y[rows], X_val=X[rest], y_val=y[rest])
    assert beside.do_early_stopping_
    assert beside.n_iter_ == inside.n_iter_ < 60
    assert np.allclose(beside.validation_score_, inside.validation_score_, rtol=1e-12)
    assert np.array_equal(beside.predict(X), inside.predict(X))


@each("kind, y, y_val", BOTH)
def test_rows_given_are_judged_too(kind, y, y_val):
    weight = rng.integers(1, 3, len(y_val))
    given = {"X_val": X_val, "y_val": y_val, "sample_weight_val": weight}
    model = kind(**SETTINGS).fit(X, y, **given)
    assert model.certificate_.holds
    assert certify(model, X, y, **given).holds
    assert not certify(model, X, y, **given | {"sample_weight_val": None}).holds
    without = certify(model, X, y)
    assert without.verdict is Verdict.NOTHING_ASSERTED
    assert "give certify X_val and y_val" in str(without)
    model.validation_score_ = model.validation_score_ * (1.0 + 1e-5)
    assert not certify(model, X, y, **given).holds


def covariance(said, y):
    return np.mean((said - np.mean(said)) * (y - np.mean(y)))


def covariance_of(model, cells, y):
    return covariance(model.predict(cells), y)


@each("kind, y, y_val", BOTH)
@each("scoring", [None, "score", covariance_of], ids=["None", "by name", "a function"])
def test_scores_of_the_rows_decide(kind, y, y_val, scoring):
    name, score = ("r2", r2_score) if kind is HistGradientBoostingRegressor else ("accuracy", accuracy_score)
    asked = name if scoring == "score" else scoring
    model = kind(scoring=asked, **SETTINGS).fit(X, y, X_val=X_val, y_val=y_val)
    score = covariance if scoring is covariance_of else score
    stages = [score(y_val, said) for said in model.staged_predict(X_val)]
    assert np.allclose(model.validation_score_[1:], stages)
    last, before = model.validation_score_[-4:], model.validation_score_[-5]
    assert model.n_iter_ == 60 or last.max() <= before + model.tol
    assert certify(model, X, y, X_val=X_val, y_val=y_val).holds


@each("kind, y, y_val", BOTH)
@each("scoring", ["loss", None])
def test_training_rows_decide_where_none_are_set_aside(kind, y, y_val, scoring):
    model = kind(early_stopping=True, validation_fraction=None, scoring=scoring, tol=1e-2, **SETTINGS).fit(X, y)
    assert not {"train_rows_", "validation_score_"} & set(vars(model))
    if scoring is None:
        assert np.isclose(model.train_score_[-1], model.score(X, y))
    assert model.n_iter_ < 60
    assert model.train_score_[-4:].max() <= model.train_score_[-5] + 1e-2
    assert certify(model, X, y).holds
    assert not certify(model.set_params(n_iter_no_change=2), X, y).holds


def test_a_score_of_many_training_rows_is_that_of_some():
    cells = np.random.default_rng(1).standard_normal((10_050, 1))

    def scoring(model, cells, y):
        return model.score(cells, y)

    model = HistGradientBoostingRegressor(max_iter=3, scoring=scoring, validation_fraction=None, random_state=0)
    model.fit(cells, cells[:, 0] ** 2)
    whole = model.score(cells, cells[:, 0] ** 2)
    assert model.train_score_[-1] != whole
    assert np.isclose(model.train_score_[-1], whole, atol=0.01)


@each(
    "kind, parameters, given, words",
    [
        (HistGradientBoostingRegressor, {}, {"X_val": X_val}, "y_val was not provided"),
        (HistGradientBoostingRegressor, {}, {"y_val": y_val}, "X_val was not provided"),
        (HistGradientBoostingRegressor, {}, {"sample_weight_val": y_val}, "X_val and y_val were not provided"),
        (HistGradientBoostingRegressor, {}, {"X_val": X_val[:, :2], "y_val": y_val}, "2 features"),
        (HistGradientBoostingRegressor, {}, {"X_val": X_val, "y_val": y_val[1:]}, "inconsistent numbers"),
        (HistGradientBoostingRegressor, {"early_stopping": False}, {"X_val": X_val, "y_val": y_val}, "early_stopping"),
        (HistGradientBoostingRegressor, {"scoring": "luck"}, {}, "luck"),
        (HistGradientBoostingClassifier, {}, {"X_val": X_val, "y_val": np.full(80, "maybe")}, "'maybe', which is no"),
    ],
    ids=lambda words: str(words)[:20],
)
def test_what_cannot_decide_is_refused(kind, parameters, given, words):
    target = y if kind is HistGradientBoostingRegressor else np.where(y > 0.0, "yes", "no")
    with pytest.raises(ValueError, match=words):
        kind(**parameters).fit(X, target, **given)
