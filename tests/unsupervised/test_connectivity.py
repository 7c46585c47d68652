"""Agglomerative clustering along a graph: scikit-learn's merges, brute force, and forged trees."""

import copy
from itertools import combinations

import numpy as np
import pytest
import sklearn.cluster
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.neighbors import kneighbors_graph

from learnable import certify
from learnable.certificates import Verdict
from learnable.certificates.unsupervised import agglomerative
from learnable.solvers.unsupervised import agglomeration, linked_agglomeration
from learnable.unsupervised import AgglomerativeClustering, connectivity

X = np.random.default_rng(0).standard_normal((30, 2))
NEAR = kneighbors_graph(X, 4)  # one component


def test_the_merges_of_scikit_learn_along_whole_and_broken_graphs():
    rng = np.random.default_rng(1)
    broken = sparse.csr_array(np.triu(rng.random((30, 30)) < 0.06))
    for graph, falls_apart in ((NEAR, False), (broken, True)):
        for linkage, metric in [("ward", "euclidean")] + [
            (linkage, metric) for linkage in ("single", "complete", "average") for metric in ("l2", "l1", "cosine")
        ]:
            for options in ({"n_clusters": 4}, {"n_clusters": None, "distance_threshold": 0.4},
                            {"n_clusters": 9, "compute_full_tree": False}):  # fmt: skip
                options |= {"linkage": linkage, "metric": metric, "connectivity": graph, "compute_distances": True}
                ours = AgglomerativeClustering(**options)
                theirs = sklearn.cluster.AgglomerativeClustering(**options)
                if falls_apart:
                    with pytest.warns(UserWarning, match="Completing it to avoid stopping the tree early"):
                        ours.fit(X)
                    with pytest.warns(UserWarning, match="Completing"):
                        theirs.fit(X)
                else:
                    ours.fit(X), theirs.fit(X)
                np.testing.assert_array_equal(ours.children_, np.sort(theirs.children_, axis=1))
                np.testing.assert_allclose(ours.distances_, theirs.distances_, rtol=1e-9, atol=1e-12)
                assert len(set(zip(ours.labels_, theirs.labels_))) == ours.n_clusters_ == theirs.n_clusters_
                assert ours.n_connected_components_ == theirs.n_connected_components_ > falls_apart
                assert ours.certificate_.holds
                assert certify(ours, X).holds


def test_each_merge_is_the_least_by_brute_force():
    edges = NEAR.toarray() + NEAR.toarray().T > 0
    pairs = cdist(X, X)
    for kind, of_edges in (("single", np.min), ("complete", np.max), ("ward", None)):
        model = AgglomerativeClustering(1, linkage=kind, connectivity=NEAR, compute_distances=True).fit(X)
        clusters = {i: [i] for i in range(len(X))}

        def distance(A, B, of_edges=of_edges):
            between = edges[np.ix_(A, B)]
            if not between.any():
                return np.inf
            if of_edges is not None:
                return of_edges(pairs[np.ix_(A, B)][between])
            away = X[A].mean(axis=0) - X[B].mean(axis=0)
            return np.sqrt(2.0 * len(A) * len(B) / (len(A) + len(B)) * (away @ away))

        for place, (a, b) in enumerate(model.children_.tolist()):
            least = min(distance(A, B) for A, B in combinations(clusters.values(), 2))
            assert distance(clusters[a], clusters[b]) == pytest.approx(least, rel=1e-9)
            assert model.distances_[place] == pytest.approx(least, rel=1e-9)
            clusters[len(X) + place] = clusters.pop(a) + clusters.pop(b)


def test_a_graph_of_all_pairs_constrains_nothing():
    for linkage in agglomeration.LINKAGES:
        free = AgglomerativeClustering(3, linkage=linkage).fit(X)
        linked = AgglomerativeClustering(
            3, linkage=linkage, connectivity=np.ones((30, 30)), compute_distances=True
        ).fit(X)
        np.testing.assert_array_equal(linked.children_, free.children_)
        np.testing.assert_allclose(linked.distances_, free.distances_, rtol=1e-9)
        np.testing.assert_array_equal(linked.labels_, free.labels_)


def test_forged_trees_edges_and_labels_are_refuted(monkeypatch):
    two = sparse.csr_matrix(np.kron(np.eye(2), np.ones((15, 15))))
    for linkage in agglomeration.LINKAGES:
        with pytest.warns(UserWarning, match="Completing"):
            model = AgglomerativeClustering(4, linkage=linkage, connectivity=two, compute_distances=True).fit(X)
        assert certify(model, X).holds

        def forged(model=model, **attributes):
            other = copy.deepcopy(model)
            vars(other).update(attributes)
            return certify(other, X).verdict

        assert forged(distances_=model.distances_ * 1.01) is Verdict.REFUTED
        assert forged(labels_=np.roll(model.labels_, 1)) is Verdict.REFUTED
        assert forged(n_connected_components_=1) is Verdict.REFUTED
        assert forged(connectivity_=sparse.csr_array(np.ones((30, 30)) - np.eye(30))) is Verdict.REFUTED
        assert forged(connectivity_=_another_bridge(model)) is Verdict.REFUTED
        assert forged(connectivity=np.ones((30, 30))) is Verdict.REFUTED
        assert forged(connectivity=None) is Verdict.REFUTED
        assert forged(connectivity=np.ones((29, 29))) is Verdict.REFUTED
        free = AgglomerativeClustering(4, linkage=linkage).fit(X)
        assert forged(children_=free.children_, distances_=free.distances_, labels_=free.labels_) is Verdict.REFUTED
        monkeypatch.setattr(agglomerative, "SMALL", 20)  # then the fit is done again
        assert certify(model, X).holds
        assert forged(children_=free.children_, distances_=free.distances_, labels_=free.labels_) is Verdict.REFUTED
        monkeypatch.undo()


