"""The way of rows through boosted trees, of cells that are here or on the workers of a cluster."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from learnable.problems.ensembles.boosted_trees import BoostedTrees
from learnable.rows import Block
from learnable.rows.dask import DaskRows
from learnable.rows.gathered import cells, gathered
from learnable.rows.marks import marked, packed
from learnable.rows.parts import in_parts

# Cells that are turned into columns at a time.
CELLS = 2**18


class Route(NamedTuple):
    """The way of rows through a tree.

    Attributes
    ----------
    leaf : (n,) the leaf of each row, by its place among them from the left: one byte a row where they are few.
    leaves : the leaves as nodes.
    spans : for every node, parents before their children, the first of the leaves below it, and the one after the last.
    meets_missing : the splits that meet missing cells.
    """

    leaf: np.ndarray
    leaves: np.ndarray
    spans: dict[int, tuple[int, int]]
    meets_missing: set[int]

    def rows(self, node: int) -> np.ndarray:
        """The rows that come to a node."""
        first, last = self.spans[node]
        return np.flatnonzero((self.leaf >= first) & (self.leaf < last))


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
    columns: dict[int, np.ndarray] = {}
    leaf, meets = np.empty(len(X), dtype=np.int32), set()
    stack = [(root, np.arange(len(X)))]
    while stack:
        node, here = stack.pop()
        if trees.children_left[node] < 0:
            leaf[here] = node
            continue
        j = int(trees.feature[node])
        if j not in columns:
            columns[j] = np.ascontiguousarray(X[:, j])
        found = columns[j].take(here)
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


def unlinked(trees: BoostedTrees, p: int) -> int:
    """How many nodes are in no tree, in two, or written as none may be; all of them where parts do not fit together."""
    m, left, right = len(trees.value), trees.children_left, trees.children_right
    if any(np.shape(part) != (m,) for part in (*trees[1:7], *trees[8:])):
        return max(m, 1)
    inner = left >= 0
    linked = np.concatenate([trees.first.ravel(), left[inner], right[inner]])
    stray = (left != -1) | (right != -1) | (trees.feature != -2) | (trees.threshold != 0.0) | trees.missing_go_to_left
    if np.any(stray[~inner]) or not np.array_equal(np.sort(linked), np.arange(m)):
        return max(m, 1)
    if np.any(trees.feature[inner] < 0) or np.any(trees.feature >= p):
        return m
    # Every node is a root or has one parent: going down meets none twice, and misses those in a circle.
    level = trees.first.ravel()
    reached = len(level)
    while len(level := level[inner[level]]):
        level = np.concatenate([left[level], right[level]])
        reached += len(level)
    unclear = np.count_nonzero(trees.missing_go_to_left > 1) + np.count_nonzero(trees.value[inner])
    unclear += np.count_nonzero(trees.category_left > 1)
    rows = trees.category_row[trees.category_row >= 0]
    unclear += int(not np.array_equal(np.sort(rows), np.arange(len(trees.category_left))))
    return int(m - reached + unclear)


def route(trees: BoostedTrees, root: int, X: Any) -> Route:
    """The way of the rows of X through the tree that begins at `root`."""
    leaves, spans = _spans(trees, root)
    rank = np.zeros(len(trees.value), dtype=np.min_scalar_type(len(leaves)))
    rank[leaves] = np.arange(len(leaves))
    if isinstance(X, FarCells):
        parts, meets = X.leaves(trees, root)
        return Route(np.concatenate([rank[:0], *(rank.take(part) for part in parts)]), leaves, spans, meets)
    leaf, block = np.empty(len(X), dtype=rank.dtype), max(2**10, CELLS // max(1, X.shape[1]))

    def some(part: slice) -> set[int]:
        some_met: set[int] = set()
        for low in range(part.start * block, min(part.stop * block, len(X)), block):
            (found,), meets = _leaves(trees, root, X[low : low + block])
            leaf[low : low + block] = rank.take(found)
            some_met |= meets
        return some_met

    # To follow a row down takes about as long as to go through thirty numbers.
    met = in_parts(some, np.arange(1, max(1, -(-len(X) // block)) + 1) * block * 30)
    return Route(leaf, leaves, spans, set().union(*met))


def _spans(trees: BoostedTrees, root: int) -> tuple[np.ndarray, dict[int, tuple[int, int]]]:
    """`leaves` and `spans` of a route."""
    order, stack = [], [root]
    while stack:
        node = stack.pop()
        order.append(node)
        if trees.children_left[node] >= 0:
            stack += [int(trees.children_right[node]), int(trees.children_left[node])]
    leaves = [node for node in order if trees.children_left[node] < 0]
    spans = dict.fromkeys(order, (0, 0)) | {node: (k, k + 1) for k, node in enumerate(leaves)}
    for node in reversed(order):
        if trees.children_left[node] >= 0:
            spans[node] = spans[int(trees.children_left[node])][0], spans[int(trees.children_right[node])][1]
    return np.array(leaves), spans


def _goes_left(trees: BoostedTrees, node: int, cells: np.ndarray, missing: np.ndarray) -> np.ndarray:
    if trees.category_row[node] >= 0:
        table = trees.category_left[trees.category_row[node]]
        left = table[np.where(missing, 255, cells).astype(int)] == 1
    else:
        with np.errstate(invalid="ignore"):
            left = cells <= trees.threshold[node]
    return np.where(missing, trees.missing_go_to_left[node] == 1, left) if missing.any() else left
