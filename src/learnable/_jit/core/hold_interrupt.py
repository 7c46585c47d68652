"""Ctrl-C while the compiler works waits until it has finished."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# What is kept, of each block that has begun.
_kept: list[list[tuple[int, Any]]] = []


def interrupted() -> bool:
    """Whether an interrupt is kept."""
    return any(_kept)


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """Keep SIGINT until the block ends, then hand it to the handler that was there.

    LLVM calls back into Python while it compiles. An exception raised within such a callback is printed and lost, so
    an interrupt that arrived there would never be heard. Only the main thread hears signals; elsewhere nothing is
    done.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    if not callable(before):  # the default action or none: nothing of Python's to raise
        yield
        return
    heard: list[tuple[int, Any]] = []
    _kept.append(heard)
    signal.signal(signal.SIGINT, lambda number, frame: heard.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        _kept.pop()
        if heard:
            before(*heard[0])
