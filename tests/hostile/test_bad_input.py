"""Bad input gets one clear error, or the right answer; never a silent wrong number."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import linear_model
from sklearn.base import clone
from tests.cases import each

from learnable import certify
from learnable.linear import LinearRegression, LogisticRegression, Perceptron, Ridge
from learnable.sparse import Lasso

RNG = np.random.default_rng(77)
B = np.array([1.0, -2.0, 0.3, 0.5])
X = RNG.standard_normal((60, 4))
X += 0.2 * np.outer(np.where(X @ B > 0, 1, -1), B)
Y = X @ B + 0.1 * RNG.standard_normal(60)
LABEL = np.where(X @ B > 0, "yes", "no")

REGRESSORS = [LinearRegression(), Ridge(), Lasso(alpha=0.01, tol=1e-10)]
CLASSIFIERS = [LogisticRegression(tol=1e-8), Perceptron(tol=None)]
ALL = REGRESSORS + CLASSIFIERS
every = each("model", ALL, ids=lambda m: type(m).__name__)
regressors = each("model", REGRESSORS, ids=lambda m: type(m).__name__)
classifiers = each("model", CLASSIFIERS, ids=lambda m: type(m).__name__)


def target(model):
    return LABEL if any(isinstance(model, type(c)) for c in CLASSIFIERS) else Y


def changed(A, i, j, value):
    A = A.copy()
    A[i, j] = value
    return A


def _same(a, b):
    return np.allclose(a, b, rtol=1e-9) if a.dtype.kind == "f" else np.array_equal(a, b)


def refused(model, X, y, message, error=ValueError, **fit):
    model = clone(model)
    with pytest.raises(error, match=message):
        model.fit(X, y, **fit)
    assert not hasattr(model, "coef_"), "a refused fit left an answer behind"


@every
@each("value", [np.nan, np.inf, -np.inf])
def test_non_finite_cells(model, value):
    refused(model, changed(X, 3, 2, value), target(model), "X contains (NaN|infinity)")
    refused(model, sparse.csr_matrix(changed(X, 3, 2, value)), target(model), "X contains (NaN|infinity)")
    refused(model, pd.DataFrame(changed(X, 3, 2, value), columns=list("abcd")), target(model), "(NaN|infinity)")


@regressors
@each("value", [np.nan, np.inf])
def test_non_finite_targets(model, value):
    refused(model, X, np.append(Y[:-1], value), "y contains (NaN|infinity)")


@every
def test_missing_values_of_data_frames(model):
    holes = pd.DataFrame(X, columns=list("abcd")).astype("Float64")
    holes.iloc[3, 2] = pd.NA
    refused(model, holes, target(model), "NaN")
    refused(model, pl.DataFrame({"a": [None, *X[1:, 0]], "b": X[:, 1]}), target(model), "NaN")


@every
def test_no_rows_no_columns_wrong_shape(model):
    y = target(model)
    refused(model, X[:0], y[:0], "0 sample")
    refused(model, X[:, :0], y, "0 feature")
    refused(model, X[:, 0], y, "Expected 2D array")
    refused(model, X[None], y, "dim")
    refused(model, X, y[:-1], "inconsistent numbers of samples")
    refused(model, X, None, "requires y|y cannot be None")


@regressors
def test_one_row(model):
    fitted = clone(model).fit(X[:1], Y[:1])
    assert fitted.predict(X[:1]) == pytest.approx(Y[:1])
    assert fitted.certificate_.holds


@classifiers
def test_one_class(model):
    for y in (np.ones(60), np.full(60, "yes")):
        refused(model, X, y, f"{type(model).__name__}: y holds only one class")
    refused(model, X[:1], LABEL[:1], "only one class")


@classifiers
def test_targets_that_are_not_classes(model):
    refused(model, X, Y, "continuous")
    refused(model, X, np.where(np.arange(60) == 4, np.nan, (LABEL == "yes") * 1.0), "NaN")


@every
def test_text_and_complex_numbers(model):
    y = target(model)
    refused(model, changed(X.astype(object), 0, 0, "abc"), y, "could not convert string")
    refused(model, X + 1j, y, "Complex data")


@every
def test_numbers_in_object_arrays(model):
    plain = clone(model).fit(X, target(model))
    np.testing.assert_array_equal(clone(model).fit(X.astype(object), target(model)).coef_, plain.coef_)


@every
def test_weights(model):
    y = target(model)
    for weight, message in (
        (np.zeros(60), "non-zero"),
        (-np.ones(60), "Negative"),
        (np.append(np.ones(59), -1e-9), "Negative"),
        (np.append(np.ones(59), np.nan), "NaN"),
        (np.append(np.ones(59), np.inf), "infinity"),
        (np.ones(5), "shape"),
    ):
        refused(model, X, y, message, sample_weight=weight)


# Ridge and logistic regression measure the penalty against the sum of the weights, the others do not.
@each("model", [LinearRegression(), Lasso(alpha=0.01, tol=1e-10), Perceptron(tol=None)], ids=repr)
def test_the_unit_of_the_weights_does_not_count(model):
    weight = np.random.default_rng(1).uniform(0.5, 2.0, 60)
    one, two = (clone(model).fit(X, target(model), sample_weight=k * weight).coef_ for k in (1.0, 1024.0))
    if isinstance(model, Perceptron):
        two = two / 1024.0
    np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-12)


@each(
    ("model", "name"),
    [
        (Ridge(alpha=-1.0), "alpha"),
        (Ridge(alpha=np.nan), "alpha"),
        (Ridge(alpha=np.array([-1.0])), "alpha"),
        (Ridge(alpha=np.array([1.0, 2.0])), "penalties"),
        (Lasso(alpha=-1.0), "alpha"),
        (Lasso(alpha=np.inf), "alpha"),
        (Lasso(tol=-1.0), "tol"),
        (Lasso(max_iter=0), "max_iter"),
        (LinearRegression(fit_intercept="yes"), "fit_intercept"),
    ],
    ids=repr,
)
def test_bad_parameters_of_regressors(model, name):
    with pytest.raises(ValueError, match=name):
        model.fit(X, Y)


@each(
    ("model", "name"),
    [
        (LogisticRegression(C=-1.0), "'C'"),
        (LogisticRegression(C=0.0), "'C'"),
        (LogisticRegression(solver="magic"), "solver"),
        (LogisticRegression(class_weight={"maybe": 1.0}), "class_weight"),
        (Perceptron(eta0=0.0), "eta0"),
        (Perceptron(penalty="l3"), "penalty"),
        (Perceptron(alpha=-1.0), "alpha"),
    ],
    ids=repr,
)
def test_bad_parameters_of_classifiers(model, name):
    with pytest.raises(ValueError, match=name):
        model.fit(X, LABEL)


@every
def test_masks_and_dates(model):
    y = target(model)
    masked = np.ma.array(X, mask=np.arange(240).reshape(60, 4) == 5)
    refused(model, masked, y, "masked array", TypeError)
    clone(model).fit(np.ma.array(X), y)  # no mask is set: nothing would be ignored
    days = np.arange(60).astype("datetime64[D]")[:, None]
    refused(model, days, y, "dates or durations", TypeError)
    refused(model, days - days[0], y, "dates or durations", TypeError)
    refused(model, pd.DataFrame({"a": pd.date_range("2020", periods=60), "b": X[:, 0]}), y, "dates", TypeError)


@every
def test_names_of_columns(model):
    y = target(model)
    frame = pd.DataFrame(X, columns=list("abcd"))
    fitted = clone(model).fit(frame, y)
    assert fitted.feature_names_in_.tolist() == list("abcd")
    with pytest.raises(ValueError, match="same order"):
        fitted.predict(frame[list("dcba")])
    with pytest.raises(ValueError, match="unseen"):
        fitted.predict(frame.rename(columns={"a": "other"}))
    refused(model, pd.DataFrame(X, columns=list("aacd")), y, "'a'")
    refused(model, pd.DataFrame(X, columns=["a", 1, "c", "d"]), y, "string names", TypeError)


@every
def test_data_frames_give_the_numbers_of_arrays(model):
    plain = clone(model).fit(X, target(model))
    for frame in (pd.DataFrame(X, columns=list("abcd")), pl.DataFrame(X, schema=list("abcd"))):
        fitted = clone(model).fit(frame, target(model))
        np.testing.assert_allclose(fitted.coef_, plain.coef_, rtol=1e-9, atol=1e-12)
        assert _same(fitted.predict(frame), plain.predict(X))
    series = clone(model).fit(X, pd.Series(target(model), index=np.arange(60)[::-1]))
    np.testing.assert_array_equal(series.coef_, plain.coef_)


@regressors
def test_a_column_of_targets_has_the_shapes_of_scikit_learn(model):
    foreign = getattr(linear_model, type(model).__name__)().fit(X, Y[:, None])
    one, column = clone(model).fit(X, Y), clone(model).fit(X, Y[:, None])
    assert column.coef_.shape == foreign.coef_.shape
    assert np.shape(column.intercept_) == np.shape(foreign.intercept_)
    assert column.predict(X).shape == foreign.predict(X).shape
    np.testing.assert_allclose(np.ravel(column.coef_), one.coef_)


@classifiers
def test_a_column_of_labels_warns(model):
    with pytest.warns(match="column-vector y"):
        fitted = clone(model).fit(X, LABEL[:, None])
    assert fitted.predict(X).shape == (60,)


@every
def test_everything_read_only(model):
    arrays = [X.copy(), np.array(target(model)), np.ones(60)]
    for array in arrays:
        array.setflags(write=False)
    clone(model).fit(arrays[0], arrays[1], sample_weight=arrays[2]).predict(arrays[0])
    S = sparse.csr_matrix(X)
    for part in (S.data, S.indices, S.indptr):
        part.setflags(write=False)
    clone(model).fit(S, arrays[1]).predict(S)


@every
def test_nothing_of_the_caller_is_changed(model):
    A, y, w = X.copy(), np.array(target(model)), np.linspace(1, 2, 60)
    S = sparse.csr_matrix(np.where(np.abs(X) > 0.5, X, 0.0))
    kept = [a.copy() for a in (A, y, w, S.data, S.indices, S.indptr)]
    clone(model).fit(A, y, sample_weight=w)
    clone(model).fit(S, y, sample_weight=w)
    for before, after in zip(kept, (A, y, w, S.data, S.indices, S.indptr)):
        np.testing.assert_array_equal(before, after)


@every
@each("form", [sparse.csr_array, sparse.csr_matrix])
def test_explicit_zeros_duplicates_and_unsorted_indices(model, form):
    D = np.where(np.abs(X) > 0.5, X, 0.0)
    S = sparse.coo_array(D)
    # Every entry in two parts, explicit zeros, and columns in falling order within a row.
    row = np.concatenate([S.row, S.row, np.arange(60)])
    col = np.concatenate([S.col, S.col, np.arange(60) % 4])
    data = np.concatenate([0.25 * S.data, 0.75 * S.data, np.zeros(60)])
    order = np.lexsort((-col, row))
    start = np.searchsorted(row[order], np.arange(61))
    messy = form((data[order], col[order], start), shape=D.shape)
    clean = clone(model).fit(D, target(model))
    fitted = clone(model).fit(messy, target(model))
    np.testing.assert_allclose(fitted.coef_, clean.coef_, atol=1e-9)
    np.testing.assert_allclose(fitted.intercept_, clean.intercept_, atol=1e-9)
    assert messy.nnz == len(data)


@every
def test_more_columns_than_rows(model):
    A = np.random.default_rng(2).standard_normal((8, 30))
    y = np.array(["no", "yes"])[(A[:, 0] > np.median(A[:, 0])).astype(int)] if target(model) is LABEL else A[:, 0]
    fitted = clone(model).fit(A, y)
    assert fitted.certificate_.holds
    if isinstance(model, LinearRegression):
        assert fitted.rank_ == 7
        assert "numerical rank" in str(fitted.certificate_)


@every
def test_constant_and_zero_columns(model):
    A = np.column_stack([X, np.full(60, 3.0), np.zeros(60)])
    fitted = clone(model).fit(A, target(model))
    assert np.all(np.isfinite(fitted.coef_))
    assert fitted.certificate_.holds
    if not isinstance(model, LogisticRegression | Perceptron):
        np.testing.assert_allclose(np.ravel(fitted.coef_)[4:], 0.0, atol=1e-12)


@every
def test_features_missing_at_prediction(model):
    fitted = clone(model).fit(X, target(model))
    with pytest.raises(ValueError, match="4 features"):
        fitted.predict(X[:, :3])
    with pytest.raises(ValueError, match="NaN"):
        fitted.predict(changed(X, 0, 0, np.nan))


@each("kind", [LogisticRegression, Perceptron])
def test_labels_of_every_type(kind):
    binary = (LABEL == "yes").astype(int)
    base = kind().fit(X, binary)
    for labels in (binary.astype(bool), 2 * binary - 1, binary.astype(float), LABEL, LABEL.astype(object),
                   pd.Series(LABEL, dtype="category"), (LABEL == "yes").astype("U5")):  # fmt: skip
        fitted = kind().fit(X, labels)
        np.testing.assert_array_equal(fitted.coef_, base.coef_)
        assert fitted.score(X, labels) == base.score(X, binary)


def test_a_compressed_matrix_with_duplicates_is_left_alone():
    S = sparse.csc_matrix((np.ones(4), np.array([0, 0, 2, 1]), np.array([0, 2, 4])), shape=(3, 2))
    Lasso(alpha=0.1).fit(S, np.array([1.0, 2.0, 4.0]))
    assert (S.nnz, S.indices.tolist()) == (4, [0, 0, 2, 1])
    certify(Lasso(alpha=0.1).fit(S.toarray(), np.array([1.0, 2.0, 4.0])), S, np.array([1.0, 2.0, 4.0]))
    assert (S.nnz, S.indices.tolist()) == (4, [0, 0, 2, 1])
