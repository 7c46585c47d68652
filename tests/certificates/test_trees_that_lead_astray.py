"""Forged nodes are seen before compiled code follows them, round for ever or beyond the last number."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.ensemble import AdaBoostClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.certificates.ensembles.member_links import leads_astray
from learnable.ensembles import BaggingClassifier

RNG = np.random.default_rng(0)
X = RNG.standard_normal((80, 4))
Y = (X[:, 0] + 0.5 * X[:, 1] > 0.0).astype(int)
BOOSTED = HistGradientBoostingClassifier(max_iter=2, random_state=0)
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
FAR = 10**6
# (model, where the forged estimator stands in it)
BOOSTED_IN = [
    (BOOSTED, lambda model: model),
    (AdaBoostClassifier(BOOSTED, n_estimators=2, random_state=0), lambda model: model.estimators_[0]),
    (
        BaggingClassifier(BOOSTED, n_estimators=2, random_state=0),
        lambda model: model.estimators_[0],
    ),
    (make_pipeline(SelectFromModel(TREE, threshold=-1.0), BOOSTED), lambda model: model[-1]),
    (GridSearchCV(BOOSTED, {"learning_rate": [0.1]}, cv=2), lambda model: model.best_estimator_),
]


def refuted_or_refused(model):
    try:
        return certify(model, X, Y).verdict is Verdict.REFUTED
    except IndexError:
        return True


@each("altered", [{"left": 0}, {"right": FAR}, {"feature_idx": FAR}, {"is_categorical": 1}], ids=str)
@each(("model", "inside"), BOOSTED_IN)
def test_a_tree_of_histogram_boosting(model, inside, altered):
    # Nothing here may be asked for predictions before the law has shown that the nodes are looked at.
    fitted = copy.deepcopy(model).fit(X, Y)
    assert not leads_astray(inside(fitted), X.shape[1])
    predictor = inside(fitted)._predictors[0][0]
    nodes = predictor.nodes.copy()
    for name, value in altered.items():
        nodes[name][0] = value
    predictor.nodes = nodes
    assert leads_astray(inside(fitted), X.shape[1])
    assert refuted_or_refused(fitted)


@each("altered", [{"left_child": 0}, {"right_child": FAR}, {"feature": FAR}], ids=str)
@each(
    ("model", "inside"),
    [
        (TREE, lambda model: model),
        (RandomForestClassifier(2, random_state=0), lambda model: model.estimators_[0]),
        (make_pipeline(SelectFromModel(TREE, threshold=-1.0), TREE), lambda model: model[0].estimator_),
    ],
)
def test_a_plain_tree(model, inside, altered):
    fitted = pickle.loads(pickle.dumps(model.fit(X, Y)))
    tree = inside(fitted).tree_
    state = tree.__getstate__()
    for name, value in altered.items():
        state["nodes"][name][0] = value
    tree.__setstate__(state)
    assert leads_astray(fitted, X.shape[1])
    assert refuted_or_refused(fitted)


def test_a_model_that_does_not_say_how_many_columns_it_reads():
    class Holder(BaseEstimator):
        """Of no class that a certificate is known for."""

        def fit(self, X, y):
            return self

    holder = Holder()
    holder.tree_ = DecisionTreeClassifier().fit(X, Y).tree_
    with pytest.raises(TypeError, match="no certificate is known"):
        certify(holder, X, Y)


def test_honest_trees_lead_nowhere_else():
    some = X.copy()
    some[:, 1], some[::7, 2] = np.where(Y, 1, 3) * RNG.integers(1, 3, len(Y)), np.nan
    for stop in (False, True):
        model = HistGradientBoostingClassifier(
            max_iter=5, categorical_features=[1], early_stopping=stop, random_state=0
        )
        model.fit(some, Y)
        assert any(tree.nodes["is_categorical"].any() for several in model._predictors for tree in several)
        assert not leads_astray(model, X.shape[1])
        assert certify(model, some, Y).verdict is not Verdict.REFUTED
