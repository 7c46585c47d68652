"""The Dantzig selector: constraints, duality, vertices by brute force, the lasso as a feasible point (L9)."""

from itertools import combinations, product

import numpy as np
import pytest
from tests.cases import each

from learnable import certify
from learnable.solvers.sparse.dantzig import least_level
from learnable.sparse import DantzigSelector, Lasso


def problem(n, p, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) + 0.5 * rng.standard_normal((n, 1)) + 2.0
    return X, X[:, :3] @ np.array([2.0, -1.5, 1.0]) + 0.3 * rng.standard_normal(n)


@each("shape", [(60, 10), (20, 40)])
@each("alpha", [0.0, 0.05, 0.5, 100.0])
def test_constraints_hold_and_no_lasso_is_shorter(shape, alpha):
    X, y = problem(*shape)
    model = DantzigSelector(alpha=alpha).fit(X, y)
    assert model.certificate_.holds, model.certificate_
    residual = y - model.predict(X)
    assert np.abs((X - X.mean(axis=0)).T @ residual / len(y)).max() <= alpha + 1e-9
    if alpha > 0.0:
        lasso = Lasso(alpha=alpha, tol=1e-14, max_iter=10_000).fit(X, y)
        assert np.abs((X - X.mean(axis=0)).T @ (y - lasso.predict(X)) / len(y)).max() <= alpha * (1 + 1e-9)
        assert np.abs(model.coef_).sum() <= np.abs(lasso.coef_).sum() + 1e-9


@each("seed", range(3))
def test_brute_force_over_vertices(seed):
    rng = np.random.default_rng(seed)
    X, y, alpha = rng.standard_normal((9, 3)), rng.standard_normal(9), 0.08
    G, c = X.T @ X / 9, X.T @ y / 9
    best = np.inf
    # A vertex: as many constraints at their bound as there are columns in use.
    for k in range(4):
        for used in combinations(range(3), k):
            for bound in combinations(range(3), k):
                for signs in product((-1.0, 1.0), repeat=k):
                    beta = np.zeros(3)
                    if k:
                        beta[list(used)] = np.linalg.solve(
                            G[np.ix_(bound, used)], c[list(bound)] - alpha * np.array(signs)
                        )
                    if np.abs(c - G @ beta).max() <= alpha + 1e-12:
                        best = min(best, np.abs(beta).sum())
    model = DantzigSelector(alpha=alpha, fit_intercept=False).fit(X, y)
    assert np.abs(model.coef_).sum() == pytest.approx(best, abs=1e-12)


def test_level_zero_is_least_squares():
    X, y = problem(60, 6)
    A = np.column_stack([X, np.ones(60)])
    np.testing.assert_allclose(
        DantzigSelector(alpha=0.0).fit(X, y).coef_, np.linalg.lstsq(A, y, rcond=None)[0][:-1], atol=1e-9
    )


def test_orthogonal_design_is_the_soft_threshold():
    X = np.linalg.qr(np.random.default_rng(3).standard_normal((20, 5)))[0] * np.sqrt(20)
    y = X @ np.array([3.0, -2.0, 0.5, 0.05, 0.0])
    model = DantzigSelector(alpha=0.4, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(model.coef_, [2.6, -1.6, 0.1, 0.0, 0.0], atol=1e-10)


def test_units_do_not_matter():
    X, y = problem(40, 6)
    one = DantzigSelector(alpha=0.1).fit(X, y).coef_
    two = DantzigSelector(alpha=0.1 * 1e6 * 1e-4).fit(X * 1e6, y * 1e-4).coef_
    np.testing.assert_allclose(two * 1e10, one, atol=1e-9)


def test_units_of_single_columns_do_not_matter():
    """Columns eleven orders apart, levels from none to most of the correlations: proved, column by column."""
    X, y = problem(40, 5)
    units = np.array([1e-5, 1.0, 1e6, 1e-2, 1e3])
    for share in (0.0, 1e-3, 0.3):
        for of in (np.min, np.max):
            level = share * of(np.abs((X * units).T @ (y - y.mean()))) / 40
            model = DantzigSelector(alpha=level).fit(X * units, y)
            assert certify(model, X * units, y).holds, (share, of)
            for column in np.flatnonzero(model.coef_):
                honest = model.coef_.copy()
                model.coef_[column] *= 1.01
                assert not certify(model, X * units, y).holds, (share, of, column)
                model.coef_ = honest


def test_duplicated_and_constant_columns_and_weights():
    X, y = problem(40, 4)
    model = DantzigSelector(alpha=0.1).fit(np.column_stack([X, X[:, 0], np.full(40, 5.0)]), y)
    assert model.certificate_.holds
    assert model.coef_[5] == 0.0
    w = np.tile([1.0, 3.0], 20)
    weighted = DantzigSelector(alpha=0.1).fit(X, y, w)
    repeated = DantzigSelector(alpha=0.1).fit(np.repeat(X, w.astype(int), axis=0), np.repeat(y, w.astype(int)))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-9)


def test_the_certificate_needs_the_dual_answer_too():
    X, y = problem(40, 6)
    model = DantzigSelector(alpha=0.1).fit(X, y)
    for factor in (0.99, 1.01):
        model.dual_ = model.dual_ * factor
        assert not certify(model, X, y).holds
        model.dual_ = model.dual_ / factor


def test_levels_that_cannot_be_are_named():
    X, y = problem(10, 3)
    with pytest.raises(ValueError, match="alpha"):
        DantzigSelector(alpha=-0.1).fit(X, y)
    assert least_level(np.diag([1.0, 0.0]), np.array([3.0, -0.5])) == pytest.approx(0.5)
