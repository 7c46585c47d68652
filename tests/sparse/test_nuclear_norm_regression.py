"""Nuclear norm: spectral conditions, known solutions, another algorithm, the rank path. Syllabus: L18."""

import numpy as np
import pytest
from scipy import sparse
from tests.cases import each

from learnable import certify
from learnable.linear import LinearRegression
from learnable.problems.sparse.matrix_penalties import (
    NuclearNorm,
    RowNorms,
    dual_norm,
    norm,
    nuclear_alpha_from_sum,
    shrink,
)
from learnable.sparse import NuclearNormRegression, nuclear_norm_path

RNG = np.random.default_rng(5)
N, P, Q = 70, 12, 6
X = RNG.standard_normal((N, P)) @ np.diag(np.geomspace(0.3, 3.0, P)) + 0.4
B = RNG.standard_normal((P, 2)) @ RNG.standard_normal((2, Q))
Y = X @ B + RNG.standard_normal((N, Q)) + np.arange(Q)
W = RNG.uniform(0.2, 2.0, N)


@each("weight", [None, W], ids=["", "weighted"])
@each("intercept", [True, False])
@each("alpha", [0.02, 0.3, 2.0])
def test_the_correlations_are_a_subgradient(alpha, intercept, weight):
    """−slope = α (U Vᵀ + M) with UᵀM = 0, MV = 0, ‖M‖₂ ≤ 1, for the singular vectors U, V of the answer."""
    model = NuclearNormRegression(alpha, fit_intercept=intercept, tol=1e-13).fit(X, Y, weight)
    w = (np.ones(N) if weight is None else weight)[:, None]
    pull = X.T @ (w * (Y - model.predict(X))) / w.sum() / alpha
    U, s, Vt = np.linalg.svd(model.coef_.T, full_matrices=False)
    r = model.rank_
    assert s[r:].max(initial=0.0) < 1e-10 * s[0]
    U, V = U[:, :r], Vt[:r].T
    np.testing.assert_allclose(U.T @ pull, V.T, atol=2e-5)
    np.testing.assert_allclose(pull @ V, U, atol=2e-5)
    assert np.linalg.norm(pull - U @ V.T, 2) <= 1.0 + 1e-5
    assert model.certificate_.holds


def test_orthonormal_columns_shrink_the_singular_values():
    Z = np.linalg.qr(RNG.standard_normal((N, 5)))[0] * np.sqrt(N)
    U, s, Vt = np.linalg.svd(Z.T @ Y / N, full_matrices=False)
    alpha = 0.5 * (s[1] + s[2])
    model = NuclearNormRegression(alpha, fit_intercept=False, tol=1e-14).fit(Z, Y)
    np.testing.assert_allclose(model.coef_.T, (U * np.maximum(s - alpha, 0.0)) @ Vt, atol=1e-8)
    assert model.rank_ == 2


def test_another_algorithm_finds_the_same_minimum():
    """Plain proximal gradient, written out, on ‖Y − XB‖² + λ‖B‖_*, without a word in common."""
    lam = 60.0
    Xc, Yc = X - X.mean(axis=0), Y - Y.mean(axis=0)
    step = 0.5 / np.linalg.norm(Xc, 2) ** 2
    C = np.zeros((P, Q))
    for _ in range(20_000):
        before = C
        U, s, Vt = np.linalg.svd(C + 2.0 * step * Xc.T @ (Yc - Xc @ C), full_matrices=False)
        C = (U * np.maximum(s - step * lam, 0.0)) @ Vt
        if np.abs(C - before).max() < 1e-14:
            break
    model = NuclearNormRegression(nuclear_alpha_from_sum(lam, N), tol=1e-13).fit(X, Y)
    np.testing.assert_allclose(model.coef_.T, C, atol=1e-6)


