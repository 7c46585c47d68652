"""The tree of merges: one result for any way of dealing chunks out; chunks are laid out where sums are fast."""

import dask
import dask.array as da
import numpy as np

from learnable.rows import as_rows
from learnable.rows.groups import Work, consecutive
from learnable.rows.merge_tree import join, united
from learnable.rows.pieces import pieces


def test_the_result_does_not_depend_on_who_had_which_chunks():
    rng = np.random.default_rng(4)
    for n in (1, 2, 3, 7, 16, 33):
        values = rng.normal(size=n) * 10.0 ** rng.integers(-8, 8, size=n)
        found = set()
        for workers in (1, 2, 5):
            for _ in range(4):
                holder = rng.integers(workers, size=n)
                parts = []
                for worker in rng.permutation(workers):
                    nodes = {}
                    for chunk in rng.permutation(np.flatnonzero(holder == worker)):
                        join(nodes, (0, int(chunk)), [values[chunk]], n, lambda a, b: [*a, *b, sum(a) + sum(b)])
                    parts.append(nodes)
                (whole,) = united(parts, n, lambda a, b: [*a, *b, sum(a) + sum(b)]).values()
                found.add(tuple(whole))
        assert len(found) == 1
        assert [value for value in found.pop() if value in values] == list(values)


def test_neighbours_are_merged_where_they_are():
    X = da.ones((64, 2), chunks=(1, 2))
    found, shared = pieces([X, None, None], list(range(64)), [1] * 64)
    assert not shared
    groups = consecutive(found, 2)
    work = Work(lambda block: block.X.sum(), lambda a, b: a + b, 64)
    nodes = [group.reduced(work) for group in groups]
    assert [list(part) for part in nodes] == [[(5, 0)], [(5, 1)]]
    assert work.whole(*nodes) == 128.0


def test_chunks_that_came_unaligned_are_laid_out_anew():
    X = np.random.default_rng(0).normal(size=(30, 3))
    raw = bytearray(1 + X.nbytes)
    odd = np.frombuffer(raw, dtype=float, count=X.size, offset=1).reshape(X.shape)
    odd[:] = X
    assert not odd.flags.aligned
    chunked = da.from_delayed(dask.delayed(odd, pure=False), X.shape, float)
    assert as_rows(chunked).reduce(lambda block: int(block.X.flags.aligned)) == 1
    np.testing.assert_array_equal(as_rows(chunked).concatenate(lambda block: block.X), X)


def test_whoever_merges_holds_blas_to_one_thread():
    from threadpoolctl import ThreadpoolController, threadpool_limits

    libraries, seen = ThreadpoolController().select(user_api="blas").lib_controllers, []

    def merge(one, two):
        seen.extend(library.get_num_threads() for library in libraries)
        return one + two

    with threadpool_limits(2, user_api="blas"):
        assert Work(None, merge, 3).whole({(0, 0): 1.0}, {(0, 2): 4.0}, {(0, 1): 2.0}) == 7.0
    assert set(seen) == {1}
