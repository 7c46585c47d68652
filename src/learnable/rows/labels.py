"""The classes among the targets, of arrays and of rows that come in blocks."""

import numpy as np

from learnable.plain import plain

from .source import Block, Rows


def labels(rows: Rows, name: str) -> np.ndarray:
    """The classes among the targets, in order, from one pass.

    Examples
    --------
    >>> from learnable.rows import as_rows
    >>> labels(as_rows([[1.0], [2.0], [3.0]], y=["no", "yes", "no"]), "GaussianNB")
    array(['no', 'yes'], dtype='<U3')
    """
    try:
        return rows.coarser().reduce(_labels, _together)
    except NotClasses as error:
        row, value = error.args
        raise ValueError(
            f"{name}: Unknown label type: continuous: y holds {value!r} in {rows.place(row)}. Maybe you are trying to "
            "fit a classifier, which expects discrete classes on a regression target with continuous values."
        ) from None


class NotClasses(ValueError):
    """(row, value) of a target that is no class, on its way to whoever can say where the row stands."""


def _labels(block: Block) -> np.ndarray:
    y = np.asarray(block.y)
    if y.dtype.kind == "f" and len(broken := np.flatnonzero(np.floor(y) != y)):
        raise NotClasses(block.start + int(broken[0]), float(y[broken[0]]))
    return distinct(y)


def _together(some: np.ndarray, more: np.ndarray) -> np.ndarray:
    if (some.dtype.kind in "SU") != (more.dtype.kind in "SU") and "O" not in (some.dtype.kind, more.dtype.kind):
        raise without_order(np.concatenate([some.astype(object), more.astype(object)]))
    return distinct(np.concatenate([some, more]))


def distinct(y: np.ndarray) -> np.ndarray:
    """`np.unique(y)`, without sorting where there are two values.

    >>> distinct(np.array([3, 1, 3]))
    array([1, 3])
    """
    found = pair(y)
    if found is not None:
        return found
    try:
        return np.unique(y)
    except TypeError:
        raise without_order(y) from None


def without_order(y: np.ndarray) -> TypeError:
    """For labels that have no order, as numbers among strings."""
    y = np.ravel(y)
    first = y[0]
    other = next((value for value in y if type(value) is not type(first)), first)
    return TypeError(
        f"y holds labels of different types, {plain(first)!r} ({type(first).__name__}) and {plain(other)!r} "
        f"({type(other).__name__}): give all as strings, or all as numbers, and drop rows without a label"
    )


def pair(y: np.ndarray) -> np.ndarray | None:
    """The two values of y, the smaller first; None where they are not two, or no numbers."""
    if y.ndim != 1 or not len(y) or y.dtype.kind not in "biuf":
        return None
    first = y[0]
    rest = y != first
    second = y[np.argmax(rest)]
    return np.sort(np.array([first, second])) if second != first and np.array_equal(rest, y == second) else None
