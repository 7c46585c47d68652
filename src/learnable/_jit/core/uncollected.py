"""Loading the compiler without looking for garbage."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Pause the collection of garbage; afterwards it runs if it ran before.

    The compiler makes hundreds of thousands of objects while it is loaded, and they all stay. Python would walk over
    everything alive, time and again, and find nothing to free: a quarter of the seconds before the first fit.

    >>> import gc
    >>> with uncollected():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()
