"""Learners with several fixed points: another of them, or the same under other names, is another answer."""

import copy

import numpy as np
from sklearn import ensemble
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.ensembles import GradientBoostingRegressor, HistGradientBoostingRegressor, RandomForestRegressor
from learnable.kernels import SVC, NuSVC
from learnable.neural import MLPRegressor
from learnable.sequences import CategoricalHMM, GaussianHMM
from learnable.unsupervised import GaussianMixture, KMeans, SpectralClustering

RNG = np.random.default_rng(8)
CENTRES = np.array([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0], [5.0, 5.0]])
X = CENTRES[RNG.integers(4, size=120)] + RNG.standard_normal((120, 2))
FEW = X[:40]  # what bounds every clustering takes the cube of the rows
LABEL = X[:, 0] > 2.5
SYMBOLS = RNG.integers(3, size=(80, 1))


def exchanged(model, names):
    """The first two components in each other's place: in rows, and in the columns of transitions."""
    altered = copy.deepcopy(model)
    for name in names:
        value = getattr(model, name).copy()
        value[[0, 1]] = value[[1, 0]]
        if name == "transmat_":
            value[:, [0, 1]] = value[:, [1, 0]]
        setattr(altered, name, value)
    if hasattr(model, "labels_"):
        altered.labels_ = np.where(model.labels_ < 2, 1 - model.labels_, model.labels_).astype(model.labels_.dtype)
    return altered


def holding(model, **values):
    """The model with values held before the fit, which begins with them."""
    for name, value in values.items():
        setattr(model, name, value)
    return model


TABLES = ("startprob_", "transmat_", "emissionprob_")
START = {
    "startprob_": np.array([0.6, 0.4]),
    "transmat_": np.array([[0.7, 0.3], [0.4, 0.6]]),
    "emissionprob_": np.array([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]]),
}
MIXTURE = ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_")


@each("seed", [0, None])
@each(
    "model, data, names",
    [
        (KMeans(4), FEW, ("cluster_centers_",)),
        (GaussianMixture(4, tol=1e-8, max_iter=999), X, MIXTURE),
        (GaussianMixture(4, tol=1e-8, max_iter=999, warm_start=True), X, MIXTURE),
        (CategoricalHMM(2, tol=1e-6, n_iter=9999), SYMBOLS, TABLES),
        (holding(CategoricalHMM(2, tol=1e-6, n_iter=9999, init_params=""), **START), SYMBOLS, TABLES),
        (GaussianHMM(2, tol=1e-6, n_iter=9999), X, ("startprob_", "transmat_", "means_", "covars_")),
    ],
)
def test_components_under_other_names_are_refuted(model, data, names, seed):
    model = copy.deepcopy(model).set_params(random_state=seed).fit(data)
    if getattr(model, "warm_start", False):
        model.fit(data)
    assert certify(model, data).holds, certify(model, data)
    forged = exchanged(model, names)
    assert certify(forged, data).verdict is Verdict.REFUTED
    if vars(model).get("_began", {}).get("start"):
        del forged._began
        assert not certify(forged, data).holds


def test_rows_in_another_order_are_no_reason_to_refute():
    """The same fit may begin at other rows then: nothing is asserted, unless it ends at the same numbers."""
    model = GaussianMixture(4, tol=1e-8, max_iter=999, random_state=0).fit(X)
    assert certify(model, X).holds
    found = certify(model, X[::-1])
    assert found.verdict is not Verdict.REFUTED, found
    forged = exchanged(model, MIXTURE)
    forged._order = None
    assert certify(forged, X).verdict is Verdict.NOTHING_ASSERTED


def test_another_start_ends_elsewhere_and_is_refuted():
    found = {}
    for seed in range(20):
        model = KMeans(6, n_init=1, init="random", random_state=seed).fit(FEW)
        found.setdefault(round(model.inertia_, 6), model)
    one, two, *_ = found.values()
    forged = copy.deepcopy(two).set_params(random_state=one.random_state)
    assert certify(two, FEW).holds
    assert certify(forged, FEW).verdict is Verdict.REFUTED


