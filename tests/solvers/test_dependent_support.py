"""Dependent columns leave a support: the fit stays, the penalty does not rise, what is left is independent."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import each

from learnable.solvers.sparse.dependent_support import independent_support, null_space
from learnable.sparse import ElasticNet, Lasso


@given(seed=st.integers(0, 10**6), rank=st.integers(1, 6), p=st.integers(1, 15), spread=st.sampled_from([0.0, 6.0]))
@settings(max_examples=60, deadline=None)
def test_the_fit_stays_and_the_penalty_does_not_rise(seed, rank, p, spread):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((20, rank)) @ rng.standard_normal((rank, p)) * 10.0 ** rng.uniform(-spread, spread, p)
    coef = rng.standard_normal(p) / np.linalg.norm(X, axis=0) * (rng.random(p) < 0.8)
    level = rng.uniform(0.1, 2.0, p)
    moved = coef.copy()
    left = independent_support(X.T @ X, moved, level)
    assert left == np.count_nonzero(coef) - np.count_nonzero(moved)
    np.testing.assert_allclose(X @ moved, X @ coef, atol=1e-6)
    assert level @ np.abs(moved) <= level @ np.abs(coef) * (1.0 + 1e-9)
    S = X[:, moved != 0.0]
    assert S.size == 0 or np.linalg.matrix_rank(S / np.linalg.norm(S, axis=0)) == S.shape[1]
    assert np.all(moved * coef >= 0.0)  # nobody goes through zero


def test_independent_columns_have_no_null_vector():
    X = np.random.default_rng(0).standard_normal((30, 10))
    assert null_space(X.T @ X).shape == (0, 10)


@each("share", [1e-1, 1e-3, 1e-6, 1e-10])
@each("model", [Lasso(tol=1e-13), Lasso(tol=1e-13, positive=True), ElasticNet(tol=1e-13)], ids=str)
def test_a_design_of_low_rank_is_solved_in_few_rounds(model, share):
    rng = np.random.default_rng(2)
    X = rng.standard_normal((50, 8)) @ rng.standard_normal((8, 40))
    y = X @ rng.standard_normal(40) + rng.standard_normal(50)
    largest = np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / 50
    fitted = model.set_params(alpha=share * largest).fit(X, y)
    assert fitted.status_ == "optimal"
    assert fitted.certificate_.holds
    assert fitted.n_iter_ < 100  # a third of it, of a budget of a thousand
