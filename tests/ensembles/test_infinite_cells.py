"""Histogram boosting of tables with infinite cells, which are numbers beyond all others."""

import copy
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from dask import array
from sklearn import ensemble as scikit_learn
from tests.cases import each

from learnable import certify
from learnable.ensembles import (
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from learnable.problems.ensembles.bins import edges_of_column
from learnable.rows import as_rows
from learnable.trees import DecisionTreeRegressor

BOTH = (HistGradientBoostingRegressor, HistGradientBoostingClassifier)
MOST = np.finfo(float).max
SETTINGS = {"max_iter": 4, "learning_rate": 0.4, "min_samples_leaf": 3, "random_state": 0}


def a_table(kind, missing=False, n=200):
    """Rows of three columns with infinite cells of both signs that tell of the target, and the target."""
    rng = np.random.default_rng(1)
    X = np.round(rng.standard_normal((n, 3)), 2)
    X[X > 1.0], X[X < -1.2] = np.inf, -np.inf
    y = np.tanh(X[:, 0]) + 2.0 * (X[:, 1] == np.inf) - (X[:, 2] == -np.inf) + 0.1 * rng.standard_normal(n)
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X, y > 0.0 if kind is HistGradientBoostingClassifier else y


def finite(X, size=1e300):
    return np.clip(X, -size, size)


def said(model, X):
    return model.predict_proba(X) if hasattr(model, "classes_") else model.predict(X)


@each("kind", BOTH)
@each("missing", [False, True])
@each("max_bins", [255, 7])
def test_an_infinite_cell_splits_as_a_huge_one(kind, missing, max_bins):
    X, y = a_table(kind, missing, n=120)
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    for weights in (None, weight):
        model = kind(max_bins=max_bins, **SETTINGS).fit(X, y, weights)
        other = kind(max_bins=max_bins, **SETTINGS).fit(finite(X), y, weights)
        for name in ("children_left", "feature", "missing_go_to_left", "value", "n_samples"):
            assert np.array_equal(getattr(model.trees_, name), getattr(other.trees_, name)), name
        assert np.array_equal(said(model, X), said(other, finite(X)))
        assert all(np.isfinite(edges).all() and np.all(np.diff(edges) > 0) for edges in model.bin_thresholds_)
        assert model.certificate_.holds
        assert certify(model, X, y, weights).holds, certify(model, X, y, weights)


@each("kind", BOTH)
def test_as_scikit_learn(kind):
    X, y = a_table(kind, missing=True)
    X = np.where(np.isfinite(X), np.round(X), X)
    model = kind(max_iter=20).fit(X, y)
    rival = getattr(scikit_learn, kind.__name__)(max_iter=20).fit(X, y)
    assert np.allclose(said(model, X), said(rival, X), atol=1e-5)


def test_thresholds_part_what_is_apart():
    values = np.array([-np.inf, -MOST, -1e300, 0.0, 1e300, np.nextafter(MOST, 0.0), MOST, np.inf])
    for size in range(1, len(values) + 1):
        for some in combinations(values, size):
            column = np.array([*some, np.nan])
            edges = edges_of_column(column, 255)
            assert np.isfinite(edges).all()
            together = some[:2] == (-np.inf, -MOST)  # no number is between them
            assert np.searchsorted(edges, some).tolist() == [max(0, k - together) for k in range(size)]


def test_every_number_stays_on_the_side_of_numbers():
    X = np.array([-np.inf, -np.inf, 0.0, 1.0, np.inf, np.inf])[:, None]
    y = np.array([-5.0, -5.0, 0.0, 0.0, 7.0, 7.0])
    model = HistGradientBoostingRegressor(min_samples_leaf=1, max_iter=60, learning_rate=0.5).fit(X, y)
    asked = np.array([-np.inf, np.nextafter(-MOST, 0.0), -1e300, 0.5, MOST, np.inf])[:, None]
    assert np.allclose(model.predict(asked), [-5.0, 0.0, 0.0, 0.0, 0.0, 7.0], atol=1e-6)


@each("kind", BOTH)
@each("n", [400, 1500], ids=["step by step", "by masks"])
def test_beyond_the_numbers_seen(kind, n):
    X, y = a_table(kind, n=n)
    trained = finite(X, 2.0)
    model = kind(**SETTINGS).fit(trained, y)
    assert np.array_equal(said(model, X), said(model, trained))
    again = kind(**SETTINGS).fit(X, y)
    assert np.array_equal(said(again, X), np.concatenate([said(again, X[:9]), said(again, X[9:])]))


@each("sign", [1, -1])
def test_order_is_kept(sign):
    X, y = a_table(HistGradientBoostingRegressor)
    model = HistGradientBoostingRegressor(monotonic_cst=[sign, 0, 0], **SETTINGS).fit(X, sign * y)
    assert certify(model, X, sign * y).holds
    row = np.zeros((6, 3))
    row[:, 0] = [-np.inf, -1e300, -1.0, 1.0, 1e300, np.inf]
    assert np.all(sign * np.diff(model.predict(row)) >= 0.0)
    assert sign * (model.predict(row)[-1] - model.predict(row)[0]) > 0.5


@each("kind", BOTH)
def test_single_precision_frames_and_rows_beside(kind):
    X, y = a_table(kind, missing=True)
    given = {"X_val": X[150:], "y_val": y[150:]}
    model = kind(**SETTINGS).fit(X[:150], y[:150], **given)
    assert certify(model, X[:150], y[:150], **given).holds
    others = np.where(np.isposinf(X), -np.inf, X)[150:]
    changed = kind(**SETTINGS).fit(X[:150], y[:150], X_val=others, y_val=y[150:])
    assert not np.allclose(model.validation_score_, changed.validation_score_)
    frame = pd.DataFrame(X, columns=list("abc"))
    whole = kind(**SETTINGS).fit(frame, y)
    assert np.array_equal(said(whole, frame), said(kind(**SETTINGS).fit(X, y), X))
    single = kind(**SETTINGS).fit(X.astype(np.float32), y)
    assert np.array_equal(said(single, X.astype(np.float32)), said(whole, frame))
    assert certify(single, X.astype(np.float32), y).holds


@each("kind", BOTH)
def test_altered_thresholds_beside_infinity_are_refuted(kind):
    X, y = a_table(kind)
    model = kind(**SETTINGS).fit(X, y)
    beside = np.flatnonzero(np.abs(model.trees_.threshold) == MOST)
    assert len(beside)
    node = beside[0]
    f, threshold = model.trees_.feature[node], model.trees_.threshold[node]
    for other in (0.5 * threshold, np.sign(threshold) * np.inf):
        cut = model.trees_.threshold.copy()
        cut[node] = other
        alone = copy.deepcopy(model)
        alone.trees_ = model.trees_._replace(threshold=cut)
        assert not certify(alone, X, y).holds
        everywhere = copy.deepcopy(model)
        here = (model.trees_.feature == f) & (model.trees_.threshold == threshold)
        everywhere.trees_ = model.trees_._replace(threshold=np.where(here, other, model.trees_.threshold))
        edges = model.bin_thresholds_[f]
        everywhere.bin_thresholds_[f] = np.where(edges == threshold, other, edges)
        assert not certify(everywhere, X, y).holds
    swapped = np.where(X[:, [f]] == np.inf, -np.inf, X[:, [f]])
    assert not certify(model, np.column_stack([X[:, :f], swapped, X[:, f + 1 :]]), y).holds


@each("kind", BOTH)
def test_no_category_is_infinite(kind):
    X, y = a_table(kind, n=120)
    codes = np.arange(len(X)) % 4.0
    refused = f"{kind.__name__}: Input X contains infinity in column 0, row 5, which holds categories"

    def forms(column):
        cells = np.column_stack([column, X[:, 1]])
        return cells, cells.astype(object), pd.DataFrame({"a": pd.Categorical(column), "b": X[:, 1]})

    cells, *_ = forms(codes)
    up, down = (np.where(np.arange(len(X)) == 5, bad, codes) for bad in (np.inf, -np.inf))
    for categorical, good, *wrong in zip(([0], [0], "from_dtype"), forms(codes), forms(up), forms(down)):
        model = kind(categorical_features=categorical, **SETTINGS).fit(good, y)
        assert certify(model, good, y).holds
        for bad in wrong:
            with pytest.raises(ValueError, match=refused):
                kind(categorical_features=categorical, **SETTINGS).fit(bad, y)
            with pytest.raises(ValueError, match=refused):
                model.predict(bad)
    beside = kind(categorical_features=[0], **SETTINGS)
    assert np.array_equal(said(beside.fit(cells, y), cells), said(beside.fit(finite(cells), y), finite(cells)))


@each("kind", [*BOTH, GradientBoostingRegressor, RandomForestRegressor, DecisionTreeRegressor])
def test_rows_in_blocks_and_other_learners_refuse_infinite_cells(kind):
    X, y = a_table(kind)
    X = np.where(np.isinf(X), 0.0, X)
    model = kind(random_state=0).fit(X, y)
    X[7, 1] = np.inf
    blocks, target = (array.from_array(table, 100) if kind in BOTH else table for table in (X, y))
    refused = f"{kind.__name__}: Input X contains infinity in column 1, row 7"
    with pytest.raises(ValueError, match=refused):
        kind().fit(blocks, target)
    with pytest.raises(ValueError, match="contains infinity in column 1, row 7"):
        np.asarray(model.predict(blocks))
    if kind in BOTH:
        with pytest.raises(ValueError, match=refused):
            kind().fit(as_rows(X, y))
