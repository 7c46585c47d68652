"""Trees of scikit-learn's under options seldom asked for: honest fits are proved, others are not."""

import numpy as np
from sklearn import ensemble, tree
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict

RNG = np.random.default_rng(11)
X = RNG.standard_normal((40, 4))
Y = X[:, 0] - X[:, 1] + RNG.standard_normal(40)
MISSING = np.where(RNG.uniform(size=X.shape) < 0.2, np.nan, X)
SIGNS = [1, 0, -1, 0]
SEEDS = range(12)


@each(
    "model",
    [
        tree.DecisionTreeRegressor(monotonic_cst=SIGNS),
        tree.DecisionTreeClassifier(monotonic_cst=SIGNS),
        tree.ExtraTreeRegressor(monotonic_cst=SIGNS),
        ensemble.RandomForestClassifier(3, monotonic_cst=SIGNS),
    ],
)
def test_values_are_bounded_on_columns_with_a_sign_alone(model):
    """Beside them a split may put a side beyond what bounds the node, whose value is cut off."""
    y = Y > 0.0 if "Classifier" in type(model).__name__ else Y
    for seed in SEEDS[:6]:
        found = certify(model.set_params(random_state=seed).fit(X, y), X, y)
        assert found.holds, found
    other = type(model)(**model.get_params()).set_params(monotonic_cst=[1, 1, -1, 0]).fit(X, y)
    other.set_params(monotonic_cst=SIGNS)
    assert certify(other, X, y).verdict is not Verdict.PROVED


def test_thresholds_drawn_at_random_may_leave_nothing_on_a_side():
    """All rows with a target of zero, or with a missing cell: the node stays a leaf, unless other columns are drawn."""
    counts = RNG.poisson(0.7, (40, 2)).astype(float)
    for seed in SEEDS:
        drawn = tree.ExtraTreeRegressor(criterion="poisson", random_state=seed).fit(X, counts)
        assert certify(drawn, X, counts).holds
        few = ensemble.ExtraTreesClassifier(5, max_features=2, random_state=seed).fit(MISSING, Y > 0.0)
        assert certify(few, MISSING, Y > 0.0).holds
    stopped = ensemble.ExtraTreesClassifier(5, max_features=2, max_depth=2).fit(X, Y > 0.0)
    assert certify(stopped.set_params(max_depth=None), X, Y > 0.0).verdict is Verdict.REFUTED


def test_a_column_of_boosting_that_misses_cells_sends_others_to_the_right():
    """The majority counts where no row at all misses a cell, which need not be a row of the node."""
    for rows in (MISSING, X):
        model = ensemble.HistGradientBoostingClassifier(max_iter=4, min_samples_leaf=2).fit(rows, Y > 0.0)
        assert certify(model, rows, Y > 0.0).holds
        for (trees,) in model._predictors:
            nodes = trees.nodes
            nodes["missing_go_to_left"][nodes["is_leaf"] == 0] ^= 1
        assert certify(model, rows, Y > 0.0).verdict is not Verdict.PROVED


def test_gains_of_bounded_values_in_boosting_are_those_of_slopes():
    for seed in SEEDS:
        rows = np.random.default_rng(seed).standard_normal((45, 4))
        y = rows @ [1.0, -1.0, 0.5, 0.0] + np.random.default_rng(seed).standard_normal(45)
        model = ensemble.HistGradientBoostingRegressor(max_iter=5, min_samples_leaf=2, monotonic_cst=[-1, -1, 1, 1])
        found = certify(model.fit(rows, y), rows, y)
        assert found.holds, found
