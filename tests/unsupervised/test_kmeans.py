"""k-means: the same steps with and without bounds, descent, fixed points, bounds against brute force, bad input."""

import copy
from itertools import product

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sklearn.cluster
from dask import array
from scipy import sparse
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning

from learnable import certify, watch
from learnable.certificates import Verdict
from learnable.certificates.core.certify import certificate_of
from learnable.certificates.unsupervised.kmeans_bound import semidefinite_bound
from learnable.config import config_context
from learnable.rows import as_rows
from learnable.solvers.unsupervised import assignment, empty_clusters, hamerly, lloyd, whole_steps
from learnable.unsupervised import KMeans, MiniBatchKMeans, kmeans_objective

BLOBS = make_blobs(600, 5, centers=6, cluster_std=2.5, random_state=0)[0]


def best_by_enumeration(X, K, weight=None):
    """The least J of all clusterings."""
    return min(kmeans_objective(X, np.array(labels), weight) for labels in product(range(K), repeat=len(X)))


def test_bounds_leave_every_step_of_lloyd_as_it_is():
    random = np.random.default_rng(0)
    for n, p, K in ((50, 2, 3), (400, 8, 20), (300, 1, 5), (700, 30, 7), (20, 3, 1)):
        X = random.standard_normal((n, p)) + 3.0 * random.integers(3, size=(n, 1))
        X -= X.mean(axis=0)
        for weight in (None, random.uniform(0.1, 3.0, n)):
            start = X[:K].copy()
            plain = list(lloyd.iterates(as_rows(X, None, weight), start, None))
            for other in (hamerly, whole_steps):
                quick = [(s.objective, s.centres.copy()) for s in other.iterates(X, weight, start)]
                assert len(plain) - 1 <= len(quick) <= len(plain) + 1
                for slow, (value, centres) in zip(plain, quick):
                    np.testing.assert_allclose(centres, slow.centres, rtol=1e-9, atol=1e-12)
                    np.testing.assert_allclose(value, slow.objective, rtol=1e-9)


def test_the_objective_never_rises_and_the_end_is_a_fixed_point():
    for init in ("k-means++", "random"):
        states = [step.state for step in watch(KMeans(6, init=init, n_init=1, tol=0.0, random_state=1), BLOBS)]
        values = np.array([state.objective for state in states])
        assert np.all(np.diff(values) <= 1e-9 * values[0])
    model = KMeans(6, tol=0.0, random_state=0).fit(BLOBS)
    means = np.array([BLOBS[model.labels_ == k].mean(axis=0) for k in range(6)])
    np.testing.assert_allclose(model.cluster_centers_, means, rtol=1e-10)
    squares = ((BLOBS[:, None] - model.cluster_centers_) ** 2).sum(axis=2)
    np.testing.assert_array_equal(model.labels_, squares.argmin(axis=1))
    np.testing.assert_allclose(model.inertia_, squares.min(axis=1).sum(), rtol=1e-12)
    np.testing.assert_allclose(model.history_[-1], model.inertia_, rtol=1e-10)


def test_the_best_of_several_starts_is_kept():
    for init in ("random", "k-means++"):
        model = KMeans(6, init=init, n_init=8, random_state=3)
        ends: dict[int, float] = {}
        for step in watch(model, BLOBS):
            ends[step.state.restart] = step.state.objective
        assert len(ends) == 8
        assert len(set(np.round(list(ends.values()), 6))) > 1
        np.testing.assert_allclose(model.fit(BLOBS).inertia_, min(ends.values()), rtol=1e-9)


