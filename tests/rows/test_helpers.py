"""Threads that stay from one pass to the next."""

import gc
import threading
import weakref

import numpy as np

from learnable.rows import as_rows, helpers
from learnable.rows.helpers import employ, invite

X = np.zeros((50_000, 40))


def threads_of_a_pass(rows):
    return rows.reduce(lambda block: {threading.get_ident()}, set.union, n_jobs=2)


def test_passes_one_after_another_use_the_same_threads():
    rows = as_rows(X)
    idents = [threads_of_a_pass(rows) for _ in range(50)]
    # Other tests may have left more threads than two behind.
    assert len(set.union(*idents)) <= max(2, helpers._helpers.n_threads)
    before = helpers._helpers.n_threads
    threads_of_a_pass(rows)
    assert helpers._helpers.n_threads == before


def test_who_is_employed_works_at_once():
    all_there, free = threading.Barrier(6), threading.Semaphore(0)
    employ(all_there.wait, 5, free.release)
    all_there.wait()
    for _ in range(5):
        free.acquire()
    assert helpers._helpers.idle >= 5


def test_those_invited_wait_for_a_free_thread():
    done, barrier = threading.Semaphore(0), threading.Barrier(2)
    invite(barrier.wait, 1)
    before = helpers._helpers.n_threads
    for _ in range(20):
        invite(done.release, 1)
    assert helpers._helpers.n_threads == before
    barrier.wait()
    for _ in range(20):
        done.acquire()


def test_a_sum_within_a_sum_within_a_sum_ends():
    small = as_rows(X[:6_000])

    def nested(depth):
        if depth == 0:
            return 1
        return small.reduce(lambda block: nested(depth - 1), n_jobs=2)

    n_blocks = len(small.cuts) - 1
    assert n_blocks > 1
    assert nested(3) == n_blocks**3


def test_a_helper_that_waits_keeps_nothing_alive():
    class Task:
        def __call__(self):
            pass

    task, free = Task(), threading.Semaphore(0)
    forgotten = weakref.ref(task)
    employ(task, 1, free.release)
    del task
    free.acquire()
    gc.collect()
    assert forgotten() is None
