"""Threads for block sums: workers that return in order, and BLAS held to one thread meanwhile."""

import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from contextvars import ContextVar, copy_context
from functools import cache, partial
from importlib.machinery import EXTENSION_SUFFIXES
from queue import SimpleQueue
from typing import Any, TypeVar

import scipy.linalg  # noqa: F401  SciPy carries its own BLAS: it must be in the process before the libraries are listed
from joblib import cpu_count
from threadpoolctl import ThreadpoolController

from .helpers import employ

# How the names of modules of Python end, but for ".so", the end of other libraries too.
MODULES = tuple(ending for ending in EXTENSION_SUFFIXES if ending.count(".") > 1)
# Seconds after which a wait is begun again: a signal that comes just before the wait does not end it.
LISTEN = 0.2

_in_task: ContextVar[bool] = ContextVar("learnable_in_task", default=False)
# Of each thread, in `pins`: a list whose one entry counts its pins that are still there.
_here = threading.local()

T = TypeVar("T")
R = TypeVar("R")


@cache
def _cores() -> int:
    # Asking takes a fifth of a millisecond: it reads the limits of the container from files.
    return cpu_count()


class _Libraries(ThreadpoolController):
    """Those loaded, without modules of Python: hundreds, whose paths take most of the time to follow."""

    def _make_controller_from_path(self, filepath: str) -> None:
        if not filepath.endswith(MODULES):
            super()._make_controller_from_path(filepath)


@cache
def _blas_libraries() -> list[Any]:
    # Listing the loaded libraries takes some milliseconds, setting their thread count a few microseconds.
    return _Libraries().select(user_api="blas").lib_controllers


def _set_threads(library: Any, threads: int) -> None:
    # threadpoolctl lets the first thread that asks set OpenBLAS, as long as it lives, and ignores all others. The pin
    # below counts its callers, whatever their threads.
    getattr(library, "_real_set_num_threads", library.set_num_threads)(threads)


class _Pins:
    """Who holds BLAS to one thread, and what to give back when the last one leaves."""

    def __init__(self) -> None:
        # The collector may end a forgotten pin while this thread sets another: a lock that lets its owner in again.
        self.lock = threading.RLock()
        self.holders: dict[int, tuple[weakref.ref, list[int]]] = {}
        self.granted: list[int] = []

    def add(self, pin: "_Pin") -> None:
        key = id(pin)
        # Ctrl-C can come between entering and the body, or on the way out. Then nobody calls `__exit__` to its end,
        # and the pin leaves when it is forgotten.
        forgotten = weakref.ref(pin, lambda _: self.remove(key))
        with self.lock:
            alone = not self.holders
            if alone:
                self.granted = [library.get_num_threads() for library in _blas_libraries()]
            # The count comes second here and first below: interrupted between, it is too low, and never too high.
            self.holders[key] = forgotten, (count := vars(_here).setdefault("pins", [0]))
            count[0] += 1
            if alone and max(self.granted, default=1) > 1:
                for library in _blas_libraries():
                    _set_threads(library, 1)

    def remove(self, key: int) -> None:
        with self.lock:
            if key in self.holders:
                # In this order, because one that is interrupted here comes back when its pin is forgotten.
                self.holders[key][1][0] -= 1
                if len(self.holders) == 1:
                    self.restore()
                del self.holders[key]

    def restore(self) -> None:
        if max(self.granted, default=1) > 1:
            for library, threads in zip(_blas_libraries(), self.granted):
                _set_threads(library, threads)


_pins = _Pins()


class _Pin:
    """One caller that holds BLAS to one thread."""

    def __enter__(self) -> int:
        _pins.add(self)
        return _granted()

    def __exit__(self, *exception: object) -> None:
        _pins.remove(id(self))


class _Held:
    """A caller on a thread that holds BLAS already, for longer."""

    def __enter__(self) -> int:
        return _granted()

    def __exit__(self, *exception: object) -> None:
        pass


def _granted() -> int:
    if _in_task.get():
        return 1
    return max(_pins.granted) if _pins.granted else _cores()


def _forget_the_parent() -> None:
    """In a forked child the parent's callers do not exist: a fresh lock, and BLAS as it was before them."""
    global _pins
    inherited, _pins = _pins, _Pins()
    vars(_here).clear()
    if inherited.holders:
        inherited.restore()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_the_parent)


def one_blas_thread() -> AbstractContextManager[int]:
    """Hold BLAS to one thread; entering gives the number of threads it had been granted, 1 when it is held already.

    A product computed by one BLAS thread has the same bits whatever the machine is doing, and threads over
    blocks replace threads inside BLAS. The setting belongs to the process, so callers are counted: it is given
    back when the last one leaves. Holding it around many sums makes each of them cheaper.

    Examples
    --------
    >>> with one_blas_thread() as outer, one_blas_thread() as inner:
    ...     outer >= 1, inner == outer
    (True, True)
    """
    return _Pin()


