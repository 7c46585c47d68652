"""Nodewise regression and CLIME: gaps, identities, error bounds. Syllabus: G2, G4, G5."""

import numpy as np
import pytest
from scipy import optimize

from learnable import certify, config_context
from learnable.graphical import (
    CLIME,
    NodewiseRegression,
    clime_errors,
    clime_path,
    in_clime_class,
    partial_correlation,
)
from learnable.problems.sparse.penalties import scaled
from learnable.solvers.graphical import clime as clime_solver
from learnable.solvers.graphical import nodewise
from learnable.solvers.sparse.dantzig import least_level
from learnable.sparse import Lasso


def rows(n=80, p=6, seed=0):
    X = np.random.default_rng(seed).standard_normal((n, p))
    for j in range(1, p):
        X[:, j] += 0.6 * X[:, j - 1]
    return X


def banded(p):
    """A precision with two bands, and its covariance."""
    theta = np.eye(p) + 0.4 * (np.eye(p, k=1) + np.eye(p, k=-1))
    return theta, np.linalg.inv(theta)


def with_moments(sigma, n, seed):
    """Rows whose second moments are exactly sigma."""
    Z = np.random.default_rng(seed).standard_normal((n, len(sigma)))
    Z -= Z.mean(axis=0)
    Z = Z @ np.linalg.inv(np.linalg.cholesky(Z.T @ Z / n)).T
    return Z @ np.linalg.cholesky(sigma).T


def test_regressions_read_off_the_precision():
    """β_ij = −θ_ij / θ_ii and Var η_i = 1 / θ_ii."""
    theta, sigma = banded(5)
    X = with_moments(sigma, 60, 1)
    model = NodewiseRegression(alpha=1e-9, standardize=False).fit(X)
    expected = -theta / np.diag(theta)[:, None]
    np.fill_diagonal(expected, 0.0)
    assert np.allclose(model.coef_, expected, atol=1e-6)
    assert np.allclose(model.residual_variances_, 1.0 / np.diag(theta), rtol=1e-6)
    assert np.allclose(model.precision_, theta, atol=1e-5)


def test_each_column_is_the_lasso_on_the_others_and_the_rules_differ():
    X = rows(seed=2) * np.array([1.0, 5.0, 0.1, 2.0, 1.0, 30.0])
    raw = NodewiseRegression(alpha=0.1, standardize=False).fit(X)
    for i in range(6):
        others = np.delete(np.arange(6), i)
        assert np.allclose(raw.coef_[i, others], Lasso(0.1, tol=1e-12).fit(X[:, others], X[:, i]).coef_, atol=1e-6)
    both, either = (NodewiseRegression(alpha=0.15, rule=rule).fit(X) for rule in ("and", "or"))
    chosen = both.coef_ != 0.0
    assert np.array_equal(both.adjacency_, chosen & chosen.T)
    assert np.array_equal(either.adjacency_, chosen | chosen.T)
    scaled = NodewiseRegression(alpha=0.15).fit(X / X.std(axis=0))
    assert np.array_equal(scaled.adjacency_, both.adjacency_)  # units do not matter
    assert certify(both, X).holds
    assert certify(either, X).holds


def test_columns_of_clime_solve_their_programmes():
    generator = np.random.default_rng(3)
    for seed in range(8):
        n, p = (4, 30)[seed % 2], 5  # singular and regular covariances
        S = np.cov(rows(n, p, seed).T, bias=True)
        least = max(least_level(S, target) for target in np.eye(p))
        alpha = least + float(generator.uniform(0.01, 0.3))
        model = CLIME(alpha, covariance="precomputed").fit(S)
        for i in range(p):
            A = np.block([[S, -S], [-S, S]])
            b = np.concatenate([alpha + np.eye(p)[i], alpha - np.eye(p)[i]])
            value = optimize.linprog(np.ones(2 * p), A_ub=A, b_ub=b, method="highs").fun
            assert np.abs(model.columns_[:, i]).sum() == pytest.approx(value, rel=1e-7, abs=1e-7)
        assert np.array_equal(model.precision_, model.precision_.T)
        smaller = np.minimum(np.abs(model.columns_), np.abs(model.columns_.T))
        assert np.array_equal(np.abs(model.precision_), smaller)
        assert model.certificate_.holds, model.certificate_


