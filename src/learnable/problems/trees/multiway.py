"""A tree whose nodes may have a branch for every value of an attribute."""

from typing import NamedTuple

import numpy as np


class MultiwayTree(NamedTuple):
    """Nodes 0 … m−1, parents before children.

    Attributes
    ----------
    parent : (m,) node above, −1 at the root.
    branch : (m,) which branch of the parent: the place of the value among the attribute's values, or 0 (x ≤ threshold)
        and 1 (above) for a continuous one; −1 at the root.
    feature : (m,) attribute tested, −1 at leaves.
    threshold : (m,), 0 where no number is compared.
    counts : (m, K) weights of the classes of the training rows.
    label : (m,) class index predicted at the node: its majority, or its parent's where it has no rows.
    """

    parent: np.ndarray
    branch: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    counts: np.ndarray
    label: np.ndarray

    def children(self, node: int) -> dict[int, int]:
        """Branch -> node."""
        return {int(self.branch[child]): int(child) for child in np.flatnonzero(self.parent == node)}

    @property
    def n_leaves(self) -> int:
        return int(np.count_nonzero(self.feature < 0))


def branch_of(tree: MultiwayTree, node: int, cells: np.ndarray, continuous: np.ndarray) -> np.ndarray:
    """The branch that each cell of the attribute of a node takes; −1 for a value without one."""
    if continuous[tree.feature[node]]:
        return (cells > tree.threshold[node]).astype(int)
    return np.where(np.isnan(cells), -1, cells).astype(int)


def nodes_of(tree: MultiwayTree, X: np.ndarray, continuous: np.ndarray) -> np.ndarray:
    """The last node on the way of each row: a leaf, or the node whose branches do not know its value."""
    at = np.zeros(len(X), dtype=int)
    for node in range(len(tree.parent)):
        if tree.feature[node] < 0:
            continue
        rows = np.flatnonzero(at == node)
        branch = branch_of(tree, node, X[rows, tree.feature[node]], continuous)
        for value, child in tree.children(node).items():
            at[rows[branch == value]] = child
    return at
