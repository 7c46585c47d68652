"""Moments: what a two-pass computation in extended precision gives, without its second pass."""

import tracemalloc
from functools import cache

import numpy as np
import pytest
import scipy.sparse
from tests.cases import each

from learnable.rows import as_rows, moments

RNG = np.random.default_rng(20240612)
X = RNG.normal(size=(5000, 40)) @ RNG.normal(size=(40, 40))
Y = X[:, :2] + RNG.normal(size=(5000, 2))
W = RNG.integers(0, 4, size=5000)


def two_pass(X, Y, weight=None, centre=True):
    Z = np.hstack([X, Y]).astype(np.longdouble)
    weight = np.ones(len(Z)) if weight is None else weight
    mean = (weight @ Z) / weight.sum()
    centred = Z - mean if centre else Z
    return mean, (centred.T * weight) @ centred


@cache
def expected_moments(weighted, centre):
    # Extended precision is slow where it is done in software.
    return two_pass(X, Y, W if weighted else None, centre)


def assembled(m):
    mean = np.concatenate([m.mean_x, m.mean_y])
    return mean, np.block([[m.scatter_xx, m.scatter_xy], [m.scatter_xy.T, m.scatter_yy]])


def assert_close(m, expected, rtol):
    mean, scatter = assembled(m)
    spread = np.sqrt(np.diag(expected[1]).astype(float))
    np.testing.assert_array_less(np.abs(mean - expected[0]), rtol * np.abs(expected[0]) + rtol * spread + 1e-300)
    assert_scatter_close(scatter, expected[1], rtol)


def assert_scatter_close(scatter, expected, rtol):
    spread = np.sqrt(np.diag(expected).astype(float))
    np.testing.assert_array_less(np.abs(scatter - expected) / np.outer(spread, spread), rtol)


@each("convert", [np.asarray, np.asfortranarray, scipy.sparse.csr_array, scipy.sparse.csr_matrix])
@each("weight", [None, W])
@each("centre", [True, False])
def test_agrees_with_two_passes(convert, weight, centre):
    m = moments(as_rows(convert(X), Y, weight), centre=centre)
    assert m.weight == (len(X) if weight is None else W.sum())
    assert_close(m, expected_moments(weight is not None, centre), 1e-13)
    np.testing.assert_array_equal(m.scatter_xx, m.scatter_xx.T)


@each("table", [X, scipy.sparse.csr_array(X)])
def test_same_bits_for_any_n_jobs_and_every_run(table):
    first = assembled(moments(as_rows(table, Y, W), n_jobs=1))
    for n_jobs in (1, 2, 3, None):
        for a, b in zip(assembled(moments(as_rows(table, Y, W), n_jobs=n_jobs)), first):
            np.testing.assert_array_equal(a, b)


@each("convert", [np.asarray, scipy.sparse.csr_array])
@each("centre", [1e8, 1e13])
def test_keeps_its_digits_far_from_the_origin_where_the_textbook_formula_loses_them(convert, centre):
    far = centre + RNG.normal(size=(8000, 20))
    _, expected = two_pass(far - centre, np.empty((8000, 0)))  # this subtraction is exact
    m = moments(as_rows(convert(far)))
    assert_scatter_close(m.scatter_xx, expected, 1e-13)
    np.testing.assert_allclose(m.mean_x, centre + (far - centre).mean(axis=0), rtol=4e-16)
    naive = far.T @ far - len(far) * np.outer(far.mean(axis=0), far.mean(axis=0))
    assert np.abs(naive - expected).max() > 1e-2 * np.abs(expected).max()


def test_sparse_columns_far_from_the_origin_keep_their_digits_beside_others():
    near = X[:, :4] * (RNG.uniform(size=(5000, 4)) < 0.3)
    near[:, 2:] += RNG.normal(size=(5000, 2))
    far = near + np.array([0.0, 0.0, 1e6, 1e8])
    _, expected = two_pass(far, Y, W)
    _, scatter = assembled(moments(as_rows(scipy.sparse.csr_array(far), Y, W)))
    assert_scatter_close(scatter, expected, 1e-9)


def test_a_drifting_mean_is_merged_right():
    """Blocks with different means: the between-block term is the whole answer."""
    drift = np.repeat(np.arange(16.0), 4096)[:, np.newaxis] * 1e6 + RNG.normal(size=(65536, 3))
    assert_close(moments(as_rows(drift)), two_pass(drift, np.empty((65536, 0))), 1e-14)


def test_weights_are_repetitions():
    repeated = moments(as_rows(np.repeat(X, W, axis=0), np.repeat(Y, W, axis=0)))
    weighted = moments(as_rows(X, Y, W))
    assert repeated.weight == weighted.weight
    for a, b in zip(assembled(repeated), assembled(weighted)):
        np.testing.assert_allclose(a, b, atol=1e-13 * np.abs(b).max())


def test_blocks_without_weight_count_for_nothing():
    weight = np.zeros(5000)
    weight[-300:] = 1
    assert_close(moments(as_rows(X, Y, weight)), two_pass(X[-300:], Y[-300:]), 1e-13)
    with pytest.raises(ValueError, match="sum to 0"):
        moments(as_rows(X, Y, np.zeros(5000)))


def test_targets_may_be_absent_or_one_dimensional():
    without = moments(as_rows(X))
    assert without.mean_y.shape == (0,)
    assert without.scatter_xy.shape == (40, 0)
    one = moments(as_rows(X, Y[:, 0]))
    assert one.scatter_xy.shape == (40, 1)
    np.testing.assert_allclose(one.scatter_xx, without.scatter_xx, atol=1e-12 * np.abs(one.scatter_xx).max())


@each("dtype", [np.int8, np.uint8, bool, np.float32, np.int64])
def test_narrow_types_are_summed_in_double(dtype):
    table = RNG.integers(0, 100, size=(3000, 5)).astype(dtype)
    m = moments(as_rows(table), centre=False)
    assert m.scatter_xx.dtype == np.float64
    np.testing.assert_array_equal(m.scatter_xx, table.astype(float).T @ table.astype(float))


def test_one_row_has_no_scatter():
    m = moments(as_rows(X[:1], Y[:1]))
    assert not m.scatter_xx.any()
    np.testing.assert_array_equal(m.mean_x, X[0])


def test_negative_weights_and_labels_are_refused():
    weight = np.ones(5000)
    weight[4321] = -2
    with pytest.raises(ValueError, match=r"sample_weight\[4321\] is -2"):
        moments(as_rows(X, Y, weight))
    with pytest.raises(TypeError, match="y has dtype"):
        moments(as_rows(X[:3], ["a", "b", "c"]))


def test_cross_products_that_cannot_fit_are_refused_before_they_are_made():
    with pytest.raises(MemoryError, match="10000000 columns"):
        moments(as_rows(scipy.sparse.csr_array((3, 10**7))))


def test_no_copy_of_the_table_is_made():
    table = np.ones((100_000, 60))
    tracemalloc.start()
    moments(as_rows(table, table[:, 0], table[:, 1]), n_jobs=2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < table.nbytes / 4
