"""One process compiles a kernel, and others that need it meanwhile wait for its file.

The lock is the system's own: it is gone when its holder is, however that ends. It decides who works, not what is read:
without it, or where patience ends, each process compiles for itself and the files are the same.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from learnable._jit.core.hold_interrupt import interrupted

# Seconds between two looks, and those after which nobody is waited for: a holder may have been stopped.
BETWEEN, PATIENCE = 0.02, 60.0

_held: list[tuple[int, Path]] = []
_inside = False


@contextmanager
def one_process() -> Iterator[None]:
    """While one thread of this process compiles; at the end nothing is held."""
    global _inside
    _inside = True
    try:
        yield
    finally:
        _inside = False
        let_go()


def hold(name: Path) -> bool:
    """Hold the lock of this name until the end of `one_process`; returns whether another process had to be waited for.

    Nobody is waited for outside of it, where no lock can be had, or where Ctrl-C was pressed.
    """
    if not _inside or _held:
        return False
    try:
        name.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(name, os.O_RDWR | os.O_CREAT)
    except OSError:
        return False
    waited, end = False, time.monotonic() + PATIENCE
    while not _lock(file):
        waited = True
        if interrupted() or time.monotonic() > end:
            os.close(file)
            return waited
        time.sleep(BETWEEN)
    _held.append((file, name))
    return waited


def let_go() -> None:
    """Hold nothing any more."""
    while _held:
        file, name = _held.pop()
        # Whoever has it open is left with a lock that nobody else will ask for: two may compile then, to the same end.
        with suppress(OSError):
            name.unlink()
        os.close(file)


try:
    import fcntl
except ImportError:
    import msvcrt

    def _lock(file: int) -> bool:
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            return False
        return True
else:

    def _lock(file: int) -> bool:
        """Not inherited by processes that are forked meanwhile."""
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            return False
        except OSError:  # a file system without locks: as if it were held
            return True
        return True
