"""Graphs, Laplacians and spectral clustering: the laws by brute force, cuts against bounds, Davis and Kahan."""

import copy
from importlib import import_module
from itertools import product

import numpy as np
import pytest
import sklearn.cluster
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import NearestNeighbors
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.problems.unsupervised.numbering import by_first_row
from learnable.solvers.unsupervised import laplacian_spectrum
from learnable.unsupervised import (
    SpectralClustering,
    certify_graph,
    cut_values,
    davis_kahan,
    laplacian,
    quadratic_form,
    similarity_graph,
)

RANDOM = np.random.default_rng(0)


def random_graph(n, density=0.5, seed=0):
    random = np.random.default_rng(seed)
    W = np.triu(random.random((n, n)) * (random.random((n, n)) < density), 1)
    return W + W.T


def test_similarities_are_symmetric_and_what_they_say():
    X = RANDOM.standard_normal((20, 3))
    squares = ((X[:, None] - X[None, :]) ** 2).sum(axis=2)
    np.testing.assert_allclose(similarity_graph(X, gamma=0.7), np.exp(-0.7 * squares), rtol=1e-10)
    order = np.argsort(squares, axis=1)
    C = np.zeros((20, 20))
    for i in range(20):
        C[i, order[i, :4]] = 1.0
    np.testing.assert_array_equal(
        similarity_graph(X, "nearest_neighbors", n_neighbors=4).toarray(), 0.5 * (C + C.T)
    )  # fmt: skip
    np.testing.assert_array_equal(similarity_graph(X, "mutual_neighbors", n_neighbors=4).toarray(), C * C.T)
    np.testing.assert_array_equal(similarity_graph(X, "radius", radius=1.5).toarray(), squares <= 1.5**2)
    with pytest.raises(ValueError, match="n_neighbors=30"):
        similarity_graph(X, "nearest_neighbors", n_neighbors=30)


def test_neighbours_are_sought_in_blocks_that_can_be_interrupted(monkeypatch):
    X = RANDOM.standard_normal((50, 15))
    whole = similarity_graph(X, "nearest_neighbors", n_neighbors=4).toarray()
    monkeypatch.setattr(import_module("learnable.unsupervised.similarity_graph"), "AT_ONCE", 20)
    np.testing.assert_array_equal(similarity_graph(X, "nearest_neighbors", n_neighbors=4).toarray(), whole)
    calls, search = [], NearestNeighbors.kneighbors

    def interrupted(self, rows, **options):
        calls.append(len(rows))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return search(self, rows, **options)

    monkeypatch.setattr(NearestNeighbors, "kneighbors", interrupted)
    with pytest.raises(KeyboardInterrupt):
        SpectralClustering(2, affinity="nearest_neighbors").fit(X)
    assert calls == [20, 20]


def test_the_four_laws_of_laplacians():
    for seed in range(5):
        W = random_graph(12, 0.15, seed)  # often several components and isolated nodes
        L, f = laplacian(W), RANDOM.standard_normal(12)
        brute = 0.5 * sum(W[i, j] * (f[i] - f[j]) ** 2 for i in range(12) for j in range(12))
        np.testing.assert_allclose([f @ L @ f, quadratic_form(W, f)], brute, rtol=1e-12)
        count, _ = sparse.csgraph.connected_components(W)
        assert np.sum(np.abs(np.linalg.eigvalsh(L)) < 1e-10) == count
        for graph in (W, sparse.csr_array(W)):
            assert certify_graph(graph).holds
            theirs = sparse.csgraph.laplacian(W, normed=True)
            ours = laplacian(graph, normalised=True)
            ours = ours.toarray() if sparse.issparse(ours) else ours
            np.testing.assert_allclose(ours, theirs, atol=1e-12)
    W[0, 1] += 1.0
    assert not certify_graph(W).holds
    assert not certify_graph(-random_graph(5)).holds


