"""Trees against R's rpart, boosting against R's gbm (trees_r.R, trees_r.json) and xgboost (trees_xgboost.json)."""

import json
from pathlib import Path

import numpy as np

from learnable.ensembles import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from learnable.trees import DecisionTreeClassifier, DecisionTreeRegressor

HERE = Path(__file__).parent
R = json.loads((HERE / "trees_r.json").read_text())


def test_regression_trees_and_their_complexity_tables():
    for case in R["numbers"].values():
        X, y = np.array(case["X"]), np.array(case["y"])
        sizes = {"min_samples_split": case["minsplit"], "min_samples_leaf": case["minbucket"]}
        model = DecisionTreeRegressor(**sizes).fit(X, y)
        np.testing.assert_allclose(model.predict(X), case["predicted"], rtol=1e-9)
        assert sorted(model.tree_.n_node_samples[model.tree_.is_leaf]) == case["sizes"]
        # rpart counts complexity in the deviance of the root, from the smallest tree on.
        path = model.cost_complexity_pruning_path(X, y)
        root = case["deviance"] / len(y)
        errors, splits = np.array(case["error"]), np.array(case["splits"])
        np.testing.assert_allclose(path.ccp_alphas[::-1][: len(errors) - 1] / root, case["cp"][:-1], rtol=1e-8)
        np.testing.assert_allclose(path.impurities[::-1] / root, errors, rtol=1e-8)
        for k in range(1, len(errors)):
            alpha = 0.5 * root * (case["cp"][k - 1] + case["cp"][k])
            pruned = DecisionTreeRegressor(ccp_alpha=alpha, **sizes).fit(X, y)
            assert pruned.get_n_leaves() == splits[k] + 1


def test_classification_trees():
    case = R["classes"]["flowers"]
    X, y = np.array(case["X"]), np.array(case["y"])
    model = DecisionTreeClassifier(min_samples_split=case["minsplit"], min_samples_leaf=case["minbucket"]).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), case["probabilities"], atol=1e-10)
    assert sorted(model.tree_.n_node_samples[model.tree_.is_leaf]) == case["sizes"]


def test_boosted_scores():
    X = np.array(R["numbers"]["simulated"]["X"])
    for case in R["boosting"]:
        y = np.array(case["y"])
        # gbm's depth is a number of splits, made where the gain is largest.
        shape = {
            "n_estimators": 8, "max_depth": None, "max_leaf_nodes": case["depth"] + 1, "min_samples_leaf": 10,
        }  # fmt: skip
        if case["distribution"] == "gaussian":
            score = GradientBoostingRegressor(**shape).fit(X, y).predict(X)
        else:
            score = GradientBoostingClassifier(**shape).fit(X, y.astype(int)).decision_function(X)
        np.testing.assert_allclose(score, case["score"], rtol=1e-6, atol=1e-6)


def test_regularised_scores_are_those_of_xgboost():
    """Gain and leaves with λ = 1, one bin a value; xgboost counts in single precision."""
    theirs = json.loads((HERE / "trees_xgboost.json").read_text())
    X, y = np.array(R["numbers"]["simulated"]["X"]), np.array(R["numbers"]["simulated"]["y"])
    shape = {"max_iter": 8, "max_depth": 3, "max_leaf_nodes": None, "min_samples_leaf": 1, "l2_regularization": 1.0}
    squared = HistGradientBoostingRegressor(**shape).fit(X, y)
    np.testing.assert_allclose(squared.predict(X), theirs["squared"], rtol=1e-5)
    logistic = HistGradientBoostingClassifier(**shape).fit(X, y > np.median(y))
    np.testing.assert_allclose(logistic.decision_function(X), theirs["logistic"], rtol=1e-4, atol=1e-5)
