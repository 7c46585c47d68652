"""Work along a list, of classes or of rows, in parts on threads."""

from _thread import allocate_lock
from collections import deque
from collections.abc import Callable
from contextvars import copy_context
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from .helpers import invite
from .threads import one_blas_thread_meanwhile, worker_count

# Fewer numbers to go through take less time than a thread is worth. A thread gets some parts: when other programs hold
# it up, the rest of them is taken over.
WORTH_A_THREAD = 2**18
PARTS_A_THREAD = 2

R = TypeVar("R")


def in_parts(function: Callable[[slice], R], done: np.ndarray) -> list[R]:
    """`function` of parts of a list, of classes or of rows, on threads: the results in order.

    Parameters
    ----------
    function : callable
        Takes the slice of a part. How the list is cut depends on the number of threads: no result may depend on it.
    done : array
        How much is done after each entry of the list, in numbers to go through.

    Examples
    --------
    >>> parts = in_parts(lambda part: np.arange(part.start, part.stop), np.array([3e6, 4e6, 5e6, 6e6]))
    >>> np.concatenate(parts)
    array([0, 1, 2, 3])
    """
    with one_blas_thread_meanwhile() as granted:
        workers = 1 if done[-1] < WORTH_A_THREAD else worker_count(None, granted, len(done))
        if workers == 1:
            return [function(slice(0, len(done)))]
        parts = even_cuts(done, PARTS_A_THREAD * workers)
        found: list[Any] = [None] * len(parts)
        failed: dict[int, BaseException] = {}
        # Held until a part is done: plain locks, since everything in Python is slow after a pass over large arrays.
        undone = [allocate_lock() for _ in parts]
        for lock in undone:
            lock.acquire()
        waiting, context = deque(range(len(parts))), copy_context()

        def work(next_one: Callable[[], int]) -> None:
            while True:
                try:
                    k = next_one()
                except IndexError:
                    return
                try:
                    found[k] = function(parts[k])
                except BaseException as error:
                    failed[k] = error
                undone[k].release()

        try:
            # A helper may come late, where other programs hold the cores. The caller works from the other end, and
            # waits for what was begun only.
            invite(lambda: context.copy().run(work, waiting.popleft), workers - 1)
            work(waiting.pop)
        finally:
            waiting.clear()
        for lock in undone:
            lock.acquire()
        if failed:
            raise failed[min(failed)]
        return found


def even_cuts(done: np.ndarray, n_parts: int) -> list[slice]:
    """Parts of a list with about as much to do each; fewer where single entries are long."""
    ends = np.searchsorted(done, done[-1] / n_parts * np.arange(1, n_parts)) + 1
    return [slice(*cut) for cut in pairwise(sorted({0, *ends.tolist(), len(done)}))]
