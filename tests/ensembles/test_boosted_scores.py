"""Scores by sets of leaves are those of a walk down the trees, to the last bit."""

from copy import copy
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.cases import each

from learnable import config_context
from learnable._jit.ensembles import boosted_descent
from learnable.ensembles import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from learnable.solvers.ensembles import boosted_scores


def _rows(n: int, seed: int) -> np.ndarray:
    """Three columns of numbers, some missing and some equal to thresholds, and one of categories, some never seen."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.standard_normal((n, 4)), 1)
    X[rng.random(n) < 0.2, 0] = np.nan
    X[:, 3] = rng.integers(0, 30 if seed else 25, n)
    return X


@cache
def _model(kind: Any, leaves: int | None, **given: Any) -> Any:
    X = _rows(3000, 0)
    target = np.nan_to_num(X[:, 0]) + X[:, 1] * X[:, 2] + np.sin(7.0 * X[:, 3])
    y = np.digitize(target, [-0.5, 0.7]) if kind is HistGradientBoostingClassifier else target
    with config_context(certificates=False):
        return kind(
            max_iter=12,
            max_leaf_nodes=leaves,
            min_samples_leaf=2,
            early_stopping=False,
            categorical_features=[3],
            **given,
        ).fit(X, y)


def _by_walk(model: Any, cells: np.ndarray) -> np.ndarray:
    trees, score = model.trees_, np.tile(model.baseline_, (len(cells), 1))
    boosted_descent.add_trees(
        trees.first, trees.children_left, trees.children_right, trees.feature, trees.threshold,
        trees.missing_go_to_left, trees.category_row, trees.category_left, trees.value, cells, score,
    )  # fmt: skip
    return score


@each("kind", [HistGradientBoostingRegressor, HistGradientBoostingClassifier])
@each("leaves", [2, 32, 33, 64, 65])
@each("nodes", [1, 2**13])
def test_sets_of_leaves_say_what_a_walk_says(monkeypatch, kind, leaves, nodes):
    _same_as_a_walk(_model(kind, leaves), nodes, monkeypatch)


def test_leaves_whose_numbers_take_more_than_a_byte_are_walked_to(monkeypatch):
    model = _model(HistGradientBoostingRegressor, None)
    assert np.diff(model.trees_.first.ravel()).max() > 2 * 256
    _same_as_a_walk(model, 2**13, monkeypatch)


def _same_as_a_walk(model, nodes, monkeypatch):
    walks = []
    cells = model._cells(_rows(boosted_scores.MANY + 3, 1))
    with monkeypatch.context() as patched:
        patched.setattr(boosted_scores, "NODES", nodes)
        patched.setattr(boosted_scores, "_by_descent", _noted(boosted_scores._by_descent, walks))
        found = boosted_scores.scores_of(model.trees_, cells, model.baseline_)
    np.testing.assert_array_equal(found, _by_walk(model, cells))
    if nodes > 1:  # a round at a time may have fewer trees than columns
        largest = np.diff(np.append(model.trees_.first.ravel(), len(model.trees_.value))).max()
        assert bool(walks) == (largest > 127)  # a word has 64 bits


def _noted(function: Any, calls: list) -> Any:
    def noted(trees):
        calls.append(trees)
        return function(trees)

    return noted


def test_few_rows_walk(monkeypatch):
    model = _model(HistGradientBoostingRegressor, 31)
    monkeypatch.setattr(
        boosted_scores, "_by_masks", lambda trees: pytest.fail("masks of few rows cost more than a walk")
    )
    cells = model._cells(_rows(boosted_scores.MANY - 1, 1))
    np.testing.assert_array_equal(
        boosted_scores.scores_of(model.trees_, cells, model.baseline_), _by_walk(model, cells)
    )


def test_nodes_that_several_trees_share_are_walked():
    model = copy(_model(HistGradientBoostingRegressor, 31))
    trees, cells = model.trees_, model._cells(_rows(2000, 1))
    model.trees_ = trees._replace(first=np.repeat(trees.first[:1], 12, axis=0))
    score = np.tile(model.baseline_, (len(cells), 1))
    boosted_scores.add_scores(model.trees_, cells, score)
    np.testing.assert_array_equal(score, _by_walk(model, cells))


def test_complex_columns_of_a_frame_are_refused():
    import pandas as pd

    frame = pd.DataFrame({"a": np.arange(40.0) + 1j, "b": pd.Categorical(list("xyzw") * 10)})
    with pytest.raises(ValueError, match="column 0 holds complex numbers"):
        HistGradientBoostingRegressor().fit(frame, np.arange(40.0))
