"""One turn of a contender: seconds by the clock and of the processor, begun on idle cores.

Threads of BLAS and OpenMP spin for 25 to 110 ms after the call that employed them. Where contenders take turns in one
process, the next one would share the cores with them: so everybody waits before a turn until they sleep.
"""

import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

IDLE = 0.2


class Turn(NamedTuple):
    """Seconds by the clock, seconds of the processor, and what came out."""

    wall: float
    processor: float
    found: Any


def clocked(work: Callable[..., Any], *arguments: Any) -> Turn:
    """`work(*arguments)` on idle cores, warnings not shown: who has not converged is judged by what came out."""
    time.sleep(IDLE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wall, processor = time.perf_counter(), time.process_time()
        found = work(*arguments)
        return Turn(time.perf_counter() - wall, time.process_time() - processor, found)
