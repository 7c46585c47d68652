"""Tasks over threads, watched from the main thread, so that Ctrl-C and the time limit act at once.

The kernels and LAPACK release the interpreter lock, so threads are enough; results come back in the order of the
tasks, whatever the number of threads.
"""

import atexit
import queue
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from learnable.app.errors import TimeUp

T = TypeVar("T")
FAIR_SHARE = 2.0
"""A learner may take so many times its share of the time that is left."""
CHECKING_SHARE = 0.2
"""Of a time limit, the share kept for the certificate of the chosen learner and a closer look at it."""
LEAVING = 5.0
"""Seconds for which a process that ends waits for work that was given up."""
_threads: weakref.WeakSet[threading.Thread] = weakref.WeakSet()


@atexit.register
def _wait() -> None:
    """An interpreter that ends kills its daemon threads, and one that is inside compiled code may abort the process."""
    end = time.monotonic() + LEAVING
    for thread in list(_threads):
        thread.join(max(end - time.monotonic(), 0.0))


class Deadline:
    """A moment after which no new work starts; `Deadline(None)` never comes.

    >>> Deadline(None).expired, Deadline(0).expired
    (False, True)
    """

    def __init__(self, seconds: float | None):
        self.seconds = seconds
        self._end = None if seconds is None else time.monotonic() + seconds

    @property
    def left(self) -> float | None:
        """Seconds left, or None without a limit."""
        return None if self._end is None else self._end - time.monotonic()

    @property
    def expired(self) -> bool:
        return self.left is not None and self.left <= 0

    def part(self, share: float) -> "Deadline":
        """The moment at which this share of the time left is spent."""
        return Deadline(None if self.left is None else min(share, 1.0) * max(self.left, 0.0))

    def for_one_of(self, learners: int) -> "Deadline":
        """The end of what one of so many learners may take, the first of those still to come."""
        return self.part(FAIR_SHARE / learners)


def run_tasks(
    tasks: Sequence[Callable[[], T]], jobs: int, deadline: Deadline, finished: Callable[[], None] = lambda: None
) -> list[T]:
    """The results of `tasks`, in order; TimeUp when the deadline comes first.

    The first exception of a task is raised here. Tasks that have not begun are then dropped; fits that run end at
    their next state, anything else by itself in its daemon thread, since Python cannot stop a thread.

    >>> run_tasks([lambda: 1, lambda: 2, lambda: 3], jobs=2, deadline=Deadline(None))
    [1, 2, 3]
    """
    from learnable.trace import abandoned_when

    if deadline.expired:
        raise TimeUp
    waiting: queue.SimpleQueue[tuple[int, Callable[[], T]]] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[int, Any, BaseException | None]] = queue.SimpleQueue()
    for item in enumerate(tasks):
        waiting.put(item)
    abandoned = threading.Event()

    def work() -> None:
        while not abandoned.is_set():
            try:
                number, task = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                with abandoned_when(abandoned.is_set):
                    done.put((number, task(), None))
            except BaseException as error:
                done.put((number, None, error))

    for _ in range(min(jobs, len(tasks))):
        thread = threading.Thread(target=work, daemon=True)
        _threads.add(thread)
        thread.start()
    results: list[Any] = [None] * len(tasks)
    try:
        for _ in tasks:
            try:
                number, value, error = done.get(
                    timeout=deadline.left if deadline.left is None else max(deadline.left, 0)
                )
            except queue.Empty:
                raise TimeUp from None
            if error is not None:
                raise error
            results[number] = value
            finished()
    finally:
        abandoned.set()
    return results
