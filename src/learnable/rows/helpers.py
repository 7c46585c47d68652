"""Threads that stay: a new one for every pass is often put on the core of its starter, and helps too late.

Paid for by `python -m benchmarks folds`, whose threads are asked many times for short work: handing a task to a thread
that waits takes 14 µs, to a new one 83 µs (provisional, aarch64).
"""

import os
from _thread import start_new_thread
from collections.abc import Callable
from queue import SimpleQueue
from threading import Lock
from typing import NoReturn


class _Helpers:
    """The threads of this process, and what they are asked to run.

    `idle` is how many wait, less how many tasks wait for one.
    """

    def __init__(self) -> None:
        self.asked: SimpleQueue[tuple[Callable[[], object], Callable[[], object] | None]] = SimpleQueue()
        self.lock = Lock()
        self.n_threads = 0
        self.idle = 0

    def ask(self, task: Callable[[], object], n_helpers: int, done: Callable[[], object] | None) -> None:
        with self.lock:
            n_new = max(0, n_helpers - (self.n_threads if done is None else self.idle))
            self.n_threads += n_new
            self.idle += n_new - n_helpers
        for _ in range(n_new):
            # A thread of `threading` would have its starter wait until it runs, and Python wait for its end.
            start_new_thread(self.help, ())
        for _ in range(n_helpers):
            self.asked.put((task, done))

    def help(self) -> NoReturn:
        while True:
            task, done = self.asked.get()
            task()
            del task  # while a helper waits for the next one, it keeps nothing alive
            with self.lock:
                self.idle += 1
            if done is not None:
                done()
            del done


_helpers = _Helpers()


def employ(task: Callable[[], object], n_helpers: int, done: Callable[[], object]) -> None:
    """Have `task` run by so many other threads at once; each calls `done` when it is free for others again.

    A task may employ others in turn. What it raises is lost: it should raise nothing.
    """
    _helpers.ask(task, n_helpers, done)


def invite(task: Callable[[], object], n_helpers: int) -> None:
    """Have `task` run by so many other threads when they have time; it may be late, and should raise nothing."""
    _helpers.ask(task, n_helpers, None)


def _forget_the_parent() -> None:
    """A forked child has none of the threads."""
    global _helpers
    _helpers = _Helpers()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_the_parent)
