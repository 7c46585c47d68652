"""Tasks of dask over the chunks of a table: one a chunk and pass, and a tree of merges that the chunks alone shape.

What makes a chunk from its source (X, y and weights together) runs inside the task that works on it. The function of a
pass, with the state it carries, is a value of the graph: it travels to each worker once, and again where one is lost.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import uuid4

import numpy as np

from .arrays import ArrayRows
from .source import own

# So many results are merged by one task.
FAN_IN = 16


class Piece:
    """What makes one chunk: (X, y, weight) from the values of `outside`, which are other tasks' results.

    Attributes
    ----------
    number, first, size : of the chunk, of its first row in the table, and of its rows.
    outside : keys of the results it needs.
    """

    def __init__(self, number: int, first: int, size: int, tables: Sequence[Any], inside: dict, outside: tuple) -> None:
        self.number, self.first, self.size = number, first, size
        self.outside = outside
        self._tables, self._inside = tables, inside

    def made(self, *received: Any) -> tuple[Any, Any, Any]:
        import dask

        graph = self._inside | dict(zip(self.outside, received))
        keys = [table.key for table in self._tables if isinstance(table, Wanted)]
        found = iter(dask.get(graph, keys))
        X, y, weight = (next(found) if isinstance(table, Wanted) else table for table in self._tables)
        if X.shape[0] != self.size:
            raise ValueError(
                f"a chunk of X has {X.shape[0]} rows where its array promises {self.size}, rows {self.first} to "
                f"{self.first + self.size - 1}: rows would be lost; mend the source, or state the sizes with "
                "`X.compute_chunk_sizes()`"
            )
        return X, y, weight

    def without_source(self) -> "Piece":
        """Its place in the table alone, for a chunk that is kept."""
        return Piece(self.number, self.first, self.size, (), {}, ())

    def named(self, error: BaseException) -> None:
        """Say in which chunk it happened."""
        error.add_note(f"in chunk {self.number} of the dask array, rows {self.first} to {self.first + self.size - 1}")


class Wanted:
    """A key of the graph whose value is one of the tables of a chunk."""

    def __init__(self, key: Any) -> None:
        self.key = key


class Work:
    """The function of a pass, and how its results are merged."""

    def __init__(self, function: Callable, merge: Callable) -> None:
        self.function, self.merge = function, merge


class Held:
    """A task whose value is there already."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __call__(self) -> Any:
        return self.value


class _Made:
    """A task that makes a chunk, to be kept."""

    def __init__(self, piece: Piece) -> None:
        self.piece = piece

    def __call__(self, *received: Any) -> tuple[Any, Any, Any]:
        try:
            return self.piece.made(*received)
        except Exception as error:
            self.piece.named(error)
            raise


class _Reduced:
    """A task that makes a chunk, or takes one that was kept, and works on it."""

    def __init__(self, piece: Piece, kept: bool) -> None:
        self.piece, self.kept = piece, kept

    def __call__(self, work: Work, *received: Any) -> Any:
        try:
            X, y, weight = received[0] if self.kept else self.piece.made(*received)
            return ArrayRows(X, y, weight, self.piece.first).reduce(work.function, work.merge, n_jobs=1)
        except Exception as error:
            self.piece.named(error)
            raise


def _merged(work: Work, *parts: Any) -> Any:
    # A task must not write to its inputs: the scheduler may run it again, and received arrays are read-only.
    total = own(parts[0])
    for part in parts[1:]:
        total = work.merge(total, part)
    return total


