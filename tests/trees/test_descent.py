import numpy as np
import pytest

from learnable.ensembles import RandomForestClassifier, RandomForestRegressor
from learnable.problems.trees.tree import leaves_of
from learnable.solvers.trees import descent
from learnable.trees import DecisionTreeClassifier


@pytest.mark.parametrize("n", [descent.MANY - 1, descent.MANY, descent.MANY + 3])
def test_packed_trees_lead_to_the_same_leaves(n):
    """Few rows go down a tree as it is, many together; with missing cells, on thresholds, and where all is one leaf."""
    rng = np.random.default_rng(n)
    X = np.round(rng.standard_normal((n, 4)), 1)
    holes = np.where(rng.random(X.shape) < 0.1, np.nan, X)
    y = rng.integers(0, 3, n)
    for table, kept in ((X, {}), (holes, {}), (X, {"max_depth": 3}), (X, {"min_samples_split": n + 1})):
        tree = DecisionTreeClassifier(random_state=0, **kept).fit(table[:400], y[:400]).tree_
        for cells in (table, np.nextafter(table, np.inf), np.full_like(X, 1e300), np.full_like(X, -1e300)):
            np.testing.assert_array_equal(descent.leaf_numbers(tree, cells), leaves_of(tree, cells))
    codes = np.column_stack([X, rng.integers(0, 5, n)])
    model = DecisionTreeClassifier(categorical_features=[4]).fit(codes[:400], codes[:400, 4] % 2 + y[:400])
    np.testing.assert_array_equal(descent.leaf_numbers(model.tree_, codes), leaves_of(model.tree_, codes))


def test_a_forest_is_the_mean_of_its_trees_for_any_number_of_rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2 * descent.MANY + 5, 3))
    y = np.column_stack([X[:, 0] > 0.0, X[:, 1] > X[:, 2]]).astype(int)
    for model, target in (
        (RandomForestClassifier(5, random_state=0), y),
        (RandomForestRegressor(5, random_state=0), X[:, :2] ** 2),
    ):
        model.fit(X[:300], target[:300])
        values = [tree.value[leaves_of(tree, X)] for tree in model.trees_]
        np.testing.assert_allclose(model._values(X), np.mean(values, axis=0), rtol=1e-13, atol=1e-15)
        np.testing.assert_array_equal(model.predict(X[:50]), model.predict(X)[:50])
