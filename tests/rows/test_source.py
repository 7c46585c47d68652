"""Laws of the door itself: blocks partition the rows, sums are what they are in memory, bit for bit for any n_jobs."""

import time
import weakref
from collections import namedtuple

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import each

from learnable.rows import Block, add, as_rows
from learnable.rows.partition import BLOCK_ELEMENTS, dense_cuts, sparse_cuts

RNG = np.random.default_rng(20240611)
X = RNG.normal(size=(9000, 60))
Y = RNG.normal(size=9000)
W = RNG.uniform(size=9000)


def gram(block: Block) -> np.ndarray:
    return block.X.T @ block.X


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 10**7), st.integers(1, 10**5))
def test_dense_blocks_partition_the_rows(n_rows, n_columns):
    cuts = dense_cuts(n_rows, n_columns)
    sizes = np.diff(cuts)
    assert cuts[0] == 0
    assert cuts[-1] == n_rows
    assert (sizes > 0).all()
    assert (sizes[:-1] >= 256).all()
    assert (sizes[:-1] % 64 == 0).all()
    assert sizes.max() * n_columns <= max(2**20, 256 * n_columns)


@each("n_rows", [100, 9000, 200_000])
def test_coarser_rows_are_the_same_rows_in_fewer_blocks(n_rows):
    table, y, weight = np.arange(60.0 * n_rows).reshape(n_rows, 60), np.arange(n_rows), np.ones(n_rows)
    rows = as_rows(table, y, weight)
    blocks, longer = ([load() for load in some.blocks()] for some in (rows, rows.coarser()))
    assert len(longer) == len(blocks) if len(blocks) < 64 else 32 <= len(longer) < len(blocks)
    assert np.array_equal(np.vstack([block.X for block in longer]), table)
    assert np.array_equal(np.concatenate([block.y for block in longer]), y)
    assert [block.start for block in longer[1:]] == [block.stop for block in longer[:-1]]
    # The rows themselves are cut as before.
    assert [load().start for load in rows.blocks()] == [block.start for block in blocks]


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 20000), st.sampled_from([0, 1, 30, 700]), st.integers(0, 2**32 - 1))
def test_sparse_blocks_partition_the_rows_and_balance_their_entries(n_rows, entries_per_row, seed):
    counts = np.random.default_rng(seed).poisson(entries_per_row, size=n_rows)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    cuts = sparse_cuts(indptr, 10)
    assert cuts[0] == 0
    assert cuts[-1] == n_rows
    assert (np.diff(cuts) > 0).all()
    assert (np.diff(cuts)[:-1] % 256 == 0).all()
    heaviest_run_of_256 = 256 * (counts.max() + 1)
    assert (np.diff(indptr[cuts]) <= BLOCK_ELEMENTS + heaviest_run_of_256).all()


@each("layout", ["C", "F", "csr"])
def test_blocks_hold_every_row_once_in_order(layout):
    table = scipy.sparse.csr_array(X) if layout == "csr" else np.asarray(X, order=layout)
    blocks = [load() for load in as_rows(table, Y, W).blocks()]
    assert len(blocks) > 2
    stops = [0]
    for block in blocks:
        assert block.start == stops[-1]
        stops.append(block.stop)
        dense = block.X.toarray() if layout == "csr" else block.X
        np.testing.assert_array_equal(dense, X[block.start : block.stop])
        np.testing.assert_array_equal(block.y, Y[block.start : block.stop])
        np.testing.assert_array_equal(block.weight, W[block.start : block.stop])
    assert stops[-1] == len(X)


def test_blocks_of_an_array_are_views():
    for load in as_rows(np.asfortranarray(X)).blocks():
        assert load().X.base is not None


@each("table", [X, np.asfortranarray(X), scipy.sparse.csr_array(X), X.astype(np.float32)])
def test_sums_agree_with_memory_and_have_the_same_bits_for_any_n_jobs(table):
    rows = as_rows(table, Y)
    results = [np.asarray(rows.reduce(lambda b: (b.X.T @ b.X).sum(axis=0), n_jobs=j)) for j in (1, 2, 3, None, -1, 2)]
    expected = np.asarray((table.T @ table).sum(axis=0))
    scale = np.abs(expected).max()
    np.testing.assert_allclose(results[0], expected, atol=scale * (1e-4 if table.dtype == np.float32 else 1e-12))
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])


def test_merging_is_a_left_fold_even_when_late_blocks_finish_first():
    rows = as_rows(X)
    n_blocks = len(list(rows.blocks()))

    def slow_start(block):
        time.sleep(0.05 if block.start == 0 else 0)
        return (block.start,)

    order = rows.reduce(slow_start, lambda total, part: total + part, n_jobs=2)
    assert order == tuple(sorted(order))
    assert len(order) == n_blocks


def test_a_single_block_is_called_directly_on_the_caller_array():
    table = X[:50]
    seen = []
    as_rows(table).reduce(lambda block: seen.append((block.X is table, block.start, block.stop)))
    assert seen == [(True, 0, 50)]


def test_results_that_are_views_of_the_data_do_not_change_the_data():
    before = X.copy()
    total = as_rows(X).reduce(lambda block: block.X[0])
    np.testing.assert_array_equal(X, before)
    starts = [load().start for load in as_rows(X).blocks()]
    np.testing.assert_allclose(total, X[starts].sum(axis=0), rtol=1e-12)


def test_add_keeps_tuples_named_and_promotes_types():
    Pair = namedtuple("Pair", "count sums")
    total = add(Pair(1, np.array([1, 2])), Pair(2, np.array([0.5, 0.5])))
    assert isinstance(total, Pair)
    assert total.count == 3
    np.testing.assert_array_equal(total.sums, [1.5, 2.5])
    memory = np.zeros(2)
    assert add(memory, np.ones(2)) is memory


