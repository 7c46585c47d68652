"""The classes among the targets, of arrays and of rows that come in blocks."""

import numpy as np

from learnable.plain import plain

from .source import Block, Rows


def labels(rows: Rows, name: str) -> np.ndarray:
    """The classes among the targets, in order; from a pass of their own, unless a look at the rows has found them.

    Examples
    --------
    >>> from learnable.rows import as_rows
    >>> labels(as_rows([[1.0], [2.0], [3.0]], y=["no", "yes", "no"]), "GaussianNB")
    array(['no', 'yes'], dtype='<U3')
    """
    found = rows.labels_seen
    if found is None:
        found = rows.coarser().reduce(labels_of, together)
    if isinstance(found, NotClasses):
        row, value = found.args
        raise ValueError(
            f"{name}: Unknown label type: continuous: y holds {value!r} in {rows.place(row)}. Maybe you are trying to "
            "fit a classifier, which expects discrete classes on a regression target with continuous values."
        )
    if isinstance(found, TypeError):
        raise found
    return found


class NotClasses(ValueError):
    """(row, value) of a target that is no class, on its way to whoever can say where the row stands."""


# Classes, or why there are none: a fault of other tables is told first.
Labels = np.ndarray | NotClasses | TypeError


def labels_of(block: Block) -> Labels:
    """The classes among the targets of a block."""
    y = np.asarray(block.y)
    if y.dtype.kind == "f" and len(broken := np.flatnonzero(np.floor(y) != y)):
        return NotClasses(block.start + int(broken[0]), float(y[broken[0]]))
    try:
        return distinct(y)
    except TypeError as error:
        return error


def together(some: Labels, more: Labels) -> Labels:
    """The classes of two runs of rows."""
    if not (isinstance(some, np.ndarray) and isinstance(more, np.ndarray)):
        return more if isinstance(some, np.ndarray) else some
    if (some.dtype.kind in "SU") != (more.dtype.kind in "SU") and "O" not in (some.dtype.kind, more.dtype.kind):
        return without_order(np.concatenate([some.astype(object), more.astype(object)]))
    try:
        return distinct(np.concatenate([some, more]))
    except TypeError as error:
        return error


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
    row = next((row for row, value in enumerate(y) if type(value) is not type(first)), 0)
    return TypeError(
        f"y holds labels of different types, {plain(first)!r} ({type(first).__name__}) and {plain(y[row])!r} "
        f"({type(y[row]).__name__}) in row {row}: give all as strings, or all as numbers, and drop rows without a label"
    )


def pair(y: np.ndarray) -> np.ndarray | None:
    """The two values of y, the smaller first; None where they are not two, or no numbers."""
    if y.ndim != 1 or not len(y) or y.dtype.kind not in "biuf":
        return None
    if y.dtype.kind in "iu" and int(highest := y.max()) - int(lowest := y.min()) == 1:
        return np.array([lowest, highest])
    first = y[0]
    rest = y != first
    second = y[np.argmax(rest)]
    return np.sort(np.array([first, second])) if second != first and np.array_equal(rest, y == second) else None
