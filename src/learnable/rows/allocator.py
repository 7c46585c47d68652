"""Memory of temporary arrays that stays with a worker of dask while sums run.

Dask starts its workers with `MALLOC_TRIM_THRESHOLD_`. Told that, the C library of Linux gives every array above 128 KiB
back to the system as soon as it is freed, so that each block of each pass gets its buffers page by page anew: a third
of the time of a pass of cross-products (`python -m benchmarks cluster`).
"""

import ctypes
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock

# What malloc.h calls M_TRIM_THRESHOLD and M_MMAP_THRESHOLD, and its default for the latter.
_TRIM, _MMAP = -1, -3
_MMAP_DEFAULT = 2**17
# The largest array that is not got from the system on its own (the library allows no more), and how much may lie idle.
LARGEST, IDLE = 2**25, 2**27

_lock, _users = Lock(), 0


@contextmanager
def memory_kept() -> Iterator[None]:
    """While it lasts, freed memory is used again; afterwards it is given back as dask wants it. Callers are counted."""
    global _users
    with _lock:
        _users += 1
        if _users == 1:
            _set(LARGEST, IDLE)
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                _set(int(os.environ.get("MALLOC_MMAP_THRESHOLD_", _MMAP_DEFAULT)), _told())


def _set(largest: int, idle: int) -> None:
    mallopt = _mallopt()
    if mallopt is not None:
        mallopt(_MMAP, largest)
        mallopt(_TRIM, idle)


def _told() -> int:
    return int(os.environ.get("MALLOC_TRIM_THRESHOLD_", -1))


@cache
def _mallopt() -> Callable[[int, int], int] | None:
    """The library's own function; None where nobody has told it anything, and it finds good values by itself."""
    if sys.platform != "linux" or _told() < 0:
        return None
    return getattr(ctypes.CDLL(None), "mallopt", None)
