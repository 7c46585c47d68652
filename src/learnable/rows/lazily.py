"""A function of rows on a dask array or data frame, chunk by chunk, when its result is asked for."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from uuid import uuid4

import numpy as np

from .examine import first_fault, sentence
from .frames import in_order
from .pieces import check_shape
from .source import Block


def is_dask_table(X: Any) -> bool:
    """Whether X is an array or a data frame of dask.

    >>> is_dask_table(np.ones((2, 2)))
    False
    """
    return type(X).__module__.startswith("dask") and type(X).__name__ in ("Array", "DataFrame")


def is_dask_frame(X: Any) -> bool:
    """Whether X is a data frame of dask."""
    return is_dask_table(X) and type(X).__name__ == "DataFrame"


def lazily(X: Any, function: Callable[[Any], np.ndarray], *, missing: bool = False) -> Any:
    """`function` of every chunk of X, as a dask array that computes nothing yet.

    Parameters
    ----------
    X : dask array or data frame with all columns in each chunk
    function : callable
        Takes a chunk, an array or a pandas data frame, and gives an array with one entry, or one row, for each of its
        rows, or a list of such arrays. It is tried on one row of ones to see what it gives.
    missing : bool, default=False
        Whether NaN stands for a missing cell. What is not a number is refused otherwise, with its place.

    Returns
    -------
    dask array with the chunks of X along the rows, or a list of them

    Examples
    --------
    >>> import dask.array
    >>> twice = lazily(dask.array.ones((5, 2), chunks=(3, 2)), lambda chunk: 2 * chunk.sum(axis=1))
    >>> twice.chunks, twice.compute()
    (((3, 2),), array([4., 4., 4., 4., 4.]))
    """
    import dask.array as da

    if is_dask_frame(X):
        one = X._meta.reindex([0]).fillna(1).astype(X._meta.dtypes)
        told = function(one)
        if isinstance(told, list):
            return [lazily(X, partial(_one_of, function, k), missing=missing) for k in range(len(told))]
        told = np.asarray(told)
        names = list(X.columns)
        parts = [_of_part(part, number, function, missing, names) for number, part in enumerate(X.to_delayed())]
        return da.concatenate([da.from_delayed(part, (np.nan, *told.shape[1:]), told.dtype) for part in parts])
    if X.ndim != 2:
        raise ValueError(f"X has shape {X.shape}: expected rows × columns; reshape one column with `X.reshape(-1, 1)`")
    if len(X.chunks[1]) > 1:
        raise ValueError(f"X has chunks {X.chunks}: a chunk needs whole rows of a table; use `X.rechunk({{1: -1}})`")
    told = function(np.ones((1, X.shape[1]), dtype=X.dtype))
    if isinstance(told, list):
        return [lazily(X, partial(_one_of, function, k), missing=missing) for k in range(len(told))]
    told = np.asarray(told)
    shape: dict[str, Any] = {"drop_axis": 1}
    if told.ndim > 1:
        shape = {"chunks": (X.chunks[0], *((size,) for size in told.shape[1:])), "new_axis": [*range(2, told.ndim)]}

    n_columns = X.shape[1]

    def of_chunk(chunk: Any, block_info: Any = None) -> np.ndarray:
        (first, stop), *_ = block_info[0]["array-location"]
        number = block_info[0]["chunk-location"][0]
        if np.isfinite(stop):
            check_shape(chunk, int(first), (int(stop - first), n_columns))
        return _looked_at(chunk, function, missing, _Chunk(number, first))

    meta = np.empty((0,) * told.ndim, dtype=told.dtype)
    # Under a name of its own: dask would pickle the function, and with it a whole model, to make one.
    return X.map_blocks(of_chunk, name=f"rows-{uuid4().hex}", meta=meta, **shape)


def _one_of(function: Callable, which: int, chunk: Any) -> np.ndarray:
    return function(chunk)[which]


def _of_part(part: Any, number: int, function: Callable, missing: bool, names: list) -> Any:
    import dask

    return dask.delayed(_looked_at_in_order)(part, function, missing, number, names)


def _looked_at_in_order(part: Any, function: Callable, missing: bool, number: int, names: list) -> np.ndarray:
    return _looked_at(in_order(part, names), function, missing, _Chunk(number, None, names))


def _looked_at(chunk: Any, function: Callable, missing: bool, place: "_Chunk") -> np.ndarray:
    if not len(chunk) if hasattr(chunk, "__len__") else not chunk.shape[0]:
        one = np.ones((1, chunk.shape[1])) if not hasattr(chunk, "iloc") else chunk.reindex([0]).fillna(1)
        return np.asarray(function(one))[:0]
    cells = chunk.to_numpy() if hasattr(chunk, "iloc") else chunk
    fault = first_fault(Block(cells, None, None, 0, cells.shape[0]), missing=missing)
    if fault is not None:
        raise ValueError(sentence(fault, place))
    try:
        return np.asarray(function(chunk))
    except Exception as error:
        error.add_note(f"in chunk {place.number} of X")
        raise


class _Chunk:
    """Where a row of a chunk stands, in words."""

    def __init__(self, number: int, first: int | None, names: Sequence[Any] | None = None) -> None:
        self.number, self.first, self.names = number, first, names

    def place(self, row: int) -> str:
        of_chunk = f"row {row} of chunk {self.number}"
        return of_chunk if self.first is None else f"row {self.first + row} ({of_chunk})"

    def column_name(self, column: int) -> str:
        return str(column) if self.names is None else repr(self.names[column])