def test_no_clustering_cuts_less_than_the_relaxation_bound():
    for seed in range(3):
        W = random_graph(7, 0.7, seed)
        for K in (2, 3):
            plain = np.linalg.eigvalsh(laplacian(W))[:K].sum()
            normalised = np.linalg.eigvalsh(laplacian(W, normalised=True))[:K].sum()
            for labels in product(range(K), repeat=6):
                if len(set(labels)) == K:  # the last node is in the first part: names do not matter
                    cuts = cut_values(W, np.array([*labels, 0]))
                    assert cuts["ratio_cut"] >= plain - 1e-10
                    assert cuts["normalised_cut"] >= normalised - 1e-10
    # Two parts joined by one edge, by hand.
    W = np.zeros((4, 4))
    W[0, 1] = W[1, 0] = W[2, 3] = W[3, 2] = 2.0
    W[1, 2] = W[2, 1] = 1.0
    cuts = cut_values(W, np.array([0, 0, 1, 1]))
    assert cuts == {"cut": 1.0, "ratio_cut": 1.0, "normalised_cut": 0.4, "conductance": 0.2}
    # A plane turned by θ: Davis and Kahan's bound is tight, ‖(A − B)u‖ = 2 sin θ and δ = 2.
    turn = np.array([[np.cos(0.3), -np.sin(0.3)], [np.sin(0.3), np.cos(0.3)]])
    apart, angle = davis_kahan(np.diag([0.0, 2.0]), turn @ np.diag([0.0, 2.0]) @ turn.T, 1).claims
    assert (apart.value, angle.value, angle.bound) == pytest.approx((2.0, np.sin(0.3), np.sin(0.3)))


def test_davis_and_kahan():
    for seed in range(6):
        random = np.random.default_rng(seed)
        A = laplacian(random_graph(15, 0.5, seed))
        E = random.standard_normal((15, 15))
        for size in (1e-3, 1e-2, 0.1):
            found = davis_kahan(A, A + size * (E + E.T), 3)
            assert found.holds
    assert davis_kahan(np.diag([0.0, 1.0]), np.diag([0.0, -1.0]), 1).claims[1].bound is None


@pytest.mark.filterwarnings("ignore:Graph is not fully connected:UserWarning")
def test_two_moons_and_the_same_labels_as_scikit_learn():
    X, y = make_moons(200, noise=0.05, random_state=0)
    options = {"affinity": "nearest_neighbors", "n_neighbors": 10, "random_state": 0}
    ours = SpectralClustering(2, **options).fit(X)
    assert adjusted_rand_score(ours.labels_, y) == 1.0
    theirs = sklearn.cluster.SpectralClustering(2, **options).fit(X)
    assert adjusted_rand_score(ours.labels_, theirs.labels_) == 1.0
    assert certify(theirs, X).holds, certify(theirs, X)
    theirs.labels_ = np.roll(theirs.labels_, 1)
    assert not certify(theirs, X).holds
    for laplacian_kind in ("plain", "normalised"):
        model = SpectralClustering(2, gamma=30.0, random_state=0, laplacian=laplacian_kind).fit(X)
        assert certify(model, X).holds
        assert adjusted_rand_score(model.labels_, y) > 0.9
        model.eigenvalues_ = np.append(model.eigenvalues_, model.eigenvalues_[-1])
        assert not certify(model, X).holds  # one number too many


def test_lanczos_and_the_dense_decomposition_agree(monkeypatch):
    X, _ = make_moons(150, noise=0.1, random_state=0)
    for normalised in (True, False):
        W = similarity_graph(X, gamma=5.0)
        dense = laplacian_spectrum.smallest(W, 4, normalised, np.random.default_rng(0))
        with monkeypatch.context() as patch:
            patch.setattr(laplacian_spectrum, "DENSE", 10)
            lanczos = laplacian_spectrum.smallest(sparse.csr_array(W), 4, normalised, np.random.default_rng(0))
        np.testing.assert_allclose(lanczos[0], dense[0], atol=1e-9)
        overlap = np.abs(np.sum(lanczos[1] * dense[1], axis=0))
        np.testing.assert_allclose(overlap, 1.0, atol=1e-6)


