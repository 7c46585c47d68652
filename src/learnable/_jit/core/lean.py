"""Kernels that make no array, where nobody counts who uses one.

Numba counts the users of every array that is taken out of a tuple, by an operation that threads can do one after the
other only. Paid for by `python -m benchmarks trees`: a sixth of the time of growing a boosted tree by one thread went
into counting (aarch64).
"""

from typing import Any


def lean(compiled: Any) -> Any:
    """A kernel, of `kernel` or `inner_kernel`, without counting; compilation fails if it makes an array."""
    compiled.targetoptions |= {"_nrt": False, "no_rewrites": True}
    return compiled
