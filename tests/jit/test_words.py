"""Counting and scoring words in sparse rows: products of dense matrices, whatever the number of classes."""

import numpy as np
from tests.cases import each

from learnable._jit.bayes.words import add_presences, add_word_counts, add_word_scores, mark_present, rows_by_class
from learnable._jit.core.vectors import read_only

N, P = 40, 60
EVERY_ROW = np.arange(N)
# As in a fit, whose table is not to be written.
ALIKE, UNWEIGHTED = read_only(np.zeros(N, dtype=int)), read_only(np.zeros(0))


def texts(seed=0, dtype=np.float64):
    """Rows of (data, places, starts) with places in no order and some twice, and the same rows as a dense table."""
    random = np.random.default_rng(seed)
    lengths = random.integers(0, 15, N)
    lengths[[0, 7]] = 0
    starts = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
    places = random.integers(P, size=starts[-1]).astype(np.int32)
    data = random.integers(0, 5, size=starts[-1]).astype(dtype)
    dense = np.zeros((N, P))
    np.add.at(dense, (np.repeat(np.arange(N), lengths), places), data)
    return (read_only(data), read_only(places), read_only(starts)), dense


def with_entry(data, place, value):
    data = data.copy()
    data[place] = value
    return read_only(data)


@each("n_classes", [*range(1, 30), 47, 48, 53])
def test_scores_are_a_product_for_any_number_of_classes(n_classes):
    rows, dense = texts(n_classes)
    table = read_only(np.random.default_rng(1).standard_normal((P, n_classes)))
    scores = np.random.default_rng(2).standard_normal((N, n_classes))
    expected = scores + dense @ table
    assert not add_word_scores(*rows, table, scores)
    np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=1e-12)


@each("dtype, index", [(np.float32, np.int32), (np.float64, np.int64), (np.uint8, np.int32)])
def test_every_kind_of_entry_and_index(dtype, index):
    (data, places, starts), dense = texts(dtype=dtype)
    rows = data, read_only(places.astype(index)), read_only(starts.astype(index))
    table, scores = read_only(np.random.default_rng(1).standard_normal((P, 5))), np.zeros((N, 5))
    add_word_scores(*rows, table, scores)
    np.testing.assert_allclose(scores, dense @ table, rtol=1e-12, atol=1e-12)
    label, counts = read_only(np.arange(N) % 3), np.zeros((3, P))
    assert not add_word_counts(*rows, EVERY_ROW, label, UNWEIGHTED, counts)
    np.testing.assert_array_equal(counts, np.stack([dense[label == c].sum(axis=0) for c in range(3)]))


def test_weighted_counts():
    rows, dense = texts()
    label, weight = read_only(np.arange(N) % 2), read_only(np.random.default_rng(3).random(N))
    counts = np.ones((2, P))
    add_word_counts(*rows, EVERY_ROW, label, weight, counts)
    expected = 1.0 + np.stack([weight[label == c] @ dense[label == c] for c in (0, 1)])
    np.testing.assert_allclose(counts, expected, rtol=1e-12)


@each("place", [0, 100, -1])
def test_one_negative_entry_is_noticed(place):
    (data, places, starts), _ = texts()
    counts, table, scores = np.zeros((1, P)), read_only(np.ones((P, 3))), np.zeros((N, 3))
    assert not add_word_counts(data, places, starts, EVERY_ROW, ALIKE, UNWEIGHTED, counts)
    data = with_entry(data, place, -1.0)
    assert add_word_counts(data, places, starts, EVERY_ROW, ALIKE, UNWEIGHTED, counts)
    assert add_word_scores(data, places, starts, table, scores)


@each("place", [0, 100, -1])
@each("weight", [UNWEIGHTED, read_only(np.zeros(N))])
@each("strange", [np.nan, np.inf, -np.inf])
def test_an_entry_that_is_not_finite_shows_in_the_counts(place, weight, strange):
    (data, places, starts), _ = texts()
    data, counts = with_entry(data, place, strange), np.zeros((1, P))
    negative = add_word_counts(data, places, starts, EVERY_ROW, ALIKE, weight, counts)
    assert negative == (strange < 0.0)
    assert not np.isfinite(counts[0, places[place]])


def test_counts_of_some_rows_in_any_order():
    rows, dense = texts()
    visits, label, counts = np.array([9, 3, 30]), read_only(np.arange(N) % 4), np.zeros((4, P))
    assert not add_word_counts(*rows, visits, label, UNWEIGHTED, counts)
    np.testing.assert_array_equal(counts, [np.zeros(P), dense[9], dense[30], dense[3]])


def test_presences_of_entries_above_the_threshold():
    (data, places, starts), _ = texts()
    weight, label = read_only(np.random.default_rng(3).random(N)), read_only(np.arange(N) % 2)
    data, counts = with_entry(data, slice(3), np.nan), np.zeros((2, P))
    assert add_presences(data, places, starts, EVERY_ROW, label, weight, 1.0, counts) == (False, 3)
    expected, row = np.zeros((2, P)), np.repeat(np.arange(N), np.diff(starts))
    np.add.at(expected, (label[row], places), weight[row] * (data > 1.0))
    np.testing.assert_allclose(counts, expected, rtol=1e-12)
    for infinite in (np.inf, -np.inf):
        data = with_entry(data, -1, infinite)
        assert add_presences(data, places, starts, EVERY_ROW, label, UNWEIGHTED, 1.0, counts)[0]


@each("n_classes", [1, 2, 7, 50])
def test_rows_by_class_are_sorted_and_stable(n_classes):
    label = read_only(np.random.default_rng(n_classes).integers(n_classes, size=N))
    _, _, starts = texts()[0]
    order, first, sizes = rows_by_class(starts, label, n_classes)
    np.testing.assert_array_equal(order, np.argsort(label, kind="stable"))
    np.testing.assert_array_equal(np.diff(first), np.bincount(label, minlength=n_classes))
    np.testing.assert_array_equal(sizes, np.bincount(label, np.diff(starts), n_classes))


def test_what_is_present():
    present = np.full(5, 9, dtype=np.uint8)
    assert mark_present(read_only(np.array([2.0, 1.0, np.nan, -3.0, 1.5])), 1.0, present) == (False, 1)
    np.testing.assert_array_equal(present, [1, 0, 0, 0, 1])
    for infinite in (np.inf, -np.inf):
        assert mark_present(np.array([0.0, infinite]), 1.0, present[:2])[0]
