"""`certify` on scikit-learn's trees: shares of rows among weights of zero, targets far from zero."""

import copy

import numpy as np
from sklearn import ensemble, tree
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.ensembles import RandomForestRegressor
from learnable.trees import DecisionTreeRegressor

RNG = np.random.default_rng(8)
X = RNG.standard_normal((60, 3)).astype(np.float32)
Y = X[:, 0] + 0.5 * RNG.standard_normal(60)
WEIGHT = RNG.integers(0, 3, 60).astype(float)


@each("kind", [tree.DecisionTreeClassifier, tree.DecisionTreeRegressor, tree.ExtraTreeClassifier])
@each("asked", [{"min_samples_leaf": 0.1}, {"min_samples_split": 0.35}, {"min_samples_leaf": 0.05, "max_depth": 3}])
def test_shares_of_rows_are_of_all_of_them_those_of_no_weight_too(kind, asked):
    y = Y if kind is tree.DecisionTreeRegressor else Y > 0.0
    model = kind(random_state=0, **asked).fit(X, y, sample_weight=WEIGHT)
    assert certify(model, X, y, sample_weight=WEIGHT).verdict is not Verdict.REFUTED
    if not kind.__name__.startswith("Extra"):
        grown = kind(random_state=0).fit(X, y, sample_weight=WEIGHT).set_params(**asked)
        assert certify(grown, X, y, sample_weight=WEIGHT).verdict is Verdict.REFUTED


@each("kind", [tree.DecisionTreeRegressor, tree.ExtraTreeRegressor, ensemble.RandomForestRegressor])
def test_means_of_targets_far_from_zero_are_rounded_as_sums_are(kind):
    for seed in range(10):
        y = 1e6 + 1e-5 * np.random.default_rng(seed).standard_normal(60)
        few = {"n_estimators": 10} if kind is ensemble.RandomForestRegressor else {}
        model = kind(random_state=seed, max_depth=3, **few).fit(X, y)
        assert certify(model, X, y).verdict is not Verdict.REFUTED
        if kind is not ensemble.RandomForestRegressor:
            forged = copy.deepcopy(model)
            forged.tree_.value[-1] += 1e-5
            assert certify(forged, X, y).verdict is Verdict.REFUTED


@each("criterion", ["absolute_error", "squared_error", "poisson"])
def test_cells_less_than_a_gap_apart_are_one_to_every_criterion(criterion):
    """scikit-learn cuts between cells more than 1e-7 apart."""
    for missing in (0.0, 0.2):
        cells = np.column_stack([1e-7 * X[:, 0], X[:, 1]])
        cells[RNG.uniform(size=60) < missing, 0] = np.nan
        model = tree.DecisionTreeRegressor(criterion=criterion, random_state=0, max_depth=4).fit(cells, np.exp(Y))
        assert certify(model, cells, np.exp(Y)).holds


@each("kind", [tree.DecisionTreeClassifier, tree.DecisionTreeRegressor, ensemble.RandomForestRegressor])
def test_leaves_of_a_pruned_tree_are_none_that_pruning_would_have_kept_apart(kind):
    y = Y if kind is not tree.DecisionTreeClassifier else Y > 0.0
    few = {"n_estimators": 3} if kind is ensemble.RandomForestRegressor else {}
    for alpha in (1e-6, 0.01, 0.03):
        model = kind(ccp_alpha=alpha, random_state=0, **few).fit(X, y, sample_weight=WEIGHT)
        assert certify(model, X, y, sample_weight=WEIGHT).holds, alpha
    stunted = kind(min_samples_leaf=15, random_state=0, **few).fit(X, y, sample_weight=WEIGHT)
    stunted.set_params(min_samples_leaf=1, ccp_alpha=1e-6)
    assert certify(stunted, X, y, sample_weight=WEIGHT).verdict is Verdict.REFUTED


@each("kind", [tree.DecisionTreeRegressor, DecisionTreeRegressor, RandomForestRegressor])
def test_deviances_of_targets_that_hardly_differ_are_rounding(kind):
    few = {"n_estimators": 3} if kind is RandomForestRegressor else {}
    for level in (3.5, 7.0, 1e-8, 1e9):
        for apart in (0.0, 1e-3, 1.0):
            y = level * (1.0 + apart * (X[:, 0] > 0.0))
            model = kind(criterion="poisson", random_state=0, **few).fit(X, y)
            assert certify(model, X, y).holds, (level, apart)
    if kind is DecisionTreeRegressor:
        model.tree_ = model.tree_._replace(impurity=1.01 * model.tree_.impurity)
        assert certify(model, X, y).verdict is Verdict.REFUTED
