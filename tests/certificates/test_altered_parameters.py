"""Parameters altered after the fit: a certificate never proves the answer of another problem."""

import copy

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.ensembles import (
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from learnable.kernels import LinearSVC, LinearSVR
from learnable.linear import LinearDiscriminantAnalysis, LogisticRegression, QuadraticDiscriminantAnalysis
from learnable.trees import DecisionTreeRegressor, ID3Classifier
from learnable.unsupervised import AgglomerativeClustering

RNG = np.random.default_rng(5)
X = np.column_stack([RNG.standard_normal((80, 2)), RNG.integers(0, 4, 80)])
Y = X[:, 0] + (X[:, 2] % 2) + 0.3 * RNG.standard_normal(80)
# Two attributes that tell nothing apart and all together: no test lowers the number of mistakes.
ATTRIBUTES = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
LABELS = np.array([0, 0, 0, 0] * 3 + [0, 0, 0, 1] * 2)


@each(
    "model, altered",
    [
        (GradientBoostingRegressor(n_estimators=3), {"subsample": 0.5}),
        (GradientBoostingRegressor(n_estimators=3, subsample=0.5, random_state=0), {"subsample": 1.0}),
        (
            GradientBoostingRegressor(n_estimators=3, n_iter_no_change=5, random_state=0),
            {"validation_fraction": 0.3},
        ),
        (HistGradientBoostingRegressor(max_iter=3), {"categorical_features": [2]}),
        (HistGradientBoostingRegressor(max_iter=3, categorical_features=[2]), {"categorical_features": "from_dtype"}),
        (HistGradientBoostingRegressor(max_iter=3, categorical_features=[2]), {"categorical_features": [False] * 3}),
        (HistGradientBoostingRegressor(max_iter=3, early_stopping=True), {"validation_fraction": 20}),
        (DecisionTreeRegressor(max_depth=3, categorical_features=[2]), {"categorical_features": None}),
        (RandomForestClassifier(3, bootstrap=False, max_features=None), {"max_samples": 0.5}),
        (ID3Classifier(), {"criterion": "misclassification"}),
    ],
)
def test_an_answer_is_not_proved_for_parameters_that_give_another(model, altered):
    data = (X, Y)
    if isinstance(model, ID3Classifier):
        data = (ATTRIBUTES, LABELS)
    elif isinstance(model, RandomForestClassifier):
        data = (X, Y > 0.0)
    model = copy.deepcopy(model).fit(*data)
    assert certify(model, *data).holds
    assert certify(model.set_params(**altered), *data).verdict is Verdict.REFUTED


@each(
    "model, altered",
    [
        (AgglomerativeClustering(3), {"connectivity": 1}),
        (AgglomerativeClustering(3), {"metric": "l1"}),
        (AgglomerativeClustering(3), {"distance_threshold": 1.0}),
        (LogisticRegression(), {"class_weight": {"no class": 5.0}}),
    ],
)
def test_parameters_that_a_fit_refuses_state_no_problem(model, altered):
    data = (X,) if isinstance(model, AgglomerativeClustering) else (X, Y > 0.0)
    model = copy.deepcopy(model).fit(*data)
    assert certify(model, *data).holds
    assert certify(model.set_params(**altered), *data).verdict is Verdict.REFUTED


@each(
    "model, altered",
    [
        (LinearSVC(), {"penalty": 0.01}),
        (LinearSVC(), {"multi_class": "all"}),
        (LinearSVC(), {"tol": -1.0}),
        (LinearSVC(), {"class_weight": 2}),
        (LinearSVR(), {"tol": "fine"}),
        (LinearSVR(), {"epsilon": -1.0}),
        (LinearSVR(), {"dual": "both"}),
        (LinearDiscriminantAnalysis(), {"shrinkage": 0.5}),
        (LinearDiscriminantAnalysis(), {"shrinkage": "auto"}),
        (QuadraticDiscriminantAnalysis(), {"shrinkage": "auto"}),
    ],
    ids=repr,
)
def test_parameters_of_linear_machines_and_discriminants_are_those_that_a_fit_takes(model, altered):
    y = Y if isinstance(model, LinearSVR) else Y > 0.0
    model = (
        copy.deepcopy(model).set_params(**{"max_iter": 10_000} if "max_iter" in model.get_params() else {}).fit(X, y)
    )
    assert certify(model, X, y).holds
    with pytest.raises(ValueError, match=r"(tol|shrinkage|parameter)"):
        clone(model).set_params(**altered).fit(X, y)
    assert certify(model.set_params(**altered), X, y).verdict is Verdict.REFUTED


def test_other_names_of_the_same_clusters_are_another_answer():
    """`labels_` is what `fit_predict` gives: clusters are numbered by their first rows."""
    model = AgglomerativeClustering(3).fit(X)
    model.labels_ = np.array([1, 0, 2])[model.labels_]
    assert certify(model, X).verdict is Verdict.REFUTED


WORDS = np.array(["low", "high", "none", "some"])[X[:, 2].astype(int)]
GIVEN_CATEGORIES = [
    (DecisionTreeRegressor(max_depth=1, categorical_features=[2]), X[:, 2]),
    (DecisionTreeRegressor(max_depth=1, categorical_features=[2]), WORDS),
    (RandomForestRegressor(3, max_depth=1, categorical_features=[2], random_state=0), X[:, 2]),
    (HistGradientBoostingRegressor(max_iter=2, max_leaf_nodes=2, categorical_features=[2]), X[:, 2] - 1.0),
    (HistGradientBoostingRegressor(max_iter=2, max_leaf_nodes=2, categorical_features="from_dtype"), WORDS),
]  # fmt: skip


@each("model, column", GIVEN_CATEGORIES)
def test_categories_are_those_of_the_cells_in_order_also_where_no_split_asks_for_them(model, column):
    frame = pd.DataFrame({"a": 9.0 * X[:, 0], "b": X[:, 1], "c": column})
    if getattr(model, "categorical_features", None) == "from_dtype":
        frame["c"] = frame["c"].astype("category")
    target, weight = frame["a"].to_numpy(), np.r_[np.zeros(2), np.ones(78)]
    for missing in (False, True):
        if missing:
            frame.loc[5:9, "c"] = None
        model = copy.deepcopy(model).fit(frame, target, sample_weight=weight)
        assert certify(model, frame, target, sample_weight=weight).holds
        values = model.categories_[2]
        other = np.array(["z", *values[1:]]) if values.dtype.kind in "OU" else values + 0.5
        for wrong in (values[::-1], values[:-1], np.append(values, values[-1:]), np.append(values, other[:1]), other):
            forged = copy.deepcopy(model)
            forged.categories_ = [*model.categories_[:2], wrong]
            assert certify(forged, frame, target, sample_weight=weight).verdict is Verdict.REFUTED, wrong