def test_from_the_spectral_norm_on_nothing_is_left_and_the_rank_grows():
    largest = np.linalg.norm((X - X.mean(axis=0)).T @ (Y - Y.mean(axis=0)), 2) / N
    assert NuclearNormRegression(1.0001 * largest).fit(X, Y).rank_ == 0
    assert NuclearNormRegression(0.99 * largest, tol=1e-12).fit(X, Y).rank_ == 1
    path = nuclear_norm_path(X, Y, 12, eps=1e-4, tol=1e-10)
    assert path.alphas[0] == pytest.approx(largest)
    assert path.ranks[0] == 0
    assert path.ranks[-1] == Q
    assert np.all(np.diff(path.ranks) >= 0)
    assert path.gaps.max() <= 1e-10 * np.sum((Y - Y.mean(axis=0)) ** 2) / N
    k = 6
    alone = NuclearNormRegression(path.alphas[k], tol=1e-12).fit(X, Y)
    np.testing.assert_allclose(path.coefs[k], alone.coef_, atol=1e-4)


@each("shape", [(70, 12), (20, 50)])
def test_sparse_data_wide_data_and_dependent_columns(shape):
    thin = RNG.standard_normal(shape) * (RNG.uniform(size=shape) < 0.4)
    thin[:, 1] = thin[:, 0]
    thin[:, 2] = 0.0
    y = Y[: shape[0]]
    dense = NuclearNormRegression(0.1, tol=1e-12).fit(thin, y)
    other = NuclearNormRegression(0.1, tol=1e-12).fit(sparse.csr_array(thin), y)
    np.testing.assert_allclose(other.coef_, dense.coef_, atol=1e-5)
    assert dense.certificate_.holds
    assert other.certificate_.holds


def test_without_a_penalty_it_is_least_squares():
    model = NuclearNormRegression(0.0).fit(X, Y)
    np.testing.assert_allclose(model.coef_, LinearRegression().fit(X, Y).coef_, atol=1e-9)
    assert model.certificate_.holds


def test_one_target_pays_for_the_length_of_its_coefficients():
    model = NuclearNormRegression(0.5, tol=1e-13).fit(X, Y[:, 0])
    pull = X.T @ (Y[:, 0] - model.predict(X)) / N
    np.testing.assert_allclose(pull, 0.5 * model.coef_ / np.linalg.norm(model.coef_), atol=1e-6)


@each("penalty", [RowNorms(0.7), NuclearNorm(0.7)])
def test_norm_and_dual_norm_meet_and_the_step_is_optimal(penalty):
    A, Z = RNG.standard_normal((2, 6, 4))
    assert np.sum(A * Z) <= norm(penalty, A) * dual_norm(penalty, Z) + 1e-12
    near = shrink(penalty, A, 0.5)

    def cost(C):
        return np.sum((C - A) ** 2) / (2 * 0.5) + 0.7 * norm(penalty, C)

    assert all(cost(near) <= cost(near + 1e-3 * RNG.standard_normal(A.shape)) for _ in range(50))


def test_a_changed_answer_and_bad_input_are_noticed():
    model = NuclearNormRegression(0.3, tol=1e-12).fit(X, Y)
    model.coef_ = model.coef_ * (1.0 + 1e-4)
    assert not certify(model, X, Y).holds
    with pytest.raises(ValueError, match="alpha"):
        NuclearNormRegression(-0.1).fit(X, Y)
    with pytest.raises(ValueError, match="alphas must be > 0"):
        nuclear_norm_path(X, Y, [1.0, 0.0])
    with pytest.raises(ValueError, match="rows"):
        nuclear_norm_path(X, Y[:-1])


def test_columns_in_units_far_apart_are_solved_too():
    """Columns eight orders apart: a gradient step is too short for the short ones, ridge regressions are not."""
    units = np.ones(P)
    units[[0, -1]] = 1e-4, 1e4
    for seed in range(2):
        targets = Y + np.random.default_rng(seed).standard_normal(Y.shape)
        alpha = 1e-4 * np.linalg.norm((X * units).T @ (targets - targets.mean(axis=0)), 2) / N
        model = NuclearNormRegression(alpha).fit(X * units, targets)
        assert certify(model, X * units, targets).holds, model.certificate_
