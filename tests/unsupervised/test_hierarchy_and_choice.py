"""Dendrograms against SciPy and brute force; silhouettes, gap statistic and stability against their definitions."""

import copy
from itertools import combinations

import numpy as np
import pytest
import sklearn.decomposition
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import cdist
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score, silhouette_samples
from sklearn.metrics.pairwise import pairwise_kernels
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.certificates.unsupervised import agglomerative, dendrograms
from learnable.problems.unsupervised.similarities import KERNELS, kernel_matrix
from learnable.solvers.unsupervised import agglomeration
from learnable.unsupervised import (
    PCA,
    AgglomerativeClustering,
    DendrogramDisplay,
    GapDisplay,
    KernelPCA,
    KMeans,
    SilhouetteDisplay,
    StabilityDisplay,
    adjusted_rand,
    cluster_stability,
    gap_statistic,
    silhouette_values,
)

X = np.random.default_rng(0).standard_normal((40, 3)) + 4.0 * np.random.default_rng(1).integers(3, size=(40, 1))


def test_the_same_tree_as_scipy_and_the_same_cut():
    for method in agglomeration.LINKAGES:
        Z = linkage(X, method)
        model = AgglomerativeClustering(4, linkage=method).fit(X)
        np.testing.assert_allclose(model.distances_, Z[:, 2], rtol=1e-7)
        np.testing.assert_array_equal(np.sort(model.children_, axis=1), np.sort(Z[:, :2], axis=1))
        assert adjusted_rand(model.labels_, fcluster(Z, 4, "maxclust")) == 1.0
        assert certify(model, X).holds
        threshold = float(Z[-3, 2] + Z[-4, 2]) / 2.0
        by_height = AgglomerativeClustering(None, linkage=method, distance_threshold=threshold).fit(X)
        assert by_height.n_clusters_ == 4
        assert certify(by_height, X).holds
        np.testing.assert_array_equal(by_height.labels_, model.labels_)
    distances = cdist(X, X, "cityblock")
    given = AgglomerativeClustering(3, metric="precomputed", linkage="average").fit(distances)
    own = AgglomerativeClustering(3, metric="manhattan", linkage="average").fit(X)
    np.testing.assert_allclose(given.distances_, own.distances_, rtol=1e-10)


@each("method", ["single", "complete", "average"])
def test_distances_that_differ_by_rounding_from_their_transpose(method):
    """Those above the diagonal count; chains of nearest neighbours ran in circles, beyond the end of their array."""
    circle = np.array([[0.0, 1.0 - 1e-7, 1.0], [1.0, 0.0, 1.0 - 1e-7], [1.0 - 1e-7, 1.0, 0.0]])
    random = np.random.default_rng(58)
    tied = np.round(cdist(X, X), 1) * (1.0 + 1e-8 * random.standard_normal((len(X), len(X))))
    for distances in (circle, tied):
        kept, above = distances.copy(), np.triu(distances, 1)
        model = AgglomerativeClustering(2, metric="precomputed", linkage=method).fit(distances)
        np.testing.assert_array_equal(distances, kept)
        condensed = distances[np.triu_indices(len(distances), 1)]
        np.testing.assert_allclose(model.distances_, linkage(condensed, method)[:, 2], rtol=1e-12)
        assert certify(model, distances).holds
        assert certify(model, above + above.T).holds


def test_a_tree_that_is_not_greedy_is_refuted(monkeypatch):
    monkeypatch.setattr(agglomeration, "chain_merges", _pairs_in_turn)
    with pytest.warns(UserWarning, match="certificate"):
        model = AgglomerativeClustering(3, linkage="complete").fit(X)
    assert not model.certificate_.holds
    monkeypatch.undo()
    right = AgglomerativeClustering(3, linkage="single").fit(X)
    right.labels_ = np.roll(right.labels_, 1)
    assert not certify(right, X).holds


def test_merges_in_another_order_are_refuted_in_large_tables_too(monkeypatch):
    """The last two merges take the three clusters in another order: every height is right, and heights rise."""
    Y = np.random.default_rng(5).standard_normal((200, 2))
    model = AgglomerativeClustering(2, linkage="ward").fit(Y)
    assert certify(model, Y).holds
    forged, n = copy.deepcopy(model), len(Y)
    (a, b), (third,) = model.children_[-2], [each for each in model.children_[-1] if each != 2 * n - 3]
    forged.children_[-2:] = [sorted((a, third)), [b, 2 * n - 3]]
    forged.distances_ = dendrograms.ward_heights(Y, forged.children_)
    forged.labels_ = agglomeration.cut(forged.children_, n, 2).astype(model.labels_.dtype)
    assert np.all(np.diff(forged.distances_) >= 0.0)
    assert certify(forged, Y).verdict is Verdict.REFUTED
    monkeypatch.setattr(agglomerative, "SMALL", 100)  # then the fit is done again
    assert certify(model, Y).holds
    assert certify(forged, Y).verdict is Verdict.REFUTED


