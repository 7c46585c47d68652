"""ID3: top-down induction with a branch for every value of the attribute of the largest information gain."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from learnable.problems.trees.impurities import CLASS_IMPURITIES, impurity_gain, split_impurity
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
    kind = CLASS_IMPURITIES[criterion]
    nodes: list[list] = []

    def add(parent: int, branch: int, rows: np.ndarray, label_above: int) -> int:
        counts = np.bincount(label[rows], weight[rows], minlength=K)
        nodes.append([parent, branch, -1, 0.0, counts, int(counts.argmax()) if len(rows) else label_above])
        return len(nodes) - 1

    rows = np.flatnonzero(weight > 0.0)
    waiting = [_Node(add(-1, -1, rows, 0), rows, frozenset(range(X.shape[1])), 0)]
    yield _state(nodes, kind)
    while waiting:
        node = waiting.pop(0)
        if node.depth >= max_depth or len(node.rows) < min_rows or len(np.unique(label[node.rows])) < 2:
            continue
        choice = _best(X, label, weight, K, continuous, n_values, kind, node)
        if choice is None:
            continue
        j, threshold = choice
        nodes[node.number][2:4] = [j, threshold]
        cells = X[node.rows, j]
        branch = (cells > threshold).astype(int) if continuous[j] else cells.astype(int)
        # A categorical attribute is used up; a continuous one may be cut again.
        free = node.free if continuous[j] else node.free - {j}
        for value in range(2 if continuous[j] else n_values[j]):
            below = node.rows[branch == value]
            child = add(node.number, value, below, nodes[node.number][5])
            if len(below):
                waiting.append(_Node(child, below, free, node.depth + 1))
        yield _state(nodes, kind)


def _best(X, label, weight, K, continuous, n_values, kind, node: _Node) -> tuple[int, float] | None:
    best, choice = 0.0, None
    y, w = label[node.rows], weight[node.rows]
    for j in sorted(node.free):
        cells = X[node.rows, j]
        if continuous[j]:
            for threshold in boundary_midpoints(cells, y):
                table = np.zeros((2, K))
                np.add.at(table, ((cells > threshold).astype(int), y), w)
                gain = impurity_gain(kind, table)
                if gain > best + TIE:
                    best, choice = gain, (j, float(threshold))
        else:
            table = np.zeros((n_values[j], K))
            np.add.at(table, (cells.astype(int), y), w)
            gain = impurity_gain(kind, table)
            if gain > best + TIE:
                best, choice = gain, (j, 0.0)
    return choice


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


def _state(nodes: list[list], kind) -> Id3State:
    tree = MultiwayTree(
        np.array([node[0] for node in nodes]),
        np.array([node[1] for node in nodes]),
        np.array([node[2] for node in nodes]),
        np.array([node[3] for node in nodes], dtype=float),
        np.array([node[4] for node in nodes], dtype=float),
        np.array([node[5] for node in nodes]),
    )
    leaf = (tree.feature < 0) & (tree.counts.sum(axis=1) > 0.0)
    return Id3State(tree, split_impurity(kind, tree.counts[leaf]))
