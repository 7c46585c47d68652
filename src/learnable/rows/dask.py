"""Rows of a dask array: each chunk is a task of the dask scheduler, on threads or on a cluster."""

import logging
from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from learnable.config import get_config

from .arrays import ArrayRows, check_numeric, checked_targets, checked_weight
from .chunk_tasks import Held, keeping, making, one_pass, pieces
from .examine import BadCell, refusing, sentence
from .lazily import is_dask_frame
from .patience import current_client, free_memory, result_of
from .source import Block, Rows, add, joined

logger = logging.getLogger(__name__)

# Tables that take no more than this share of the free memory of the workers are kept there.
SHARE_TO_KEEP = 0.5


class DaskRows(Rows):
    """The rows of a dask array that is chunked along rows only.

    A chunk is cut into blocks where it is computed, their results are merged there, and the results of the
    chunks are merged in row order, in a tree that depends on their number alone. The scheduler is dask's current one
    (threads, or the cluster of the current ``distributed.Client``), which also decides how much runs at once: `n_jobs`
    has no say. A cluster keeps the chunks in memory after the first pass where they take no more than half of what is
    free (``config_context(dask_persist=...)``); `reading` says so beforehand.

    Parameters
    ----------
    X : dask array or data frame of shape (n_rows, n_columns)
        The lengths of a data frame's partitions are found first, by a pass of their own.
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
        self.frame_columns: list[str] | None = None
        if is_dask_frame(X):
            named = all(isinstance(name, str) for name in X.columns)
            self.frame_columns = list(X.columns) if named else None
            X = X.to_dask_array(lengths=True)
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
        self._pieces, self._shared = pieces([X, y, weight], self._first, self._sizes)
        self._kept: tuple | None = None
        self.n_bytes = sum(table.nbytes for table in (X, y, weight) if table is not None)

    def blocks(self) -> Generator[Callable[[], Block], None, None]:
        for piece in self._pieces:
            # One chunk is computed when its first block is asked for and let go after its last.
            X, y, weight = self._compute(*making(piece, self._shared))
            yield from ArrayRows(X, y, weight, piece.first).blocks()

    def reduce(
        self,
        function: Callable[[Block], Any],
        merge: Callable[[Any, Any], Any] = add,
        *,
        n_jobs: int | None = None,
    ) -> Any:
        if self._kept is None:
            self._keep()
        keys, futures = self._kept or (None, {})
        return self._compute(*one_pass(self._pieces, {**self._shared, **futures}, keys, function, merge))

    def concatenate(
        self, function: Callable[[Block], np.ndarray], *, n_jobs: int | None = None, missing: bool = False
    ) -> np.ndarray:
        looked_at = refusing(function, missing)
        try:
            return joined(self.reduce(lambda block: [looked_at(block)], _listed), self.n_rows)
        except BadCell as found:
            raise ValueError(sentence(found.fault, self)) from None

    def reading(self) -> str:
        said = f"{super().reading()}, in {len(self._pieces)} chunks"
        client = current_client()
        if client is None:
            kept = get_config()["dask_persist"] is True
            return f"{said}; {'kept in memory' if kept else 'computed anew in every pass'}, by dask's own threads"
        workers, free = free_memory(client)
        room = f"{workers} worker{'' if workers == 1 else 's'}" + (f" with {free / 1e9:.3g} GB free" if free else "")
        return f"{said}; {'kept in the memory of' if self._fits(free) else 'computed anew in every pass by'} {room}"

    def _fits(self, free: float) -> bool:
        wish = get_config()["dask_persist"]
        return wish if isinstance(wish, bool) else bool(self.n_bytes <= SHARE_TO_KEEP * free)

    def _keep(self) -> None:
        """Before the first pass: keep the chunks in the cluster's memory where they fit, as the settings have it."""
        wish, client = get_config()["dask_persist"], current_client()
        if logger.isEnabledFor(logging.INFO):
            logger.info("a fit reads %s", self.reading())
        self._kept = ()
        if client is None and wish is True:
            from dask import threaded

            graph, keys = keeping(self._pieces, self._shared)
            self._kept = keys, {key: (Held(value),) for key, value in zip(keys, threaded.get(graph, keys))}
        elif client is not None and wish is not False and self._fits(free_memory(client)[1]):
            graph, keys = keeping(self._pieces, self._shared)
            self._kept = keys, dict(zip(keys, client.get(graph, keys, sync=False)))

    def _compute(self, graph: dict, key: str) -> Any:
        from dask.delayed import Delayed

        client = current_client()
        wanted = Delayed(key, graph)
        return wanted.compute(optimize_graph=False) if client is None else result_of(client, wanted)

    def __getstate__(self) -> dict:
        """Sent to a worker, within a function that works on its blocks, it is a shape without rows."""
        return {name: value for name, value in vars(self).items() if name not in ("_pieces", "_shared", "_kept")}

    def column_name(self, column: int) -> str:
        return str(column) if self.frame_columns is None else repr(self.frame_columns[column])

    def place(self, row: int) -> str:
        chunk = int(np.searchsorted(np.cumsum(self._sizes), row, side="right"))
        return f"row {row} (row {row - self._first[chunk]} of chunk {chunk})"

    def _aligned(self, values: Any, name: str, checked: Callable[[Any, int], Any]) -> Any:
        """Targets or weights, those of dask cut where X is cut."""
        if values is None:
            return None
        if hasattr(values, "to_dask_array"):
            values = values.to_dask_array(lengths=tuple(self._sizes))
        if not _is_dask_array(values):
            return checked(values, self.n_rows)
        _check_known_chunks(values, name)
        checked(np.broadcast_to(np.zeros((), values.dtype), values.shape), self.n_rows)
        whole_rows = dict.fromkeys(range(1, values.ndim), -1)
        return values.rechunk({0: tuple(self._sizes), **whole_rows})


def _listed(parts: list, more: list) -> list:
    return parts + more


def _is_dask_array(values: Any) -> bool:
    return type(values).__module__.startswith("dask.") and type(values).__name__ == "Array"


def _check_known_chunks(array: Any, name: str) -> None:
    if np.isnan(np.concatenate([np.asarray(sizes, dtype=float) for sizes in array.chunks])).any():
        raise ValueError(
            f"{name} is a dask array with chunks of unknown size: call `{name}.compute_chunk_sizes()` first"
        )
