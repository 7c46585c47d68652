"""Gaussian mixtures: EM never falls, fixed points, scikit-learn's steps, weights, the limit of k-means, criteria."""

import copy

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sklearn.mixture
from dask import array
from scipy import stats
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from learnable import certify, watch
from learnable.certificates import Verdict
from learnable.certificates.core.certify import certificate_of
from learnable.certificates.core.effort import asking
from learnable.problems.unsupervised.mixtures import KINDS, covariance_matrices
from learnable.rows import as_rows
from learnable.solvers.unsupervised import gaussian_mixture as solver
from learnable.solvers.unsupervised import lloyd
from learnable.trace import Status
from learnable.unsupervised import GaussianMixture

IRIS = load_iris().data
# To where a fit is proved.
TIGHT = {"tol": 1e-6, "max_iter": 2000}


def given_start(kind, K=3, seed=0):
    """weights, means and precisions to start from."""
    random = np.random.default_rng(seed)
    d = IRIS.shape[1]
    precisions = {"full": np.array([np.eye(d)] * K), "tied": np.eye(d), "diag": np.ones((K, d)),
                  "spherical": np.ones(K), "shared_spherical": np.ones(1)}[kind]  # fmt: skip
    return {"weights_init": np.full(K, 1.0 / K), "means_init": IRIS[random.choice(len(IRIS), K, replace=False)],
            "precisions_init": precisions}  # fmt: skip


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_same_steps_as_scikit_learn():
    for kind in KINDS[:4]:
        start = given_start(kind)
        for steps in (1, 7):
            ours = GaussianMixture(3, covariance_type=kind, tol=0.0, max_iter=steps, **start).fit(IRIS)
            theirs = sklearn.mixture.GaussianMixture(3, covariance_type=kind, tol=0.0, max_iter=steps, **start).fit(
                IRIS
            )
            for name in ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_"):
                np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-7, atol=1e-9)
            np.testing.assert_allclose(ours.score_samples(IRIS), theirs.score_samples(IRIS), rtol=1e-9)
            np.testing.assert_allclose(ours.predict_proba(IRIS), theirs.predict_proba(IRIS), atol=1e-9)
            np.testing.assert_allclose(
                [ours.aic(IRIS), ours.bic(IRIS)], [theirs.aic(IRIS), theirs.bic(IRIS)], rtol=1e-9
            )


def test_the_density_is_that_of_scipy_and_memberships_add_up_to_one():
    for kind in KINDS:
        model = GaussianMixture(3, covariance_type=kind, random_state=0).fit(IRIS)
        matrices = covariance_matrices(model.covariances_, kind, 3, 4)
        density = sum(
            w * stats.multivariate_normal(m, S).pdf(IRIS) for w, m, S in zip(model.weights_, model.means_, matrices)
        )
        np.testing.assert_allclose(model.score_samples(IRIS), np.log(density), rtol=1e-9)
        np.testing.assert_allclose(model.lower_bound_, np.log(density).mean(), rtol=1e-9)
        np.testing.assert_allclose(model.predict_proba(IRIS).sum(axis=1), 1.0, rtol=1e-12)
        rows, components = model.sample(50)
        assert rows.shape == (50, 4)
        assert components.shape == (50,)


def test_the_likelihood_never_falls_and_ends_where_the_equations_hold():
    for kind in KINDS:
        for seed in range(2):
            model = GaussianMixture(
                3, covariance_type=kind, reg_covar=0.0, tol=1e-8, max_iter=1000, init_params="random_from_data",
                random_state=seed,
            )  # fmt: skip
            values = np.array([step.state.objective for step in watch(model, IRIS)])
            assert np.all(np.diff(values) <= 1e-10), (kind, seed)
            model.fit(IRIS)
            assert model.certificate_.holds, model.certificate_
            r = model.predict_proba(IRIS)
            np.testing.assert_allclose(model.weights_, r.mean(axis=0), atol=1e-3)
            np.testing.assert_allclose(model.means_, r.T @ IRIS / r.sum(axis=0)[:, None], atol=1e-2)


