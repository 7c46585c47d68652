"""Reduced rank: Eckart and Young, brute force, the likelihood, bad input. Syllabus: L17."""

import copy

import numpy as np
import pytest
from scipy import optimize, sparse
from tests.cases import each

from learnable import certify
from learnable.linear import LinearRegression
from learnable.sparse import ReducedRankRegression

RNG = np.random.default_rng(12)
N, P, Q = 60, 5, 4
X = RNG.standard_normal((N, P)) + 1.0
B = RNG.standard_normal((P, 2)) @ RNG.standard_normal((2, Q))
NOISE = np.linalg.cholesky(0.5 * np.eye(Q) + 0.5)
Y = X @ B + RNG.standard_normal((N, Q)) @ NOISE.T + 3.0
W = RNG.uniform(0.2, 2.0, N)
GAMMA = np.diag([1.0, 2.0, 0.5, 4.0]) + 0.3


def cost(model, gamma=None, weight=None):
    E = Y - model.predict(X)
    return np.sum(
        (np.ones(N) if weight is None else weight)[:, None] * (E @ (np.eye(Q) if gamma is None else gamma)) * E
    )


@each("rank", [1, 2, 3])
@each("gamma", [None, GAMMA], ids=["identity", "matrix"])
@each("weight", [None, W], ids=["", "weighted"])
def test_the_cost_is_that_of_least_squares_and_the_singular_values_left_out(rank, gamma, weight):
    model = ReducedRankRegression(rank, weight="identity" if gamma is None else gamma).fit(X, Y, weight)
    least = cost(LinearRegression().fit(X, Y, weight), gamma, weight)
    assert cost(model, gamma, weight) == pytest.approx(least + np.sum(model.singular_values_[rank:] ** 2), rel=1e-11)
    assert np.linalg.matrix_rank(model.coef_, tol=1e-9) == rank == model.rank_
    assert model.certificate_.holds


@each("gamma", [None, GAMMA], ids=["identity", "matrix"])
def test_no_descent_from_anywhere_finds_a_better_matrix(gamma):
    best = cost(ReducedRankRegression(1, weight="identity" if gamma is None else gamma).fit(X, Y), gamma)
    root = np.linalg.cholesky(np.eye(Q) if gamma is None else gamma)

    def residuals(theta):
        coef, offset = np.outer(theta[:P], theta[P : P + Q]), theta[P + Q :]
        return ((Y - X @ coef - offset) @ root).ravel()

    found = [2.0 * optimize.least_squares(residuals, RNG.standard_normal(P + 2 * Q)).cost for _ in range(6)]
    assert min(found) == pytest.approx(best, rel=1e-6)
    assert min(found) >= best * (1.0 - 1e-9)


def test_full_rank_is_least_squares():
    for weight in ("identity", GAMMA, "inverse_covariance"):
        model = ReducedRankRegression(4, weight=weight).fit(X, Y)
        np.testing.assert_allclose(model.coef_, LinearRegression().fit(X, Y).coef_, atol=1e-9)


def test_the_inverse_covariance_maximises_the_likelihood():
    """The profile likelihood −½ n log det(EᵀE) over matrices of rank 1, by a search that knows nothing of it."""
    model = ReducedRankRegression(1, weight="inverse_covariance").fit(X, Y)

    def log_det(theta):
        E = Y - X @ np.outer(theta[:P], theta[P:])
        E = E - E.mean(axis=0)
        return np.linalg.slogdet(E.T @ E)[1]

    E = Y - model.predict(X)
    ours = np.linalg.slogdet(E.T @ E)[1]
    found = min(optimize.minimize(log_det, RNG.standard_normal(P + Q), method="BFGS").fun for _ in range(6))
    assert ours == pytest.approx(found, abs=1e-6)
    assert ours < np.linalg.slogdet(np.cov((Y - ReducedRankRegression(1).fit(X, Y).predict(X)).T) * (N - 1))[1]


def test_dependent_columns_and_sparse_data():
    wide = np.column_stack([X, X[:, 0] + X[:, 1], np.full(N, 2.0)])
    model, plain = ReducedRankRegression(2).fit(wide, Y), ReducedRankRegression(2).fit(X, Y)
    np.testing.assert_allclose(model.predict(wide), plain.predict(X), atol=1e-8)
    assert model.certificate_.holds
    np.testing.assert_allclose(ReducedRankRegression(2).fit(sparse.csr_array(X), Y).coef_, plain.coef_, atol=1e-10)
    few = ReducedRankRegression(2).fit(X[:4], Y[:4])
    assert few.certificate_.holds


def test_an_altered_answer_is_noticed():
    model = ReducedRankRegression(2, weight=GAMMA).fit(X, Y)
    for change in (lambda c: c * (1 + 1e-5), lambda c: c + 1e-5, lambda c: LinearRegression().fit(X, Y).coef_):
        altered = copy.deepcopy(model)
        altered.coef_ = change(model.coef_)
        assert not certify(altered, X, Y).holds
    worse = copy.deepcopy(model)
    worse.coef_, worse.intercept_ = (
        ReducedRankRegression(1).fit(X, Y).coef_,
        ReducedRankRegression(1).fit(X, Y).intercept_,
    )
    assert not certify(worse, X, Y).holds


def test_errors_name_the_value_and_the_remedy():
    with pytest.raises(ValueError, match=r"rank=5\): a 5 x 4 .* rank <= 4"):
        ReducedRankRegression(5).fit(X, Y)
    with pytest.raises(ValueError, match="least eigenvalue"):
        ReducedRankRegression(1, weight=-np.eye(Q)).fit(X, Y)
    with pytest.raises(ValueError, match="shape"):
        ReducedRankRegression(1, weight=np.eye(3)).fit(X, Y)
    with pytest.raises(ValueError, match="not symmetric"):
        ReducedRankRegression(1, weight=np.triu(np.ones((Q, Q)))).fit(X, Y)
    with pytest.raises(ValueError, match="singular"):
        ReducedRankRegression(1, weight="inverse_covariance").fit(X, np.column_stack([Y, Y[:, 0]]))
