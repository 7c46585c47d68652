"""Faults that were found in the core once, one test each."""

import copy

import numba
import numpy as np
import polars as pl
import pytest
from tests.cases import each

from learnable import certify
from learnable._jit.sparse import coordinate_descent  # noqa: F401
from learnable.certificates import Verdict
from learnable.linear import LinearRegression, LogisticRegression, Perceptron, RandomLinearClassifier, Ridge
from learnable.problems.sparse import penalties
from learnable.problems.sparse.penalties import L2, ElasticNet
from learnable.sparse import Lasso
from learnable.trace import Status

conjugate = penalties.conjugate
RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 4))
B = np.array([1.0, -2.0, 0.0, 0.5])
Y = X @ B + 0.1 * RNG.standard_normal(60)
SIGN = (X @ B > 0).astype(int)
A = X + 0.2 * np.outer(2 * SIGN - 1, B)


# 1 silent wrong numbers
def test_rank_of_a_design_far_from_the_origin():
    rng = np.random.default_rng(1)
    Z = rng.standard_normal((40, 2)) @ rng.standard_normal((2, 5)) + 1e4
    model = LinearRegression().fit(Z, rng.standard_normal(40))
    assert model.rank_ == 2
    assert np.abs(model.coef_).max() < 1.0


@each("scale", [1e-150, 1e160])
@each("model", [Ridge(), Lasso(), LogisticRegression(), LogisticRegression(C=np.inf), Perceptron()])
def test_a_column_whose_squares_cannot_be_represented_is_named(model, scale):
    with pytest.raises(ValueError, match="column 1 of X has entries of size"):
        model.fit(X * [1, scale, 1, 1], SIGN)


@each("scale", [1e-300, 1e-200, 1e-160, 1e-150, 1e150, 1e160, 1e200, 1e300])
def test_least_squares_is_exact_for_columns_of_any_size(scale):
    expected = LinearRegression().fit(X, Y).coef_
    found = LinearRegression().fit(X * [1, scale, 1, 1], Y)
    np.testing.assert_allclose(found.coef_ * [1, scale, 1, 1], expected, rtol=1e-10)
    assert found.certificate_.holds


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_perceptron_whose_scores_overflow():
    # NaN margins count as no mistake: "optimal", certificate holds, accuracy 0.57.
    try:
        model = Perceptron().fit(X * 1e300, SIGN)
    except (ArithmeticError, ValueError):
        return
    assert model.status_ is not Status.OPTIMAL
    assert not model.certificate_.holds


# 2 certificates that hold and should not
def test_perceptron_with_an_undefined_intercept():
    model = copy.deepcopy(Perceptron().fit(A, SIGN))
    model.intercept_ = np.array([np.nan])
    assert not certify(model, A, SIGN).holds


def test_lasso_gap_of_infinity():
    model = Lasso(alpha=0.05).fit(X, Y)
    model.intercept_ = 1e300
    with np.errstate(all="ignore"):
        assert not certify(model, X, Y).holds


def test_unpenalised_logistic_with_an_undefined_answer():
    label = (X @ B + np.random.default_rng(5).logistic(size=60) > 0).astype(int)
    model = LogisticRegression(C=np.inf).fit(X, label)
    model.coef_[0, 0] = np.nan
    assert not certify(model, X, label).holds


# 3 certificates that fail and should not
def test_perceptron_that_starts_elsewhere():
    # No log tells how the answer came about: it separates the rows, and nothing pins it beyond that.
    begun = Perceptron().fit(A, SIGN, coef_init=np.ones((1, 4))).certificate_
    assert begun.verdict is Verdict.NOTHING_ASSERTED
    assert begun.claim("P5").holds
    model = Perceptron(warm_start=True).fit(A, SIGN)
    assert model.fit(A, SIGN).certificate_.verdict is not Verdict.REFUTED


def test_perceptron_with_rows_set_aside():
    model = Perceptron(early_stopping=True).fit(A, SIGN)
    assert certify(model, A, SIGN).holds == model.certificate_.holds


def test_partial_fit_drops_the_certificate_of_the_last_fit():
    model = Perceptron().fit(A, SIGN).partial_fit(-A[:10], SIGN[:10])
    assert not hasattr(model, "certificate_") or model.certificate_ == certify(model, A, SIGN)


@each("factor", [1e100, 1e-100])
def test_novikoff_bound_at_any_scale(factor):
    model = Perceptron(fit_intercept=False, tol=None).fit(A * factor, SIGN)  # RuntimeWarning: overflow / invalid
    assert model.certificate_.claim("P8").holds


# 4 input that is silently misread
def test_masks_of_targets_and_weights():
    mask = np.arange(60) == 0
    with pytest.raises(TypeError, match="mask"):
        LinearRegression().fit(X, np.ma.array(Y, mask=mask))
    with pytest.raises(TypeError, match="mask"):
        LinearRegression().fit(X, Y, np.ma.array(np.ones(60), mask=mask))


def test_dates_in_a_polars_frame():
    import datetime

    frame = pl.DataFrame({"a": [datetime.date(2020, 1, 1 + i % 28) for i in range(60)], "b": X[:, 0]})
    with pytest.raises(TypeError, match="dates"):
        LinearRegression().fit(frame, Y)


# 6 messages
@each("model", [RandomLinearClassifier(), Perceptron()], ids=repr)
def test_blocks_are_refused_by_name(model):
    import dask.array as da

    with pytest.raises((TypeError, ValueError), match=r"dask|blocks"):
        model.fit(da.from_array(X, chunks=(20, 4)), SIGN)


def test_certify_takes_what_fit_takes():
    for data in (X.tolist(), pl.DataFrame(X, schema=list("abcd"))):
        assert certify(Lasso(alpha=0.1).fit(data, Y), data, Y).holds


def test_labels_for_a_lasso():
    with pytest.raises((TypeError, ValueError), match=r"numbers|numeric|convert"):
        Lasso().fit(X, np.where(SIGN, "a", "b"))


def test_negative_class_weight():
    with pytest.raises(ValueError, match="class_weight"):
        LogisticRegression(class_weight={1: -1.0}).fit(X, SIGN)


@each("penalty", [L2(0.7), ElasticNet(0.7, 0.3)], ids=repr)
def test_conjugates_compile(penalty):
    @numba.njit
    def at(penalty, u):
        return conjugate(penalty, u, 0)

    assert at(penalty, 0.9) == pytest.approx(float(conjugate(penalty, 0.9, 0)))
