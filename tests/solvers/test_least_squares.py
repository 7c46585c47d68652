"""Least squares and ridge: both routes agree, the minimum norm solution is the pseudo-inverse's, digits are kept."""

import numpy as np
import pytest
from scipy import linalg
from tests.cases import each

from learnable.linear import LinearRegression, Ridge
from learnable.rows import as_rows, moments
from learnable.solvers.linear import least_squares, non_negative


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def solve(X, y, alpha=0.0, intercept=True, weight=None):
    return next(iter(least_squares.iterates(as_rows(X, y, weight), np.asarray(alpha), intercept)))


def orthogonal(X, y, alpha, intercept, weight=None):
    rows = as_rows(X, y, weight)
    found = moments(rows, centre=intercept)
    levels = np.broadcast_to(np.asarray(alpha, dtype=float), found.mean_y.shape)
    return least_squares._orthogonal_route(rows, found, levels, intercept, None)


@each("intercept", [True, False])
@each("alpha", [0.0, 1e-3, 2.5])
@each("weighted", [False, True])
@each("targets", [1, 3])
def test_the_two_routes_agree(intercept, alpha, weighted, targets, rng):
    X = rng.standard_normal((80, 6)) * np.array([1.0, 1e3, 1e-3, 1.0, 5.0, 1.0]) + np.arange(6)
    y = rng.standard_normal((80, targets)) + 10.0
    weight = rng.uniform(0.0, 3.0, 80) if weighted else None
    one, two = solve(X, y, alpha, intercept, weight), orthogonal(X, y, alpha, intercept, weight)
    assert (one.route, two.route) == ("cholesky", "orthogonal")
    np.testing.assert_allclose(one.coef, two.coef, rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(one.intercept, two.intercept, rtol=1e-10, atol=1e-12)
    assert one.objective == pytest.approx(two.objective, rel=1e-12)
    np.testing.assert_allclose(one.singular, two.singular, rtol=1e-3)
    assert one.rank == two.rank == 6


@each("shape", [(40, 5), (5, 5), (4, 9), (1, 3)])
@each("intercept", [True, False])
@each("weighted", [False, True])
def test_least_norm_solution_is_the_pseudo_inverse_s(shape, intercept, weighted, rng):
    n, p = shape
    # Rank at most 2, so that every shape is deficient unless it is too small to be.
    X = rng.standard_normal((n, 2)) @ rng.standard_normal((2, p)) + 1.0
    y = rng.standard_normal(n)
    weight = rng.uniform(0.5, 2.0, n) if weighted else np.ones(n)
    centred = X - weight @ X / weight.sum() if intercept else X
    target = y - weight @ y / weight.sum() if intercept else y
    root = np.sqrt(weight)
    expected = np.linalg.pinv(centred * root[:, None], rcond=1e-10) @ (target * root)
    found = solve(X, y, 0.0, intercept, weight if weighted else None)
    np.testing.assert_allclose(found.coef[:, 0], expected, atol=1e-10 * max(1.0, np.abs(expected).max()))
    assert found.rank == np.linalg.matrix_rank(centred * root[:, None], tol=1e-9)


def test_duplicate_and_constant_columns(rng):
    x = rng.standard_normal(30)
    X = np.column_stack([x, x, np.full(30, 7.0)])
    y = 4.0 * x + 1.0
    model = LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.coef_, [2.0, 2.0, 0.0], atol=1e-13)
    assert model.intercept_ == pytest.approx(1.0)
    assert model.rank_ == 1
    assert model.certificate_.holds


@each("alpha", [1e-3, 1.0, 100.0])
@each("intercept", [True, False])
def test_ridge_gives_duplicated_columns_equal_coefficients(alpha, intercept, rng):
    # R16
    X = rng.standard_normal((50, 3))
    X = np.column_stack([X, X[:, 1], X[:, 1]])
    model = Ridge(alpha=alpha, fit_intercept=intercept).fit(X, rng.standard_normal(50))
    np.testing.assert_allclose(model.coef_[[3, 4]], model.coef_[1], rtol=1e-8)
    assert model.certificate_.holds


def test_effective_degrees_of_freedom(rng):
    # R9: df(0) = rank, df(∞) = 0, and the shrinkage factors are d²/(d² + α).
    X = rng.standard_normal((40, 2)) @ rng.standard_normal((2, 5))
    y = rng.standard_normal(40)
    assert Ridge(alpha=1e-12).fit(X, y).effective_df_ == pytest.approx(2.0, abs=1e-6)
    assert Ridge(alpha=1e14).fit(X, y).effective_df_ == pytest.approx(0.0, abs=1e-6)
    X = rng.standard_normal((40, 5))
    assert Ridge(alpha=0.0).fit(X, y).effective_df_ == pytest.approx(5.0)
    dfs = [Ridge(alpha=alpha).fit(X, y).effective_df_ for alpha in (0.0, 0.1, 1.0, 10.0, 1e3)]
    assert np.all(np.diff(dfs) < 0)
    centred = X - X.mean(axis=0)
    hat = centred @ linalg.solve(centred.T @ centred + 10.0 * np.eye(5), centred.T)
    assert dfs[3] == pytest.approx(np.trace(hat))


