"""LAPACK by its address: the same factor, an honest answer, and other threads run meanwhile."""

import sys
import threading

import numpy as np
import pytest
from tests.cases import each

from learnable._jit.core.lapack import cholesky


@each("size", [0, 1, 5, 70])
def test_the_factor_stands_in_the_upper_triangle_of_the_first_rows(size):
    A = np.random.default_rng(size).standard_normal((size, 2 * size))
    H = A @ A.T
    room = np.full((size + 3, size + 3), np.nan)
    room[:size, :size] = np.where(np.triu(np.ones((size, size))), H, np.nan)
    assert cholesky(room, size)
    np.testing.assert_allclose(np.triu(room[:size, :size]), np.linalg.cholesky(H).T, atol=1e-10)
    assert np.isnan(room[size:]).all()
    assert np.isnan(room[:, size:]).all()
    assert np.isnan(room[np.tril_indices(size, -1)]).all()


def test_what_is_not_positive_definite_has_no_factor():
    assert not cholesky(np.array([[1.0, 2.0], [2.0, 1.0]]), 2)
    assert not cholesky(np.zeros((1, 1)), 1)


@each(
    "unfit", [np.eye(3, dtype=np.float32), np.asfortranarray(np.ones((3, 3))), np.eye(2), np.eye(4)[:3, :3]], ids=repr
)
def test_what_the_address_cannot_check_is_refused(unfit):
    with pytest.raises(ValueError, match="3 rows of a writeable C-ordered square"):
        cholesky(unfit, 3)


def test_other_threads_run_meanwhile():
    """Where no thread has to give way, another one runs only if the call lets it."""
    # The factor of the identity is itself, so that nothing but the call happens again and again.
    room, ran, gate = np.eye(300), [], threading.Semaphore(0)

    def other():
        gate.acquire()
        ran.append(True)

    interval, thread = sys.getswitchinterval(), threading.Thread(target=other)
    thread.start()
    try:
        sys.setswitchinterval(1e3)
        gate.release()
        before, calls = len(ran), 0
        # A busy machine may be slow to wake the other one.
        while not ran and calls < 5000:
            cholesky(room, 300)
            calls += 1
        after = len(ran)
    finally:
        sys.setswitchinterval(interval)
        thread.join()
    assert (before, after) == (0, 1)
