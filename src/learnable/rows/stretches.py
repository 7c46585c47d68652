"""A block of rows in parts that stay in the cache while they are used more than once."""

from collections.abc import Iterator
from typing import Any

from scipy.sparse import issparse

# Numbers that stay in a core's cache between two readings: 2**16 doubles are 512 KiB.
STRETCH = 2**16
FEWEST_ROWS = 64


def stretches(X: Any) -> Iterator[tuple[slice, Any]]:
    """(which rows, these rows in double precision), one part after the other; sparse rows all at once.

    Rows of a sparse matrix would be copied, and are few in memory as they are. Single precision is made double here
    once, and not in every product.

    Examples
    --------
    >>> import numpy as np
    >>> [(rows.start, part.dtype.name) for rows, part in stretches(np.zeros((100, 2000), dtype=np.float32))]
    [(0, 'float64'), (64, 'float64')]
    """
    n, p = X.shape
    if issparse(X):
        yield slice(0, n), X
        return
    step = max(FEWEST_ROWS, STRETCH // max(p, 1))
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        yield rows, X[rows].astype(float, copy=False)