def test_a_sum_of_results_of_different_shapes_points_to_concatenate():
    with pytest.raises(ValueError, match="concatenate"):
        as_rows(X).reduce(lambda block: block.X[:, 0])


@each("n_jobs", [1, 2])
def test_concatenate_gives_predictions_in_row_order(n_jobs):
    coefficients = RNG.normal(size=60)
    labels = as_rows(X).concatenate(lambda b: np.where(b.X @ coefficients > 0, "yes", f"no{b.start}"), n_jobs=n_jobs)
    assert labels.shape == (9000,)
    np.testing.assert_array_equal(labels == "yes", X @ coefficients > 0)


def test_concatenate_refuses_results_that_are_not_one_a_row():
    with pytest.raises(ValueError, match="9000 rows"):
        as_rows(X).concatenate(lambda block: block.X.sum(axis=0))
    with pytest.raises(ValueError, match="one entry for each row"):  # of one block
        as_rows(X[:5]).concatenate(lambda block: block.X[1:])


def test_concatenate_refuses_entries_of_other_shapes():
    with pytest.raises(ValueError, match=r"entries of shape \(2,\) after entries of \(1,\)"):
        as_rows(X).concatenate(lambda block: block.X[:, : 1 + (block.start > 0)])


def test_concatenate_lets_go_of_a_result_before_the_next_but_one():
    results, kept = [], []

    def copied(block):
        kept.append(sum(result() is not None for result in results))
        part = block.X.copy()
        results.append(weakref.ref(part))
        return part

    np.testing.assert_array_equal(as_rows(X).concatenate(copied, n_jobs=1), X)
    assert len(kept) > 2
    assert max(kept) <= 1


def test_the_first_error_in_row_order_is_raised_whatever_the_threads():
    def fail(block):
        if block.start > 0:
            raise ZeroDivisionError(block.start)

    first = [load().start for load in as_rows(X).blocks()][1]
    for n_jobs in (1, 2):
        with pytest.raises(ZeroDivisionError, match=f"^{first}$"):
            as_rows(X).reduce(fail, n_jobs=n_jobs)


def test_small_data_start_no_thread_and_list_no_library(monkeypatch):
    rows = as_rows(X[:50])
    rows.reduce(lambda block: len(block.X))
    for costly in ("ThreadPoolExecutor", "employ", "ThreadpoolController", "cpu_count"):
        monkeypatch.setattr(f"learnable.rows.threads.{costly}", lambda *a, **k: pytest.fail("not for one block"))
    monkeypatch.setattr("threading.Thread.start", lambda self: pytest.fail("no thread for one block"))
    assert rows.reduce(lambda block: len(block.X)) == 50


def test_an_existing_rows_is_returned_as_it_is():
    rows = as_rows(X, Y)
    assert as_rows(rows) is rows
    with pytest.raises(TypeError, match="its own targets"):
        as_rows(rows, Y)


@each("convert", [scipy.sparse.csc_array, scipy.sparse.coo_matrix, scipy.sparse.lil_array])
def test_other_sparse_formats_are_converted(convert):
    small = np.round(X[:20, :5])
    np.testing.assert_array_equal(as_rows(convert(small)).reduce(lambda b: gram(b).toarray()), small.T @ small)


def test_unsummed_duplicates_and_wide_indices_are_the_dense_matrix():
    indices = np.array([0, 0, 1], dtype=np.int64)
    duplicated = scipy.sparse.csr_array((np.array([1.0, 2.0, 5.0]), indices, np.array([0, 2, 3], dtype=np.int64)))
    squares = as_rows(duplicated).reduce(lambda b: np.square(b.X.data).sum())
    assert squares == 9 + 25
    assert duplicated.nnz == 3  # the caller's matrix is as it was


@each(
    ("table", "y", "weight", "error", "message"),
    [
        (np.ones(3), None, None, ValueError, r"shape \(3,\).*reshape"),
        (np.ones((2, 2, 2)), None, None, ValueError, "rows × columns"),
        (np.ones((0, 3)), None, None, ValueError, "at least one row"),
        (np.ones((3, 0)), None, None, ValueError, "at least one row and one column"),
        (np.array([["a", "b"]], dtype=object), None, None, TypeError, "dtype object"),
        (np.array([["2020-01-01"]], dtype="datetime64[D]"), None, None, TypeError, "datetime64"),
        (np.ones((2, 1), dtype=complex), None, None, TypeError, "complex"),
        (np.ma.masked_array(np.ones((2, 1))), None, None, TypeError, "masked"),
        (scipy.sparse.csr_array((0, 4)), None, None, ValueError, "at least one row"),
        (scipy.sparse.coo_array(np.ones(3)), None, None, ValueError, "rows × columns"),
        (np.ones((3, 2)), np.ones(4), None, ValueError, "3 rows but y has 4"),
        (np.ones((3, 2)), np.ones((3, 1, 1)), None, ValueError, "y has shape"),
        (np.ones((3, 2)), 1.0, None, ValueError, "y has shape"),
        (np.ones((3, 2)), None, np.ones(2), ValueError, r"sample_weight has shape \(2,\)"),
        (np.ones((3, 2)), None, np.ones((3, 1)), ValueError, "sample_weight has shape"),
        (np.ones((3, 2)), None, ["a", "b", "c"], TypeError, "sample_weight has dtype"),
    ],
)
def test_bad_input_is_refused_with_its_name_and_value(table, y, weight, error, message):
    with pytest.raises(error, match=message):
        as_rows(table, y, weight)


def test_zero_jobs_is_refused():
    with pytest.raises(ValueError, match="n_jobs=0"):
        as_rows(X).reduce(gram, n_jobs=0)