def test_ridge_tends_to_the_least_norm_solution(rng):
    X = rng.standard_normal((10, 20))
    y = rng.standard_normal(10)
    limit = LinearRegression().fit(X, y).coef_
    errors = [np.linalg.norm(Ridge(alpha=alpha).fit(X, y).coef_ - limit) for alpha in (1e-1, 1e-3, 1e-5, 1e-7)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 1e-6


@each("degree", [5, 8, 10])
def test_polynomial_designs_keep_the_digits_of_a_qr(degree):
    x = np.linspace(-1.0, 3.0, 60)
    X = x[:, None] ** np.arange(1, degree + 1)
    beta = np.arange(1.0, degree + 1)
    y = X @ beta + 1.0
    reference = np.linalg.lstsq(np.column_stack([np.ones(60), X]), y, rcond=None)[0][1:]
    model = LinearRegression().fit(X, y)
    error = np.max(np.abs(model.coef_ / beta - 1.0))
    assert error <= 10.0 * np.max(np.abs(reference / beta - 1.0)) + 1e-12
    assert model.rank_ == degree
    assert model.certificate_.holds


@each("gap", [1e-3, 1e-6, 1e-9])
def test_nearly_collinear_columns(gap, rng):
    a = rng.standard_normal(100)
    X = np.column_stack([a, a + gap * rng.standard_normal(100), rng.standard_normal(100)])
    beta = np.array([2.0, -1.0, 0.5])
    y = X @ beta
    model = LinearRegression(fit_intercept=False).fit(X, y)
    reference = np.linalg.lstsq(X, y, rcond=None)[0]
    floor = 100 * np.finfo(float).eps / gap
    assert np.max(np.abs(model.coef_ - beta)) <= 10 * np.max(np.abs(reference - beta)) + floor
    assert model.condition_ > 0.1 / gap


def test_a_far_away_origin_costs_no_digits(rng):
    X = rng.standard_normal((200, 3))
    y = X @ [1.0, -2.0, 3.0] + 0.1 * rng.standard_normal(200)
    near, far = LinearRegression().fit(X, y), LinearRegression().fit(X + 1e8, y + 1e8)
    # Representing X + 1e8 rounds at 1e-8; nothing more may be lost.
    np.testing.assert_allclose(far.coef_, near.coef_, atol=1e-8)


@each("alpha", [0.0, 1.0])
@each("intercept", [True, False])
def test_non_negative_solution_satisfies_karush_kuhn_tucker(alpha, intercept, rng):
    X = rng.standard_normal((60, 5)) + 1.0
    y = X @ [1.0, -1.0, 0.0, 2.0, -0.5] + 3.0 + rng.standard_normal(60)
    state = next(iter(non_negative.iterates(as_rows(X, y), alpha, intercept)))
    coef = state.coef[:, 0]
    residual = y - X @ coef - state.intercept[0]
    slope = X.T @ residual - alpha * coef
    assert coef.min() >= 0.0
    np.testing.assert_allclose(slope[coef > 0], 0.0, atol=1e-9)
    assert slope[coef == 0].max() <= 1e-9
    if intercept:
        assert residual.sum() == pytest.approx(0.0, abs=1e-9)
    expected = (residual @ residual + alpha * coef @ coef) / 120.0
    assert state.objective == pytest.approx(expected)


def test_gram_schmidt_gives_the_last_coefficient(rng):
    # R4: β_p = ⟨y, z_p⟩ / ⟨z_p, z_p⟩ with z_p the last column after the others are taken out of it.
    X, y = rng.standard_normal((50, 4)), rng.standard_normal(50)
    others = np.column_stack([np.ones(50), X[:, :3]])
    z = X[:, 3] - others @ np.linalg.lstsq(others, X[:, 3], rcond=None)[0]
    assert LinearRegression().fit(X, y).coef_[3] == pytest.approx(y @ z / (z @ z), rel=1e-12)


def test_orthogonal_design_separates(rng):
    # R6
    X = np.linalg.qr(rng.standard_normal((30, 4)))[0] * np.array([1.0, 2.0, 3.0, 4.0])
    y = rng.standard_normal(30)
    expected = X.T @ y / np.sum(X**2, axis=0)
    np.testing.assert_allclose(LinearRegression(fit_intercept=False).fit(X, y).coef_, expected, rtol=1e-12)