def _another_bridge(model):
    """The edges within the two halves, and one between them that is not the shortest."""
    graph = model.connectivity_.toarray()
    graph[:15, 15:] = graph[15:, :15] = 0.0
    away = cdist(X[:15], X[15:])
    i, j = np.unravel_index(int(away.argmax()), away.shape)
    graph[i, 15 + j] = graph[15 + j, i] = 1.0
    return sparse.csr_array(graph)


def test_merges_that_are_right_but_not_the_least_are_refuted(monkeypatch):
    """Solvers that take the longest edge first: every merge is along an edge, and no heights are kept."""
    least_first, shortest = linked_agglomeration.linked_merges, linked_agglomeration.spanning_edges
    monkeypatch.setattr(
        linked_agglomeration, "linked_merges",
        lambda first, second, length, *others: least_first(first, second, length.max() - length, *others),
    )  # fmt: skip
    monkeypatch.setattr(
        linked_agglomeration, "spanning_edges",
        lambda first, second, order, *others: shortest(first, second, order[::-1].copy(), *others),
    )  # fmt: skip
    for linkage in agglomeration.LINKAGES:
        model = AgglomerativeClustering(3, linkage=linkage, connectivity=NEAR).fit(X)
        assert certify(model, X).verdict is Verdict.REFUTED


def test_a_bridge_between_rows_that_are_not_the_nearest_is_refuted(monkeypatch):
    """The whole fit follows the wrong bridge: nothing but the lengths of the others tells."""
    two = sparse.csr_matrix(np.kron(np.eye(2), np.ones((15, 15))))

    def first_rows(rows, members, others, metric):
        return int(members[0]), int(others[0])

    monkeypatch.setattr(connectivity, "_nearest", first_rows)
    with pytest.warns(UserWarning, match="Completing"):
        model = AgglomerativeClustering(4, linkage="average", connectivity=two).fit(X)
    assert certify(model, X).verdict is Verdict.REFUTED


def test_how_much_of_the_tree_is_kept():
    for linkage in agglomeration.LINKAGES:
        part = AgglomerativeClustering(12, linkage=linkage, connectivity=NEAR, compute_full_tree=False).fit(X)
        assert len(part.children_) == (29 if linkage == "single" else 18)
        assert not hasattr(part, "distances_")
        assert certify(part, X).holds
        whole = AgglomerativeClustering(12, linkage=linkage, connectivity=NEAR).fit(X)
        np.testing.assert_array_equal(whole.labels_, part.labels_)
    alone = AgglomerativeClustering(30, connectivity=NEAR, compute_full_tree=False).fit(X)
    assert alone.children_.shape == (0, 2)
    assert certify(alone, X).holds


def test_graphs_as_callables_directed_and_with_loops_are_the_same():
    given = AgglomerativeClustering(4, connectivity=NEAR).fit(X)
    made = AgglomerativeClustering(4, connectivity=lambda rows: kneighbors_graph(rows, 4)).fit(X)
    signed = AgglomerativeClustering(4, connectivity=NEAR.toarray() - 2.0 * NEAR.toarray().T + np.eye(30)).fit(X)
    for other in (made, signed):
        np.testing.assert_array_equal(other.labels_, given.labels_)
        np.testing.assert_array_equal(other.children_, given.children_)
        assert certify(other, X).holds
    distances = cdist(X, X)
    known = AgglomerativeClustering(4, metric="precomputed", linkage="average", connectivity=NEAR).fit(distances)
    assert certify(known, distances).holds


def test_what_is_refused():
    for options, message in (
        ({"connectivity": np.eye(4)}, "Wrong shape for connectivity matrix"),
        ({"metric": "precomputed", "linkage": "single"}, r"should be square, got matrix of shape \(30, 2\)"),
        ({"n_clusters": None, "distance_threshold": 1.0, "compute_full_tree": False}, "must be True if distance"),
    ):
        with pytest.raises(ValueError, match=message):
            AgglomerativeClustering(**options).fit(X)
    with pytest.raises(ValueError, match="zero vectors, as row 1"):
        AgglomerativeClustering(metric="cosine", linkage="single").fit([[0.0, 1.0], [0.0, 0.0]])


def test_merges_of_equal_rows_only_are_proved():
    # All heights are rounding: there is no larger one to compare them with.
    for seed in range(10):
        rng = np.random.default_rng(seed)
        table = rng.standard_normal((10, 4))[rng.integers(0, 10, size=40)]
        same = (table[:, None] == table).all(axis=2)
        kinds = len(np.unique(table, axis=0))
        model = AgglomerativeClustering(
            kinds, connectivity=same | np.eye(40, k=1, dtype=bool), compute_full_tree=False, compute_distances=True
        ).fit(table)
        assert model.certificate_.holds
        assert certify(model, table).verdict is Verdict.PROVED
        for name, value in (("distances_", model.distances_ + 1e-9), ("n_clusters", kinds - 1)):
            forged = copy.deepcopy(model)
            setattr(forged, name, value)
            assert certify(forged, table).verdict is Verdict.REFUTED


def test_heights_are_a_vector():
    model = AgglomerativeClustering(3, connectivity=NEAR, compute_distances=True).fit(X)
    assert certify(model, X).holds
    model.distances_ = model.distances_[np.newaxis]
    assert not certify(model, X).holds