def test_a_path_is_its_single_levels():
    S = np.cov(rows(50, 7, 4).T, bias=True)
    alphas = [0.6, 0.3, 0.15, 0.05, 1.2]
    path = clime_path(S, alphas)
    assert path.alphas.tolist() == sorted(alphas, reverse=True)
    for alpha, columns in zip(path.alphas, path.columns):
        single = CLIME(alpha, covariance="precomputed").fit(S)
        assert np.abs(columns).sum() == pytest.approx(np.abs(single.columns_).sum(), abs=1e-8)
    assert not path.columns[0].any()  # beyond a level of one, zero meets every constraint
    one, two = (clime_path(S, alphas, n_jobs=jobs) for jobs in (1, 2))
    assert np.array_equal(one.columns, two.columns)


def test_errors_stay_below_their_bounds():
    """In every simulation in which λ ≥ ‖Θ₀‖_{L1} ‖Σ̂ − Σ₀‖∞, and for each q."""
    theta, sigma = banded(6)
    for seed in range(12):
        X = np.random.default_rng(seed).multivariate_normal(np.zeros(6), sigma, size=400, method="cholesky")
        S = X.T @ X / 400
        least = clime_errors(np.eye(6), theta, S, 1.0).least_alpha
        model = CLIME(least, covariance="precomputed").fit(S)
        for q in (0.0, 0.5, 0.9):
            errors = clime_errors(model.precision_, theta, S, least, q)
            assert errors.applies
            assert errors.sup_error <= errors.sup_bound
            assert errors.l1_error <= errors.l1_bound
            assert in_clime_class(theta, q, errors.M, errors.s0)
            assert not in_clime_class(theta, q, errors.M, 0.99 * errors.s0)
    assert pytest.approx(1.8) == errors.M
    assert clime_errors(theta, theta, sigma, 0.1).s0 == 3.0
    # (1 + 2 + 3) · 2 = 12 at q = 0.
    assert clime_errors(theta, theta, sigma, 0.1).l1_bound == pytest.approx(12.0 * 4.0 * 1.8 * 0.1 * 3.0)
    assert not clime_errors(theta, theta, 2.0 * sigma, 0.1).applies


def test_broken_solvers_are_found_out(monkeypatch):
    X = rows(seed=5)
    column, gaps = clime_solver.clime_column, nodewise.solve

    def other_target(S, target, levels, beta, dual, most):
        return column(S, 0.8 * target, levels, beta, dual, most)

    def other_level(S, target, levels, beta, dual, most):
        return column(S, target, 1.3 * levels, beta, dual, most)

    for broken in (other_target, other_level):
        with monkeypatch.context() as patch, config_context(certificates=False):
            patch.setattr(clime_solver, "clime_column", broken)
            patch.setattr(clime_solver, "SOLVED", np.inf)
            model = CLIME(0.1).fit(X)
        assert not certify(model, X).holds, broken.__name__

    def unfinished(part, penalty, enough):
        return gaps(part, scaled(penalty, 2.0), enough)

    with monkeypatch.context() as patch, config_context(certificates=False):
        patch.setattr(nodewise, "solve", unfinished)
        patch.setattr(nodewise, "newton_steps", lambda part, penalty, most: None)
        model = NodewiseRegression(0.1).fit(X)
    assert not certify(model, X).holds


def test_columns_that_rounding_hardly_tells_apart_are_named_and_no_level_is_called_the_least():
    told, noise = rows(40, 4), np.random.default_rng(1).standard_normal(40)
    for apart in (1e-5, 1e-6):
        X = np.column_stack([told, told[:, 2] + apart * noise])
        with pytest.raises(
            ArithmeticError, match=r"columns 2, 4 all but depend .*leave one of them out, or raise alpha"
        ):
            CLIME(0.2).fit(X)
        assert CLIME(0.6).fit(X).certificate_.holds
    # Where no digit of a variance tells them apart, they are one column, and the level of two such is the least.
    with pytest.raises(ValueError, match=r"the least level is 0\.5"):
        CLIME(0.2).fit(np.column_stack([told, told[:, 2]]))


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match=r"CLIME, column 0: no θ .* the least level is .*raise alpha"):
        CLIME(0.01).fit(rows(3, 6))
    constant = rows()
    constant[:, 3] = 1.0
    for model in (CLIME(), NodewiseRegression()):
        with pytest.raises(ValueError, match="column 3 is constant"):
            model.fit(constant)
    with pytest.raises(ValueError, match=r"CLIME: .*not positive semidefinite .*give the rows"):
        CLIME(covariance="precomputed").fit([[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(ValueError, match=r"partial_correlation\(0, 1, given=\[\]\).*not positive definite"):
        partial_correlation([[1.0, 2.0], [2.0, 1.0]], 0, 1)
    with pytest.raises(ValueError, match="positive definite"):
        clime_errors(np.eye(2), -np.eye(2), np.eye(2), 0.1)