def test_the_same_fixed_point_as_scikit_learn_from_the_same_start():
    for K in (2, 6, 15):
        ours = KMeans(K, init=BLOBS[:K], n_init=1, tol=0.0).fit(BLOBS)
        theirs = sklearn.cluster.KMeans(K, init=BLOBS[:K], n_init=1, tol=0.0).fit(BLOBS)
        np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-9)
        np.testing.assert_array_equal(ours.labels_, theirs.labels_)
        np.testing.assert_allclose(ours.inertia_, theirs.inertia_, rtol=1e-10)
        np.testing.assert_allclose(ours.transform(BLOBS[:9]), theirs.transform(BLOBS[:9]), rtol=1e-9)
        np.testing.assert_allclose(ours.score(BLOBS[:9]), theirs.score(BLOBS[:9]), rtol=1e-9)
    for algorithm in ("elkan", "full"):
        again = KMeans(15, init=BLOBS[:15], n_init=1, tol=0.0, algorithm=algorithm).fit(BLOBS)
        np.testing.assert_allclose(again.cluster_centers_, ours.cluster_centers_, rtol=1e-10)
    table = sparse.csr_array(np.where(BLOBS > 0.0, BLOBS, 0.0))
    ours = KMeans(4, init=table[:4].toarray(), n_init=1, tol=0.0).fit(table)
    theirs = sklearn.cluster.KMeans(4, init=table[:4].toarray(), n_init=1, tol=0.0).fit(table.toarray())
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-9, atol=1e-12)
    assert ours.certificate_.holds


def test_weights_are_repetitions():
    random = np.random.default_rng(3)
    times = random.integers(0, 4, size=len(BLOBS))
    start = BLOBS[:5]
    weighted = KMeans(5, init=start, n_init=1, tol=0.0).fit(BLOBS, sample_weight=times)
    repeated = KMeans(5, init=start, n_init=1, tol=0.0).fit(np.repeat(BLOBS, times, axis=0))
    np.testing.assert_allclose(weighted.cluster_centers_, repeated.cluster_centers_, rtol=1e-9)
    np.testing.assert_allclose(weighted.inertia_, repeated.inertia_, rtol=1e-9)
    assert certify(weighted, BLOBS, sample_weight=times).holds
    assert not certify(weighted, BLOBS).holds


def test_lower_bounds_hold_for_every_clustering():
    random = np.random.default_rng(4)
    for K, n in ((2, 9), (3, 7)):
        for _ in range(4):
            X, weight = random.standard_normal((n, 2)), random.uniform(0.2, 2.0, n)
            best = best_by_enumeration(X, K, weight)
            labels = random.integers(K, size=n)  # a bad clustering to start from: the bound must hold all the same
            bound = semidefinite_bound(X, weight, labels, K, rounds=60)
            about = (X - weight @ X / weight.sum()) * np.sqrt(weight)[:, None]
            spectral = np.sort(np.linalg.eigvalsh(about.T @ about))[: max(2 - K + 1, 0)].sum()
            assert bound <= best * (1.0 + 1e-9)
            assert spectral <= best * (1.0 + 1e-9)
            assert bound >= spectral - 1e-6 * best


def test_clouds_apart_are_proved_optimal_and_a_worse_fixed_point_is_not():
    X = make_blobs(45, 2, centers=[[0, 0], [10, 0], [0, 10]], cluster_std=0.7, random_state=0)[0]
    proved = [
        claim for claim in certify(KMeans(3, n_init=5, random_state=0).fit(X), X) if "semidefinite" in claim.statement
    ]
    assert len(proved) == 1
    assert proved[0].bound == 1e-6
    assert proved[0].holds
    worse = KMeans(3, init=[[-0.5, 0.0], [0.5, 0.0], [5.0, 5.0]], n_init=1).fit(X)
    (open_gap,) = (claim for claim in certify(worse, X) if "semidefinite" in claim.statement)
    assert open_gap.bound is None
    assert open_gap.value > 0.5


def test_an_empty_cluster_takes_the_farthest_point():
    X = np.array([[0.0], [1.0], [2.0], [30.0]])
    for algorithm in ("lloyd", "full"):
        model = KMeans(2, init=[[1.0], [1000.0]], n_init=1, algorithm=algorithm).fit(X)
        assert sorted(model.cluster_centers_.ravel().tolist()) == [1.0, 30.0]
    far = empty_clusters.farthest(as_rows(X), None, np.array([[1.0], [1000.0]]), 2)
    assert far.numbers.tolist() == [3, 0]


