"""Dask arrays: the in-memory answer, on dask's threads and on a cluster of processes."""

import re

import dask
import dask.array as da
import numpy as np
import pytest
import scipy.sparse
from tests.cases import each

from learnable.rows import add, as_rows, moments, triangular_factor
from learnable.rows.groups import Work, kept_work
from learnable.rows.pieces import Chunk

RNG = np.random.default_rng(20240615)
X = 5 + RNG.normal(size=(4000, 12))
Y = RNG.normal(size=4000)
W = RNG.uniform(size=4000)
CHUNKS = (1000, 1, 1499, 1500)


def chunked():
    return da.from_array(X, chunks=(CHUNKS, 12))


def assert_close_moments(a, b):
    for left, right in zip(a, b):
        np.testing.assert_allclose(left, right, rtol=1e-10, atol=1e-10 * np.max(np.abs(right), initial=0))


@each("as_dask", [False, True])
def test_threaded_scheduler_agrees_with_memory(as_dask):
    y, weight = (da.from_array(Y, chunks=777), da.from_array(W, chunks=4000)) if as_dask else (Y, W)
    rows = as_rows(chunked(), y, weight)
    assert (rows.n_rows, rows.n_columns, rows.dtype) == (4000, 12, np.float64)
    with dask.config.set(scheduler="threads"):
        first = moments(rows)
        assert_close_moments(first, moments(as_rows(X, Y, W)))
        for a, b in zip(moments(rows), first):
            np.testing.assert_array_equal(a, b)
        R = triangular_factor(rows)
    np.testing.assert_allclose(R, triangular_factor(as_rows(X, Y, W)), atol=1e-10)


def test_blocks_partition_the_rows_and_concatenate_keeps_their_order():
    rows = as_rows(chunked(), np.column_stack([Y, W]))
    blocks = [load() for load in rows.blocks()]
    assert [block.start for block in blocks] == [0, 1000, 1001, 2500]
    np.testing.assert_array_equal(np.concatenate([block.X for block in blocks]), X)
    np.testing.assert_array_equal(rows.concatenate(lambda b: b.y[:, 1]), W)
    np.testing.assert_array_equal(rows.concatenate(lambda b: np.arange(b.start, b.stop)), np.arange(4000))


def test_blocks_within_a_chunk_know_their_place_in_the_table():
    rows = as_rows(da.zeros((30000, 12), chunks=(15000, 12)))
    assert len(list(rows.blocks())) == 4
    np.testing.assert_array_equal(rows.concatenate(lambda b: np.arange(b.start, b.stop)), np.arange(30000))


def test_results_are_not_written_to():
    constant = np.ones(3)
    total = as_rows(chunked()).reduce(lambda block: constant)
    np.testing.assert_array_equal(total, 4 * np.ones(3))
    np.testing.assert_array_equal(constant, np.ones(3))


def test_chunks_without_rows_and_sparse_chunks():
    filtered = chunked()
    filtered = filtered[da.from_array(np.arange(4000) >= 1001, chunks=(CHUNKS,))]
    with pytest.raises(ValueError, match=r"X.compute_chunk_sizes\(\)"):
        as_rows(filtered)
    rows = as_rows(filtered.compute_chunk_sizes())
    assert_close_moments(moments(rows), moments(as_rows(X[1001:])))
    sparse = as_rows(chunked().map_blocks(scipy.sparse.csr_array))
    assert_close_moments(moments(sparse), moments(as_rows(X)))


def test_bad_chunks_types_and_lengths_are_refused():
    with pytest.raises(ValueError, match=r"X.rechunk\(\{1: -1\}\)"):
        as_rows(chunked().rechunk({1: 5}))
    with pytest.raises(ValueError, match="4000 rows but y has 3"):
        as_rows(chunked(), np.ones(3))
    with pytest.raises(ValueError, match="4000 rows but y has 3"):
        as_rows(chunked(), da.ones(3))
    with pytest.raises(ValueError, match="sample_weight has shape"):
        as_rows(chunked(), None, da.ones(5))
    with pytest.raises(ValueError, match="rows × columns"):
        as_rows(da.ones(5))
    with pytest.raises(TypeError, match="dtype object"):
        as_rows(chunked().astype(object))
    with pytest.raises(TypeError, match="pass a dask array"):
        as_rows(dask.delayed(X))


def test_a_source_shared_by_x_y_and_weights_is_read_once_a_pass():
    table, reads = np.column_stack([X, Y, W]), []

    def read(start):
        reads.append(start)
        return table[start : start + 1000]

    parts = [da.from_delayed(dask.delayed(read)(start), (1000, 14), float) for start in range(0, 4000, 1000)]
    whole = da.concatenate(parts)
    rows = as_rows(whole[:, :12], whole[:, 12], whole[:, 13])
    np.testing.assert_allclose(rows.reduce(lambda b: b.X.T @ (b.weight * b.y)), X.T @ (W * Y))
    assert sorted(reads) == [0, 1000, 2000, 3000]
    np.testing.assert_allclose(rows.concatenate(lambda b: b.y), Y)
    assert len(reads) == 8
    assert sum(len(load().y) for load in rows.blocks()) == 4000
    assert len(reads) == 12


