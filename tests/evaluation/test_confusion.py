"""The confusion matrix: scikit-learn's numbers, the identities of its margins, bad input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix as outside
from tests.cases import each

from learnable.evaluation import accuracy, confusion_matrix, error_interval

SEED = 20263
pairs = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), min_size=1, max_size=40)


@settings(deadline=None)
@given(pairs)
def test_counts_are_those_of_scikit_learn(rows):
    # A row of each of two classes: of one class alone scikit-learn warns.
    y, guess = map(list, zip(*rows, ("a", "b")))
    matrix = confusion_matrix(y, guess)
    np.testing.assert_array_equal(matrix, outside(y, guess, labels=sorted({*y, *guess})))
    np.testing.assert_array_equal(matrix.counts.T, confusion_matrix(guess, y).counts)
    assert matrix.counts.dtype.kind == "i"


def test_margins_add_up():
    rng = np.random.default_rng(SEED)
    y, guess = rng.integers(0, 4, 200), rng.integers(0, 4, 200)
    m = confusion_matrix(y, guess)
    np.testing.assert_array_equal(m.true_positives + m.false_negatives, m.support)
    np.testing.assert_array_equal(m.true_positives + m.false_positives, m.predicted)
    np.testing.assert_array_equal(
        m.true_positives + m.false_positives + m.false_negatives + m.true_negatives, np.full(4, 200)
    )
    np.testing.assert_array_equal(m.true_negatives, [((y != k) & (guess != k)).sum() for k in range(4)])
    assert m.total == m.effective_n == 200


def test_labels_choose_and_order_the_classes_and_weights_are_summed():
    rng = np.random.default_rng(SEED)
    y, guess, weight = rng.integers(0, 4, 90), rng.integers(0, 4, 90), rng.random(90)
    for labels in ([3, 1], [2, 0, 1, 3], [0, 1, 2, 3, 7]):
        np.testing.assert_array_equal(confusion_matrix(y, guess, labels=labels), outside(y, guess, labels=labels))
        weighted = confusion_matrix(y, guess, labels=labels, sample_weight=weight)
        np.testing.assert_allclose(weighted, outside(y, guess, labels=labels, sample_weight=weight))
    doubled = confusion_matrix(y, guess, sample_weight=np.full(90, 2.0))
    assert doubled.effective_n == pytest.approx(90)
    assert doubled.total == 180


def test_prints_as_text_and_as_escaped_html():
    matrix = confusion_matrix(["<img>", "b"], ["b", "b"])
    assert str(matrix).splitlines()[0].split() == ["true", "\\", "predicted", "<img>", "b"]
    assert "<img>" not in matrix._repr_html_()
    assert "&lt;img&gt;" in matrix._repr_html_()


@each(
    ("labels", "message"),
    [([], "distinct labels"), ([1, 1], "distinct labels"), ([[0, 1]], "distinct labels"), ([8, 9], "no row has both")],
)
def test_bad_labels_are_refused(labels, message):
    with pytest.raises(ValueError, match=message):
        confusion_matrix([0, 1], [1, 1], labels=labels)


def test_bad_rows_are_refused():
    with pytest.raises(ValueError, match="no rows"):
        confusion_matrix([], [])
    with pytest.raises(ValueError, match="y_true has 1 rows"):
        confusion_matrix([0], [0, 1])
    with pytest.raises(ValueError, match="weights must be finite"):
        confusion_matrix([0, 1], [0, 1], sample_weight=[1, np.inf])
    one = confusion_matrix([5, 5], [5, 5])
    np.testing.assert_array_equal(one, [[2]])


@each("scale", [1e200, 1e-200, 1e-320])
def test_equal_weights_of_any_scale_change_nothing(scale):
    y, guess = [0, 1, 1, 0], [0, 1, 0, 0]
    weighted, plain = (accuracy(y, guess, sample_weight=w) for w in ([scale] * 4, None))
    assert confusion_matrix(y, guess, sample_weight=[scale] * 4).effective_n == pytest.approx(4)
    assert (weighted.low, weighted.high) == pytest.approx((plain.low, plain.high))


def test_weights_without_a_finite_sum_are_refused():
    for judge in (confusion_matrix, error_interval):
        with pytest.raises(ValueError, match="sample_weight adds up to more"):
            judge([0, 1, 1], [0, 1, 0], sample_weight=[1e308] * 3)


def test_labels_without_a_common_order_are_named():
    labels = np.array([0, "a", 1], dtype=object)
    with pytest.raises(TypeError, match="confusion_matrix: the labels have no common order"):
        confusion_matrix(labels, labels)