def test_more_clusters_than_points_there_are():
    with pytest.raises(ValueError, match="n_samples=3 should be >= n_clusters=4"):
        KMeans(4).fit(np.eye(3))
    with pytest.warns(ConvergenceWarning, match=r"MiniBatchKMeans: Number of distinct clusters \(2\) found smaller"):
        MiniBatchKMeans(3, random_state=0).fit(np.array([[0.0], [1.0]] * 10))
    for algorithm in ("lloyd", "full"):
        with pytest.warns(
            ConvergenceWarning, match=r"Number of distinct clusters \(2\) found smaller than n_clusters \(3\)"
        ):
            model = KMeans(3, random_state=0, algorithm=algorithm).fit(np.array([[0.0], [1.0]] * 10))
        assert model.inertia_ == 0.0
        assert model.certificate_.holds
        with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(1\)"):
            model = KMeans(2, random_state=0, algorithm=algorithm).fit(np.full((5, 2), 7.0))
        assert model.inertia_ == 0.0
        assert model.certificate_.holds


def test_parameters_without_effect_are_said():
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    for kind in (KMeans, MiniBatchKMeans):
        with pytest.warns(RuntimeWarning, match="Explicit initial center position passed: performing only one init"):
            kind(2, init=[[0.0], [10.0]], n_init=3).fit(X)
        with pytest.raises(ValueError, match="does not match the number of features of the data 1"):
            kind(2, init=np.zeros((2, 3))).fit(X)
        with pytest.raises(ValueError, match="does not match the number of clusters 2"):
            kind(2, init=np.zeros((3, 1))).fit(X)
    with pytest.warns(RuntimeWarning, match="algorithm='elkan' doesn't make sense for a single cluster"):
        KMeans(1, algorithm="elkan").fit(X)
    with pytest.warns(RuntimeWarning, match="init_size=1 should be larger than n_clusters=2"):
        MiniBatchKMeans(2, init_size=1, random_state=0).fit(X)


def test_what_verbose_fits_say(capsys):
    X = np.random.default_rng(0).standard_normal((200, 3))
    told = KMeans(3, n_init=2, verbose=1, tol=0.0, random_state=0).fit(X)
    lines = capsys.readouterr().out.splitlines()
    assert lines.count("Initialization complete") == 2
    assert sum("strict convergence" in line for line in lines) == 2
    steps = [float(line.split("inertia ")[1].rstrip(".")) for line in lines if line.startswith("Iteration")]
    assert set(told.history_) <= set(steps)
    np.testing.assert_array_equal(told.labels_, KMeans(3, n_init=2, tol=0.0, random_state=0).fit(X).labels_)
    assert capsys.readouterr().out == ""
    with config_context(certificates=False):  # so far from rest, the certificate would warn
        KMeans(3, verbose=1, tol=0.1, random_state=0).fit(X)
    assert "within tolerance" in capsys.readouterr().out
    model = MiniBatchKMeans(3, verbose=1, batch_size=20, random_state=0).fit(X)
    out = capsys.readouterr().out
    assert f"Converged (lack of improvement in inertia) at step {model.n_steps_}/" in out
    assert out.count("Minibatch step") == model.n_steps_
    MiniBatchKMeans(3, verbose=1, tol=0.5, max_no_improvement=None, batch_size=20, random_state=0).fit(X)
    assert "Converged (small centers change)" in capsys.readouterr().out


def test_hostile_numbers():
    with pytest.raises(ValueError, match=r"column 1 of X has entries of size 1.0e\+300"):
        KMeans(2).fit(np.array([[1.0, 1.0], [2.0, 1e300], [3.0, 2.0]]))
    far = KMeans(6, tol=0.0, random_state=0).fit(BLOBS + 1e7)
    near = KMeans(6, tol=0.0, random_state=0).fit(BLOBS)
    assert far.certificate_.holds
    np.testing.assert_allclose(far.inertia_, near.inertia_, rtol=1e-6)
    with pytest.raises(ValueError, match="shape of the initial centers"):
        KMeans(3, init=np.zeros((2, 5))).fit(BLOBS)


