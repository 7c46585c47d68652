"""Which rows of the training data are in which nodes of a tree, and what is found there."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from learnable.problems.trees.impurities import best_constant
from learnable.problems.trees.tree import LEAF, Tree, goes_left


class Findings(NamedTuple):
    """What was found, at worst: relative differences, counts of nodes."""

    ill_linked: int = 0
    miscounted: int = 0
    weight: float = 0.0
    value: float = 0.0
    impurity: float = 0.0
    shortfall: float = 0.0
    off_middle: float = 0.0
    astray: int = 0
    unfinished: int = 0
    refused: int = 0

    def or_worse(self, other: "Findings") -> "Findings":
        """The worse of each two; what is no number is worst."""
        return Findings._make(np.maximum(self, other).tolist())


class Visit(NamedTuple):
    """A node with its rows and the bounds that monotone constraints put on its value."""

    node: int
    rows: np.ndarray
    depth: int
    lower: float
    upper: float


def visits(tree: Tree, X: np.ndarray, node: Any, rows: np.ndarray, signs: np.ndarray) -> Iterator[Visit]:
    """The nodes from the root down, with their rows."""
    stack = [Visit(0, rows, 0, -np.inf, np.inf)]
    while stack:
        visit = stack.pop()
        yield visit
        number = visit.node
        if tree.children_left[number] == LEAF:
            continue
        f = tree.feature[number]
        left = goes_left(tree, number, X[visit.rows, f])
        children = [int(tree.children_left[number]), int(tree.children_right[number])]
        bounds = [(visit.lower, visit.upper)] * 2
        if signs[f] and left.any() and not left.all():
            sides = (node.take(visit.rows[left]), node.take(visit.rows[~left]))
            values = [np.clip(centre_of(side), visit.lower, visit.upper) for side in sides]
            middle = 0.5 * sum(values)
            below, above = (visit.lower, middle), (middle, visit.upper)
            bounds = [below, above] if signs[f] > 0 else [above, below]
        for child, side, (lower, upper) in zip(children, (left, ~left), bounds):
            stack.append(Visit(child, visit.rows[side], visit.depth + 1, float(lower), float(upper)))


def centre_of(node: Any) -> float:
    """What a monotone constraint bounds: the share of the second class, or the best constant."""
    return float(node.shares[1]) if node.n_classes else best_constant(node.kind, node.y, node.weight)


class Members(NamedTuple):
    """Which rows are in which nodes: pairs (node, row), those of a node one after the other, and what bounds it."""

    row: np.ndarray
    first: np.ndarray
    depth: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    def visit(self, node: int) -> Visit:
        rows = self.row[self.first[node] : self.first[node + 1]]
        return Visit(node, rows, int(self.depth[node]), float(self.lower[node]), float(self.upper[node]))


def members_of(
    tree: Tree, X: np.ndarray, node: Any, rows: np.ndarray, signs: np.ndarray, leaves: np.ndarray, depth: np.ndarray
) -> Members:
    """The rows of every node: up from their leaves, or node by node where values of nodes bound those below."""
    m = tree.node_count
    lower, upper = np.full(m, -np.inf), np.full(m, np.inf)
    nodes, places = [leaves[rows]], [rows]
    if signs.any():
        every = list(visits(tree, X, node, rows, signs))
        nodes, places = [np.full(len(visit.rows), visit.node) for visit in every], [visit.rows for visit in every]
        for visit in every:
            lower[visit.node], upper[visit.node] = visit.lower, visit.upper
    else:
        inner = np.flatnonzero(tree.children_left != LEAF)
        parent = np.zeros(m, dtype=np.int64)
        parent[tree.children_left[inner]] = parent[tree.children_right[inner]] = inner
        while len(below := nodes[-1].nonzero()[0]):
            places.append(places[-1].take(below))
            nodes.append(parent.take(nodes[-1].take(below)))
    number, place = np.concatenate(nodes), np.concatenate(places)
    bits = len(X).bit_length()
    row = np.sort((number << bits) + place) & ((1 << bits) - 1)
    first = np.zeros(m + 1, dtype=np.int64)
    np.bincount(number, minlength=m).cumsum(out=first[1:])
    return Members(row, first, depth, lower, upper)


def depths(tree: Tree) -> np.ndarray:
    """The depth of each node; −1 for those that the root does not reach."""
    depth, level, below = np.full(tree.node_count, -1), np.zeros(1, dtype=np.int64), 0
    while len(level) and below < tree.node_count:
        depth[level] = below
        level = level[tree.children_left[level] != LEAF]
        level, below = np.concatenate([tree.children_left[level], tree.children_right[level]]), below + 1
    return depth
