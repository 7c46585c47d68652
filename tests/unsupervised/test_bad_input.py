"""Tables that no one should give: each answer stands, or the error names the thing, its value and the remedy."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

from learnable import certify
from learnable.graphical import CLIME, DAG, PC, BackgroundKnowledge, GraphicalLasso, NodewiseRegression
from learnable.graphical import partial_correlation as correlation
from learnable.unsupervised import (
    PCA,
    AgglomerativeClustering,
    GaussianMixture,
    KernelPCA,
    KMeans,
    MiniBatchKMeans,
    SpectralClustering,
    cluster_stability,
    davis_kahan,
    gap_statistic,
    silhouette_values,
    similarity_graph,
)

X = np.random.default_rng(0).standard_normal((40, 3))
HUGE = r"column \d of X has entries of size \d\.\de\+300.*rescale it"
TINY = r"column \d of X has entries of size \d\.\de-170, whose squares cannot be represented; rescale it"
BY_DISTANCES = [
    KMeans(3), MiniBatchKMeans(3), SpectralClustering(3, affinity="nearest_neighbors"), AgglomerativeClustering(3),
    PCA(2), KernelPCA(2),
]  # fmt: skip


def test_units_far_from_one_are_proved_and_rows_near_zero_predicted():
    for learner in (*BY_DISTANCES, PCA(2, svd_solver="randomized", random_state=0)):
        for unit in (1e-100, 1e110):
            fitted = learner.fit(unit * X)
            assert str(fitted.certificate_.verdict) == str(certify(fitted, unit * X).verdict) == "proved", (
                learner,
                unit,
            )
    assert len(set(KMeans(3).fit(X).predict(1e-170 * X))) == 1
    np.testing.assert_array_equal(PCA(2).fit(X).transform(1e-170 * X)[0], PCA(2).fit(X).transform(0.0 * X)[0])


def test_each_refusal_names_the_thing_its_value_and_the_remedy():
    missing = X.copy()
    missing[7, 1] = np.nan
    words = pd.DataFrame({"u": list("ab") * 20, "v": pd.Categorical([1, 2, None, 1] * 10)})
    flat = np.column_stack([X, np.full(40, 1e9 + 0.1)])  # whose mean is rounded
    named = pd.DataFrame(X, columns=["a", "a", "b"])
    infinite = np.full((3, 3), np.inf)
    for message, calls in (
        ("column 1, row 7; drop or impute it", [
            lambda: silhouette_values(missing, [0, 1] * 20), lambda: gap_statistic(missing, 3),
            lambda: cluster_stability(missing, [2]), lambda: similarity_graph(missing), lambda: PC().fit(missing),
        ]),
        (HUGE, [
            lambda: silhouette_values(1e300 * X, [0, 1] * 20), lambda: gap_statistic(1e300 * X, 3),
            lambda: similarity_graph(1e300 * X), lambda: CLIME().fit(1e300 * X),
        ]),
        (TINY, [
            lambda: similarity_graph(1e-170 * X), lambda: GaussianMixture(2).fit(1e-170 * X),
            *(partial(learner.fit, 1e-170 * X) for learner in BY_DISTANCES),
        ]),
        ("column 'v', row 2; drop or impute it first, or make it a category", [lambda: PC(test="chi2").fit(words)]),
        ("column 3 is constant.*leave it out", [
            lambda: GraphicalLasso().fit(flat), lambda: CLIME().fit(flat), lambda: NodewiseRegression().fit(flat),
            lambda: PC().fit(flat),
        ]),
        ("two columns of X are called 'a'; give each its own name", [
            lambda: PC().fit(named), lambda: KMeans(2).fit(named), lambda: GraphicalLasso().fit(named),
        ]),
        ("two nodes are called 'a'", [
            lambda: DAG([("a", "b")], nodes=["a", "b", "a"]), lambda: BackgroundKnowledge().matrices(["a", "a"]),
        ]),
        (r"edge \('a', 'b', 'c'\): an edge is a pair", [lambda: DAG([("a", "b", "c")])]),
        ("B is not symmetric .by 1.; give", [lambda: davis_kahan(np.eye(2), np.eye(2) + np.eye(2, k=1), 1)]),
        ("the least is -1; make some of distances by exp", [
            lambda: SpectralClustering(2, affinity="precomputed").fit(-np.ones((6, 6))),
        ]),
        (r"by 1; give .X \+ X.T. / 2", [
            lambda: SpectralClustering(2, affinity="precomputed").fit(np.triu(np.ones((6, 6)))),
        ]),
        ("square, without NaN", [lambda: correlation(np.full((2, 2), np.nan), 0, 1)]),
        ("diagonal must be finite", [lambda: GraphicalLasso(infinite, penalize_diagonal=True).fit(X)]),
    ):  # fmt: skip
        for call in calls:
            with pytest.raises(ValueError, match=message):
                call()


@pytest.mark.filterwarnings(
    "ignore:.*Number of distinct clusters .1. found smaller:sklearn.exceptions.ConvergenceWarning"
)
def test_rows_that_are_all_the_same_are_clustered_without_a_word():
    for value in (3.3, 1e9 + 0.1):  # their mean is rounded, which is no spread
        same = np.full((12, 3), value)
        for model in (KMeans(2, random_state=0), MiniBatchKMeans(2, random_state=0)):
            assert model.fit(same).certificate_.holds, model.certificate_
    assert gap_statistic(same, 3, n_references=2, random_state=0).chosen == 1
    assert np.all(cluster_stability(same, [2], n_pairs=2, random_state=0).agreement == 1.0)


def test_values_that_are_far_apart_or_of_several_types():
    assert SpectralClustering(3, random_state=0).fit(1e100 * X).certificate_.holds
    mixed = np.array([["a", 1], [2, "x"], ["a", "x"], [2, 1]] * 10, dtype=object)
    assert PC(test="chi2").fit(mixed).certificate_.holds


def test_singular_covariances_are_regularised_and_said():
    twice = np.column_stack([X, X[:, 0]])
    said = [claim for claim in GaussianMixture(2, random_state=0).fit(twice).certificate_ if "reg_covar" in claim[1]]
    assert [claim.value for claim in said] == [2.0]
    assert not any("reg_covar" in claim[1] for claim in GaussianMixture(2, random_state=0).fit(X).certificate_)


def test_an_infinite_penalty_leaves_a_pair_out():
    S = np.cov((X + 2.0 * X[:, :1]).T, bias=True)
    penalty = np.full((3, 3), 0.05)
    penalty[0, 1] = penalty[1, 0] = np.inf
    model = GraphicalLasso(penalty, covariance="precomputed", tol=1e-10).fit(S)
    assert model.certificate_.holds
    assert model.precision_[0, 1] == 0.0
    penalty[0, 1] = penalty[1, 0] = 1e3
    large = GraphicalLasso(penalty, covariance="precomputed", tol=1e-10).fit(S)
    np.testing.assert_allclose(model.precision_, large.precision_, atol=1e-5)
    assert np.abs(model.precision_[1, 2]) > 0.1
