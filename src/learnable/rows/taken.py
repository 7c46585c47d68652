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
    X, *_ = taken_in_order(rows, wanted)
    return X[np.searchsorted(wanted, places)]


def taken_in_order(rows: Rows, wanted: np.ndarray) -> tuple[Any, np.ndarray | None, np.ndarray | None]:
    """(X, y, weight) of the rows at these places, which rise, from one pass over all.

    Examples
    --------
    >>> from learnable.rows import as_rows
    >>> taken_in_order(as_rows(np.arange(10.0).reshape(5, 2), y=np.arange(5)), np.array([0, 3]))
    (array([[0., 1.],
           [6., 7.]]), array([0, 3]), None)
    """

    def within(block: Block) -> list[tuple[Any, ...]]:
        here = wanted[slice(*np.searchsorted(wanted, (block.start, block.stop)))] - block.start
        return [tuple(None if values is None else values[here] for values in (block.X, block.y, block.weight))]

    tables, y, weight = zip(*rows.reduce(within, list.__add__))
    X = scipy.sparse.vstack(tables, format="csr") if scipy.sparse.issparse(tables[0]) else np.concatenate(tables)
    return X, _joined(y), _joined(weight)


def _joined(parts: Sequence[np.ndarray | None]) -> np.ndarray | None:
    return None if parts[0] is None else np.concatenate([part for part in parts if part is not None])
