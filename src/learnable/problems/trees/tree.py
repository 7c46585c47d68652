"""A tree as arrays, with the names of scikit-learn's `tree_`, and the way of a row through it."""

from typing import NamedTuple

import numpy as np

LEAF = -1
NO_FEATURE = -2


class Tree(NamedTuple):
    """Nodes 0 … m−1, 0 the root.

    At a node that splits a column of numbers, rows with x ≤ threshold go left; a row whose cell is missing goes where
    `missing_go_to_left` says. At one that splits categories, `category_row` is the row of `category_left` that says
    for each category code whether it goes left.

    Attributes
    ----------
    children_left, children_right : (m,) node numbers, −1 at leaves.
    feature : (m,) column, −2 at leaves.
    threshold : (m,), infinite where everything that is not missing goes left; −2 at leaves.
    missing_go_to_left : (m,) 0 or 1.
    category_row : (m,) row of `category_left`, −1 at leaves and where a number is compared.
    category_left : (s, c) 0 or 1.
    value : (m, 1, K) class shares, or (m, 1, 1) the predicted number.
    impurity, n_node_samples, weighted_n_node_samples : (m,) of the training rows of each node.
    """

    children_left: np.ndarray
    children_right: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    missing_go_to_left: np.ndarray
    category_row: np.ndarray
    category_left: np.ndarray
    value: np.ndarray
    impurity: np.ndarray
    n_node_samples: np.ndarray
    weighted_n_node_samples: np.ndarray

    @property
    def node_count(self) -> int:
        return len(self.feature)

    @property
    def n_leaves(self) -> int:
        return int(np.count_nonzero(self.children_left == LEAF))

    @property
    def is_leaf(self) -> np.ndarray:
        return self.children_left == LEAF

    @property
    def depths(self) -> np.ndarray:
        """(m,) the distance of each node from the root."""
        depth = np.zeros(self.node_count, dtype=np.int64)
        for node in topological(self):
            for child in (self.children_left[node], self.children_right[node]):
                if child != LEAF:
                    depth[child] = depth[node] + 1
        return depth

    @property
    def max_depth(self) -> int:
        return int(self.depths.max())


def topological(tree: Tree) -> list[int]:
    """The nodes that the root reaches, parents before children."""
    order = [0]
    for node in order:
        if tree.children_left[node] != LEAF:
            order += [int(tree.children_left[node]), int(tree.children_right[node])]
    return order


def cut(tree: Tree, collapsed: np.ndarray) -> Tree:
    """The tree with the nodes of a mask turned into leaves, and what is below them removed."""
    kept: list[int] = []
    new: dict[int, int] = {}
    stack = [0]
    while stack:
        node = stack.pop()
        new[node] = len(kept)
        kept.append(node)
        if tree.children_left[node] != LEAF and not collapsed[node]:
            stack += [int(tree.children_right[node]), int(tree.children_left[node])]
    kept_nodes = np.array(kept)
    leaf = collapsed[kept_nodes] | (tree.children_left[kept_nodes] == LEAF)

    def child(links: np.ndarray) -> np.ndarray:
        return np.array([LEAF if end else new[int(links[node])] for node, end in zip(kept, leaf)], dtype=links.dtype)

    category_row = np.where(leaf, -1, tree.category_row[kept_nodes]).astype(tree.category_row.dtype)
    rows = category_row[category_row >= 0]
    category_row[category_row >= 0] = np.arange(len(rows))
    return Tree(
        child(tree.children_left),
        child(tree.children_right),
        np.where(leaf, NO_FEATURE, tree.feature[kept_nodes]).astype(tree.feature.dtype),
        np.where(leaf, -2.0, tree.threshold[kept_nodes]),
        np.where(leaf, 0, tree.missing_go_to_left[kept_nodes]).astype(tree.missing_go_to_left.dtype),
        category_row,
        tree.category_left[rows],
        tree.value[kept_nodes],
        tree.impurity[kept_nodes],
        tree.n_node_samples[kept_nodes],
        tree.weighted_n_node_samples[kept_nodes],
    )


def goes_left(tree: Tree, node: int, cells: np.ndarray) -> np.ndarray:
    """Which cells of the column of a node go left."""
    missing = np.isnan(cells)
    if tree.category_row[node] < 0:
        with np.errstate(invalid="ignore"):
            left = cells <= tree.threshold[node]
    else:
        table = tree.category_left[tree.category_row[node]]
        codes = np.where(missing, 0, cells).astype(np.int64)
        known = (codes >= 0) & (codes < len(table))
        missing = missing | ~known
        left = table[np.where(known, codes, 0)] == 1
    return np.where(missing, bool(tree.missing_go_to_left[node]), left)


def leaves_of(tree: Tree, X: np.ndarray) -> np.ndarray:
    """The leaf of each row, node by node from the root."""
    leaf = np.zeros(len(X), dtype=np.int64)
    stack = [(0, np.arange(len(X)))]
    while stack:
        node, here = stack.pop()
        if tree.children_left[node] == LEAF:
            leaf[here] = node
            continue
        left = goes_left(tree, node, X[here, tree.feature[node]])
        for child, side in ((tree.children_left[node], here[left]), (tree.children_right[node], here[~left])):
            if len(side):
                stack.append((int(child), side))
    return leaf
