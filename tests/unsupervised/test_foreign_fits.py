"""Fits of scikit-learn: proved where they reached the answer, open where they stopped short, never when altered."""

import copy

import numpy as np
import pytest
from sklearn import cluster, covariance, decomposition, mixture
from sklearn.datasets import load_iris, load_wine
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from learnable import certify
from learnable.certificates import Verdict
from learnable.unsupervised import SpectralClustering

IRIS = load_iris().data
WINE = load_wine().data
WINE = (WINE - WINE.mean(axis=0)) / WINE.std(axis=0)


def altered(model, name, change):
    forged = copy.deepcopy(model)
    value = getattr(forged, name)
    setattr(forged, name, change(value.copy() if hasattr(value, "copy") else value))
    return forged


def one_moved(values):
    values.flat[0] += 0.05 * np.abs(values).max()
    return values


def ends_swapped(values):
    values[[0, -1]] = values[[-1, 0]]
    return values


@threadpool_limits.wrap(limits=1)
def test_mixtures():
    """At the default tolerance moved parameters cannot be told from an early stop: then nothing is proved either."""
    for X in (IRIS.astype(np.float32), IRIS + 1e5):
        for kind in ("full", "tied"):
            model = mixture.GaussianMixture(3, covariance_type=kind, random_state=0).fit(X)
            assert certify(model, X).verdict is not Verdict.REFUTED, (kind, certify(model, X))
    changes = (
        ("means_", one_moved), ("means_", lambda a: 1.05 * a), ("means_", ends_swapped), ("weights_", ends_swapped),
        ("covariances_", lambda a: 1.05 * a),
    )  # fmt: skip
    for kind in ("full", "tied", "diag", "spherical"):
        loose, tight = (
            mixture.GaussianMixture(3, covariance_type=kind, tol=tol, max_iter=999, random_state=0).fit(WINE)
            for tol in (1e-3, 1e-9)
        )
        assert certify(loose, WINE).verdict is not Verdict.REFUTED, (kind, certify(loose, WINE))
        assert certify(tight, WINE).holds, (kind, certify(tight, WINE))
        for name, change in changes:
            for model in (loose, tight):
                assert not certify(altered(model, name, change), WINE).holds, (kind, name)


def test_axes():
    wide = np.random.default_rng(0).standard_normal((20, 40))
    for X in (IRIS, IRIS.astype(np.float32), IRIS + 1e5, wide):
        for solver in ("auto", "full", "covariance_eigh", "arpack", "randomized"):
            model = decomposition.PCA(2, svd_solver=solver, random_state=0).fit(X)
            verdict = certify(model, X).verdict
            assert verdict is Verdict.PROVED or (verdict is not Verdict.REFUTED and X.max() > 100), (solver, verdict)
            for name, change in (
                ("components_", lambda a: -a), ("components_", lambda a: a[::-1]), ("components_", one_moved),
                ("explained_variance_", one_moved), ("mean_", lambda a: a + 0.1),
            ):  # fmt: skip
                assert not certify(altered(model, name, change), X).holds, (solver, name)


def test_sparse_precisions():
    for alpha in (0.1, 0.3):
        loose, tight = (
            covariance.GraphicalLasso(alpha, tol=tol, enet_tol=1e-10, max_iter=500).fit(WINE) for tol in (1e-3, 1e-6)
        )
        assert certify(loose, WINE).verdict is not Verdict.REFUTED, certify(loose, WINE)
        assert certify(tight, WINE).holds, certify(tight, WINE)
        for model in (loose, tight):
            moved = altered(model, "precision_", lambda a: a + 0.02 * (np.eye(13, k=1) + np.eye(13, k=-1)))
            moved.covariance_ = np.linalg.inv(moved.precision_)
            assert not certify(moved, WINE).holds
            assert not certify(altered(model, "covariance_", lambda a: 1.01 * a), WINE).holds


def test_precisions_of_single_columns_and_chosen_penalties():
    single = (WINE + 100.0).astype(np.float32)
    assert certify(covariance.GraphicalLasso(0.3).fit(single), single).verdict is not Verdict.REFUTED
    chosen = covariance.GraphicalLassoCV(alphas=[0.1, 0.3]).fit(WINE)
    assert certify(chosen, WINE).verdict is not Verdict.REFUTED
    assert certify(altered(chosen, "alpha_", lambda a: 1.01 * a), WINE).verdict is Verdict.REFUTED


@pytest.mark.filterwarnings("ignore:Graph is not fully connected:UserWarning")
def test_graphs_of_spectral_clusterings():
    distances = NearestNeighbors(n_neighbors=14).fit(IRIS).kneighbors_graph(IRIS, mode="distance")
    for X, options in (
        (IRIS, {"affinity": "nearest_neighbors"}), (IRIS, {"gamma": 0.5}), (IRIS + 1e5, {"gamma": 0.5}),
        (distances, {"affinity": "precomputed_nearest_neighbors"}),
    ):  # fmt: skip
        for kind in (cluster.SpectralClustering, SpectralClustering):
            model = kind(3, n_neighbors=9, random_state=0, **options).fit(X)
            assert certify(model, X).verdict is not Verdict.REFUTED, certify(model, X)
            assert certify(model, X).holds or X.max() > 1e4, certify(model, X)
            for name, change in (
                ("affinity_matrix_", lambda W: 1.1 * W), ("labels_", lambda a: np.roll(a, 1)),
                ("affinity_matrix_", _without_an_edge),
            ):  # fmt: skip
                assert not certify(altered(model, name, change), X).holds, (kind, options, name)
    with pytest.raises(ValueError, match=r"n_neighbors=20: .*only 14.*lower n_neighbors"):
        SpectralClustering(3, n_neighbors=20, affinity="precomputed_nearest_neighbors").fit(distances)


def _without_an_edge(W):
    i, j = np.argwhere(np.triu(W.toarray() if hasattr(W, "toarray") else W, 1) >= 0.5)[0]
    W = W.tolil() if hasattr(W, "tolil") else W
    W[i, j] = W[j, i] = 0.0
    return W.tocsr() if hasattr(W, "tocsr") else W
