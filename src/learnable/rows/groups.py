"""Groups of chunks, the tasks of dask over them, and a pass as a graph of tasks.

A group is worked on by one thread of one worker, chunk after chunk, and its results are merged there as far as the tree
of merges goes: a pass is a task a group, not a chunk. What makes a chunk from its source runs
inside the task, and only where the group is not kept.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from functools import partial, reduce
from itertools import groupby
from typing import Any
from uuid import uuid4

import numpy as np

from .allocator import memory_kept
from .arrays import ArrayRows
from .merge_tree import Nodes, join, united
from .parts import even_cuts
from .pieces import Chunk, Piece, aligned, place_of
from .source import Block, own
from .threads import in_order, one_blas_thread

# So many results are merged by one task.
FAN_IN = 16


class Work:
    """The function of a pass, how its results are merged, of how many chunks, and whether it takes long blocks."""

    def __init__(self, function: Callable, merge: Callable, n_chunks: int, long_blocks: bool = False) -> None:
        self.function, self.merge, self.n_chunks, self.long_blocks = function, merge, n_chunks, long_blocks

    def on(self, chunks: Iterable[Chunk]) -> Any:
        """The results of these chunks, merged as far as they are neighbours."""
        nodes: Nodes = {}
        with one_blas_thread(), memory_kept():
            for chunk in chunks:
                try:
                    rows = ArrayRows(chunk.X, chunk.y, chunk.weight, chunk.first)
                    rows = rows.coarser(1, few_at_once=False) if self.long_blocks else rows
                    result = rows.reduce(self.function, self.merge, n_jobs=1)
                except Exception as error:
                    error.add_note(place_of(chunk.number, chunk.first, chunk.X.shape[0]))
                    raise
                join(nodes, (0, chunk.leaf), result, self.n_chunks, self.merge)
        return nodes

    def united(self, *parts: Any) -> Any:
        """The results of several groups, merged as far as they are neighbours, with the bits of whoever does it: BLAS
        rounds otherwise with two threads, even in products of eight columns."""
        with one_blas_thread():
            return united(parts, self.n_chunks, self.merge)

    def whole(self, *parts: Any) -> Any:
        """The result of all chunks, from parts that have them all."""
        (result,) = self.united(*parts).values()
        return result


class WorkTogether(Work):
    """A pass whose function takes all chunks of a group at once, as blocks.

    It gives a result for each of them, which are merged in the tree, or none, and one for all, which are merged in any
    order, or None; so does the pass.
    """

    def __init__(self, function: Callable, merge: Callable, merge_groups: Callable | None, n_chunks: int) -> None:
        super().__init__(function, merge, n_chunks)
        self.merge_groups = merge_groups

    def on(self, chunks: Iterable[Chunk]) -> Any:
        nodes: Nodes = {}
        chunks = list(chunks)
        blocks = [Block(c.X, c.y, c.weight, c.first, c.first + c.X.shape[0]) for c in chunks]
        with one_blas_thread(), memory_kept():
            ((each, of_all),) = in_order(self.function, iter([blocks]), 1)
        for chunk, result in zip(chunks, each or (), strict=bool(each)):
            join(nodes, (0, chunk.leaf), result, self.n_chunks, self.merge)
        return nodes, of_all

    def united(self, *parts: Any) -> Any:
        first, *others = (of_all for _, of_all in parts)
        of_all = first
        if others and self.merge_groups is not None:
            of_all = reduce(self.merge_groups, others, own(first))
        return united((nodes for nodes, _ in parts), self.n_chunks, self.merge), of_all

    def whole(self, *parts: Any) -> Any:
        nodes, of_all = self.united(*parts)
        return nodes.popitem()[1] if nodes else None, of_all


class Group:
    """Pieces that are worked on one after the other.

    Attributes
    ----------
    outside : keys of the results of other tasks that its pieces need.
    """

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self.pieces = pieces
        self.outside = tuple(dict.fromkeys(key for piece in pieces for key in piece.outside))

    def chunks(self, *received: Any) -> Iterator[Chunk]:
        values = dict(zip(self.outside, _laid_out(self.outside, received)))
        for piece in self.pieces:
            yield piece.made(*(values[key] for key in piece.outside))

    def kept(self, *received: Any) -> list[Chunk]:
        """Its chunks, with arrays that belong to the group alone: what is kept beside them can go when they go."""
        return [chunk._replace(X=_a_view(chunk.X)) for chunk in self.chunks(*received)]

    def reduced(self, work: Work, *received: Any) -> Any:
        return work.on(self.chunks(*received))


def _a_view(table: Any) -> Any:
    return table.view() if isinstance(table, np.ndarray) else table


def _laid_out(keys: Sequence[Any], received: Sequence[Any]) -> list[Any]:
    """These results at addresses that are whole multiples of their size.

    The worker that has them keeps them so from now on: the next pass, or fit, finds nothing to do.
    """
    found = [aligned(value) for value in received]
    anew = {key: value for key, value, given in zip(keys, found, received) if value is not given}
    if anew:
        from distributed import get_worker

        try:
            worker = get_worker()
        except ValueError:  # on dask's own threads
            return found
        worker.loop.add_callback(_replace, worker.data, anew)
    return found


def _replace(data: MutableMapping, anew: Mapping) -> None:
    data.update((key, value) for key, value in anew.items() if key in data)


def consecutive(pieces: Sequence[Piece], n_groups: int) -> list[Group]:
    """Pieces in groups with about as many rows each; fewer groups where single pieces are long."""
    rows = np.cumsum([piece.size for piece in pieces])
    return [Group(pieces[part]) for part in even_cuts(rows, n_groups)]


def keeping(groups: Sequence[Group], shared: Mapping) -> tuple[dict, list[str]]:
    """(graph, keys) of tasks that make the chunks of each group; done once."""
    token = uuid4().hex
    keys = [f"learnable-chunks-{token}-{g}" for g in range(len(groups))]
    return {**shared, **{key: (group.kept, *group.outside) for key, group in zip(keys, groups)}}, keys


def one_pass(groups: Sequence[Group], known: Mapping, kept: Sequence[str] | None, work: Work) -> tuple[dict, str]:
    """(graph, key) of the result of all chunks.

    Parameters
    ----------
    groups : of all chunks.
    known : tasks and results that the groups need, or, of groups that are kept, the chunks themselves.
    kept : keys of the chunks of each group; None where they are made anew.
    """
    token = uuid4().hex
    name = f"learnable-work-{token}"
    graph: dict = {**known, name: (Held(work),)}
    level = [f"learnable-pass-{token}-{g}" for g in range(len(groups))]
    for g, key in enumerate(level):
        anew = (Group.reduced, groups[g], name, *groups[g].outside)
        graph[key] = anew if kept is None else (kept_work, name, kept[g])
    depth = 0
    while len(level) > FAN_IN:
        depth += 1
        parts = [level[i : i + FAN_IN] for i in range(0, len(level), FAN_IN)]
        level = [f"learnable-merge-{token}-{depth}-{i}" for i in range(len(parts))]
        graph.update((key, (_united, name, *part)) for key, part in zip(level, parts))
    whole = f"learnable-whole-{token}"
    graph[whole] = (_whole, name, *level)
    return graph, whole


def _united(work: Work, *parts: Any) -> Any:
    return work.united(*parts)


def _whole(work: Work, *parts: Any) -> Any:
    return work.whole(*parts)


def kept_work(work: Work, chunks: list[Chunk]) -> Any:
    """The results of a group that is kept."""
    return work.on(_in_place(chunks))


def _in_place(chunks: list[Chunk]) -> list[Chunk]:
    """Chunks of a group that is kept: what has come from another worker is laid out, once for all passes."""
    for i, chunk in enumerate(chunks):
        tables = (chunk.X, chunk.y, chunk.weight)
        found = [aligned(table) for table in tables]
        if any(one is not other for one, other in zip(found, tables)):
            chunks[i] = Chunk(*chunk[:3], *found)
    return chunks


def runs(groups: Sequence[Group]) -> list[tuple[int, list[int]]]:
    """(group, places within it) of neighbouring chunks that one group has, in row order: what a fold goes through."""
    places = sorted((piece.leaf, g, i) for g, group in enumerate(groups) for i, piece in enumerate(group.pieces))
    return [(g, [i for *_, i in run]) for g, run in groupby(places, key=lambda place: place[1])]


def one_fold(
    groups: Sequence[Group], known: Mapping, kept: Sequence[str] | None, function: Callable, state: Any
) -> tuple[dict, str]:
    """(graph, key) of what `function` makes of a state, block after block in row order: a chain of tasks.

    A task goes through neighbours of one group; the state goes to where they are. Parameters as for `one_pass`, and of
    `Rows.fold`.
    """
    token = uuid4().hex
    key = f"learnable-state-{token}"
    graph: dict = {**known, key: (Held(state),)}
    for g, some in runs(groups):
        before, key = key, f"learnable-fold-{token}-{g}-{some[0]}"
        if kept is not None:
            graph[key] = (partial(kept_fold, function, some), before, kept[g])
        else:
            part = Group([groups[g].pieces[i] for i in some])
            graph[key] = (partial(_folded_anew, function, part), before, *part.outside)
    return graph, key


def kept_fold(function: Callable, some: Sequence[int], state: Any, chunks: list[Chunk]) -> Any:
    """The state after some chunks of a group that is kept."""
    chunks = _in_place(chunks)
    return _folded(function, state, (chunks[i] for i in some))


def _folded_anew(function: Callable, part: Group, state: Any, *received: Any) -> Any:
    return _folded(function, state, part.chunks(*received))


def _folded(function: Callable, state: Any, chunks: Iterable[Chunk]) -> Any:
    with one_blas_thread(), memory_kept():
        for chunk in chunks:
            try:
                state = ArrayRows(chunk.X, chunk.y, chunk.weight, chunk.first).fold(function, state)
            except Exception as error:
                error.add_note(place_of(chunk.number, chunk.first, chunk.X.shape[0]))
                raise
    return state


class Held:
    """A task whose value is there already."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __call__(self) -> Any:
        return self.value