def test_certificates_of_scikit_learns_fits():
    for K in (2, 6):
        theirs = sklearn.cluster.KMeans(K, random_state=0).fit(BLOBS)
        assert certify(theirs, BLOBS).holds
        theirs.cluster_centers_ = theirs.cluster_centers_ * (1.0 + 1e-3)
        assert not certify(theirs, BLOBS).holds
    single = sklearn.cluster.KMeans(4, random_state=0).fit(BLOBS.astype(np.float32))
    assert certify(single, BLOBS.astype(np.float32)).holds
    # Where its batches led is no optimum: its fit is done again, where its random numbers are known.
    for seed, verdict in ((0, Verdict.PROVED), (None, Verdict.NOTHING_ASSERTED)):
        theirs = sklearn.cluster.MiniBatchKMeans(4, random_state=seed).fit(BLOBS)
        assert certify(theirs, BLOBS).verdict is verdict


def test_a_broken_solver_is_refuted(monkeypatch):
    right, right_few, right_step = assignment.scores, hamerly.assign_few, whole_steps.whole_step
    with monkeypatch.context() as patch:
        patch.setattr(whole_steps, "whole_step", lambda *given: (right_step(*given), given[3].fill(0))[0])
        with pytest.warns(ConvergenceWarning):
            model = KMeans(6, random_state=0, max_iter=20).fit(BLOBS)
        assert not model.certificate_.holds
    monkeypatch.setattr(whole_steps, "SMALL", 0)
    with monkeypatch.context() as patch:
        wrong = lambda X, centres: right(X, centres)._replace(label=right(X, centres).label[::-1].copy())  # noqa: E731
        patch.setattr(assignment, "scores", wrong)
        patch.setattr(hamerly, "scores", wrong)
        for K in (6, hamerly.FEW + 4):  # compared one by one, and by matrix products
            patch.setattr(hamerly, "assign_few", lambda *given: given[8].fill(0) or right_few(*given))
            with pytest.warns(ConvergenceWarning):
                model = KMeans(K, random_state=0, max_iter=20).fit(BLOBS)
            assert not model.certificate_.holds
    with monkeypatch.context() as patch:
        patch.setattr(
            hamerly,
            "group_sums",
            lambda X, w, label, sums, masses: (sums.__iadd__(1.0), masses.__iadd__(1.0), float(np.vdot(X, X)))[2],
        )
        with pytest.warns(ConvergenceWarning):
            model = KMeans(6, random_state=0, max_iter=20).fit(BLOBS)
        assert not model.certificate_.holds


def test_bits_do_not_depend_on_the_number_of_threads():
    X = np.random.default_rng(0).standard_normal((9000, 40))
    one, two = (
        [(s.objective, s.centres.copy()) for _, s in zip(range(6), hamerly.iterates(X, None, X[:30], n_jobs=jobs))]
        for jobs in (1, 2)
    )
    for (a, centres), (b, same) in zip(one, two):
        assert a == b
        np.testing.assert_array_equal(centres, same)


