"""Whether the nodes of a tree lead every row to one leaf: compiled code, which predicts, trusts that they do."""

import numpy as np

from learnable.certificates.trees.members import depths
from learnable.problems.trees.tree import LEAF, Tree


def well_linked(tree: Tree, p: int) -> int:
    """How many nodes are not reached exactly once from the root; all of them where columns or categories are asked
    for that there are not, p columns say, or where numbers of nodes are missing.
    """
    m, left, right = tree.node_count, tree.children_left, tree.children_right
    if tree.n_features != p or not m or any(np.shape(part)[:1] != (m,) for part in (*tree[:6], *tree[7:-1])):
        return max(m, 1)
    inner = left != LEAF
    parent = inner.nonzero()[0]
    children = np.array([left.take(parent), right.take(parent)])
    once = np.array_equal(np.sort(children, axis=None), np.arange(1, m))
    if not once or (inner != (right != LEAF)).any():
        return m
    if tree.feature.max() >= p or tree.category_row.max() >= len(tree.category_left):
        return m
    # Every node but the root has one parent: going down meets none twice, and misses those in a circle, of which there
    # is none where parents are numbered before their children.
    if (children > parent).all():
        return 0
    return int(np.count_nonzero(depths(tree) < 0))


def ill_written(tree: Tree) -> int:
    """Leaves that carry a split, and splits that say neither left nor right for missing cells."""
    leaf = tree.is_leaf
    stray = (tree.feature != -2) | (tree.threshold != -2.0) | (tree.missing_go_to_left != 0) | (tree.category_row != -1)
    unclear = (tree.missing_go_to_left > 1) | (tree.feature < 0)
    rows = tree.category_row[~leaf & (tree.category_row >= 0)]
    spare = len(tree.category_left) - (len(np.unique(rows)) if len(rows) else 0)
    return int(np.count_nonzero(stray[leaf]) + np.count_nonzero(unclear[~leaf]) + abs(spare))
