"""Lists worked through in parts on threads."""

import threading
import time

import numpy as np
import pytest
from tests.cases import each
from threadpoolctl import threadpool_limits

from learnable.rows import as_rows
from learnable.rows.parts import in_parts


@each("threads", [1, 2, 5])
@each("sizes", [[1e6], [1e6] * 20, [0.0, 1e7, 0.0, 1.0], [1.0, 2.0], [0.0, 0.0]])
def test_parts_cover_the_list_once_and_in_order(threads, sizes):
    with threadpool_limits(threads):
        parts = in_parts(lambda part: list(range(part.start, part.stop)), np.cumsum(sizes))
    assert all(parts)
    assert [k for part in parts for k in part] == list(range(len(sizes)))


@each("bad", [0, 9])
def test_an_error_in_a_part_is_raised(bad):
    def refuse(part):
        if part.start <= bad < part.stop:
            raise ValueError(f"the part with {bad}")

    with threadpool_limits(2), pytest.raises(ValueError, match=f"the part with {bad}"):
        in_parts(refuse, np.cumsum(np.full(10, 1e6)))


@pytest.mark.parametrize("n_threads", [2, 5])
def test_threads_help(monkeypatch, n_threads):
    monkeypatch.setattr("learnable.rows.threads._cores", lambda: n_threads)
    monkeypatch.setattr("learnable.rows.parts.PARTS_A_THREAD", 1)
    together = threading.Barrier(n_threads, timeout=120.0)

    def meet(part):
        together.wait()
        return threading.get_ident()

    with threadpool_limits(n_threads), np.errstate(divide="raise"):
        assert len(set(in_parts(meet, np.cumsum(np.full(10, 1e6))))) == n_threads
        with pytest.raises(FloatingPointError):
            in_parts(lambda part: np.array(1.0) / 0.0, np.cumsum(np.full(10, 1e6)))


def test_no_threads_within_a_thread_of_a_sum():
    def threads(block):
        found = in_parts(lambda part: (time.sleep(0.002), threading.get_ident()), np.cumsum(np.full(9, 1e6)))
        return int(any(ident != threading.get_ident() for _, ident in found))

    assert as_rows(np.zeros((100_000, 4))).reduce(threads, n_jobs=2) == 0
