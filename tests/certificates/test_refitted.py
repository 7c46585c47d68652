"""Fits of scikit-learn's done again by scikit-learn: answers that other claims leave alike are told apart."""

import copy

import numpy as np
import pandas as pd
import pytest
from sklearn import cluster, ensemble, mixture, tree
from sklearn.exceptions import ConvergenceWarning
from sklearn.naive_bayes import GaussianNB
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict

RNG = np.random.default_rng(7)
X = RNG.standard_normal((60, 4))
Y = X[:, 0] - X[:, 1] + 0.3 * RNG.standard_normal(60)
C = Y > 0.0
FRAME = pd.DataFrame({"a": X[:, 0], "b": pd.Categorical(RNG.choice(list("xyz"), 60))})
BOOSTING = ensemble.HistGradientBoostingRegressor

# (model, rows, targets, what its parameters say after the fit)
ALTERED = [
    (tree.DecisionTreeClassifier(random_state=0), X, C, {"max_leaf_nodes": 30, "ccp_alpha": 0.01}),
    (tree.DecisionTreeRegressor(max_depth=2, random_state=0), X, Y, {"splitter": "random"}),
    (tree.ExtraTreeRegressor(max_depth=3, random_state=0), X, Y, {"random_state": 1}),
    (tree.ExtraTreeClassifier(max_depth=3, random_state=0), X, C, {"min_weight_fraction_leaf": 0.2}),
    (ensemble.RandomForestClassifier(3, random_state=0), X, C, {"max_features": 0.9}),
    (ensemble.RandomForestRegressor(3, max_features=0.5), X, Y, {"ccp_alpha": 0.02}),
    (ensemble.ExtraTreesRegressor(3), X, Y, {"max_leaf_nodes": 40}),
    (BOOSTING(max_iter=3, max_features=0.5), X, Y, {"max_bins": 20}),
    (BOOSTING(max_iter=3, max_features=0.5, random_state=0), X, Y, {"max_bins": 9}),
    (BOOSTING(max_iter=30, early_stopping=True), X, Y, {"learning_rate": 0.2}),
    (BOOSTING(max_iter=3), FRAME, Y, {"l2_regularization": 1.0}),
    (ensemble.AdaBoostClassifier(GaussianNB(), n_estimators=3), X, C, {"estimator": GaussianNB(var_smoothing=0.9)}),
    (cluster.KMeans(4, init="random", n_init=1, random_state=0), X, None, {"random_state": 5}),
    (mixture.GaussianMixture(3, tol=1e-8, max_iter=999, random_state=0), X, None, {"init_params": "random"}),
]  # fmt: skip


@each("model, rows, y, says", ALTERED)
def test_answers_of_other_options_are_not_proved(model, rows, y, says):
    data = (rows,) if y is None else (rows, y)
    model = copy.deepcopy(model).fit(*data)
    assert certify(model, *data).holds, certify(model, *data)
    assert not certify(model.set_params(**says), *data).holds


def test_thresholds_and_values_that_say_nearly_the_same_are_those_of_the_fit():
    drawn = tree.ExtraTreeRegressor(max_depth=2, random_state=0).fit(X, Y)
    column = np.sort(X[:, drawn.tree_.feature[0]])
    after = np.searchsorted(column, drawn.tree_.threshold[0])
    drawn.tree_.threshold[0] = 0.5 * (column[after - 1] + column[after])
    boosted = BOOSTING(max_iter=3).fit(X, Y)
    boosted._baseline_prediction = boosted._baseline_prediction + 1e-4
    leaf = BOOSTING(max_iter=3).fit(X, Y)
    leaf._predictors[2][0].nodes["value"] *= 1.001
    voted = ensemble.AdaBoostClassifier(n_estimators=1).fit(X, C)
    voted.estimator_weights_ = 0.0 * voted.estimator_weights_
    for model in (drawn, boosted, leaf):
        assert not certify(model, X, Y).holds, model
    assert not certify(voted, X, C).holds


def test_a_fit_that_nobody_waits_for_is_not_done_again():
    voted = ensemble.AdaBoostClassifier(n_estimators=3).fit(X, C)
    assert certify(voted.set_params(n_estimators=10**9), X, C).verdict is Verdict.REFUTED
    clusters = cluster.KMeans(2, n_init=1, random_state=0).fit(X)
    assert not certify(clusters.set_params(n_init=10**9), X).holds
    with pytest.warns(ConvergenceWarning):
        mixed = mixture.GaussianMixture(2, max_iter=3, tol=1e-12, random_state=0).fit(X)
    assert not certify(mixed.set_params(max_iter=10**9), X).holds


def test_names_of_columns_need_not_be_given_again():
    frame = pd.DataFrame(X, columns=list("abcd"))
    for model in (ensemble.RandomForestRegressor(3), BOOSTING(max_iter=3)):
        assert certify(model.fit(frame, Y), X, Y).holds
