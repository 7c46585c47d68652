"""Any table as rows."""

from typing import Any

import numpy as np

from .arrays import ArrayRows, MemmapRows
from .source import Rows


def as_rows(X: Any, y: Any = None, sample_weight: Any = None) -> Rows:
    """A table, with targets and weights, as `Rows` to sum over.

    Parameters
    ----------
    X : array, SciPy sparse matrix, numpy.memmap, dask array or Rows of shape (n_rows, n_columns)
        An array is not copied. A sparse matrix that is not CSR is converted. A memory-mapped array is read
        block by block. A dask array must be chunked along rows only. `Rows`, such as `ParquetRows`, are
        returned as they are; they carry their own targets and weights.
    y : array of shape (n_rows,) or (n_rows, n_targets), default=None
        Targets.
    sample_weight : array of shape (n_rows,), default=None
        Weights.

    Returns
    -------
    Rows

    Notes
    -----
    Missing and infinite values are not looked for.

    Examples
    --------
    >>> rows = as_rows([[1.0, 2.0], [3.0, 4.0]], y=[1.0, -1.0])
    >>> rows.n_rows, rows.n_columns
    (2, 2)
    >>> rows.reduce(lambda block: block.X.T @ block.y)
    array([-2., -2.])
    """
    if type(X) is np.ndarray:  # asked first, since it is the most frequent by far
        return ArrayRows(X, y, sample_weight)
    if isinstance(X, Rows):
        if y is not None or sample_weight is not None:
            raise TypeError(f"{type(X).__name__} carries its own targets and weights: give them when it is made")
        return X
    if is_streamed(X):
        from .dask import DaskRows

        return DaskRows(X, y, sample_weight)
    if isinstance(X, np.memmap):
        return MemmapRows(X, y, sample_weight)
    return ArrayRows(X, y, sample_weight)


def is_streamed(X: Any) -> bool:
    """Whether X comes in blocks, as `Rows` or a dask array, rather than as an array in memory or on disk.

    Examples
    --------
    >>> is_streamed(np.ones((2, 2))), is_streamed(as_rows(np.ones((2, 2))))
    (False, True)
    """
    if type(X) is np.ndarray:
        return False
    # Recognised by the name of its module, so that dask is imported only by those who use it.
    return isinstance(X, Rows) or type(X).__module__.partition(".")[0].startswith("dask")
