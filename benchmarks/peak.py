"""How far the memory of this process grows while something runs."""

import ctypes
import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

RESET = Path("/proc/self/clear_refs")
STATUS = Path("/proc/self/status")


def peak_growth(work: Callable[[], Any]) -> float:
    """Bytes that the largest resident size during `work` lies above that before; NaN where Linux is not there to ask.

    Everything counts, whoever allocated it. What was freed before is given back first, so that nobody finds room that
    others have paid for.
    """
    try:
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
        RESET.write_text("5")
        before = _kilobytes("VmRSS")
    except (OSError, AttributeError):
        work()
        return float("nan")
    work()
    return 1024.0 * max(_kilobytes("VmHWM") - before, 0)


def _kilobytes(name: str) -> int:
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(f"{name}:"))
    return int(line.split()[1])