def test_what_is_proved_is_near_the_stationary_point_and_loose_fits_are_left_open():
    """At scikit-learn's tolerance EM has converged, as it says, a good part of a deviation from where it goes."""
    verdicts = set()
    for kind in KINDS:
        end = GaussianMixture(3, covariance_type=kind, tol=1e-12, max_iter=2000, random_state=0).fit(IRIS)
        assert end.certificate_.holds, (kind, end.certificate_)
        for tol in (1e-3, 1e-5, 1e-7):
            model = GaussianMixture(3, covariance_type=kind, tol=tol, max_iter=2000, random_state=0).fit(IRIS)
            assert model.converged_
            assert model.status_ is Status.STATIONARY
            assert model.certificate_.verdict is not Verdict.REFUTED
            away = np.abs(model.score_samples(IRIS) - end.score_samples(IRIS)).max()
            assert away <= 0.1 or not model.certificate_.holds, (kind, tol, model.certificate_)
            verdicts.add((tol, model.certificate_.verdict))
    assert verdicts == {(1e-3, Verdict.NOTHING_ASSERTED), (1e-5, Verdict.NOTHING_ASSERTED), (1e-7, Verdict.PROVED)}


def test_slow_steps_are_short_and_prove_nothing():
    """Where components overlap, a step that gains next to nothing says little: the ratio of two of them tells."""
    X = np.random.default_rng(1).standard_normal((60, 1))
    slow, end = (GaussianMixture(2, tol=tol, max_iter=9999, random_state=0).fit(X) for tol in (3e-7, 1e-10))
    (far,) = (claim for claim in slow.certificate_ if claim.open)
    assert "tend to" in far.statement
    assert end.certificate_.holds
    moved = np.abs(slow.means_ - end.means_).max() / np.sqrt(end.covariances_.max())
    assert 0.1 * far.value <= moved <= 10.0 * far.value


def test_weights_are_repetitions():
    times = np.random.default_rng(0).integers(0, 4, size=len(IRIS))
    for kind in KINDS:
        start = given_start(kind)
        weighted = GaussianMixture(3, covariance_type=kind, **start, **TIGHT).fit(IRIS, sample_weight=times)
        repeated = GaussianMixture(3, covariance_type=kind, **start, **TIGHT).fit(np.repeat(IRIS, times, axis=0))
        np.testing.assert_allclose(weighted.means_, repeated.means_, rtol=1e-8)
        np.testing.assert_allclose(weighted.covariances_, repeated.covariances_, rtol=1e-6, atol=1e-9)
        assert certify(weighted, IRIS, sample_weight=times).holds
        assert not certify(weighted, IRIS).holds


def test_soft_k_means_becomes_k_means_as_the_variance_goes_to_zero():
    X = IRIS - IRIS.mean(axis=0)
    centres = X[[0, 60, 120]]
    wanted = list(lloyd.iterates(as_rows(X), centres, None))[1].centres
    distances = []
    for variance in (1.0, 0.1, 1e-3, 1e-5):
        here = solver.Mixture(np.full(3, 1.0 / 3.0), centres, np.array([variance]), "shared_spherical")
        sums = solver.expected(next(as_rows(X).blocks())(), here, solver.whitening(here), np.zeros(4))
        distances.append(np.abs(solver.maximised(here, sums, 0.0).means - wanted).max())
    assert distances[1] < 0.5 * distances[0]
    assert distances[2] < 0.5 * distances[1]
    assert distances[-1] < 1e-12


def test_criteria_choose_the_number_of_clouds():
    random = np.random.default_rng(0)
    X = np.concatenate([random.standard_normal((80, 2)) + at for at in ((0, 0), (8, 0), (0, 8))])
    models = [
        GaussianMixture(K, covariance_type="shared_spherical", n_init=3, random_state=0).fit(X) for K in range(1, 6)
    ]
    for name in ("aic", "bic", "icl"):
        assert int(np.argmin([getattr(model, name)(X) for model in models])) == 2 or name == "aic"
    r = models[2].predict_proba(X)
    entropy = -np.sum(r[r > 0.0] * np.log(r[r > 0.0]))
    np.testing.assert_allclose(models[2].icl(X), models[2].bic(X) + 2.0 * entropy, rtol=1e-9)


def test_a_broken_solver_is_refuted(monkeypatch):
    right_sums, right_step, right_whitening = solver.expected, solver.maximised, solver.whitening
    broken = {
        "expected": lambda *a, **k: right_sums(*a, **k)._replace(firsts=right_sums(*a, **k).firsts + 0.5),
        "maximised": lambda m, s, reg_covar: right_step(m, s, reg_covar + 0.2),
        "whitening": lambda m: right_whitening(m)._replace(offsets=right_whitening(m).offsets + 0.01),
    }
    for name, wrong in broken.items():
        with monkeypatch.context() as patch:
            patch.setattr(solver, name, wrong)
            with pytest.warns(ConvergenceWarning):
                model = GaussianMixture(3, random_state=0, max_iter=30, tol=1e-6).fit(IRIS)
            assert not model.certificate_.holds, name


