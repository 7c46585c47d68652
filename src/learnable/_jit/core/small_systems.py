"""A few equations at a time."""

import numpy as np

from learnable._jit.core.compile import inner_kernel

# An unknown whose pivot is, but for this share, made up by those before it stays out.
NOTHING_NEW = 1e-10


@inner_kernel
def solved(square, right):
    """x with Ax = b for a symmetric A ≥ 0 of a few rows, by Cholesky; rows that depend on those before get zero.

    Parameters
    ----------
    square : A in the first m rows and columns of a square that may be larger.
    right : (m,) b.
    """
    m = right.shape[0]
    factor, x = np.empty((m, m)), np.empty(m)
    for i in range(m):
        x[i] = right[i]
        for j in range(i):
            left = square[i, j]
            for k in range(j):
                left -= factor[i, k] * factor[j, k]
            factor[i, j] = left / factor[j, j]
            x[i] -= factor[i, j] * x[j]
        pivot = square[i, i]
        for k in range(i):
            pivot -= factor[i, k] * factor[i, k]
        factor[i, i] = np.sqrt(pivot) if pivot > NOTHING_NEW * square[i, i] else np.inf
        x[i] /= factor[i, i]
    for i in range(m - 1, -1, -1):
        for k in range(i + 1, m):
            x[i] -= factor[k, i] * x[k]
        x[i] /= factor[i, i]
    return x