@each("assign_labels", ["kmeans", "discretize"])
def test_labels_of_another_start_are_those_of_another_clustering(assign_labels):
    rows = RNG.standard_normal((40, 2))
    model = SpectralClustering(6, assign_labels=assign_labels, n_init=1)
    fits = [copy.deepcopy(model).set_params(random_state=seed).fit(rows) for seed in (None, *range(5))]
    assert all(certify(fit, rows).holds for fit in fits)
    others = [fit.set_params(random_state=1) for fit in fits if not np.array_equal(fit.labels_, fits[2].labels_)]
    assert others
    assert all(certify(fit, rows).verdict is Verdict.REFUTED for fit in others)


def test_a_clustering_without_its_embedding_is_not_taken_for_another_library_s():
    model = SpectralClustering(4, random_state=0).fit(X)
    assert certify(model, X).holds
    del model.embedding_
    assert not certify(model, X).holds


@each("kind", [SVC, NuSVC])
def test_probabilities_are_there_where_they_were_asked_for(kind):
    """Without the scores left out nobody could tell where the sigmoids come from."""
    model = kind(probability=True, random_state=0).fit(X, LABEL)
    assert certify(model, X, LABEL).holds
    forged = copy.deepcopy(model)
    forged.probA_ = 0.1 * forged.probA_
    del forged.left_out_scores_
    assert certify(forged, X, LABEL).verdict is Verdict.REFUTED
    plain = kind().fit(X, LABEL)
    assert certify(plain, X, LABEL).holds
    assert certify(plain.set_params(probability=True), X, LABEL).verdict is Verdict.REFUTED


def test_a_member_in_the_place_of_another_is_refuted():
    """With fresh random numbers too: two seeds of 64 bits are never the same."""
    model = RandomForestRegressor(3).fit(X, X[:, 0])
    assert certify(model, X, X[:, 0]).holds
    model.trees_[1] = model.trees_[0]
    model.seeds_[1] = model.seeds_[0]
    assert certify(model, X, X[:, 0]).verdict is Verdict.REFUTED
    foreign = ensemble.RandomForestRegressor(3).fit(X, X[:, 0])
    assert certify(foreign, X, X[:, 0]).holds
    foreign.estimators_[1] = foreign.estimators_[0]
    assert not certify(foreign, X, X[:, 0]).holds
    grown = RandomForestRegressor(2, warm_start=True, random_state=0).fit(X, X[:, 0])
    grown.set_params(n_estimators=3, random_state=5).fit(X, X[:, 0])
    assert certify(grown, X, X[:, 0]).verdict is not Verdict.REFUTED


@each(
    "early",
    [
        GradientBoostingRegressor(n_estimators=3, n_iter_no_change=2),
        HistGradientBoostingRegressor(max_iter=3, early_stopping=True),
    ],
)
def test_rows_set_aside_are_those_of_the_seed(early):
    y = X[:, 0] + RNG.standard_normal(len(X))
    one, two = (copy.deepcopy(early).set_params(random_state=seed).fit(X, y) for seed in (0, 1))
    assert certify(one, X, y).holds
    assert certify(two.set_params(random_state=0), X, y).verdict is Verdict.REFUTED
    fresh = copy.deepcopy(early).fit(X, y)
    assert certify(fresh, X, y).holds


def test_a_network_that_says_the_mean_is_stationary_and_no_answer():
    """Without weights no unit has a slope, whatever the data."""
    y = X @ [1.0, -0.5] + RNG.standard_normal(len(X))
    model = MLPRegressor(
        hidden_layer_sizes=(3,), solver="lbfgs", activation="tanh", alpha=0.3, max_iter=5000, random_state=0
    )
    assert certify(model.fit(X, y), X, y).holds
    forged = copy.deepcopy(model)
    for array in (*forged.coefs_, *forged.intercepts_):
        array[:] = 0.0
    forged.intercepts_[-1][:] = y.mean()
    forged.objective_, forged.gradient_norms_ = 0.5 * float(y.var()), np.zeros(4)
    found = certify(forged, X, y)
    assert found.claim("O1").verdict is Verdict.PROVED
    assert not found.holds
