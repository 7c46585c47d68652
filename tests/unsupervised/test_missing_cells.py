"""Gaussian mixtures of rows with missing cells: brute force row by row, closed forms, and what the certificate says."""

import copy

import numpy as np
import pytest
from dask import array
from scipy import stats
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from learnable import certify, watch
from learnable.problems.unsupervised.mixtures import KINDS, covariance_matrices
from learnable.rows import as_rows
from learnable.solvers.unsupervised import gaussian_mixture as solver
from learnable.solvers.unsupervised import missing_cells
from learnable.unsupervised import GaussianMixture

IRIS = load_iris().data
HOLES = np.where(np.random.default_rng(0).random(IRIS.shape) < 0.2, np.nan, IRIS)
HOLES[7] = np.nan


def by_hand(model, x):
    """(log π_k N(x_o; μ_o, Σ_oo), E_k[x | x_o]) of one row, written down component by component."""
    matrices = covariance_matrices(model.covariances_, model.covariance_type, *model.means_.shape)
    o, logs, rows = ~np.isnan(x), [], []
    for weight, mean, S in zip(model.weights_, model.means_, matrices):
        logs.append(np.log(weight))
        filled = mean.copy()
        if o.any():
            logs[-1] += stats.multivariate_normal(mean[o], S[np.ix_(o, o)]).logpdf(x[o])
            filled[o] = x[o]
            filled[~o] += S[np.ix_(~o, o)] @ np.linalg.solve(S[np.ix_(o, o)], x[o] - mean[o])
        rows.append(filled)
    return np.array(logs), np.array(rows)


def test_density_memberships_and_filled_cells_are_those_written_down_row_by_row():
    for kind in KINDS:
        model = GaussianMixture(3, covariance_type=kind, tol=1e-6, max_iter=2000, random_state=0).fit(HOLES)
        assert model.certificate_.holds, model.certificate_
        logs, rows = (np.array(part) for part in zip(*(by_hand(model, x) for x in HOLES)))
        log_density = np.logaddexp.reduce(logs, axis=1)
        r = np.exp(logs - log_density[:, None])
        np.testing.assert_allclose(model.score_samples(HOLES), log_density, rtol=1e-8, atol=1e-10)
        np.testing.assert_allclose(model.lower_bound_, log_density.mean(), rtol=1e-9)
        np.testing.assert_allclose(model.predict_proba(HOLES), r, atol=1e-9)
        wanted = np.where(np.isnan(HOLES), np.einsum("ik,ikj->ij", r, rows), HOLES)
        np.testing.assert_allclose(model.impute(HOLES), wanted, rtol=1e-8)
        np.testing.assert_array_equal(model.predict(HOLES), logs.argmax(axis=1))


def test_without_missing_cells_the_e_step_is_the_old_one():
    X = IRIS - IRIS.mean(axis=0)
    weight = np.random.default_rng(1).random(len(X))
    block = next(as_rows(X, None, weight).blocks())()
    for kind in KINDS:
        here = solver.from_memberships(as_rows(X), np.eye(3)[np.arange(150) % 3], kind, np.zeros(4), 0.01)
        white = solver.whitening(here)
        for ours, old in zip(*(step.expected(block, here, white, np.zeros(4)) for step in (missing_cells, solver))):
            np.testing.assert_allclose(ours, old, rtol=1e-9, atol=1e-9)


