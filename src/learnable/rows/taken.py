"""Some rows of a table, in memory."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse

from .source import Block, Rows


def taken(rows: Rows, places: Sequence[int] | np.ndarray) -> Any:
    """The rows of X at these places, in this order, from one pass over all; an array, or CSR where the blocks are.

    Examples
    --------
    >>> from learnable.rows import as_rows
    >>> taken(as_rows(np.arange(10.0).reshape(5, 2)), [3, 0])
    array([[6., 7.],
           [0., 1.]])
    """
    places = np.asarray(places)
    wanted = np.sort(places)

    def within(block: Block) -> list[Any]:
        first, last = np.searchsorted(wanted, (block.start, block.stop))
        return [block.X[wanted[first:last] - block.start]]

    parts = rows.reduce(within, list.__add__)
    found = scipy.sparse.vstack(parts, format="csr") if scipy.sparse.issparse(parts[0]) else np.concatenate(parts)
    return found[np.searchsorted(wanted, places)]
