"""Changing the import line is enough: the numbers are scikit-learn's at tight tolerance."""

import inspect

import numpy as np
import pytest
from scipy import sparse
from sklearn import linear_model as foreign
from tests.cases import each

from learnable import linear
from learnable.linear import LinearRegression, LogisticRegression, Ridge

RNG = np.random.default_rng(2)
N, P = 120, 5
X = RNG.standard_normal((N, P)) * (RNG.uniform(size=(N, P)) < 0.6) + 0.0
B = np.array([1.0, -2.0, 0.0, 0.5, 3.0])
Y = X @ B + RNG.standard_normal(N) + 4.0
YY = np.column_stack([Y, RNG.standard_normal(N), X[:, 0]])
W = RNG.uniform(0.0, 2.0, N)
LABEL = np.where(X @ B + RNG.logistic(size=N) > 0, "yes", "no")
FOUR = np.array(list("abcd"))[(X @ RNG.standard_normal((P, 4)) + RNG.gumbel(size=(N, 4))).argmax(axis=1)]


def with_index_type(form, dtype):
    def make(A):
        S = form(A)
        S.indices, S.indptr = S.indices.astype(dtype), S.indptr.astype(dtype)
        return S

    return make


FORMS = {
    "dense": np.asarray,
    "fortran": np.asfortranarray,
    "csr int32": with_index_type(sparse.csr_matrix, np.int32),
    "csr int64": with_index_type(sparse.csr_array, np.int64),
    "csc int32": with_index_type(sparse.csc_matrix, np.int32),
    "csc int64": with_index_type(sparse.csc_array, np.int64),
    "coo": sparse.coo_matrix,
}
weights = each("weight", [None, W], ids=["", "weighted"])
forms = each("form", FORMS)
intercepts = each("fit_intercept", [True, False])


def close(ours, theirs, tolerance=1e-8):
    assert np.shape(ours.coef_) == np.shape(theirs.coef_)
    assert np.shape(ours.intercept_) == np.shape(theirs.intercept_)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=tolerance, rtol=tolerance)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=tolerance, rtol=tolerance)


@forms
@weights
@intercepts
@each("y", [Y, YY], ids=["one", "several"])
def test_least_squares_and_ridge(form, weight, fit_intercept, y):
    A = FORMS[form](X)
    for ours, theirs in (
        (LinearRegression(fit_intercept=fit_intercept), foreign.LinearRegression(fit_intercept=fit_intercept)),
        (Ridge(alpha=2.0, fit_intercept=fit_intercept), foreign.Ridge(2.0, fit_intercept=fit_intercept, solver="svd")),
    ):  # fmt: skip
        ours.fit(A, y, sample_weight=weight)
        close(ours, theirs.fit(X, y, sample_weight=weight), 1e-10)
        np.testing.assert_allclose(ours.predict(A), theirs.predict(X), atol=1e-9)
        assert ours.certificate_.holds


@weights
@intercepts
def test_non_negative(weight, fit_intercept):
    for Ours, Theirs in ((LinearRegression, foreign.LinearRegression), (Ridge, foreign.Ridge)):
        ours = Ours(positive=True, fit_intercept=fit_intercept).fit(X, Y, sample_weight=weight)
        options = {} if Theirs is foreign.LinearRegression else {"tol": 1e-12}
        theirs = Theirs(positive=True, fit_intercept=fit_intercept, **options).fit(X, Y, sample_weight=weight)
        close(ours, theirs, 1e-6)
        assert ours.certificate_.holds


def test_a_penalty_for_each_target():
    alpha = np.array([0.1, 1.0, 10.0])
    close(Ridge(alpha=alpha).fit(X, YY), foreign.Ridge(alpha=alpha).fit(X, YY), 1e-10)


@each("solver", ["auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga"])
def test_every_solver_name_gives_the_same_minimum(solver):
    np.testing.assert_array_equal(Ridge(solver=solver).fit(X, Y).coef_, Ridge().fit(X, Y).coef_)


