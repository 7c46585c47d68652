"""The lasso against scikit-learn's at tight tolerance, over weights, storage, sign constraint and several targets."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import linear_model as foreign
from tests.cases import each

from learnable.sparse import Lasso
from learnable.trace import Status

RNG = np.random.default_rng(4)
N, P = 80, 12
X = RNG.standard_normal((N, P)) * (RNG.uniform(size=(N, P)) < 0.6) + 0.0
Y = X[:, :3] @ [2.0, -1.0, 0.5] + 0.5 * RNG.standard_normal(N) + 3.0
YY = np.column_stack([Y, X[:, 5] + RNG.standard_normal(N)])
W = RNG.uniform(0.0, 2.0, N)
FORMS = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "csr": sparse.csr_matrix,
    "csc": sparse.csc_array,
    "csc int64": lambda A: _wide(sparse.csc_array(A)),
    "coo": sparse.coo_array,
}


def _wide(S):
    S.indices, S.indptr = S.indices.astype(np.int64), S.indptr.astype(np.int64)
    return S


@each("form", FORMS)
@each("weight", [None, W], ids=["", "weighted"])
@each("fit_intercept", [True, False])
@each("positive", [True, False])
def test_same_numbers(form, weight, fit_intercept, positive):
    options = {"alpha": 0.05, "fit_intercept": fit_intercept, "positive": positive}
    ours = Lasso(tol=1e-14, **options).fit(FORMS[form](X), Y, sample_weight=weight)
    theirs = foreign.Lasso(tol=1e-14, max_iter=10**6, **options).fit(X, Y, sample_weight=weight)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-8)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-8)
    np.testing.assert_array_equal(ours.coef_ == 0, theirs.coef_ == 0)
    np.testing.assert_array_equal(ours.sparse_coef_.toarray()[0], ours.coef_)
    assert ours.certificate_.holds
    assert ours.dual_gap_ <= 1e-13 * np.mean((Y - Y.mean()) ** 2) + 1e-13


def test_several_targets():
    ours = Lasso(alpha=0.05, tol=1e-13).fit(X, YY)
    theirs = foreign.Lasso(alpha=0.05, tol=1e-13, max_iter=10**6).fit(X, YY)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-7)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-7)
    assert ours.certificate_.holds
    assert len([claim for claim in ours.certificate_ if claim.id == "L3"]) == 2


@each("dtype", [np.float32, np.int64, bool])
def test_other_number_types(dtype):
    A = (10 * X).astype(dtype)
    ours = Lasso(alpha=0.1).fit(A, Y)
    theirs = foreign.Lasso(alpha=0.1, tol=1e-8, max_iter=10**5).fit(A.astype(float), Y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=5e-3)
    assert ours.coef_.dtype == (np.float32 if dtype == np.float32 else np.float64)
    assert ours.certificate_.holds


def test_warm_start_needs_fewer_rounds():
    model = Lasso(alpha=0.02, tol=1e-12, warm_start=True).fit(X, Y)
    first = model.n_iter_
    assert model.fit(X, Y).n_iter_ == 0 < first
    cold = Lasso(alpha=0.01, tol=1e-12).fit(X, Y)
    np.testing.assert_allclose(model.set_params(alpha=0.01).fit(X, Y).coef_, cold.coef_, atol=1e-9)


def test_zero_weights_are_absent_rows():
    weight = (np.arange(N) % 3 > 0).astype(float)
    part = Lasso(alpha=0.05, tol=1e-13).fit(X[weight > 0], Y[weight > 0])
    np.testing.assert_allclose(Lasso(alpha=0.05, tol=1e-13).fit(X, Y, weight).coef_, part.coef_, atol=1e-9)


def test_integer_weights_are_repetitions():
    times = np.random.default_rng(5).integers(0, 4, N)
    repeated = Lasso(alpha=0.05, tol=1e-13).fit(np.repeat(X, times, axis=0), np.repeat(Y, times))
    np.testing.assert_allclose(Lasso(alpha=0.05, tol=1e-13).fit(X, Y, times).coef_, repeated.coef_, atol=1e-9)


def test_grouping_of_equal_columns_keeps_the_fit():
    # Equal columns: the coefficients are not unique, the fit and the ℓ1 norm are.
    doubled = np.column_stack([X, X[:, 0]])
    one, two = Lasso(alpha=0.05, tol=1e-12).fit(X, Y), Lasso(alpha=0.05, tol=1e-12).fit(doubled, Y)
    np.testing.assert_allclose(two.predict(doubled), one.predict(X), atol=1e-6)
    assert np.abs(two.coef_).sum() == pytest.approx(np.abs(one.coef_).sum(), abs=1e-6)
    assert two.certificate_.holds


@each("alpha", [0.01, 0.005])
@each("positive", [True, False])
def test_more_columns_than_rows_and_a_weak_penalty(alpha, positive):
    # The support grows to the number of rows, where its equations are nearly singular.
    rng = np.random.default_rng(3)
    A, y = rng.standard_normal((50, 200)), rng.standard_normal(50)
    for weight in (None, np.ones(50)):
        model = Lasso(alpha=alpha, tol=1e-8, positive=positive).fit(A, y, weight)
        assert model.status_ is Status.OPTIMAL
        assert model.certificate_.holds


def test_no_penalty_is_least_squares():
    model = Lasso(alpha=0.0).fit(X, Y)
    np.testing.assert_allclose(model.coef_, foreign.LinearRegression().fit(X, Y).coef_, atol=1e-8)
    assert model.certificate_.holds
