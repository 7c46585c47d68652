"""A block of rows in parts that stay in the cache while they are used more than once."""

from collections.abc import Iterator
from typing import Any

from scipy.sparse import issparse

# Numbers that stay in a core's cache between two readings: 2**16 doubles are 512 KiB.
STRETCH = 2**16
FEWEST_ROWS = 64
# Times as many where Python's threads multiply rows by vectors: a shorter product is over before the thread that waits
# for the interpreter is awake, and the two take turns. The second reading then comes from a cache further away.
FOR_PRODUCTS = 4


def stretches(X: Any, times: int = 1) -> Iterator[tuple[slice, Any]]:
    """(which rows, these rows in double precision), one part after the other; sparse rows all at once.

    Rows of a sparse matrix would be copied, and are few in memory as they are. Single precision is made double here
    once, and not in every product.

    Parameters
    ----------
    X : (n, p), dense or sparse.
    times : how many times as long the parts are; `FOR_PRODUCTS` where all that is done is a product or two.

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
    step = max(FEWEST_ROWS, times * STRETCH // max(p, 1))
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        yield rows, X[rows].astype(float, copy=False)
