"""Rows of a dask array: each chunk is a task of the dask scheduler, on threads or on a cluster."""

from collections.abc import Callable, Generator
from itertools import groupby
from typing import Any

import numpy as np

from learnable.config import get_config

from .arrays import ArrayRows, check_numeric, checked_targets, checked_weight
from .examine import BadCell, refusing, sentence
from .frames import numbers_of
from .groups import Group, Held, Work, WorkTogether, keeping, one_fold, one_pass, runs
from .lazily import is_dask_frame
from .messages import answered, folded, reachable, tell
from .patience import current_client, finished, free_memory, result_of
from .pieces import Chunk, pieces
from .placement import grouped, holders, homes_of, in_place
from .source import Block, Rows, add, joined

# Tables that take no more than this share of the free memory of the workers are kept there.
SHARE_TO_KEEP = 0.5
# Chunks that are made anew in every pass: so many groups for each thread of the cluster, since some take longer.
GROUPS_A_THREAD = 4
# A worker may hold one result for each chunk of a pass, p² numbers as a rule: up to so many bytes of them.
RESULTS_BYTES = 2**28


class DaskRows(Rows):
    """The rows of a dask array that is chunked along rows only.

    A chunk is cut into blocks where it is computed, their results are merged there, and the results of the
    chunks are merged in row order, in a tree that depends on their number alone. Chunks that are kept are worked on
    where they are: a pass is one message to each worker. The scheduler is dask's current one
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
            X = numbers_of(X)
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
        self._targets_like = None if y is None else np.empty((0, *y.shape[1:]), dtype=y.dtype)
        self._pieces, self._shared = pieces([X, y, weight], self._first, self._sizes)
        self._plan: _Plan | None = None
        self._long_blocks = False
        self.n_bytes = sum(table.nbytes for table in (X, y, weight) if table is not None)

    def blocks(self) -> Generator[Callable[[], Block], None, None]:
        for piece in self._pieces:
            # One chunk is computed when its first block is asked for and let go after its last.
            graph, (key,) = keeping([Group([piece])], self._shared)
            ((*_, first, X, y, weight),) = self._compute(graph, key)
            yield from ArrayRows(X, y, weight, first).blocks()

    def of_first(self, function: Callable[[Block], Any]) -> Any:
        """`function` of the first block, which is fetched once."""
        plan = self._current_plan()
        if plan.first is None:
            if plan.kept:
                plan.first = self._passed(plan, Work(_if_first, _whichever, len(self._pieces)), plan.by_messages)
            else:
                graph, (chunk,) = keeping([Group(self._pieces[:1])], self._shared)
                plan.first = self._compute({**graph, f"{chunk}-first": (_first_of, chunk)}, f"{chunk}-first")
        return function(plan.first)

    def targets_like(self) -> np.ndarray | None:
        return self._targets_like

    def coarser(self, fewest: int = 32, few_at_once: bool = True) -> "DaskRows":
        """The same chunks in longer blocks; there are as many chunks as the table has."""
        self._current_plan()
        longer = object.__new__(DaskRows)
        vars(longer).update(vars(self), _long_blocks=True)
        return longer

    def reduce(
        self,
        function: Callable[[Block], Any],
        merge: Callable[[Any, Any], Any] = add,
        *,
        n_jobs: int | None = None,
    ) -> Any:
        plan = self._current_plan()
        return self._passed(plan, Work(function, merge, len(self._pieces), self._long_blocks), plan.by_messages)

    def fold(self, function: Callable[[Any, Block], Any], state: Any) -> Any:
        plan = self._current_plan()
        if plan.by_messages:
            self._locate(plan)
            if plan.held and plan.directly:
                done, result = folded(plan.client, plan.stages(), function, state)
                if done:
                    return result
                plan.held = {}
        plan = self._kept_plan()
        return self._compute(*one_fold(plan.groups, {**self._shared, **plan.chunks}, plan.keys, function, state))

    @property
    def on_workers(self) -> bool:
        """Whether chunks are kept by the workers of a cluster, so that something can be kept beside them."""
        return self._kept_plan().on_workers

    def reduce_together(
        self,
        function: Callable[[list[Block]], tuple[Any, Any]],
        merge: Callable[[Any, Any], Any] = add,
        merge_groups: Callable[[Any, Any], Any] | None = None,
        n_bytes: int = 0,
    ) -> tuple[Any, Any]:
        """(merged results of chunks; merged results of groups; None for none) of a function of the chunks that one
        thread works on together, which gives a list with a result for each chunk, or None, and one for all, or None.

        Which chunks these are depends on the workers: what is said of all of them must not, once it is merged.

        Parameters
        ----------
        merge, merge_groups : of the results of chunks, as in `reduce`; of those of groups, in any order.
        n_bytes : of the results of a group. Where those of all groups are more than one process should be sent, they
            are merged on the workers.
        """
        plan = self._kept_plan()
        few = n_bytes * len(plan.groups) <= RESULTS_BYTES
        return self._passed(
            plan, WorkTogether(function, merge, merge_groups, len(self._pieces)), few and plan.on_workers
        )

    def tell(self, function: Callable[[], Any]) -> None:
        """Have every worker that can be reached call `function`."""
        client = None if self._plan is None else self._plan.client
        if client is not None and not client.asynchronous:  # as where a fit that was given up is collected
            tell(client, function)

    def _current_plan(self) -> "_Plan":
        client = current_client()
        if self._plan is None or self._plan.client is not client:
            self._plan = self._planned(client)
        return self._plan

    def _kept_plan(self) -> "_Plan":
        """The plan for passes that keep something beside the chunks of a group, or are no messages."""
        plan = self._current_plan()
        if plan.recipes:
            self._keep(plan)
        return plan

    def _keep(self, plan: "_Plan") -> None:
        """Have the chunks of each group put together and kept, by tasks that the scheduler can do again."""
        graph, keys = keeping(plan.groups, self._shared)
        assert plan.client is not None
        plan.keys, plan.chunks = keys, dict(zip(keys, plan.client.get(graph, keys, sync=False)))
        plan.recipes, plan.held = {}, {}

    def _locate(self, plan: "_Plan") -> None:
        """Find out which worker has which groups, where that is not known, and whether it can be reached."""
        if plan.recipes and not plan.held:
            plan.held = {worker: list(recipes) for worker, recipes in plan.recipes.items()}
            plan.directly = reachable(plan.client, plan.recipes)
            if not plan.directly:
                self._keep(plan)
        if not plan.held:
            futures = list(plan.chunks.values())
            finished(plan.client, futures)
            plan.held = holders(plan.client, futures)
            plan.directly = reachable(plan.client, dict.fromkeys(plan.held))

    def _passed(self, plan: "_Plan", work: Work, by_messages: bool) -> Any:
        if by_messages:
            self._locate(plan)
            done, result = answered(plan.client, plan.held, work, plan.directly)
            if done:
                return result
            plan.held = {}
            if plan.recipes:
                self._keep(plan)
        return self._compute(*one_pass(plan.groups, {**self._shared, **plan.chunks}, plan.keys, work))

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
        kept = self._lives or self._fits(free)
        return f"{said}; {'kept in the memory of' if kept else 'computed anew in every pass by'} {room}"

    def _fits(self, free: float) -> bool:
        wish = get_config()["dask_persist"]
        return wish if isinstance(wish, bool) else bool(self.n_bytes <= SHARE_TO_KEEP * free)

    def _planned(self, client: Any | None) -> "_Plan":
        """Before the first pass: which chunks go together, and whether they are kept, as the settings have it."""
        if client is None:
            groups = [Group([piece]) for piece in self._pieces]
            if get_config()["dask_persist"] is not True:
                return _Plan(client, groups)
            from dask import threaded

            graph, keys = keeping(groups, self._shared)
            chunks = {key: (Held(value),) for key, value in zip(keys, threaded.get(graph, keys))}
            return _Plan(client, groups, keys, chunks)
        homes = homes_of(client, self._shared)
        longest = max(RESULTS_BYTES // (8 * (self.n_columns + 1) ** 2), 1)
        plan = _Plan(client, grouped(client, self._pieces, homes, 1, longest), by_messages=longest >= len(self._pieces))
        if plan.by_messages and self._lives:
            plan.recipes = in_place(plan.groups, homes)
        if plan.recipes:
            return plan
        if not self._fits(free_memory(client)[1]):
            return _Plan(client, grouped(client, self._pieces, homes, GROUPS_A_THREAD, longest))
        self._keep(plan)
        return plan

    @property
    def _lives(self) -> bool:
        """Whether all chunks are in the memory of workers already, where they may stay: to use them takes no more."""
        return get_config()["dask_persist"] is not False and all(piece.in_place for piece in self._pieces)

    def _compute(self, graph: dict, key: str) -> Any:
        client = current_client()
        if client is not None:
            return result_of(client, graph, key)
        from dask.delayed import Delayed

        return Delayed(key, graph).compute(optimize_graph=False)

    def __getstate__(self) -> dict:
        """Sent to a worker, within a function that works on its blocks, it is a shape without rows."""
        return {name: value for name, value in vars(self).items() if name not in ("_pieces", "_shared", "_plan")}

    def column_name(self, column: int) -> str:
        return str(column) if self.frame_columns is None else repr(self.frame_columns[column])

    def place(self, row: int) -> str:
        chunk = int(np.searchsorted(np.cumsum(self._sizes), row, side="right"))
        return f"row {row} (row {row - self._first[chunk]} of chunk {chunk})"

    def _aligned(self, values: Any, name: str, checked: Callable[[Any, int], Any]) -> Any:
        """Targets or weights, those of dask cut where X is cut."""
        if values is None:
            return None
        if is_dask_frame(values):
            values = numbers_of(values, name)
        elif hasattr(values, "to_dask_array"):
            cut_alike = values.npartitions == len(self._sizes)
            values = values.to_dask_array(lengths=tuple(self._sizes) if cut_alike else True)
        if not _is_dask_array(values):
            return checked(values, self.n_rows)
        _check_known_chunks(values, name)
        checked(np.broadcast_to(np.zeros((), values.dtype), values.shape), self.n_rows)
        whole_rows = dict.fromkeys(range(1, values.ndim), -1)
        return values.rechunk({0: tuple(self._sizes), **whole_rows})


class _Plan:
    """How passes are made.

    Attributes
    ----------
    client : the cluster for which this was planned; None for dask's own threads.
    groups : of chunks that are worked on by one thread.
    keys, chunks : of the groups that are kept, and tasks or futures for each; None and nothing where they are not.
    by_messages : whether workers may be asked directly.
    recipes : of groups that workers put together in every pass from what they have, by worker and name, instead of
        keeping them; nothing where they are kept.
    held : which worker has which groups, once that is known.
    directly : whether these workers can be reached from here.
    first : the first block, once it was asked for.
    """

    def __init__(
        self,
        client: Any | None,
        groups: list[Group],
        keys: list[str] | None = None,
        chunks: dict[str, Any] | None = None,
        by_messages: bool = False,
    ) -> None:
        self.client, self.groups, self.keys, self.chunks = client, groups, keys, chunks or {}
        self.by_messages = by_messages
        self.recipes: dict[str, dict[str, Group]] = {}
        self.held: dict[str, list[str]] = {}
        self.directly = False
        self.first: Block | None = None

    @property
    def kept(self) -> bool:
        """Whether the chunks stay somewhere between passes."""
        return self.keys is not None or bool(self.recipes)

    @property
    def on_workers(self) -> bool:
        return self.client is not None and self.keys is not None

    def stages(self) -> list[tuple[str, list[tuple[str, list[int]]]]]:
        """What a fold goes through, in row order: workers, and of their groups, by their keys, some of the chunks."""
        homes = {key: worker for worker, keys in self.held.items() for key in keys}
        named = {id(group): key for recipes in self.recipes.values() for key, group in recipes.items()}
        keys = self.keys or [named[id(group)] for group in self.groups]
        parts = [(keys[g], some) for g, some in runs(self.groups)]
        return [(worker, list(some)) for worker, some in groupby(parts, key=lambda part: homes[part[0]])]


def _first_of(chunks: list[Chunk]) -> Block:
    *_, first, X, y, weight = chunks[0]
    return ArrayRows(X, y, weight, first).of_first(_itself)


def _if_first(block: Block) -> Block | None:
    return block if block.start == 0 else None


def _itself(block: Block) -> Block:
    return block


def _whichever(one: Any, two: Any) -> Any:
    return two if one is None else one


def _listed(parts: list, more: list) -> list:
    return parts + more


def _is_dask_array(values: Any) -> bool:
    return type(values).__module__.startswith("dask.") and type(values).__name__ == "Array"


def _check_known_chunks(array: Any, name: str) -> None:
    if np.isnan(np.concatenate([np.asarray(sizes, dtype=float) for sizes in array.chunks])).any():
        raise ValueError(
            f"{name} is a dask array with chunks of unknown size: call `{name}.compute_chunk_sizes()` first"
        )