def test_chunks_shorter_than_they_say_are_refused_though_x_and_y_agree():
    def short(values):
        parts = [dask.delayed(values[start : start + 1000 - 7 * (start == 2000)]) for start in range(0, 4000, 1000)]
        return da.concatenate([da.from_delayed(part, (1000, *values.shape[1:]), float) for part in parts])

    rows = as_rows(short(X), short(Y))
    for work in (lambda: rows.reduce(lambda b: b.y.sum()), lambda: rows.concatenate(lambda b: b.y), lambda: [
        load() for load in rows.blocks()
    ]):  # fmt: skip
        with pytest.raises(ValueError, match="has 993 rows where its array promises 1000, rows 2000 to 2999"):
            work()


def test_a_chunk_of_another_shape_is_refused_with_its_place():
    for odd in (X[2000:3000, :-1], X[2000:3000, 0], None):
        parts = [dask.delayed(odd if start == 2000 else X[start : start + 1000]) for start in range(0, 4000, 1000)]
        rows = as_rows(da.concatenate([da.from_delayed(part, (1000, X.shape[1]), float) for part in parts]))
        promised = re.escape(f"where its array promises (1000, {X.shape[1]}), rows 2000 to 2999")
        with pytest.raises(ValueError, match=promised):
            rows.reduce(lambda b: b.X.sum())


def test_longer_blocks_are_those_of_whole_chunks_and_the_first_block_is_read_once():
    reads = []

    def read(start):
        reads.append(start)
        return np.full((3000, 100), float(start))

    parts = [da.from_delayed(dask.delayed(read)(start), (3000, 100), float) for start in (0, 3000)]
    rows = as_rows(da.concatenate(parts))
    assert [rows.of_first(lambda b: (b.start, b.X.max())) for _ in range(3)] == [(0, 0.0)] * 3
    assert reads == [0]
    assert rows.reduce(lambda b: np.ones(1)) == 6
    longer = rows.coarser()
    assert longer.reduce(lambda b: np.ones(1)) == 2
    assert longer.of_first(lambda b: b.stop) == 1280
    assert reads.count(0) == 3
    np.testing.assert_array_equal(longer.reduce(lambda b: b.X.sum(axis=0)), rows.reduce(lambda b: b.X.sum(axis=0)))


def test_a_fit_says_what_it_will_read_before_it_reads(caplog):
    from learnable.linear import Ridge

    def unreadable(start):
        raise OSError("no such tape")

    parts = [da.from_delayed(dask.delayed(unreadable)(start), (1000, 12), float) for start in range(0, 4000, 1000)]
    with caplog.at_level("INFO", "learnable"), pytest.raises(OSError, match="no such tape"):
        Ridge().fit(da.concatenate(parts), Y)
    (said,) = [record.getMessage() for record in caplog.records if record.name.startswith("learnable")]
    assert said.startswith(
        "Ridge reads 4,000 rows × 12 columns, 0.000416 GB a pass, in 4 chunks; computed anew in every"
    )


def test_chunks_that_came_from_another_worker_are_laid_out_once_and_give_the_same_bits():
    X = np.random.default_rng(0).normal(size=(100, 4))
    odd = np.frombuffer(b"." + X.tobytes(), dtype=float, offset=1).reshape(X.shape)
    assert not odd.flags.aligned
    work, chunks = Work(lambda block: block.X.T @ block.X, add, 1), [Chunk(0, 0, 0, odd, None, None)]
    np.testing.assert_array_equal(work.whole(kept_work(work, chunks)), X.T @ X)
    (laid_out,) = chunks
    assert laid_out.X.flags.aligned
    kept_work(work, chunks)
    assert chunks[0] is laid_out


def test_an_error_in_a_chunk_reaches_the_caller():
    with pytest.raises(ZeroDivisionError):
        as_rows(chunked()).reduce(lambda block: 1 / 0)


def test_importing_the_room_imports_neither_dask_nor_pyarrow():
    import subprocess
    import sys

    program = (
        "import sys, learnable.rows; print([m for m in ('dask', 'pyarrow', 'pandas', 'numba') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.filterwarnings("default")
def test_a_cluster_of_processes_agrees_with_memory():
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster),
    ):
        rows = as_rows(chunked(), Y, W)
        assert_close_moments(moments(rows), moments(as_rows(X, Y, W)))
        coefficients = np.arange(12.0)
        np.testing.assert_allclose(rows.concatenate(lambda b: b.X @ coefficients), X @ coefficients, rtol=1e-12)
        import os

        assert os.getpid() not in rows.reduce(lambda b: (os.getpid(),), lambda a, b: a + b)
