"""Labels of spectral clustering by a rotation: scikit-learn's, the laws of both methods, and forged ones."""

import copy

import numpy as np
import pytest
import sklearn.cluster
from sklearn.cluster._spectral import cluster_qr, discretize
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from learnable import certify
from learnable.certificates import Verdict
from learnable.solvers.unsupervised import discretisation
from learnable.unsupervised import SpectralClustering

X, Y = make_blobs(90, centers=[[0, 0], [3, 3], [0, 4]], cluster_std=0.7, random_state=0)


def fitted(method, K=3, **options):
    return SpectralClustering(K, assign_labels=method, random_state=0, **options).fit(X)


def test_the_clusters_of_scikit_learn():
    for method in ("discretize", "cluster_qr"):
        for K in (1, 2, 3, 5):
            ours = fitted(method, K)
            again = {"discretize": lambda rows: discretize(rows, random_state=0), "cluster_qr": cluster_qr}[method]
            if method == "cluster_qr":  # of the same rows the same labels; a rotation may end at another fixed point
                assert adjusted_rand_score(ours.labels_, again(ours.embedding_)) == 1.0
            assert certify(ours, X).holds, certify(ours, X)
        assert adjusted_rand_score(fitted(method).labels_, Y) > 0.9
        theirs = sklearn.cluster.SpectralClustering(3, assign_labels=method, random_state=0).fit(X)
        assert adjusted_rand_score(fitted(method).labels_, theirs.labels_) == 1.0
        assert fitted(method, laplacian="plain").certificate_.holds


def test_a_step_of_the_rotation_never_moves_it_away():
    rows = np.random.default_rng(0).standard_normal((60, 4))
    states = [state.objective for state in discretisation.iterates(rows, np.random.default_rng(1))]
    assert len(states) > 2
    assert np.all(np.diff(states) <= 1e-9)
    state = list(discretisation.iterates(rows, np.random.default_rng(1)))[-1]
    U = discretisation.unit_rows(rows)
    indicators = np.eye(4)[state.labels]
    assert state.objective == pytest.approx(np.sum((indicators - U @ state.rotation) ** 2))
    for _ in range(200):  # no other rotation is nearer
        other = np.linalg.qr(np.random.default_rng(2).standard_normal((4, 4)))[0]
        assert np.sum((indicators - U @ other) ** 2) >= state.objective


def test_forged_labels_rotations_and_pivots_are_refuted():
    for method in ("discretize", "cluster_qr"):
        model = fitted(method)

        def forged(model=model, **attributes):
            other = copy.deepcopy(model)
            vars(other).update(attributes)
            return certify(other, X).verdict

        labels = model.labels_.copy()
        labels[-1] = (labels[-1] + 1) % 3
        turn = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))[0]
        small = np.eye(3) + 1e-4 * np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 0]])
        assert forged() is Verdict.PROVED
        assert forged(labels_=labels) is Verdict.REFUTED
        assert forged(rotation_=model.rotation_ @ turn) is Verdict.REFUTED
        assert forged(rotation_=model.rotation_ @ np.linalg.qr(small)[0]) is Verdict.REFUTED
        assert forged(rotation_=model.rotation_[:2]) is Verdict.REFUTED
        assert forged(assign_labels="kmeans") is Verdict.REFUTED
        other = "cluster_qr" if method == "discretize" else "discretize"
        assert forged(assign_labels=other) is Verdict.REFUTED
    pivots = model.pivots_.copy()
    pivots[0] = int(np.argmin(np.linalg.norm(model.embedding_, axis=1)))
    assert forged(pivots_=pivots) is Verdict.REFUTED
    assert forged(pivots_=np.array([0, 1, 900])) is Verdict.REFUTED


def test_rows_that_are_not_the_farthest_are_refuted(monkeypatch):
    """Rotation and labels follow the rows chosen: nothing but the distances of the others tells."""

    def in_turn(matrix, **_):
        return None, None, np.arange(matrix.shape[1])

    monkeypatch.setattr(discretisation.linalg, "qr", in_turn)
    with pytest.warns(UserWarning, match="farthest from the span"):
        model = fitted("cluster_qr")
    monkeypatch.undo()
    assert certify(model, X).verdict is Verdict.REFUTED


def test_a_cluster_a_component(capsys):
    for method in ("discretize", "cluster_qr"):
        with pytest.raises(ValueError, match="it makes a cluster of each component; leave n_components None"):
            fitted(method, n_components=2)
        fitted(method, verbose=1)
        assert capsys.readouterr().out == f"Computing label assignment using {method}\n"
    fitted("kmeans", n_init=1, verbose=1)
    assert "Iteration 0, inertia" in capsys.readouterr().out
