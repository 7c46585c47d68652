"""Trees and forests handed to scikit-learn predict as ours."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.inspection import partial_dependence
from sklearn.tree import export_graphviz, export_text, plot_tree

from learnable.ensembles import ExtraTreesRegressor, RandomForestClassifier
from learnable.trees import DecisionTreeClassifier, DecisionTreeRegressor, OptimalTreeClassifier, SLIQClassifier


def test_exported_trees_predict_the_same():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 4)).astype(np.float32).astype(float)
    y = X[:, 0] + X[:, 1] ** 2
    labels = np.array(["low", "middle", "high"])[np.digitize(y, [0.0, 1.0])]
    X[rng.random(X.shape) < 0.05] = np.nan
    bits = (np.nan_to_num(X) > 0).astype(float)
    for model, cells, target in (
        (DecisionTreeClassifier(max_depth=5), X, labels),
        (DecisionTreeRegressor(max_depth=6), X, y),
        (RandomForestClassifier(4, random_state=0), X, labels),
        (ExtraTreesRegressor(4, random_state=0), X, y),
        (SLIQClassifier(max_depth=3), bits, labels),
        (OptimalTreeClassifier(max_depth=2), bits, labels),
    ):
        foreign = model.fit(cells, target).to_scikit_learn()
        assert type(foreign).__module__.startswith("sklearn.")
        if isinstance(model, DecisionTreeClassifier | DecisionTreeRegressor):
            assert export_graphviz(model, filled=True) == export_graphviz(foreign, filled=True)
            assert export_text(model) == export_text(foreign)
            assert [box.get_text() for box in plot_tree(model)] == [box.get_text() for box in plot_tree(foreign)]
            np.testing.assert_allclose(
                model.tree_.compute_feature_importances(normalize=False),
                foreign.tree_.compute_feature_importances(normalize=False),
                rtol=1e-12,
            )
            names = [f"column {j}" for j in range(4)]
            assert export_text(model, feature_names=names) == export_text(foreign, feature_names=names)
            assert (model.tree_.decision_path(cells) != foreign.tree_.decision_path(cells.astype(np.float32))).nnz == 0
        if target is y:
            np.testing.assert_allclose(foreign.predict(cells), model.predict(cells), rtol=1e-12)
        else:
            np.testing.assert_array_equal(foreign.predict(cells), model.predict(cells))
            if hasattr(model, "predict_proba"):
                np.testing.assert_allclose(foreign.predict_proba(cells), model.predict_proba(cells), rtol=1e-12)


def test_categories_are_not_exported():
    model = DecisionTreeClassifier(categorical_features=[0]).fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    with pytest.raises(TypeError, match="encode them as numbers"):
        model.to_scikit_learn()


def test_the_partial_dependence_of_a_tree_is_that_of_scikit_learn():
    """By recursion, over the training rows; of a tree that asks about one column alone it is what the tree says."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 9, (80, 3)).astype(float)
    model = DecisionTreeRegressor(max_depth=4).fit(X, X[:, 0] * X[:, 1] + X[:, 2])
    for columns in ([0], [2], [(0, 1)]):
        ours = partial_dependence(model, X, columns)["average"]
        theirs = partial_dependence(model.to_scikit_learn(), X, columns, method="recursion")["average"]
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    words = np.array(["a", "b", "c"], dtype=object)[X[:, 0].astype(int) % 3][:, None]
    for cells, asked in ((words, {"categorical_features": [0]}), (np.where(X < 2, np.nan, X)[:, :1], {})):
        single = DecisionTreeRegressor(**asked).fit(cells, X[:, 0])
        kinds = np.array(sorted(set(cells[:, 0].tolist()), key=str), dtype=cells.dtype)[:, None]
        np.testing.assert_allclose(
            single._compute_partial_dependence_recursion(kinds, np.array([0])), single.predict(kinds), rtol=1e-12
        )
    both = DecisionTreeRegressor().fit(X[:, :1], np.column_stack([X[:, 0], -X[:, 0]]))
    rows = np.arange(9.0)[:, None]
    found = both._compute_partial_dependence_recursion(rows, np.array([0]))
    np.testing.assert_allclose(found, [rows[:, 0], -rows[:, 0]])


BOTH_ORDERS = """
import os, sys, numba, sklearn.base
child = os.fork()  # each order in a process of its own
if child:
    from learnable.trees import DecisionTreeClassifier as Ours
    assert "sklearn.tree" not in sys.modules
    from sklearn import tree
else:
    from sklearn import tree
    from learnable.trees import DecisionTreeClassifier as Ours
assert isinstance(Ours(), tree.DecisionTreeClassifier), sys.meta_path
assert not child or os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the processes of this test are forks, which Windows does not have")
def test_trees_stand_in_whenever_scikit_learn_is_imported_and_do_not_import_it():
    subprocess.run([sys.executable, "-c", BOTH_ORDERS], check=True)
