"""ID3 on the weather table, SLIQ against CART, both against their certificates."""

import copy

import numpy as np
import pytest
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.solvers.trees.id3 import boundary_midpoints
from learnable.trees import DecisionTreeClassifier, ID3Classifier, SLIQClassifier, information_gain

# Quinlan's weather table: outlook, temperature, humidity, wind, play.
WEATHER = """sunny hot high weak no
sunny hot high strong no
overcast hot high weak yes
rain mild high weak yes
rain cool normal weak yes
rain cool normal strong no
overcast cool normal strong yes
sunny mild high weak no
sunny cool normal weak yes
rain mild normal weak yes
sunny mild normal strong yes
overcast mild high strong yes
overcast hot normal weak yes
rain mild high strong no"""


def weather():
    table = np.array([line.split() for line in WEATHER.splitlines()], dtype=object)
    return table[:, :4], table[:, 4].astype(str)


def test_id3_grows_the_tree_of_the_textbook():
    X, y = weather()
    model = ID3Classifier().fit(X, y)
    assert model.to_text().splitlines() == [
        "x0 = overcast: yes",
        "x0 = rain",
        "  x3 = strong: no",
        "  x3 = weak: yes",
        "x0 = sunny",
        "  x2 = high: no",
        "  x2 = normal: yes",
    ]
    gains = []
    for j in range(4):
        values = sorted(set(X[:, j]))
        table = [[np.sum((X[:, j] == v) & (y == c)) for c in ("no", "yes")] for v in values]
        gains.append(information_gain(table))
    assert np.round(gains, 3).tolist() == [0.247, 0.029, 0.152, 0.048]
    assert certify(model, X, y).holds
    assert model.predict([["foggy", "hot", "high", "weak"]])[0] == "yes"  # the majority of the root
    for change in ("feature", "label", "counts", "branch", "parent"):
        other = copy.deepcopy(model)
        array = getattr(model.tree_, change).copy()
        array.flat[-1] += 1
        other.tree_ = model.tree_._replace(**{change: array})
        assert not certify(other, X, y).holds, change


def test_an_empty_branch_says_what_its_parent_says():
    X = np.array([["a", "u"]] * 4 + [["a", "v"]] + [["b", "u"]] * 4 + [["b", "w"]], dtype=object)
    y = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1, 0])
    model = ID3Classifier().fit(X, y)
    empty = np.flatnonzero(model.tree_.counts.sum(axis=1) == 0)
    assert len(empty)
    assert np.array_equal(model.tree_.label[empty], model.tree_.label[model.tree_.parent[empty]])
    assert certify(model, X, y).holds


def test_the_best_of_all_midpoints_lies_between_different_classes():
    random = np.random.default_rng(0)
    for _ in range(30):
        cells, y = random.integers(0, 8, 25).astype(float), random.integers(0, 3, 25)
        values = np.unique(cells)
        every = 0.5 * values[:-1] + 0.5 * values[1:]

        def gain(cut, cells=cells, y=y):
            return information_gain([[np.sum((cells > cut) == side) * 0 + np.sum(((cells > cut) == side) & (y == k))
                                      for k in range(3)] for side in (False, True)])  # fmt: skip

        assert max(map(gain, boundary_midpoints(cells, y))) == pytest.approx(max(map(gain, every)))
        # Left out are the midpoints between two values whose examples are all of one and the same class.
        classes = [set(y[cells == value]) for value in values]
        between = [cut for cut, a, b in zip(every, classes, classes[1:]) if len(a | b) > 1]
        assert list(boundary_midpoints(cells, y)) == between


def shape_of(tree, node=0):
    """A tree whatever the numbers of its nodes."""
    if tree.children_left[node] < 0:
        return tuple(tree.value[node, 0].round(12))
    table = tree.category_left[tree.category_row[node]].tolist() if tree.category_row[node] >= 0 else None
    return (
        int(tree.feature[node]), float(tree.threshold[node]), table,
        shape_of(tree, tree.children_left[node]), shape_of(tree, tree.children_right[node]),
    )  # fmt: skip


def test_sliq_grows_the_tree_of_cart(tmp_path):
    random = np.random.default_rng(0)
    for seed in range(4):
        X = random.standard_normal((80, 4)).round(1 if seed % 2 else 6)
        X[:, 3] = random.integers(0, 4, 80)
        y = np.digitize(X[:, 0] + X[:, 1] * (X[:, 3] > 1), [-0.5, 0.5] if seed > 1 else [0.0])
        limits = {"criterion": ("gini", "entropy")[seed % 2], "max_depth": 4, "min_samples_leaf": 1 + seed}
        for categorical in (None, [3]):
            cart = DecisionTreeClassifier(categorical_features=categorical, **limits).fit(X, y)
            sliq = SLIQClassifier(categorical_features=categorical, **limits).fit(X, y)
            stored = SLIQClassifier(categorical_features=categorical, directory=str(tmp_path), **limits).fit(X, y)
            if categorical is None:
                assert shape_of(sliq.tree_) == shape_of(cart.tree_)
            assert np.array_equal(sliq.predict(X), cart.predict(X))
            assert shape_of(stored.tree_) == shape_of(sliq.tree_)
            assert certify(sliq, X, y).holds, certify(sliq, X, y)
            assert sliq.n_scans_ % X.shape[1] == 0
            assert sliq.n_scans_ <= X.shape[1] * (sliq.tree_.max_depth + 1)
    at_values = SLIQClassifier(threshold="value").fit(X, y)
    assert np.isin(at_values.tree_.threshold[~at_values.tree_.is_leaf], X).all()
    assert certify(at_values, X, y).holds
    with pytest.raises(ValueError, match="NaN"):
        SLIQClassifier().fit(np.where(X > 1, np.nan, X), y)


def test_nodes_in_a_circle_are_refuted_and_do_not_hold_up_the_verifier():
    random = np.random.default_rng(0)
    X = random.standard_normal((60, 2))
    y = (X[:, 0] > X[:, 1]).astype(int)
    for model in (SLIQClassifier().fit(X, y), DecisionTreeClassifier().fit(X, y)):
        left = model.tree_.children_left
        for links in (left + 1, np.where(left >= 0, 0, left), np.where(left < 0, 0, left)):
            altered = copy.copy(model)
            altered.tree_ = model.tree_._replace(children_left=links.astype(left.dtype))
            assert certify(altered, X, y).verdict is Verdict.REFUTED


@each("asked", ["auto", None, [True, False]])
@each("fitted", ["auto", None, [True, False], [False, True]])
def test_columns_that_are_cut_are_those_that_were_to_be(fitted, asked):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (40, 2)).astype(float), rng.integers(0, 2, 40)
    model = ID3Classifier(continuous=fitted).fit(X, y)
    assert certify(model, X, y).holds
    model.set_params(continuous=asked)
    assert certify(model, X, y).holds == (fitted == asked)
