"""Arrays and numbers of a class of somebody's own may say one thing to the verifier and another to a prediction."""

import copy

import numpy as np
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.ensembles import AdaBoostClassifier, BaggingRegressor, ExtraTreesRegressor
from learnable.graphical import PC
from learnable.kernels import SVC, KernelRidge, LinearSVC
from learnable.linear import LogisticRegression, Ridge
from learnable.neural import MLPRegressor
from learnable.unsupervised import PCA, KMeans

RNG = np.random.default_rng(62)
X = RNG.standard_normal((40, 3))
Y = X[:, 0] + 0.3 * RNG.standard_normal(40)
LABEL = (Y > 0.0).astype(int)


class TwoFaced:
    """Makes an array of honest numbers, and turns signs in products and places."""

    def __init__(self, honest):
        self.honest = honest
        self.shape, self.ndim, self.dtype, self.size = honest.shape, honest.ndim, honest.dtype, honest.size

    def __array__(self, dtype=None, copy=None):
        return np.array(self.honest, dtype=dtype)

    def __len__(self):
        return len(self.honest)

    def __getitem__(self, place):
        return -self.honest[place]

    def __rmatmul__(self, rows):
        return -(rows @ self.honest)

    @property
    def T(self):
        return -self.honest.T


class Turned(np.ndarray):
    """Names classes the other way round."""

    def __getitem__(self, place):
        return np.asarray(self)[::-1][place] if isinstance(place, np.ndarray) else np.asarray(self)[place]


class Sequence(list):
    pass


class Whole(int):
    pass


class Half(float):
    pass


@each(
    "model, names",
    [
        (LinearSVC(), ("coef_", "intercept_")),
        (Ridge(), ("coef_",)),
        (LogisticRegression(), ("coef_", "intercept_")),
        (SVC(), ("dual_coef_", "intercept_", "support_vectors_", "support_")),
        (KernelRidge(), ("dual_coef_", "X_fit_")),
        (KMeans(2, random_state=0), ("cluster_centers_", "labels_")),
        (PCA(2), ("components_", "mean_")),
    ],
)
def test_what_only_makes_an_array_is_no_answer(model, names):
    data = (X, LABEL) if hasattr(model, "predict_proba") or hasattr(model, "decision_function") else (X, Y)
    model = copy.deepcopy(model).fit(*data)
    assert certify(model, *data).holds
    for name in names:
        forged = copy.deepcopy(model)
        setattr(forged, name, TwoFaced(getattr(model, name)))
        assert certify(forged, *data).verdict is Verdict.REFUTED, name


@each("model", [SVC(), LinearSVC(), LogisticRegression(), AdaBoostClassifier(n_estimators=2)])
def test_classes_are_a_plain_array(model):
    model = copy.deepcopy(model).fit(X, LABEL)
    said = model.predict(X)
    model.classes_ = model.classes_.view(Turned)
    assert not np.array_equal(model.predict(X), said)
    assert not certify(model, X, LABEL).holds


def test_what_stands_within_an_answer_is_plain_too():
    forest = ExtraTreesRegressor(2, random_state=0).fit(X, Y)
    network = MLPRegressor(hidden_layer_sizes=(2,), max_iter=999, alpha=1.0, solver="lbfgs", random_state=0).fit(X, Y)
    graph = PC().fit(X)
    bag = BaggingRegressor(n_estimators=20, random_state=0, oob_score=True).fit(X, Y)
    wrongs = [
        (forest, "trees_", [forest.trees_[0]._replace(value=forest.trees_[0].value.view(Turned)), forest.trees_[1]]),
        (forest, "trees_", Sequence(forest.trees_)),
        (forest, "n_outputs_", Whole(1)),
        (network, "coefs_", [TwoFaced(network.coefs_[0]), network.coefs_[1]]),
        (bag, "oob_interval_", tuple(map(Half, bag.oob_interval_))),
    ]
    arrows = copy.deepcopy(graph.graph_)
    object.__setattr__(arrows, "arrows", arrows.arrows.view(Turned))
    for model, name, wrong in [*wrongs, (graph, "graph_", arrows)]:
        data = (X,) if model is graph else (X, Y)
        assert certify(model, *data).verdict is not Verdict.REFUTED
        forged = copy.deepcopy(model)
        setattr(forged, name, wrong)
        assert certify(forged, *data).verdict is Verdict.REFUTED, name


def test_a_class_that_says_it_is_one_of_ours_is_not():
    model = ExtraTreesRegressor(3, random_state=0).fit(X, Y)
    kind = type(model.trees_[0])
    turned = {"__module__": kind.__module__, "threshold": property(lambda tree: -tuple.__getitem__(tree, 3))}
    forged = type(kind.__name__, (kind,), turned)
    model.trees_ = [forged(*tree) for tree in model.trees_]
    assert not certify(model, X, Y).holds

    linear = Ridge().fit(X, Y)
    says_numpy = type("ndarray", (TwoFaced,), {"__module__": "numpy"})
    linear.coef_ = says_numpy(linear.coef_)
    assert not certify(linear, X, Y).holds


@each(
    "model, name",
    [
        (AdaBoostClassifier(n_estimators=2), "n_classes_"),
        (ExtraTreesRegressor(2, random_state=0), "n_features_in_"),
        (KMeans(2, random_state=0), "n_features_in_"),
        (Ridge(), "n_features_in_"),
    ],
)
def test_counts_are_whole_numbers(model, name):
    """No array has 3.0 places."""
    model = copy.deepcopy(model).fit(X, LABEL)
    setattr(model, name, float(getattr(model, name)))
    assert certify(model, X, LABEL).verdict is Verdict.REFUTED