def one_blas_thread_meanwhile() -> AbstractContextManager[int]:
    """`one_blas_thread` for a call that ends before its caller does: nothing is to be done where the caller holds BLAS.

    Within a fit, which holds it, that takes a tenth of the time; a short fit makes dozens of such calls.

    Examples
    --------
    >>> with one_blas_thread() as outer, one_blas_thread_meanwhile() as inner:
    ...     inner == outer
    True
    """
    return _Held() if blas_is_held() else _Pin()


def blas_is_held() -> bool:
    """Whether a caller on this thread holds BLAS to one thread; a call that ends before the caller does may rely on it.

    >>> with one_blas_thread():
    ...     blas_is_held()
    True
    >>> blas_is_held()
    False
    """
    return vars(_here).get("pins", (0,))[0] > 0


def worker_count(n_jobs: int | None, granted: int, n_tasks: int) -> int:
    """The number of threads to use for `n_tasks` blocks.

    ``None`` means every core, but no more than BLAS had been granted: so `OMP_NUM_THREADS`, the limits that
    joblib sets in its workers and a sum nested in another sum are all respected. Negative numbers count back
    from the number of cores, as in joblib.

    Examples
    --------
    >>> worker_count(1, granted=8, n_tasks=100), worker_count(4, granted=1, n_tasks=100), worker_count(4, 8, 2)
    (1, 4, 2)
    """
    if n_jobs == 0:
        raise ValueError("n_jobs=0: use 1 for no threads, None or -1 for every core")
    if n_tasks <= 1 or n_jobs == 1:
        return 1
    if n_jobs is None:
        workers = min(_cores(), granted)
    elif n_jobs < 0:
        workers = _cores() + 1 + n_jobs
    else:
        workers = n_jobs
    return max(1, min(workers, n_tasks))


def in_order(function: Callable[[T], R], tasks: Iterator[T], workers: int) -> Generator[R, None, None]:
    """The results of `function` on `tasks`, in the order of the tasks, computed by `workers` threads; one is this one.

    At most ``2 * workers`` tasks are begun but not yet handed out. An exception, KeyboardInterrupt included, cancels
    what has not begun, and waits for the rest.

    Examples
    --------
    >>> list(in_order(abs, iter([-3, 2, -1]), workers=2))
    [3, 2, 1]
    """
    if workers == 1:
        for task in tasks:
            yield copy_context().run(_as_task, function, task)
        return
    waiting: SimpleQueue[tuple[Future[R], Callable[[], R]] | None] = SimpleQueue()
    free = threading.Semaphore(0)

    def work() -> None:
        while (begun := waiting.get()) is not None:
            outcome, compute = begun
            if outcome.set_running_or_notify_cancel():
                try:
                    outcome.set_result(compute())
                except BaseException as error:
                    outcome.set_exception(error)
            del begun, outcome, compute

    employ(work, workers, free.release)
    pending: deque[Future[R]] = deque()
    try:
        for task in tasks:
            pending.append(Future())
            # NumPy keeps errstate in a context variable: each task runs in a copy of the caller's context.
            waiting.put((pending[-1], partial(copy_context().run, _as_task, function, task)))
            if len(pending) == 2 * workers:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        for outcome in pending:
            outcome.cancel()
        for _ in range(workers):
            waiting.put(None)
        for _ in range(workers):
            free.acquire()


def _as_task(function: Callable[[T], R], task: T) -> R:
    _in_task.set(True)
    return function(task)


def interruptible(function: Callable[..., R], *arguments: Any, **named: Any) -> R:
    """`function(*arguments, **named)`, computed by another thread while this one waits and hears Ctrl-C.

    For one long call of compiled code, such as a factor of a large matrix. The function must release the GIL:
    `numpy.linalg` does, `scipy.linalg` does not. A call that is interrupted comes to its end unheard.

    Examples
    --------
    >>> interruptible(divmod, 7, 2)
    (3, 1)
    """
    if threading.current_thread() is not threading.main_thread():
        return function(*arguments, **named)  # other threads hear no signals
    outcome: Future[R] = Future()
    call = partial(copy_context().run, function, *arguments, **named)

    def work() -> None:
        try:
            outcome.set_result(call())
        except BaseException as error:
            outcome.set_exception(error)

    employ(work, 1, bool)
    while not outcome.done():
        wait([outcome], timeout=LISTEN)
    return outcome.result()


def read_ahead(items: Generator[T, None, None]) -> Generator[T, None, None]:
    """The same items, each one produced in a reader thread while the one before it is in use.

    Examples
    --------
    >>> list(read_ahead(letter for letter in "abc"))
    ['a', 'b', 'c']
    """
    end = object()
    reader = ThreadPoolExecutor(1, thread_name_prefix="learnable-reader")
    try:
        following: Future[Any] = reader.submit(next, items, end)
        while (item := following.result()) is not end:
            following = reader.submit(next, items, end)
            yield item
    finally:
        reader.shutdown(wait=True, cancel_futures=True)
        items.close()