def test_the_least_distances_are_those_of_the_definition():
    rng = np.random.default_rng(6)
    for kind in agglomeration.LINKAGES:
        for rows in (rng.standard_normal((25, 2)), rng.integers(3, size=(25, 2)).astype(float)):
            children = AgglomerativeClustering(2, linkage=kind).fit(rows).children_
            pairs = dendrograms.distances(rows, "euclidean")
            np.testing.assert_allclose(
                dendrograms.least_distances(pairs, children, kind), _least(rows, pairs, children, kind),
                atol=1e-12,
            )  # fmt: skip


def _least(rows, pairs, children, kind):
    def distance(A, B):
        if kind == "ward":
            away = rows[A].mean(axis=0) - rows[B].mean(axis=0)
            return np.sqrt(2.0 * len(A) * len(B) / (len(A) + len(B)) * (away @ away))
        return {"single": np.min, "complete": np.max, "average": np.mean}[kind](pairs[np.ix_(A, B)])

    clusters, found = {i: [i] for i in range(len(rows))}, []
    for place, (a, b) in enumerate(children.tolist()):
        found.append(min(distance(A, B) for A, B in combinations(clusters.values(), 2)))
        clusters[len(rows) + place] = clusters.pop(a) + clusters.pop(b)
    return found


def _pairs_in_turn(D, linkage, first, second, height, size):
    """Merges the points in the order of their numbers."""
    n = len(D)
    first[:], second[:] = np.arange(n - 1), np.arange(1, n)
    height[:] = np.arange(1.0, n)


def test_bad_trees():
    for options, message in (
        ({"n_clusters": 50}, "more clusters than samples"),
        ({"n_clusters": 2, "distance_threshold": 1.0}, "Exactly one"),
        ({"metric": "l1"}, "Ward needs"),
        ({"connectivity": np.eye(39)}, "Wrong shape"),
    ):
        with pytest.raises(ValueError, match=message):
            AgglomerativeClustering(**options).fit(X)
    assert AgglomerativeClustering(2).fit(np.full((5, 2), 1.0)).certificate_.holds


def test_silhouettes_and_agreement_are_those_of_scikit_learn():
    labels = KMeans(4, random_state=0).fit(X).labels_
    np.testing.assert_allclose(silhouette_values(X, labels), silhouette_samples(X, labels), rtol=1e-9)
    lonely = np.r_[labels[:-1], 9]
    np.testing.assert_allclose(silhouette_values(X, lonely), silhouette_samples(X, lonely), rtol=1e-9)
    random = np.random.default_rng(0)
    for _ in range(5):
        a, b = random.integers(4, size=30), random.integers(3, size=30)
        np.testing.assert_allclose(adjusted_rand(a, b), adjusted_rand_score(a, b), atol=1e-12)
    with pytest.raises(ValueError, match="at least 2"):
        silhouette_values(X, np.zeros(40))


def test_three_clouds_are_found_by_gap_and_by_stability():
    random = np.random.default_rng(3)
    clouds = random.standard_normal((90, 2)) + np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 30, axis=0)
    gap = gap_statistic(clouds, 5, n_references=5, random_state=0)
    assert gap.chosen == 3
    again = gap_statistic(clouds, 5, n_references=5, random_state=0)
    np.testing.assert_array_equal(gap.gap, again.gap)
    flat = gap_statistic(random.random((80, 2)), 4, n_references=5, random_state=0)
    assert flat.chosen == 1
    stable = cluster_stability(clouds, [2, 3, 4, 5], n_pairs=5, random_state=0)
    assert stable.most_stable == 3
    assert stable.mean[1] > 0.99 > stable.mean[3]


