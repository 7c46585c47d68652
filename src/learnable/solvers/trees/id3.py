"""ID3: top-down induction with a branch for every value of the attribute of the largest information gain."""

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from learnable.problems.trees.impurities import CLASS_IMPURITIES, class_impurity, split_impurity
from learnable.problems.trees.multiway import MultiwayTree

# Gains this close are equal but for rounding: the first attribute is taken.
TIE = 1e-12


class Id3State(NamedTuple):
    """The tree so far, and the mean impurity of its leaves."""

    tree: MultiwayTree
    objective: float


class _Node(NamedTuple):
    number: int
    rows: np.ndarray
    free: frozenset[int]
    depth: int


def iterates(
    X: np.ndarray, label: np.ndarray, weight: np.ndarray, K: int, continuous: np.ndarray, n_values: np.ndarray,
    criterion: str, max_depth: float, min_rows: int,
) -> Iterator[Id3State]:  # fmt: skip
    """One state a split.

    Parameters
    ----------
    X : (n, p) numbers, or codes 0 … n_values − 1 in attributes that are not continuous.
    """
    kind, nodes = CLASS_IMPURITIES[criterion], _Growing(K)

    def add(parent: int, branch: int, rows: np.ndarray, label_above: int) -> int:
        counts = np.bincount(label[rows], weight[rows], minlength=K)
        return nodes.add(parent, branch, counts, int(counts.argmax()) if len(rows) else label_above)

    rows = np.flatnonzero(weight > 0.0)
    waiting = deque([_Node(add(-1, -1, rows, 0), rows, frozenset(range(X.shape[1])), 0)])
    yield _state(nodes.tree, kind)
    while waiting:
        node = waiting.popleft()
        if node.depth >= max_depth or len(node.rows) < min_rows or len(np.unique(label[node.rows])) < 2:
            continue
        choice = _best(X, label, weight, K, continuous, n_values, kind, node)
        if choice is None:
            continue
        j, threshold = choice
        nodes.test(node.number, j, threshold)
        cells = X[node.rows, j]
        branch = (cells > threshold).astype(int) if continuous[j] else cells.astype(int)
        # A categorical attribute is used up; a continuous one may be cut again.
        free = node.free if continuous[j] else node.free - {j}
        for value in range(2 if continuous[j] else n_values[j]):
            below = node.rows[branch == value]
            child = add(node.number, value, below, int(nodes.room.label[node.number]))
            if len(below):
                waiting.append(_Node(child, below, free, node.depth + 1))
        yield _state(nodes.tree, kind)


def _best(X, label, weight, K, continuous, n_values, kind, node: _Node) -> tuple[int, float] | None:
    best, choice = 0.0, None
    y, w = label[node.rows], weight[node.rows]
    whole = np.bincount(y, w, minlength=K)
    mixed = float(class_impurity(kind, whole / whole.sum()))
    for j in sorted(node.free):
        cells, thresholds = X[node.rows, j], np.zeros(1)
        if continuous[j]:
            thresholds, tables = _cuts(cells, y, w, K)
        else:
            cell = cells.astype(int) * K + y
            tables = np.bincount(cell, w, minlength=n_values[j] * K).reshape(1, n_values[j], K)
        size = tables.sum(axis=2)
        shares = tables / np.where(size > 0.0, size, 1.0)[..., None]
        left = (size * class_impurity(kind, shares)).sum(axis=1) / whole.sum()
        for gain, threshold in zip((mixed - left).tolist(), thresholds.tolist()):
            if gain > best + TIE:
                best, choice = gain, (j, threshold)
    return choice


def _cuts(cells: np.ndarray, y: np.ndarray, w: np.ndarray, K: int) -> tuple[np.ndarray, np.ndarray]:
    """(thresholds that may have the largest gain, (m, 2, K) class weights on either side of each)."""
    thresholds = boundary_midpoints(cells, y)
    between = np.searchsorted(thresholds, cells)
    stretches = np.bincount(between * K + y, w, minlength=(len(thresholds) + 1) * K).reshape(-1, K)
    below, above = np.cumsum(stretches, axis=0), np.cumsum(stretches[::-1], axis=0)[::-1]
    return thresholds, np.stack([below[:-1], above[1:]], axis=1)


def boundary_midpoints(cells: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Middles between neighbouring values whose rows are not all of one and the same class.

    Equal values are grouped first. No other threshold can have the largest gain of a concave impurity.
    """
    values, place = np.unique(cells, return_inverse=True)
    low = np.full(len(values), np.iinfo(np.int64).max)
    high = np.full(len(values), -1)
    np.minimum.at(low, place, y)
    np.maximum.at(high, place, y)
    change = (low[:-1] != high[:-1]) | (low[1:] != high[1:]) | (low[:-1] != low[1:])
    return (0.5 * values[:-1] + 0.5 * values[1:])[change]


class _Growing:
    """A tree that grows, in arrays with room for more nodes."""

    def __init__(self, K: int) -> None:
        whole = np.zeros(16, dtype=np.int64)
        self.size, self.room = (
            0,
            MultiwayTree(whole, whole.copy(), whole.copy(), np.zeros(16), np.zeros((16, K)), whole.copy()),
        )

    def add(self, parent: int, branch: int, counts: np.ndarray, label: int) -> int:
        """A leaf; its number."""
        if self.size == len(self.room.parent):
            self.room = MultiwayTree(*(np.concatenate([each, each]) for each in self.room))
        for each, value in zip(self.room, (parent, branch, -1, 0.0, counts, label)):
            each[self.size] = value
        self.size += 1
        return self.size - 1

    def test(self, node: int, feature: int, threshold: float) -> None:
        """Let a leaf ask for an attribute."""
        self.room.feature[node], self.room.threshold[node] = feature, threshold

    @property
    def tree(self) -> MultiwayTree:
        return MultiwayTree(*(each[: self.size].copy() for each in self.room))


def _state(tree: MultiwayTree, kind) -> Id3State:
    leaf = (tree.feature < 0) & (tree.counts.sum(axis=1) > 0.0)
    return Id3State(tree, split_impurity(kind, tree.counts[leaf]))