def pieces(tables: Sequence[Any], first: Sequence[int], sizes: Sequence[int]) -> tuple[list[Piece], dict]:
    """The pieces of the chunks that have rows, and the tasks of which several of them need the result.

    Parameters
    ----------
    tables : X, y, weights; each a dask array with these chunks, an array, or None.
    """
    import dask

    graphs = [dict(table.__dask_graph__()) for table in tables if _is_lazy(table)]
    graph = {key: node for one in graphs for key, node in one.items()}
    if len(graph) == sum(map(len, graphs)):
        # Where two tables are made from the same source, optimising would have each of them read it for itself.
        living = {key: node for key, node in graph.items() if _lives(node)}
        better = iter(dask.optimize(*[table for table in tables if _is_lazy(table)]))
        tables = [next(better) if _is_lazy(table) else table for table in tables]
        graph = {key: node for table in tables if _is_lazy(table) for key, node in dict(table.__dask_graph__()).items()}
        graph |= living
    keys = [list(_flat(table.__dask_keys__())) if _is_lazy(table) else None for table in tables]
    chunks = [i for i, size in enumerate(sizes) if size]
    wanted = [[own_keys[i] for own_keys in keys if own_keys is not None] for i in chunks]
    needs, owner = _owners(graph, wanted)
    inside: list[dict] = [{} for _ in chunks]
    shared = {}
    for key, who in owner.items():
        if who is None:
            shared[key] = graph[key]
        else:
            inside[who][key] = graph[key]
    found = []
    for k, i in enumerate(chunks):
        here = slice(first[i], first[i] + sizes[i])
        parts = [
            Wanted(own_keys[i]) if own_keys is not None else None if table is None else table[here]
            for table, own_keys in zip(tables, keys)
        ]
        asked = {key for node in inside[k] for key in needs[node]} | set(wanted[k])
        outside = tuple(sorted((key for key in asked if owner[key] is None), key=str))
        found.append(Piece(i, first[i], sizes[i], parts, inside[k], outside))
    return found, shared


def making(piece: Piece, shared: Mapping) -> tuple[dict, str]:
    """(graph, key) of one chunk."""
    graph, (key,) = keeping([piece], shared)
    return graph, key


def keeping(found: Sequence[Piece], shared: Mapping) -> tuple[dict, list[str]]:
    """(graph, keys) of tasks that make the chunks and are done once."""
    token = uuid4().hex
    keys = [f"learnable-chunk-{token}-{piece.number}" for piece in found]
    return {**shared, **{key: (_Made(piece), *piece.outside) for key, piece in zip(keys, found)}}, keys


def one_pass(
    found: Sequence[Piece], shared: Mapping, kept: Sequence[str] | None, function: Callable, merge: Callable
) -> tuple[dict, str]:
    """(graph, key) of the merged results of all chunks.

    Consecutive results are merged `FAN_IN` at a time, then those: which bits come out depends on the chunks alone.
    """
    token = uuid4().hex
    work = f"learnable-work-{token}"
    graph: dict = {**shared, work: Work(function, merge)}
    level = []
    for i, piece in enumerate(found):
        key = f"learnable-pass-{token}-{piece.number}"
        needed = piece.outside if kept is None else (kept[i],)
        graph[key] = (_Reduced(piece.without_source() if kept else piece, kept is not None), work, *needed)
        level.append(key)
    depth = 0
    while len(level) > 1:
        depth += 1
        groups = [level[i : i + FAN_IN] for i in range(0, len(level), FAN_IN)]
        level = [f"learnable-merge-{token}-{depth}-{g}" for g in range(len(groups))]
        graph.update((key, (_merged, work, *group)) for key, group in zip(level, groups))
    return graph, level[0]


def _owners(graph: Mapping, wanted: Sequence[Sequence[Any]]) -> tuple[dict, dict]:
    """(what each task needs; the chunk it belongs to, None for tasks of several and for what lives already)."""
    from dask.core import get_dependencies

    needs: dict = {}
    owner: dict = {}
    for k, keys in enumerate(wanted):
        stack = list(keys)
        while stack:
            key = stack.pop()
            if key not in owner:
                needs[key] = get_dependencies(graph, key)
                owner[key] = None if _lives(graph[key]) else k
            elif owner[key] is None or owner[key] == k:
                continue
            else:
                owner[key] = None
            stack.extend(needs[key])
    return needs, owner


def _lives(node: Any) -> bool:
    """Whether it is in a worker's memory already."""
    return type(node).__name__ == "Future"


def _flat(keys: Any) -> Any:
    for key in keys:
        if isinstance(key, list):
            yield from _flat(key)
        else:
            yield key


def _is_lazy(table: Any) -> bool:
    return table is not None and not isinstance(table, np.ndarray)