def test_a_broken_solver_is_refuted(monkeypatch):
    X, _ = make_moons(60, noise=0.05, random_state=0)
    right = laplacian_spectrum.smallest

    def missed(W, count, normalised, generator):
        values, vectors = right(W, count + 1, normalised, generator)
        return values[1:], vectors[:, 1:]  # eigenpairs, but not the smallest ones

    monkeypatch.setattr(laplacian_spectrum, "smallest", missed)
    model = SpectralClustering(2, gamma=5.0, random_state=0).fit(X)
    assert not certify(model, X).holds
    shifted = lambda *a: (right(*a)[0], np.roll(right(*a)[1], 1, axis=0))  # noqa: E731
    monkeypatch.setattr(laplacian_spectrum, "smallest", shifted)
    with pytest.warns(UserWarning, match="certificate"):
        assert not SpectralClustering(2, gamma=5.0, random_state=0).fit(X).certificate_.holds


def test_an_eigengap_altered_together_with_the_last_eigenvalue_is_refuted():
    X = make_moons(60, noise=0.05, random_state=0)[0]
    for kind in ("normalised", "plain"):
        model = SpectralClustering(2, gamma=5.0, laplacian=kind, random_state=0).fit(X)
        assert certify(model, X).holds
        for factor in (0.9, 0.99, 1.01):
            forged = copy.deepcopy(model)
            forged.eigenvalues_[-1] *= factor
            forged.eigengap_ = float(forged.eigenvalues_[-1] - forged.eigenvalues_[-2])
            assert certify(forged, X).verdict is Verdict.REFUTED, (kind, factor)
    far = 1e6 * X  # no two rows are similar: a graph without edges
    assert certify(SpectralClustering(2, random_state=0).fit(far), far).holds


def test_isolated_nodes_and_bad_graphs():
    W = np.zeros((6, 6))
    W[0, 1] = W[1, 0] = W[2, 3] = W[3, 2] = 1.0
    model = SpectralClustering(2, affinity="precomputed", random_state=0).fit(W)
    assert model.certificate_.holds
    assert certify_graph(W).holds
    for bad, message in (
        (np.eye(3)[:2], "square"),
        (-np.ones((4, 4)), ">= 0"),
        (np.triu(np.ones((4, 4))), "symmetric"),
    ):
        with pytest.raises(ValueError, match=message):
            SpectralClustering(2, affinity="precomputed").fit(bad)
    with pytest.raises(ValueError, match="negative similarity"):
        SpectralClustering(2, affinity="linear").fit(np.array([[1.0], [-1.0], [2.0]]))


def test_a_neighbour_more_or_fewer_is_another_graph():
    rows = np.random.default_rng(4).standard_normal((40, 3))
    for affinity, table in (("nearest_neighbors", rows), ("precomputed_nearest_neighbors", cdist(rows, rows))):
        model = SpectralClustering(2, affinity=affinity, n_neighbors=8, random_state=0).fit(table)
        assert certify(model, table).holds
        for other in (7, 9):
            assert not certify(model.set_params(n_neighbors=other), table).holds


@each("apart", [2.5, 3.0, 3.5, 4.0, 4.3])
def test_groups_far_apart_are_joined_as_the_eigenvectors_say(apart):
    # Eigenvalues of a graph that all but falls apart are near zero, and so is what tells one cut from another.
    random = np.random.default_rng(0)
    X = np.vstack([random.standard_normal((20, 2)) * 0.3 + [place, 0.0] for place in apart * np.array([0, 1, 2.3])])
    model = SpectralClustering(2, random_state=0).fit(X)
    assert certify(model, X).holds
    other = SpectralClustering(3, n_components=3, random_state=0).fit(X)
    forged = copy.deepcopy(model)
    forged.embedding_ = np.ascontiguousarray(other.embedding_[:, [0, 2]])
    forged.eigenvalues_ = model.eigenvalues_[[0, 2, 2]]
    forged.eigengap_ = 0.0
    forged.labels_ = by_first_row((forged.embedding_[:, 1] > 0.0).astype(int))
    assert np.any(forged.labels_ != model.labels_)
    assert not certify(forged, X).holds
    forged = copy.deepcopy(model)
    forged.eigenvalues_ = model.eigenvalues_ * [1.0, 1.0, 1.5]
    forged.eigengap_ = float(forged.eigenvalues_[2] - forged.eigenvalues_[1])
    assert not certify(forged, X).holds
