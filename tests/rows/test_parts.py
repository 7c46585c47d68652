"""Lists worked through in parts on threads."""

import threading
import time

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from learnable.rows import as_rows
from learnable.rows.parts import in_parts


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("sizes", [[1e6], [1e6] * 20, [0.0, 1e7, 0.0, 1.0], [1.0, 2.0], [0.0, 0.0]])
def test_parts_cover_the_list_once_and_in_order(threads, sizes):
    with threadpool_limits(threads):
        parts = in_parts(lambda part: list(range(part.start, part.stop)), np.cumsum(sizes))
    assert all(parts)
    assert [k for part in parts for k in part] == list(range(len(sizes)))


@pytest.mark.parametrize("bad", [0, 9])
def test_an_error_in_a_part_is_raised(bad):
    def refuse(part):
        if part.start <= bad < part.stop:
            raise ValueError(f"the part with {bad}")

    with threadpool_limits(2), pytest.raises(ValueError, match=f"the part with {bad}"):
        in_parts(refuse, np.cumsum(np.full(10, 1e6)))


def test_a_thread_helps():
    both = threading.Barrier(2, timeout=10.0)

    def meet(part):
        if part.start == 0 or part.stop == 10:
            both.wait()
        return threading.get_ident()

    with threadpool_limits(2):
        assert len(set(in_parts(meet, np.cumsum(np.full(10, 1e6))))) == 2


def test_no_threads_within_a_thread_of_a_sum():
    def threads(block):
        found = in_parts(lambda part: (time.sleep(0.002), threading.get_ident()), np.cumsum(np.full(9, 1e6)))
        return int(any(ident != threading.get_ident() for _, ident in found))

    assert as_rows(np.zeros((100_000, 4))).reduce(threads, n_jobs=2) == 0