def test_displays_draw_what_they_are_given():
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    model = AgglomerativeClustering(3).fit(X)
    tree = DendrogramDisplay.from_estimator(model).plot()
    assert sorted(tree.order.tolist()) == list(range(40))
    np.testing.assert_allclose(tree.brackets[:, 1, 1], model.distances_)
    shape = SilhouetteDisplay.from_estimator(model, X).plot()
    np.testing.assert_allclose(shape.mean, silhouette_samples(X, model.labels_).mean())
    gap = GapDisplay(gap_statistic(X, 3, n_references=2, n_init=1, random_state=0)).plot()
    stable = StabilityDisplay(cluster_stability(X, [2, 3], n_pairs=2, random_state=0)).plot()
    assert gap.ax_.get_xlabel() == stable.ax_.get_xlabel() == "clusters"
    plt.close("all")


def test_kernel_pca():
    scores = KernelPCA(2).fit_transform(X)
    np.testing.assert_allclose(np.abs(scores), np.abs(PCA(2).fit_transform(X)), atol=1e-8)
    for kernel in ("linear", "poly", "rbf", "cosine"):
        options = {"kernel": kernel, "gamma": 0.05}
        ours = KernelPCA(3, **options).fit(X)
        theirs = sklearn.decomposition.KernelPCA(3, eigen_solver="dense", **options).fit(X)
        np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-8)
        np.testing.assert_allclose(np.abs(ours.transform(X[:7])), np.abs(theirs.transform(X[:7])), atol=1e-7)
        assert certify(theirs, X).holds
        theirs.eigenvectors_ = np.roll(theirs.eigenvectors_, 1, axis=1)
        assert not certify(theirs, X).holds
    for n in (8, len(X)):  # of few rows by the matrix, of many by the rows themselves
        about = X[:n] - X[:n].mean(axis=0)
        given = KernelPCA(2, kernel="precomputed").fit(about @ about.T)
        linear = KernelPCA(2).fit(X[:n])
        np.testing.assert_allclose(linear.eigenvalues_, given.eigenvalues_, rtol=1e-9)
        np.testing.assert_allclose(linear.eigenvectors_, given.eigenvectors_, atol=1e-9)
        np.testing.assert_allclose(linear.trace_, given.trace_, rtol=1e-9)
    missed = KernelPCA(3, kernel="rbf").fit(X)
    missed.eigenvalues_, missed.eigenvectors_ = missed.eigenvalues_[1:], missed.eigenvectors_[:, 1:]
    assert not certify(missed, X).holds
    with pytest.raises(ValueError, match="no kernel"):
        KernelPCA(40, kernel="precomputed").fit(-np.eye(40))
    for kernel in KERNELS:
        table = np.abs(X) if "chi2" in kernel else X
        theirs = pairwise_kernels(table, table[:5], kernel, filter_params=True, gamma=0.05, degree=3, coef0=1)
        np.testing.assert_allclose(kernel_matrix(table, table[:5], kernel, gamma=0.05), theirs, rtol=1e-9)
    np.testing.assert_allclose(kernel_matrix(X, X, lambda a, b: a @ b), X @ X.T, rtol=1e-12)


def test_kernel_pca_finds_its_way_back():
    X = np.random.default_rng(0).standard_normal((40, 4)) + 3.0
    for options in ({"kernel": "rbf", "gamma": 0.1}, {"kernel": "linear"}, {"kernel": "poly", "degree": 2}):
        ours = KernelPCA(3, fit_inverse_transform=True, alpha=0.1, **options).fit(X)
        theirs = sklearn.decomposition.KernelPCA(3, fit_inverse_transform=True, alpha=0.1, **options).fit(X)
        back = theirs.inverse_transform(theirs.transform(X))
        np.testing.assert_allclose(ours.inverse_transform(ours.transform(X)), back, atol=1e-9)
        assert certify(ours, X).holds
        assert certify(theirs, X).holds
        for name in ("dual_coef_", "X_transformed_fit_"):
            forged = copy.deepcopy(ours)
            setattr(forged, name, 1.01 * getattr(forged, name))
            assert not certify(forged, X).holds
    # A table far from zero keeps the digits that its differences have.
    far = KernelPCA(3, kernel="linear").fit(X + 2.0**20)
    np.testing.assert_allclose(far.eigenvalues_, KernelPCA(3, kernel="linear").fit(X).eigenvalues_, rtol=1e-9)
    assert far.certificate_.holds
    with pytest.raises(NotFittedError, match="fit_inverse_transform"):
        far.inverse_transform(far.transform(X))
    with pytest.raises(ValueError, match=r"alpha=0\.1, which is lost beside kernel values"):
        KernelPCA(3, kernel="poly", fit_inverse_transform=True, alpha=0.1).fit(X + 1e6)
