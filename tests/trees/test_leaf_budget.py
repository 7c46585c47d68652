"""Trees with at most so many leaves: fewer are no answer while a leaf could be split. Fits of scikit-learn's too."""

import copy

import numpy as np
import sklearn.tree
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.trees import DecisionTreeClassifier, DecisionTreeRegressor

RNG = np.random.default_rng(772)
X = RNG.standard_normal((50, 4))
NUMBERS = X @ np.array([1.0, -2.0, 0.5, 0.0]) + 0.5 * RNG.standard_normal(50)
CLASSES = np.digitize(NUMBERS, [-1.0, 1.0])
OPTIONS = [
    {},
    {"max_depth": 4},
    {"min_samples_leaf": 4},
    {"criterion": "absolute_error"},
    {"monotonic_cst": [1, -1, 0, 0]},
]


@each("options", OPTIONS, ids=repr)
@each("most", [2, 7, 40])
def test_a_tree_with_room_for_a_leaf_has_none_to_split(most, options):
    for kind, y in ((DecisionTreeClassifier, np.minimum(CLASSES, 1)), (DecisionTreeRegressor, NUMBERS)):
        if kind is DecisionTreeClassifier and "criterion" in options:
            continue
        model = kind(max_leaf_nodes=most, random_state=0, **options).fit(X, y)
        assert model.certificate_.holds
        assert certify(model, X, y).holds
        # The answer of a smaller budget in place of its own.
        other = copy.deepcopy(model)
        other.max_leaf_nodes = model.get_n_leaves() + 1
        grown = kind(**other.get_params()).fit(X, y).get_n_leaves()
        assert certify(other, X, y).holds is (grown == model.get_n_leaves())


@each("most", [None, 30])
def test_random_splits_beside_missing_cells_of_scikit_learn(most):
    for seed in range(4):
        table = X.copy()
        table[np.random.default_rng(seed).random(X.shape) < 0.15] = np.nan
        for name, y in (("DecisionTreeClassifier", CLASSES), ("DecisionTreeRegressor", NUMBERS)):
            kind = getattr(sklearn.tree, name)
            model = kind(splitter="random", max_leaf_nodes=most, random_state=seed).fit(table, y)
            assert certify(model, table, y).verdict is not Verdict.REFUTED
