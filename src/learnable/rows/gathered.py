"""Some rows, or the targets of all, brought into memory from wherever they are."""

import numpy as np
import scipy.sparse

from .source import Block, Rows, put_together


def cells(block: Block) -> np.ndarray:
    """The cells of a block as doubles, row by row."""
    X = block.X.toarray() if scipy.sparse.issparse(block.X) else block.X
    return np.ascontiguousarray(X, dtype=np.float64)


def gathered(rows: Rows, wanted: np.ndarray, columns: np.ndarray | slice = slice(None)) -> np.ndarray:
    """The rows of X with these numbers, which rise, in all columns or some.

    Examples
    --------
    >>> from learnable.rows import as_rows
    >>> gathered(as_rows([[1.0], [2.0], [6.0]]), np.array([0, 2]))
    array([[1.],
           [6.]])
    """

    def taken(block: Block) -> list[np.ndarray]:
        first, last = np.searchsorted(wanted, [block.start, block.stop])
        return [cells(block)[wanted[first:last] - block.start][:, columns]]

    return put_together(rows.reduce(taken, lambda parts, more: parts + more))


def targets_and_weights(rows: Rows) -> tuple[np.ndarray, np.ndarray | None]:
    """y and the weights of all rows; no weights where none were given.

    Examples
    --------
    >>> from learnable.rows import as_rows
    >>> targets_and_weights(as_rows([[1.0], [2.0]], y=[3.0, 4.0]))
    (array([3., 4.]), None)
    """
    parts = rows.reduce(lambda block: [(block.y, block.weight)], lambda parts, more: parts + more)
    if parts[0][0] is None:
        raise TypeError("the rows have no targets: give y, or name the target of `ParquetRows`")
    weight = None if parts[0][1] is None else np.concatenate([w for _, w in parts])
    targets = [y for y, _ in parts]
    del parts  # nobody but the list has them now
    return put_together(targets), weight
