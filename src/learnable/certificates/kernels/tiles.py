"""Kernel values computed again, a tile at a time, and summed up."""

from typing import Any

import numpy as np

from learnable.problems.kernels.basic import FunctionKernel
from learnable.problems.kernels.kernel import Kernel
from learnable.rows.threads import in_order, one_blas_thread, worker_count

# Rows and anchors of a tile, whose values stay in a second-level cache.
TILE = (128, 512)
# What a function of somebody else is asked for at once.
BLOCK = 2**21


def weighted_sums(kernel: Kernel, X: Any, anchors: Any, coefficients: np.ndarray) -> tuple[np.ndarray, float]:
    """(Σₛ k(x, xₛ) cₛ for every row x and column c of the coefficients, largest |k|); threads over the rows."""
    n, m = X.shape[0], anchors.shape[0]
    out = np.zeros((n, coefficients.shape[1]))
    theirs = isinstance(kernel, FunctionKernel)
    height, width = (n, BLOCK // max(n, 1) + 1) if theirs else TILE

    def fill(start: int) -> float:
        rows, largest = slice(start, start + height), 0.0
        for first in range(0, m, width):
            part = slice(first, first + width)
            values = kernel(X[rows], anchors[part])
            out[rows] += values @ coefficients[part]
            largest = max(largest, float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
        return largest

    starts = range(0, n, max(height, 1))
    with one_blas_thread() as granted:
        # Somebody's function may not bear threads.
        workers = 1 if theirs else worker_count(None, granted, len(starts))
        found = map(fill, starts) if workers == 1 else in_order(fill, iter(starts), workers)
        return out, max(found, default=0.0)