def test_blocks_from_anywhere_agree_with_memory(tmp_path):
    from learnable.rows import ParquetRows

    X = make_blobs(2000, 4, centers=5, random_state=0)[0]
    columns = [f"x{j}" for j in range(4)]
    pq.write_table(pa.table(dict(zip(columns, X.T))), tmp_path / "x.parquet", row_group_size=300)
    memory = KMeans(5, random_state=0, tol=0.0).fit(X)
    for rows in (array.from_array(X, chunks=(700, 4)), ParquetRows(tmp_path / "x.parquet")):
        model = KMeans(5, random_state=0, tol=0.0).fit(rows)
        np.testing.assert_allclose(model.cluster_centers_, memory.cluster_centers_, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(model.inertia_, memory.inertia_, rtol=1e-10)
        np.testing.assert_array_equal(model.predict(rows), memory.labels_)
        assert model.certificate_.holds


def test_mini_batches_come_near_the_fixed_point_and_can_be_fed_one_by_one():
    X = make_blobs(3000, 3, centers=4, random_state=1)[0]
    whole, batches = KMeans(4, n_init=5, random_state=0).fit(X), MiniBatchKMeans(4, n_init=5, random_state=0).fit(X)
    assert batches.inertia_ <= 1.05 * whole.inertia_
    assert batches.certificate_.holds
    model = MiniBatchKMeans(4, random_state=0)
    for part in np.array_split(X, 10):
        model.partial_fit(part)
    assert model.n_steps_ == 10
    assert model.certificate_.holds
    assert -model.score(X) <= 1.5 * whole.inertia_
    # The centre is the mean of everything it was ever given.
    one = MiniBatchKMeans(1, random_state=0)
    for part in np.array_split(X, 7):
        one.partial_fit(part)
    np.testing.assert_allclose(one.cluster_centers_[0], X.mean(axis=0), rtol=1e-10)


def test_batches_lead_to_their_own_centres_only():
    """Any rows may be centres, with the labels and the J that follow: only the same batches lead to these."""
    X = make_blobs(300, 3, centers=4, random_state=2)[0]
    for fitted in (MiniBatchKMeans(4).fit(X), MiniBatchKMeans(4, random_state=0).fit(X)):
        assert certify(fitted, X).holds
        assert certify(_with_centres(fitted, X, X[:4]), X).verdict is Verdict.REFUTED
    theirs = sklearn.cluster.MiniBatchKMeans(4, random_state=0).fit(X)
    in_parts = MiniBatchKMeans(4, random_state=0).partial_fit(X)
    for model in (theirs, in_parts):
        assert certify(model, X).verdict is not Verdict.REFUTED
        assert certify(_with_centres(model, X, X[:4]), X).verdict is Verdict.NOTHING_ASSERTED
    assert certify(in_parts.fit(X), X).holds


def test_the_word_that_batches_were_given_one_by_one_proves_no_other_resting_place():
    X = np.concatenate([np.random.default_rng(3).standard_normal((12, 2)) + at for at in ([0, 0], [6, 0], [0, 9])])
    honest, worse = MiniBatchKMeans(3, random_state=0).fit(X), None
    for seed in range(60):
        worse = KMeans(3, n_init=1, init="random", random_state=seed).fit(X)
        if worse.inertia_ > 1.5 * honest.inertia_:
            break
    assert worse.inertia_ > 1.5 * honest.inertia_
    for said in ({}, {"_in_parts": True}):
        forged = _with_centres(honest, X, worse.cluster_centers_)
        vars(forged).update(said)
        assert not certify(forged, X).holds


def _with_centres(model, X, centres):
    forged = copy.deepcopy(model)
    squares = np.sum((X[:, None] - centres) ** 2, axis=2)
    forged.cluster_centers_, forged.labels_ = centres.copy(), squares.argmin(axis=1).astype(model.labels_.dtype)
    forged.inertia_ = float(squares.min(axis=1).sum())
    return forged


def test_a_centre_far_from_every_row_lends_no_room():
    """Labels at random with their means, and an empty cluster far away: the labels are not those of the nearest."""
    rng = np.random.default_rng(1)
    X, labels = rng.standard_normal((40, 2)), rng.integers(0, 2, 40)
    forged = KMeans(3, random_state=0).fit(X)
    forged.cluster_centers_ = np.array([X[labels == 0].mean(axis=0), X[labels == 1].mean(axis=0), [1e9, 0.0]])
    forged.labels_ = labels.astype(forged.labels_.dtype)
    forged.inertia_ = float(np.sum((X - forged.cluster_centers_[labels]) ** 2))
    forged.history_ = np.array([forged.inertia_])
    assert certify(forged, X).verdict is Verdict.REFUTED
    smaller = KMeans(2, random_state=0).fit(X)
    for name in ("labels_", "inertia_", "history_"):
        setattr(forged, name, getattr(smaller, name))
    forged.cluster_centers_ = np.vstack([smaller.cluster_centers_, [[50.0, 50.0]]])
    # No claim about the answer alone tells; the same fit, done again, does.
    assert certificate_of(forged, X).verdict is Verdict.NOTHING_ASSERTED
    assert certify(forged, X).verdict is Verdict.REFUTED
