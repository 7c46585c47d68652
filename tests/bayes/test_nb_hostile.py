"""Bad input to naive Bayes: every error names the thing, the value and the remedy."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.utils import check_X_y
from tests.cases import each

from learnable import certify
from learnable.bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from learnable.bayes.naive_bayes_classifier import class_numbers

X, y = np.array([[0, 1], [1, 0], [2, 1], [1, 1]]), np.array(["a", "b", "a", "b"])
EVERY = (BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB)


def test_an_unseen_category_is_named():
    frame = pd.DataFrame({"outlook": [0, 1, 2], "wind": [0, 1, 0]})
    strange = pd.DataFrame({"outlook": [0, 1], "wind": [0, 5]})
    model = CategoricalNB().fit(frame, ["no", "yes", "no"])
    with pytest.raises(ValueError, match=r"column 1 \('wind'\) holds 5 in row 1, a category .* \(0 … 1\).*NaN"):
        model.predict(strange)
    assert CategoricalNB(min_categories=6).fit(frame, ["no", "yes", "no"]).predict(strange)[1] in ("no", "yes")
    model.predict(pd.DataFrame({"outlook": [0, 1], "wind": [0, np.nan]}))


@each(
    ("cell", "message"),
    [
        (-1.0, "Negative values in data passed to CategoricalNB"),
        (0.5, "no category code"),
        (1e12, "no category code"),
    ],
)
def test_cells_that_are_no_category_codes(cell, message):
    bad = X.astype(float)
    bad[2, 1] = cell
    with pytest.raises(ValueError, match=message + ".*"):
        CategoricalNB().fit(bad, y)
    with pytest.raises(ValueError, match="column 1 holds"):
        CategoricalNB().fit(X, y).predict(bad)


@each("frame", [pd.DataFrame, pl.DataFrame, pa.table])
@each("kind", EVERY)
def test_a_column_of_text_is_named(kind, frame):
    weather = {"wind": [0, 1, 1], "outlook": ["1", "sunny", "rain"]}
    message = rf"{kind.__name__}: row 1 of column 1 \('outlook'\) holds 'sunny', .*OrdinalEncoder.*bayes.NaiveBayes"
    with pytest.raises(ValueError, match=message):
        kind().fit(frame(weather), ["a", "b", "b"])
    model = kind().fit(frame({"wind": [0, 1, 1], "outlook": [0, 1, 0]}), ["a", "b", "b"])
    with pytest.raises(ValueError, match=message):
        model.predict(frame(weather))
    with pytest.raises(ValueError, match=f"{kind.__name__}: row 1 of column 0 holds 'a', which is no number"):
        kind().fit([["1", "2"], ["a", "1"]], ["a", "b"])


def test_small_integers_as_labels():
    labels = np.array([-100, 100, -100, 100], dtype=np.int8)
    wide = np.tile(X, (60, 1))
    model = MultinomialNB().fit(wide, np.tile(labels, 60))
    np.testing.assert_array_equal(model.classes_, [-100, 100])
    assert model.classes_.dtype == np.int8
    np.testing.assert_array_equal(model.feature_count_, 60 * MultinomialNB().fit(X, labels).feature_count_)


@each("convert", [np.asarray, sparse.csr_matrix])
@each("kind", [ComplementNB, MultinomialNB])
def test_negative_and_undefined_counts(kind, convert):
    negative = "column 1 holds -2.0 in row 3; counts must be >= 0"
    for cell, message in ((-2.0, negative), (np.nan, "NaN"), (np.inf, "inf")):
        bad = X.astype(float)
        bad[3, 1] = cell
        with pytest.raises(ValueError, match=message):
            kind().fit(convert(bad), y)
        with pytest.raises(ValueError, match=message):
            kind().fit(X, y).predict(convert(bad))


@each("norm", [False, True])
def test_weights_that_would_be_infinite_or_undefined(norm):
    words = [[2, 1, 0], [1, 2, 0], [0, 1, 3]]
    with pytest.raises(ValueError, match=r"column 2 occurs in class 'news' only.*set alpha > 0"):
        ComplementNB(alpha=0.0, norm=norm).fit(words, ["notes", "notes", "news"])
    with pytest.raises(ValueError, match=r"class 'notes' has no words outside it.*set alpha > 0"):
        ComplementNB(alpha=0.0, norm=norm).fit(words, ["notes", "notes", "notes"])


@each("convert", [np.asarray, sparse.csr_matrix])
def test_infinite_cells(convert):
    bad = X.astype(float)
    bad[3, 1] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        BernoulliNB().fit(convert(bad), y)
    with pytest.raises(ValueError, match="infinity"):
        BernoulliNB().fit(X, y).predict(convert(bad))


def test_binary_means_binary():
    with pytest.raises(ValueError, match=r"BernoulliNB\(binarize=None\): X must hold 0, 1 and NaN only, but has 2"):
        BernoulliNB(binarize=None).fit(X, y)
    np.testing.assert_array_equal(
        BernoulliNB(binarize=None).fit(X > 0, y).feature_count_, BernoulliNB().fit(X, y).feature_count_
    )


@each("kind", EVERY)
def test_priors_that_are_none(kind):
    name = "priors" if kind is GaussianNB else "class_prior"
    for prior, message in (
        ([0.2, 0.3, 0.5], "Number of priors must match number of classes"),
        ([0.5, 0.6], "The sum of the priors should be 1"),
        ([-0.5, 1.5], "Priors must be non-negative"),
        ([np.nan, 1.0], "Priors must be non-negative"),
    ):
        with pytest.raises(ValueError, match=message):
            kind(**{name: prior}).fit(X, y)


@each("kind", EVERY)
def test_a_prior_of_zero_is_never_predicted(kind):
    model = kind(**{"priors" if kind is GaussianNB else "class_prior": [0.0, 1.0]}).fit(X, y)
    assert set(kind().fit(X, y).predict(X)) == {"a", "b"}
    assert set(model.predict(X)) == {"b"}
    assert model.certificate_.holds
    np.testing.assert_array_equal(model.predict_proba(X)[:, 0], 0.0)


@each("kind", EVERY)
def test_nothing_to_learn_from(kind):
    with pytest.raises(ValueError, match="0 sample"):
        kind().fit(np.zeros((0, 2)), [])
    with pytest.raises(ValueError, match="non-zero number"):
        kind().fit(X, y, sample_weight=np.zeros(4))
    with pytest.raises(ValueError, match="Unknown label type"):
        kind().fit(X, [0.1, 0.2, 0.3, 0.4])


@each("kind", EVERY)
def test_a_single_class_is_learnt(kind):
    model = kind().fit(X, ["only"] * 4)
    assert model.predict(X[:1]) == ["only"]
    assert model.certificate_.holds
    np.testing.assert_allclose(model.predict_proba(X), 1.0)


def test_nothing_over_nothing_is_refused():
    no_words = np.array([[1, 2], [0, 0]])
    for convert in (np.asarray, sparse.csr_matrix):
        with pytest.raises(ValueError, match=r"class 'b' has no words.*0/0.*alpha > 0"):
            MultinomialNB(alpha=0.0).fit(convert(no_words), ["a", "b"])
    with pytest.raises(ValueError, match="class 'b' has no known cell in column 1"):
        CategoricalNB(m=0.0).fit([[0.0, 1.0], [1.0, np.nan]], ["a", "b"])
    with pytest.raises(ValueError, match="no cell of column 1 is known in class 'b'"):
        GaussianNB().fit([[0.0, 1.0], [1.0, np.nan]], ["a", "b"])
    with pytest.raises(ValueError, match=r"column 0 occurs in class 'a' only.*alpha > 0"):
        ComplementNB(alpha=0.0).fit([[1, 2], [0, 3]], ["a", "b"])


def test_likelihood_zero_everywhere():
    rows = sparse.vstack([sparse.csr_matrix([[1.0, 0.0]] * 3), sparse.csr_matrix([[1.0, 1.0]])]).tocsr()
    words = MultinomialNB(alpha=0.0).fit(sparse.csr_matrix([[1.0, 0.0], [0.0, 1.0]]), ["a", "b"])
    assert list(words.predict(rows[:3])) == ["a"] * 3
    with pytest.raises(ValueError, match="row 3 of X has likelihood zero in every class"):
        words.predict(rows)
    model = CategoricalNB(alpha=0.0).fit([[0, 0], [1, 1]], ["a", "b"])
    assert np.all(np.isneginf(model.predict_joint_log_proba([[0, 1]])))
    for ask in (model.predict, model.predict_proba, model.predict_log_proba):
        with pytest.raises(ValueError, match="row 0 of X has likelihood zero in every class"):
            ask([[0, 1]])


def test_a_column_that_does_not_vary():
    constant = np.array([[1.0, 5.0], [2.0, 5.0], [4.0, 5.0], [5.0, 5.0]])
    assert GaussianNB().fit(constant, y).predict(constant).shape == (4,)
    unvaried = r"column 1 does not vary in class 'a'.*var_smoothing > 0"
    with pytest.raises(ValueError, match=unvaried):
        GaussianNB(var_smoothing=0.0).fit(constant, y)
    some = GaussianNB(var_smoothing=0.0).partial_fit(constant, y, classes=["a", "b"])
    with pytest.raises(ValueError, match=unvaried):
        some.predict(constant)
    assert some.partial_fit(np.add(constant, [[0.0, 1.0]]), y).predict(constant).shape == (4,)
    with pytest.raises(ValueError, match=r"no column of X varies.* one sample"):
        GaussianNB().fit(np.ones((4, 2)), y)
    with pytest.raises(ValueError, match="variance of column 0 exceeds the largest number"):
        GaussianNB().fit(np.array([[1e200], [-1e200], [1.0], [2.0]]), y)


def test_rows_of_no_weight_may_be_impossible():
    rows = np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0], [1, 2, 0]])
    weight = [0.0, 1.0, 1.0, 1.0]
    for kind in (MultinomialNB, BernoulliNB, CategoricalNB):
        model = kind(alpha=0.0).fit(rows, y, sample_weight=weight)
        with pytest.raises(ValueError, match="row 0 of X has likelihood zero in every class"):
            model.predict(rows)
        assert certify(model, rows, y, sample_weight=weight).holds


def test_priors_of_values():
    with pytest.raises(ValueError, match="needs m"):
        CategoricalNB(p=[[0.5, 0.5]]).fit(X[:, 1:], y)
    with pytest.raises(ValueError, match="1 priors for 2 columns"):
        CategoricalNB(m=1.0, p=[[0.5, 0.5]]).fit(X, y)
    for prior in ([0.5, 0.6], [0.2, 0.3, 0.5], [-0.5, 1.5]):
        with pytest.raises(ValueError, match="the prior of column 0 is"):
            CategoricalNB(m=1.0, p=[prior]).fit(X[:, 1:], y)
    with pytest.raises(ValueError, match="'m' parameter of CategoricalNB"):
        CategoricalNB(m=-1.0).fit(X, y)


@each("kind", EVERY)
def test_a_failed_batch_changes_nothing(kind):
    model = kind().partial_fit(X, y, classes=["a", "b"])
    before = model.predict_joint_log_proba(X)
    for bad_X, bad_y, message in (
        (X[:, :1], y, "X has 1 features"),
        (X, ["a", "b", "c", "a"], "do not exist in the initial classes"),
        (X[:3], y, "inconsistent numbers of samples"),
        (np.where(X == 2, np.inf, X), y, "inf"),
    ):
        with pytest.raises(ValueError, match=message):
            model.partial_fit(bad_X, bad_y)
        np.testing.assert_array_equal(model.predict_joint_log_proba(X), before)
    assert model.class_count_.sum() == 4


def test_huge_category_codes_do_not_fill_the_memory():
    with pytest.raises((ValueError, MemoryError)):
        CategoricalNB().fit(np.array([[0, 2**40], [1, 0]]), ["a", "b"])


@each("kind", [BernoulliNB, ComplementNB, MultinomialNB])
def test_what_is_taken_without_a_check_would_pass_it_unchanged(kind):
    given, labels = X.astype(float), np.array([0, 1, 0, 1])
    tables = [
        *(sparse.csr_matrix(given.astype(dtype)) for dtype in (np.float64, np.float32, np.int64, np.bool_)),
        *(to(given) for to in (sparse.csr_array, sparse.csc_array, sparse.coo_array, np.asarray, pd.DataFrame)),
        *(sparse.csr_array(shape) for shape in ((0, 2), (4, 0))),
    ]
    targets = [labels, labels.astype(np.uint8), labels == 1, y, labels[:3], labels[:, None], labels.astype(float)]
    targets += [labels.tolist(), pd.Series(labels), np.ma.masked_array(labels), None]
    taken = 0
    for table in tables:
        for target in targets:
            model = kind()
            if model._is_as_checked(table, target):
                checked = check_X_y(table, target, **model._checks(table))
                assert checked[0] is table
                assert np.shares_memory(checked[1], target)
                assert (checked[1].dtype, checked[1].shape) == (target.dtype, target.shape)
                taken += 1
    assert taken == 9  # CSR of two kinds of numbers, matrix or array, and labels that are whole numbers


@each("kind", [BernoulliNB, ComplementNB, MultinomialNB])
def test_a_failed_batch_of_sparse_rows_changes_nothing(kind):
    rows, labels = sparse.csr_array(X.astype(float)), np.array([0, 1, 0, 1])
    model = kind().partial_fit(rows, labels, classes=[0, 1])
    before = model.predict_joint_log_proba(rows)
    for bad_X, bad_y, message in (
        (rows[:, :1], labels, "X has 1 features"),
        (rows, labels + 1, "do not exist in the initial classes"),
        (rows[:3], labels, "inconsistent numbers of samples"),
        (sparse.csr_array(np.where(X == 2, np.inf, X)), labels, "inf"),
    ):
        with pytest.raises(ValueError, match=message):
            model.partial_fit(bad_X, bad_y)
        np.testing.assert_array_equal(model.predict_joint_log_proba(rows), before)


@each("labels", [[4], [4, 4], [4, 5], [5, 4, 5], [4, 6, 6, 4], [9, 7, 8, 7], [-1, 0]])
@each("dtype", [np.int8, np.int64])
def test_class_numbers_are_places_among_the_distinct_labels(labels, dtype):
    classes, places = class_numbers(np.array(labels, dtype=dtype))
    expected = np.unique(np.array(labels, dtype=dtype), return_inverse=True)
    np.testing.assert_array_equal(classes, expected[0])
    np.testing.assert_array_equal(places, expected[1])
    assert classes.dtype == dtype


@each("kind", [np.int8, np.uint8, np.int16, np.uint64])
def test_classes_at_the_ends_of_a_short_type_are_told_apart(kind):
    """127 − (−128) does not fit into eight bits."""
    ends = np.iinfo(np.int8 if kind is np.int16 else kind)
    labels = np.repeat(np.array([ends.min, ends.max] if kind is not np.uint64 else [2**64 - 3, 2**64 - 1], kind), 200)
    model = GaussianNB().fit(np.repeat([[0.0], [1.0]], 200, axis=0) + np.tile([[0.0], [0.1]], (200, 1)), labels)
    assert model.classes_.tolist() == [labels[0], labels[-1]]
    assert model.predict([[0.0], [1.0]]).tolist() == [labels[0], labels[-1]]


@each("form", [np.asarray, sparse.csr_array])
@each("kind", [ComplementNB, MultinomialNB])
@each("cells", [[[1e308, 1.0], [1e308, 2.0]], [[1e308, 1e308], [1.0, 2.0]]], ids=["column", "row"])
def test_counts_beyond_all_numbers_are_named_as_such(form, kind, cells):
    table = form(np.vstack([cells, cells]))
    with pytest.raises(ValueError, match=rf"{kind.__name__}: the counts of X add up to more than 1.8e\+308.*divide X"):
        kind().fit(table, [0, 0, 1, 1])
