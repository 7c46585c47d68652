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
    """Which rows are in which nodes, and what bounds these.

    Attributes
    ----------
    row : the rows in the order of their leaves from left to right, so that those of a node stand together.
    first, end : (m,) where those of each node begin and end.
    order : (m,) the nodes, those with the last beginnings first.
    depth, lower, upper : (m,)
    """

    row: np.ndarray
    first: np.ndarray
    end: np.ndarray
    order: np.ndarray
    depth: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    @property
    def size(self) -> np.ndarray:
        """(m,) how many rows there are in each node."""
        return self.end - self.first

    def rows(self, node: int) -> np.ndarray:
        """Those of a node, in their order."""
        return np.sort(self.row[self.first[node] : self.end[node]])

    def visit(self, node: int) -> Visit:
        return Visit(node, self.rows(node), int(self.depth[node]), float(self.lower[node]), float(self.upper[node]))

    def sums(self, terms: np.ndarray) -> np.ndarray:
        """(m, …) the sums over the rows of every node, none of which is empty, of what (n, …) each row adds."""
        # From each beginning to its end, the last beginnings first: from there to the next one nothing is summed.
        bounds = np.array([self.first[self.order], self.end[self.order]]).T.ravel()
        placed = np.concatenate([terms.take(self.row, axis=0), np.zeros_like(terms[:1])])
        total = np.empty((len(self.order), *terms.shape[1:]))
        total[self.order] = np.add.reduceat(placed, bounds, axis=0)[::2]
        return total


def miscounted(tree: Tree, leaf: np.ndarray) -> int:
    """How many nodes have not as many rows as they say: a leaf those that come to it, others those of their children.

    `leaf` are the leaves of the rows. Of nodes without any row one is counted.
    """
    size, m = tree.n_node_samples, tree.node_count
    if size.shape != (m,):
        return m
    inner = tree.children_left != LEAF
    given = size.take(tree.children_left) + size.take(tree.children_right)
    wrong = int(np.count_nonzero(size != np.where(inner, given, np.bincount(leaf, minlength=m))))
    return wrong or int(not size.all())


def members_of(
    tree: Tree, X: np.ndarray, node: Any, rows: np.ndarray, signs: np.ndarray, leaves: np.ndarray, depth: np.ndarray
) -> Members:
    """The rows of every node, from their leaves, where none is `miscounted`; and its bounds, where values bound those
    of the nodes below.
    """
    m = tree.node_count
    lower, upper = np.full(m, -np.inf), np.full(m, np.inf)
    if signs.any():
        for visit in visits(tree, X, node, rows, signs):
            lower[visit.node], upper[visit.node] = visit.lower, visit.upper
    size, inner = tree.n_node_samples.astype(np.int64), (tree.children_left != LEAF).nonzero()[0]
    left, right = tree.children_left.take(inner), tree.children_right.take(inner)
    # A node begins after the left siblings of itself and of the nodes above it. Whoever asks the node twice as far
    # above each time is at the root after log₂(depth) questions.
    above, first = np.zeros((2, m), dtype=np.int64)
    above[left] = above[right] = inner
    first[right] = size.take(left)
    while above.any():
        first += first.take(above)
        above = above.take(above)
    row = rows[np.argsort(first.take(leaves[rows]), kind="stable")]
    return Members(row, first, first + size, np.argsort(-first, kind="stable"), depth, lower, upper)


def families_of(tree: Tree) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """(nodes that are split, their children on the left, on the right), level by level from the root."""
    inner, children = tree.children_left != LEAF, np.array([tree.children_left, tree.children_right])
    rank = np.zeros(1, dtype=np.int64)
    for _ in range(tree.node_count):
        parent = rank[inner.take(rank)]
        if not len(parent):
            return
        left, right = below = children.take(parent, axis=1)
        yield parent, left, right
        rank = below.ravel()


def depths(tree: Tree) -> np.ndarray:
    """The depth of each node; −1 for those that the root does not reach."""
    depth = np.full(tree.node_count, -1)
    depth[:1] = 0
    for number, (_, left, right) in enumerate(families_of(tree), start=1):
        depth[left] = depth[right] = number
    return depth
