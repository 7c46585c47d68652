"""Rows of a dask array: each chunk is a task of the dask scheduler, on threads or on a cluster."""

from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from .arrays import ArrayRows, check_numeric, checked_targets, checked_weight
from .examine import BadCell, refusing, sentence
from .source import Block, Rows, add, joined, own


class DaskRows(Rows):
    """The rows of a dask array that is chunked along rows only.

    A chunk is cut into blocks where it is computed, their results are merged there, and the results of the
    chunks are merged in row order. The scheduler is dask's current one (threads, or the cluster of the current
    ``distributed.Client``), which also decides how much runs at once: `n_jobs` has no say.

    Parameters
    ----------
    X : dask array of shape (n_rows, n_columns)
    y : dask or NumPy array of shape (n_rows,) or (n_rows, n_targets), default=None
    sample_weight : dask or NumPy array of shape (n_rows,), default=None

    Examples
    --------
    >>> import dask.array
    >>> rows = DaskRows(dask.array.ones((1000, 3), chunks=(300, 3)))
    >>> rows.reduce(lambda block: block.X.sum(axis=0))
    array([1000., 1000., 1000.])
    """

    def __init__(self, X: Any, y: Any = None, sample_weight: Any = None) -> None:
        if not _is_dask_array(X):
            raise TypeError(
                f"X is a {type(X).__name__} of dask: pass a dask array, e.g. `X.to_dask_array(lengths=True)`"
            )
        if X.ndim != 2:
            raise ValueError(
                f"X has shape {X.shape}: expected rows × columns; reshape one column with `X.reshape(-1, 1)`"
            )
        _check_known_chunks(X, "X")
        if len(X.chunks[1]) > 1:
            raise ValueError(
                f"X is chunked along columns, {X.chunks[1]}: a block needs whole rows; use `X.rechunk({{1: -1}})`"
            )
        if 0 in X.shape:
            raise ValueError(f"X has shape {X.shape}: at least one row and one column are needed")
        check_numeric(X.dtype, "X")
        self.n_rows, self.n_columns = X.shape
        self.dtype = X.dtype
        sizes = X.chunks[0]
        self._first = np.concatenate(([0], np.cumsum(sizes)[:-1])).tolist()
        self._sizes = list(sizes)
        y = self._aligned(y, "y", checked_targets)
        weight = self._aligned(sample_weight, "sample_weight", checked_weight)
        self._X, self._y, self._weight = self._delayed(X, y, weight)

    def blocks(self) -> Generator[Callable[[], Block], None, None]:
        import dask

        for X, y, weight, first, size in self._chunks():
            # One chunk is computed when its first block is asked for and let go after its last.
            X, y, weight = dask.compute(X, y, weight)
            yield from _chunk_rows(X, y, weight, first, size).blocks()

    def reduce(
        self,
        function: Callable[[Block], Any],
        merge: Callable[[Any, Any], Any] = add,
        *,
        n_jobs: int | None = None,
    ) -> Any:
        from dask import delayed

        parts = [delayed(_reduce_chunk, pure=False)(*chunk, function, merge) for chunk in self._chunks()]
        total = parts[0]
        for part in parts[1:]:
            total = delayed(_merge_chunks, pure=False)(total, part, merge)
        return total.compute()

    def concatenate(
        self, function: Callable[[Block], np.ndarray], *, n_jobs: int | None = None, missing: bool = False
    ) -> np.ndarray:
        import dask

        looked_at = refusing(function, missing)
        parts = [dask.delayed(_concatenate_chunk, pure=False)(*chunk, looked_at) for chunk in self._chunks()]
        try:
            return joined(list(dask.compute(*parts)), self.n_rows)
        except BadCell as found:
            raise ValueError(sentence(found.fault, self)) from None

    def place(self, row: int) -> str:
        chunk = int(np.searchsorted(np.cumsum(self._sizes), row, side="right"))
        return f"row {row} (row {row - self._first[chunk]} of chunk {chunk})"

    def _chunks(self) -> list[tuple[Any, Any, Any, int, int]]:
        chunks = zip(self._X, self._y, self._weight, self._first, self._sizes)
        return [chunk for chunk in chunks if chunk[-1]]

    def _aligned(self, values: Any, name: str, checked: Callable[[Any, int], Any]) -> Any:
        """Targets or weights, those of dask cut where X is cut."""
        if values is None:
            return None
        if not _is_dask_array(values):
            return checked(values, self.n_rows)
        _check_known_chunks(values, name)
        checked(np.broadcast_to(np.zeros((), values.dtype), values.shape), self.n_rows)
        whole_rows = dict.fromkeys(range(1, values.ndim), -1)
        return values.rechunk({0: tuple(self._sizes), **whole_rows})

    def _delayed(self, *tables: Any) -> list[list[Any]]:
        """The chunks of each table as tasks. Where two tables are made from the same source, their graphs stay as they
        are, so that it is read once a pass: each would be optimised to read it for itself.
        """
        graphs = [set(table.dask) for table in tables if _is_dask_array(table)]
        apart = sum(map(len, graphs)) == len(set().union(*graphs))
        found: list[list[Any]] = []
        for table in tables:
            if table is None:
                found.append([None] * len(self._sizes))
            elif _is_dask_array(table):
                found.append(table.to_delayed(optimize_graph=apart).ravel().tolist())
            else:
                found.append([table[first : first + size] for first, size in zip(self._first, self._sizes)])
        return found


def _chunk_rows(X: Any, y: Any, weight: Any, first: int, size: int) -> ArrayRows:
    if X.shape[0] != size:
        raise ValueError(
            f"a chunk of X has {X.shape[0]} rows where its array promises {size}, rows {first} to {first + size - 1}: "
            "rows would be lost; mend the source, or state the sizes with `X.compute_chunk_sizes()`"
        )
    return ArrayRows(X, y, weight, first)


def _reduce_chunk(X: Any, y: Any, weight: Any, first: int, size: int, function: Callable, merge: Callable) -> Any:
    return _chunk_rows(X, y, weight, first, size).reduce(function, merge, n_jobs=1)


def _concatenate_chunk(X: Any, y: Any, weight: Any, first: int, size: int, function: Callable) -> np.ndarray:
    return _chunk_rows(X, y, weight, first, size).concatenate(function, n_jobs=1)


def _merge_chunks(total: Any, part: Any, merge: Callable) -> Any:
    # A task must not write to its inputs: the scheduler may run it again, and received arrays are read-only.
    return merge(own(total), part)


def _is_dask_array(values: Any) -> bool:
    return type(values).__module__.startswith("dask.") and type(values).__name__ == "Array"


def _check_known_chunks(array: Any, name: str) -> None:
    if np.isnan(np.concatenate([np.asarray(sizes, dtype=float) for sizes in array.chunks])).any():
        raise ValueError(
            f"{name} is a dask array with chunks of unknown size: call `{name}.compute_chunk_sizes()` first"
        )
