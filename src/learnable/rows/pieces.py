"""What makes each chunk of a dask table from its source: X, y and weights together, each source read once."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse


class Chunk(NamedTuple):
    """Rows in memory, and where they stand.

    Attributes
    ----------
    leaf : its place among the chunks that have rows.
    number : its place among all chunks of the array.
    first : its first row in the table.
    """

    leaf: int
    number: int
    first: int
    X: Any
    y: Any
    weight: Any


class Piece:
    """What makes one chunk from the values of `outside`, which are other tasks' results.

    Attributes
    ----------
    leaf, number, first : of the chunk.
    size, width : how many rows and columns it has.
    outside : keys of the results it needs.
    in_place : whether these are its tables, none of which is brought along or to be computed.
    """

    def __init__(
        self,
        leaf: int,
        number: int,
        first: int,
        shape: tuple[int, int],
        tables: Sequence[Any],
        inside: dict,
        outside: tuple,
    ) -> None:
        self.leaf, self.number, self.first = leaf, number, first
        self.size, self.width = shape
        self.outside = outside
        self._tables, self._inside = tables, inside
        self.in_place = not inside and all(table is None or isinstance(table, Wanted) for table in tables)

    def made(self, *received: Any) -> Chunk:
        try:
            return Chunk(self.leaf, self.number, self.first, *self._tables_from(received))
        except Exception as error:
            error.add_note(place_of(self.number, self.first, self.size))
            raise

    def _tables_from(self, received: Sequence[Any]) -> list[Any]:
        known = dict(zip(self.outside, received))
        keys = [table.key for table in self._tables if isinstance(table, Wanted)]
        if not known.keys() >= set(keys):
            import dask

            known = dict(zip(keys, dask.get(self._inside | known, keys)))
        tables = [known[table.key] if isinstance(table, Wanted) else table for table in self._tables]
        check_shape(tables[0], self.first, (self.size, self.width))
        return [aligned(table) for table in tables]


def check_shape(X: Any, first: int, promised: tuple[int, int]) -> None:
    """ValueError for a chunk of X that has other rows or columns than its array promises."""
    shape: tuple[int, ...] = getattr(X, "shape", ())
    last = first + promised[0] - 1
    if len(shape) != 2 or shape[1] != promised[1]:
        raise ValueError(
            f"a chunk of X has shape {shape} where its array promises {promised}, rows {first} to {last}: mend the "
            "source"
        )
    if shape[0] != promised[0]:
        raise ValueError(
            f"a chunk of X has {shape[0]} rows where its array promises {promised[0]}, rows {first} to {last}: rows "
            "would be lost; mend the source, or state the sizes with `X.compute_chunk_sizes()`"
        )


def aligned(table: Any) -> Any:
    """The same numbers, where it is an array or a sparse matrix, at addresses that are whole multiples of their size.

    What came in a message lies where the message happened to put it: sums over it take several times as long, and
    kernels would be compiled anew for it.
    """
    if table is None or isinstance(table, np.ndarray):  # asked of every chunk in every pass
        return table if table is None or table.flags.aligned else table.copy()
    parts = vars(table).values() if scipy.sparse.issparse(table) else (table,)
    return table.copy() if any(isinstance(part, np.ndarray) and not part.flags.aligned for part in parts) else table


def place_of(number: int, first: int, size: int) -> str:
    """Where a chunk stands, in words.

    >>> place_of(3, 300, 100)
    'in chunk 3 of the dask array, rows 300 to 399'
    """
    return f"in chunk {number} of the dask array, rows {first} to {first + size - 1}"


class Wanted:
    """A key of the graph whose value is one of the tables of a chunk."""

    def __init__(self, key: Any) -> None:
        self.key = key


def pieces(tables: Sequence[Any], first: Sequence[int], sizes: Sequence[int]) -> tuple[list[Piece], dict]:
    """The pieces of the chunks that have rows, and the tasks of which several of them need the result.

    Parameters
    ----------
    tables : X, y, weights; each a dask array with these chunks, an array, or None.
    """
    import dask

    graphs = [dict(table.__dask_graph__()) for table in tables if _is_lazy(table)]
    graph = {key: node for one in graphs for key, node in one.items()}
    living = {key: node for key, node in graph.items() if lives(node)}
    named = [
        [_itself(graph, key) for key in _flat(table.__dask_keys__())] if _is_lazy(table) else None for table in tables
    ]
    if all(key in living for names in named if names is not None for key in names):
        # As after `persist`: nothing is to be computed.
        return _in_place(tables, named, first, sizes), {key: living[key] for names in named if names for key in names}
    if len(living) < len(graph) == sum(map(len, graphs)):
        # Where two tables are made from the same source, optimising would have each of them read it for itself.
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
        # X first, if it lives somewhere: the chunk will be worked on there.
        asked = [*wanted[k], *sorted({key for node in inside[k] for key in needs[node]}, key=str)]
        outside = tuple(dict.fromkeys(key for key in asked if owner[key] is None))
        shape = (sizes[i], tables[0].shape[1])
        found.append(Piece(k, i, first[i], shape, parts, inside[k], outside))
    return found, shared


def _in_place(
    tables: Sequence[Any], keys: Sequence[Sequence[Any] | None], first: Sequence[int], sizes: Sequence[int]
) -> list[Piece]:
    """The pieces of chunks whose tables live already, under these keys."""
    found: list[Piece] = []
    for i, size in enumerate(sizes):
        if size:
            here = slice(first[i], first[i] + size)
            parts = [
                Wanted(own_keys[i]) if own_keys is not None else None if table is None else table[here]
                for table, own_keys in zip(tables, keys)
            ]
            outside = tuple(dict.fromkeys(own_keys[i] for own_keys in keys if own_keys is not None))
            found.append(Piece(len(found), i, first[i], (size, tables[0].shape[1]), parts, {}, outside))
    return found


def _itself(graph: Mapping, key: Any) -> Any:
    """The key of which this one is another name."""
    while True:
        node: Any = graph.get(key)
        # A key in place of a task is how graphs that are not of dask's newer kind say the same.
        other = node.target if type(node).__name__ == "Alias" else node if isinstance(node, str | tuple) else None
        try:
            if other is None or other not in graph:
                return key
        except TypeError:  # a task as a tuple, which has no hash
            return key
        key = other


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
                owner[key] = None if lives(graph[key]) else k
            elif owner[key] is None or owner[key] == k:
                continue
            else:
                owner[key] = None
            stack.extend(needs[key])
    return needs, owner


def lives(node: Any) -> bool:
    """Whether a node of a graph is a result that a worker has, or will have."""
    return type(node).__name__ == "Future"


def _flat(keys: Any) -> Any:
    for key in keys:
        if isinstance(key, list):
            yield from _flat(key)
        else:
            yield key


def _is_lazy(table: Any) -> bool:
    return table is not None and not isinstance(table, np.ndarray)
