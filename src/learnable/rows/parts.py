"""Work along a list, of classes or of rows, in parts on threads."""

from _thread import start_new_thread
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from itertools import pairwise
from typing import TypeVar

import numpy as np

from .threads import one_blas_thread, worker_count

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
    with one_blas_thread() as granted:
        workers = 1 if done[-1] < WORTH_A_THREAD else worker_count(None, granted, len(done))
        if workers == 1:
            return [function(slice(0, len(done)))]
        parts = _cut(done, PARTS_A_THREAD * workers)
        found: list[Future[R]] = [Future() for _ in parts]
        waiting = deque(zip(parts, found))

        def work(next_one: Callable[[], tuple[slice, Future[R]]]) -> None:
            while True:
                try:
                    part, outcome = next_one()
                except IndexError:
                    return
                try:
                    outcome.set_result(function(part))
                except BaseException as error:
                    outcome.set_exception(error)

        try:
            # A thread of `threading` would have its starter wait until it runs: long, where other programs hold the
            # cores. This one helps if it can. The caller works from the other end, and waits for what was begun only.
            for _ in range(workers - 1):
                start_new_thread(copy_context().run, (work, waiting.popleft))
            work(waiting.pop)
        finally:
            waiting.clear()
        return [outcome.result() for outcome in found]


def _cut(done: np.ndarray, n_parts: int) -> list[slice]:
    """Parts with about as much to do each; fewer where single entries are long."""
    ends = np.searchsorted(done, done[-1] / n_parts * np.arange(1, n_parts)) + 1
    return [slice(*cut) for cut in pairwise(sorted({0, *ends.tolist(), len(done)}))]
