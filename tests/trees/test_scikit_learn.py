"""Trees and forests handed to scikit-learn predict as ours."""

import numpy as np
import pytest
from sklearn.tree import export_graphviz

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