def test_the_likelihood_never_falls_and_ends_where_its_slope_is_zero():
    times = np.random.default_rng(2).integers(0, 3, size=len(HOLES))
    for kind in KINDS:
        model = GaussianMixture(2, covariance_type=kind, reg_covar=0.0, tol=1e-11, max_iter=3000, random_state=0)
        values = np.array([step.state.objective for step in watch(model, HOLES)])
        assert np.all(np.diff(values) <= 1e-11), kind
        model.fit(HOLES)
        assert model.certificate_.holds, model.certificate_
        for k, j in ((0, 0), (1, 3)):
            sides = []
            for step in (1e-3, -1e-3):
                moved = copy.deepcopy(model)
                moved.means_[k, j] += step
                sides.append(moved.score(HOLES))
            assert abs(sides[0] - sides[1]) / 2e-3 < 1e-4, (kind, k, j)
        given = {"means_init": IRIS[[0, 60, 120]], "covariance_type": kind}
        weighted = GaussianMixture(3, **given, random_state=0).fit(HOLES, sample_weight=np.ones(150))
        doubled = GaussianMixture(3, **given, random_state=0).fit(np.tile(HOLES, (2, 1)))
        np.testing.assert_allclose(weighted.lower_bound_, doubled.lower_bound_, rtol=1e-6)
    assert not certify(model, HOLES, sample_weight=times).holds


def test_one_component_and_one_column_missing_have_a_closed_form():
    """Regress the second column on the first where it is seen, and carry the line to all rows (Anderson 1957)."""
    random = np.random.default_rng(3)
    x = random.standard_normal(400)
    y = 2.0 + 1.5 * x + 0.5 * random.standard_normal(400)
    seen = x < 0.3  # at random: what is missing hangs on x alone, but the mean of the seen y is far off
    X = np.column_stack([x, np.where(seen, y, np.nan)])
    slope, level = np.polyfit(x[seen], y[seen], 1)
    left = np.mean((y[seen] - level - slope * x[seen]) ** 2)
    model = GaussianMixture(1, reg_covar=0.0, tol=1e-13, max_iter=2000).fit(X)
    np.testing.assert_allclose(model.means_[0], [x.mean(), level + slope * x.mean()], atol=1e-5)
    wanted = x.var() * np.array([[1.0, slope], [slope, slope**2]]) + [[0.0, 0.0], [0.0, left]]
    np.testing.assert_allclose(model.covariances_[0], wanted, atol=1e-4)
    assert abs(y[seen].mean() - y.mean()) > 0.5 > 10 * abs(model.means_[0, 1] - y.mean())


def test_what_is_altered_or_broken_is_refuted(monkeypatch):
    X = HOLES * [1e-6, 1.0, 1e6, 1.0] + [0.0, 1e5, 0.0, 0.0]
    for kind in KINDS[:3]:
        honest = GaussianMixture(3, covariance_type=kind, reg_covar=1e-18, tol=1e-6, max_iter=2000, random_state=0)
        honest.fit(X)
        assert certify(honest, X).holds, honest.certificate_
        for name in ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_", "lower_bound_"):
            altered = copy.deepcopy(honest)
            setattr(altered, name, getattr(altered, name) * 1.2)
            assert not certify(altered, X).holds, (kind, name)
    right = missing_cells.inverses
    broken = (
        lambda matrices: (1.3 * right(matrices)[0], right(matrices)[1]),
        lambda matrices: (right(matrices)[0], right(matrices)[1] + 0.1),
    )
    for wrong in broken:
        monkeypatch.setattr(missing_cells, "inverses", wrong)
        with pytest.warns(ConvergenceWarning):
            assert not GaussianMixture(3, random_state=0, max_iter=40, tol=1e-9).fit(HOLES).certificate_.holds


def test_tables_that_cannot_be_read():
    nothing = HOLES.copy()
    nothing[:, 2] = np.nan
    with pytest.raises(ValueError, match="every cell of column 2 is missing; drop the column"):
        GaussianMixture(2).fit(nothing)
    huge = HOLES.copy()
    huge[:3, 1] = 1e300
    with pytest.raises(ValueError, match=r"column 1 of X has entries of size 1.0e\+300"):
        GaussianMixture(2).fit(huge)
    with pytest.raises(ValueError, match="GaussianMixture: Input X contains NaN in column"):
        GaussianMixture(2).fit(array.from_array(HOLES, chunks=(50, 4)))
