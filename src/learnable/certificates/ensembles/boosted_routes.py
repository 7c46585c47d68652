"""The way of rows through boosted trees, of cells that are here or on the workers of a cluster."""

from collections.abc import Callable
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np

from learnable.problems.ensembles.boosted_trees import BoostedTrees
from learnable.rows import Block
from learnable.rows.dask import DaskRows
from learnable.rows.gathered import cells, gathered
from learnable.rows.marks import marked, packed

# Rows whose cells are turned into columns at a time.
BLOCK = 2**16


class Route(NamedTuple):
    """The rows of every node of a tree, the value that each row gets, and the splits that meet missing cells."""

    members: dict[int, np.ndarray]
    value: np.ndarray
    meets_missing: set[int]


class FarCells:
    """Cells of rows on the workers of a cluster: they stay there, and what is asked about them is found there.

    Parameters
    ----------
    rows : all rows.
    chosen : numbers of those that are meant, which rise.
    """

    def __init__(self, rows: DaskRows, chosen: np.ndarray) -> None:
        self.rows, self.chosen = rows, chosen
        self.shape = len(chosen), rows.n_columns
        self._bits = packed(chosen, rows.n_rows)
        self._last: tuple[Any, Any] = None, None

    def __len__(self) -> int:
        return len(self.chosen)

    def __getitem__(self, place: Any) -> Any:
        """Some of the rows; or the cells of some in one column, for which all cells of these rows are brought here."""
        if not isinstance(place, tuple):
            return FarCells(self.rows, self.chosen[place])
        some, column = place
        if self._last[0] is not some:
            order = np.argsort(some)
            found = np.empty((len(some), self.shape[1]))
            found[order] = gathered(self.rows, self.chosen[some[order]])
            self._last = some, found
        return self._last[1][:, column]

    def leaves(self, trees: BoostedTrees, root: int) -> tuple[list[np.ndarray], set[int]]:
        """One pass, which brings the leaf of each row."""
        return self._each(partial(_leaves, trees, root), _both)

    def scores(self, trees: BoostedTrees) -> np.ndarray:
        """(n, K) sums of the values that rows get from all trees."""
        return np.concatenate(self._each(partial(_scores, trees), list.__add__))

    def _each(self, function: Callable[[np.ndarray], Any], merge: Callable[[Any, Any], Any]) -> Any:
        return self.rows.reduce_together(partial(_of_chunks, function, self._bits), merge)[0]


class ChosenCells:
    """Some rows of cells that are here, without a copy of them.

    Parameters
    ----------
    cells : those of all rows.
    chosen : numbers of the rows that are meant.
    """

    def __init__(self, cells: np.ndarray, chosen: np.ndarray) -> None:
        self.cells, self.chosen = cells, chosen
        self.shape = len(chosen), cells.shape[1]

    def __len__(self) -> int:
        return len(self.chosen)

    def __getitem__(self, place: Any) -> np.ndarray:
        """Some of the rows; or the cells of some in one column, or each in its own."""
        some, *columns = place if isinstance(place, tuple) else (place,)
        return self.cells[(self.chosen[some], *columns)]


def _of_chunks(function: Callable[[np.ndarray], Any], bits: np.ndarray, chunks: list[Block]) -> tuple[list[Any], None]:
    """`function` of the rows of each chunk that are meant."""
    found = []
    for chunk in chunks:
        meant = marked(bits, chunk)
        found.append(function(cells(chunk) if meant.all() else cells(chunk)[meant]))
    return found, None


def _leaves(trees: BoostedTrees, root: int, X: np.ndarray) -> tuple[list[np.ndarray], set[int]]:
    """Which leaf each row comes to, and the splits at which one of them has a missing cell."""
    columns, leaf, meets = np.ascontiguousarray(X.T), np.empty(len(X), dtype=np.int32), set()
    stack = [(root, np.arange(len(X)))]
    while stack:
        node, here = stack.pop()
        if trees.children_left[node] < 0:
            leaf[here] = node
            continue
        found = columns[trees.feature[node]].take(here)
        missing = np.isnan(found)
        if missing.any():
            meets.add(node)
        left = _goes_left(trees, node, found, missing)
        # Places by number: to choose by marks that follow no pattern takes many times as long.
        for child, side in ((trees.children_left[node], left), (trees.children_right[node], ~left)):
            stack.append((int(child), here.take(np.flatnonzero(side))))
    return [leaf], meets


def _scores(trees: BoostedTrees, X: np.ndarray) -> list[np.ndarray]:
    values = [[trees.value[_leaves(trees, int(root), X)[0][0]] for root in roots] for roots in trees.first]
    return [np.sum(values, axis=0).T]


def _both(one: tuple[list, set], two: tuple[list, set]) -> tuple[list, set]:
    return one[0] + two[0], one[1] | two[1]


def route(trees: BoostedTrees, root: int, X: Any) -> Route:
    """The way of the rows of X through the tree that begins at `root`."""
    if isinstance(X, FarCells):
        parts, meets = X.leaves(trees, root)
    else:
        blocks = [_leaves(trees, root, X[low : low + BLOCK]) for low in range(0, len(X), BLOCK)]
        parts, meets = reduce(_both, blocks, ([], set()))
    leaf = np.concatenate([np.zeros(0, dtype=np.int32), *parts])
    return Route(_members(trees, root, leaf), trees.value.take(leaf), meets)


def _members(trees: BoostedTrees, root: int, leaf: np.ndarray) -> dict[int, np.ndarray]:
    """The rows of every node, parents before their children: parts of one list, leaf after leaf from the left."""
    order, stack = [], [root]
    while stack:
        node = stack.pop()
        order.append(node)
        if trees.children_left[node] >= 0:
            stack += [int(trees.children_right[node]), int(trees.children_left[node])]
    leaves = [node for node in order if trees.children_left[node] < 0]
    rank = np.zeros(len(trees.value), dtype=np.min_scalar_type(len(leaves)))  # short numbers are sorted in no time
    rank[leaves] = np.arange(len(leaves))
    place = rank.take(leaf)
    rows = np.argsort(place, kind="stable")
    ends = np.searchsorted(place.take(rows), np.arange(len(leaves) + 1))
    span = {node: (int(ends[k]), int(ends[k + 1])) for k, node in enumerate(leaves)}
    for node in reversed(order):
        if trees.children_left[node] >= 0:
            span[node] = span[int(trees.children_left[node])][0], span[int(trees.children_right[node])][1]
    return {node: rows[slice(*span[node])] for node in order}


def _goes_left(trees: BoostedTrees, node: int, cells: np.ndarray, missing: np.ndarray) -> np.ndarray:
    if trees.category_row[node] >= 0:
        table = trees.category_left[trees.category_row[node]]
        left = table[np.where(missing, 255, cells).astype(int)] == 1
    else:
        with np.errstate(invalid="ignore"):
            left = cells <= trees.threshold[node]
    return np.where(missing, trees.missing_go_to_left[node] == 1, left)