def test_bits_do_not_depend_on_the_number_of_threads():
    X = np.random.default_rng(0).standard_normal((3000, 60))
    one, two = (
        [step.state.model for step, _ in zip(watch(GaussianMixture(2, random_state=0, n_jobs=jobs), X), range(3))]
        for jobs in (1, 2)
    )
    for a, b in zip(one, two):
        np.testing.assert_array_equal(a.covariances, b.covariances)


def test_blocks_from_anywhere_agree_with_memory(tmp_path):
    from learnable.rows import ParquetRows

    pq.write_table(pa.table({f"x{j}": IRIS[:, j] for j in range(4)}), tmp_path / "x.parquet", row_group_size=40)
    for kind in ("full", "tied", "shared_spherical"):
        memory = GaussianMixture(3, covariance_type=kind, random_state=0, **TIGHT).fit(IRIS)
        for rows in (array.from_array(IRIS, chunks=(60, 4)), ParquetRows(tmp_path / "x.parquet")):
            model = GaussianMixture(3, covariance_type=kind, random_state=0, **TIGHT).fit(rows)
            np.testing.assert_allclose(model.means_, memory.means_, rtol=1e-10)
            np.testing.assert_allclose(model.covariances_, memory.covariances_, rtol=1e-8, atol=1e-10)
            assert model.certificate_.holds
            np.testing.assert_array_equal(model.predict(rows), memory.predict(IRIS))


def test_hostile_tables():
    twice = np.repeat(np.array([[0.0, 0.0], [1.0, 2.0], [5.0, 1.0]]), 5, axis=0)
    with pytest.raises(ValueError, match=r"increase reg_covar.*covariance of component .* is singular"):
        GaussianMixture(3, reg_covar=0.0, random_state=0).fit(twice)
    assert np.isfinite(GaussianMixture(3, random_state=0).fit(twice).lower_bound_)
    with pytest.raises(ValueError, match="n_samples >= n_components"):
        GaussianMixture(7).fit(IRIS[:5])
    with pytest.raises(ValueError, match=r"entries of size 1.0e\+300"):
        GaussianMixture(1).fit(np.array([[1e300], [0.0], [1.0]]))
    with pytest.raises(ValueError, match="normalized"):
        GaussianMixture(2, weights_init=[0.5, 0.6]).fit(IRIS)
    far, near = (GaussianMixture(3, random_state=0, **TIGHT).fit(IRIS + shift) for shift in (1e6, 0.0))
    np.testing.assert_allclose(far.lower_bound_, near.lower_bound_, rtol=1e-6)
    assert far.certificate_.holds


def test_where_em_stands_still_proves_nothing():
    """A component without rows, or two that are the same, are fixed points of EM that anyone can write down."""
    rng = np.random.default_rng(3)
    X = np.vstack([rng.standard_normal((60, 3)), 0.3 * rng.standard_normal((40, 3)) + 3.0])
    fitted, smaller = (GaussianMixture(K, random_state=0).fit(X) for K in (3, 2))
    assert certify(fitted, X).verdict is not Verdict.REFUTED
    for shares, away in (([1.0, 0.0], 1e3), ([1.0, 1e-9], 50.0), ([0.5, 0.5], 0.0)):
        forged = copy.deepcopy(fitted)
        for name in ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_"):
            stated = getattr(smaller, name)
            setattr(forged, name, np.concatenate([stated, stated[-1:]]))
        forged.weights_[1:] *= shares
        forged.means_[2] += away
        forged.lower_bound_, forged.lower_bounds_ = smaller.lower_bound_, smaller.lower_bounds_
        # No claim about the answer alone tells; the same fit, done again, does.
        with asking(thorough=True):
            assert certificate_of(forged, X).verdict is Verdict.NOTHING_ASSERTED, (shares, away)
        assert certify(forged, X).verdict is Verdict.REFUTED, (shares, away)


def test_columns_in_units_far_apart():
    """Variances sixteen orders apart are positive definite, whatever the eigenvalues of the plain matrix say."""
    rng = np.random.default_rng(5)
    X = np.vstack([rng.standard_normal((50, 3)), rng.standard_normal((40, 3)) + 3.0]) * [1e-8, 1.0, 1e8]
    for kind in ("full", "tied", "diag", "spherical"):
        model = GaussianMixture(2, covariance_type=kind, random_state=0, **TIGHT).fit(X)
        assert certify(model, X).holds, (kind, model.certificate_)