@each("solver", ["auto", "lbfgs", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga"])
def test_solvers_that_know_no_constraint_are_not_named_with_one(solver):
    model = Ridge(positive=True, solver=solver)
    if solver in ("auto", "lbfgs"):
        np.testing.assert_array_equal(model.fit(X, Y).coef_, Ridge(positive=True).fit(X, Y).coef_)
        return
    said = rf"Ridge\(positive=True, solver='{solver}'\): .*does not support positive.* set the solver to 'auto'"
    with pytest.raises(ValueError, match=said):
        model.fit(X, Y)
    with pytest.raises(ValueError, match="does not support positive"):
        foreign.Ridge(positive=True, solver=solver).fit(X, Y)


def exact_logistic(**options):
    return foreign.LogisticRegression(solver="newton-cholesky", tol=1e-12, max_iter=1000, **options)


@forms
@weights
@each("y", [LABEL, FOUR], ids=["binary", "softmax"])
def test_logistic_regression(form, weight, y):
    ours = LogisticRegression(C=0.7, tol=1e-11).fit(FORMS[form](X), y, sample_weight=weight)
    theirs = exact_logistic(C=0.7).fit(X, y, sample_weight=weight)
    close(ours, theirs)
    np.testing.assert_allclose(ours.predict_proba(FORMS[form](X)), theirs.predict_proba(X), atol=1e-8)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-7)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)


@intercepts
@each("class_weight", [None, "balanced", {"yes": 3.0}, {"yes": 0.5, "no": 2.0}])
@weights
def test_class_weights(fit_intercept, class_weight, weight):
    options = {"class_weight": class_weight, "fit_intercept": fit_intercept}
    ours = LogisticRegression(tol=1e-11, **options).fit(X, LABEL, sample_weight=weight)
    close(ours, exact_logistic(**options).fit(X, LABEL, sample_weight=weight))
    assert ours.certificate_.holds


def test_unpenalised_binary():
    ours = LogisticRegression(C=np.inf, tol=1e-11).fit(X, LABEL)
    close(ours, exact_logistic(C=np.inf).fit(X, LABEL), 1e-7)
    assert ours.certificate_.holds


def test_single_precision():
    A = X.astype(np.float32)
    for Ours, Theirs, y in (
        (LinearRegression, foreign.LinearRegression, Y),
        (Ridge, foreign.Ridge, Y),
        (LogisticRegression, foreign.LogisticRegression, LABEL),
    ):
        ours, theirs = Ours().fit(A, y), Theirs().fit(A, y)
        assert ours.coef_.dtype == np.float32
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-3)
        assert ours.certificate_.holds


def test_warm_start_and_refit():
    model = LogisticRegression(warm_start=True, tol=1e-10).fit(X, LABEL)
    steps = model.n_iter_[0]
    first = model.coef_.copy()
    model.fit(X, LABEL)
    assert model.n_iter_[0] < steps
    np.testing.assert_allclose(model.coef_, first, atol=1e-9)


# Parameters beyond scikit-learn's, by keyword alone.
MORE = {"SGDClassifier": ("batch_size",), "SGDRegressor": ("batch_size",)}


@each("name", [name for name in linear.__all__ if inspect.isclass(getattr(foreign, name, None))])
def test_signature_is_scikit_learn_s(name):
    ours, theirs = (inspect.signature(getattr(room, name).__init__).parameters for room in (linear, foreign))
    shared = [p for key, p in ours.items() if key not in MORE.get(name, ())]
    assert [p.name for p in shared] == list(theirs)
    assert [p.default for p in shared] == [p.default for p in theirs.values()]
    assert [p.kind for p in shared] == [p.kind for p in theirs.values()]
    assert all(ours[key].kind is inspect.Parameter.KEYWORD_ONLY for key in MORE.get(name, ()))


@each("name", ["LinearRegression", "LogisticRegression", "Perceptron", "Ridge"])
def test_fitted_attributes_are_all_there(name):
    y = LABEL if hasattr(getattr(foreign, name), "decision_function") else Y
    options = {"max_iter": 20, "tol": None} if name == "Perceptron" else {}
    theirs = getattr(foreign, name)(**options)
    ours = getattr(linear, name)(**options)
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs.fit(X, y)
        ours.fit(X, y)
    missing = {a for a in vars(theirs) if a.endswith("_") and not a.startswith("_")} - set(dir(ours))
    assert not missing


@each("solver", ["sag", "saga"])
@each("tol", [0.1, 1e-2, 1e-3])
@each("C", [1.0, 100.0, 1e4])
@each("label", [LABEL, FOUR], ids=["two classes", "four"])
def test_a_tolerance_of_steps_is_one_of_the_parameters(solver, tol, C, label):
    """Also where the likelihood is so flat that its gradient is small far away."""
    given = {"C": C, "max_iter": 1000}
    exact = LogisticRegression(tol=1e-10, **given).fit(X, label).coef_
    coef = LogisticRegression(tol=tol, solver=solver, **given).fit(X, label).coef_
    assert np.abs(coef - exact).max() <= tol * np.abs(exact).max()
