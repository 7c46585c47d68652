"""The form of a tree, so that one from a stranger's file is judged before rows go down it."""

import numpy as np

from learnable.problems.trees.tree import LEAF, Tree


def fault(tree: Tree) -> str | None:
    """Which rule the arrays of a tree do not keep, so that rows might never come to a leaf; None where they keep all.

    Compiled code leads rows down, and looks at no bounds.

    >>> from learnable.trees import DecisionTreeRegressor
    >>> tree = DecisionTreeRegressor().fit([[0.0], [1.0], [2.0]], [0.0, 5.0, 7.0]).tree_
    >>> fault(tree), fault(tree._replace(children_left=tree.children_right))
    (None, 'each node but the root is the child of one')
    """
    m, numbers = len(tree.feature), (tree.children_left, tree.children_right, tree.feature, tree.category_row)
    of_nodes = (*numbers, tree.threshold, tree.missing_go_to_left, tree.value)
    if m == 0 or any(np.shape(each)[:1] != (m,) for each in of_nodes):
        return "every node has one entry"
    if any(each.ndim != 1 or each.dtype.kind not in "iu" for each in numbers):
        return "nodes and columns are numbered"
    inner = tree.children_left != LEAF
    children = np.concatenate([tree.children_left[inner], tree.children_right[inner]])
    if not np.array_equal(np.sort(children), np.arange(1, m)) or (tree.children_right[~inner] != LEAF).any():
        return "each node but the root is the child of one"
    if inner.any() and not (tree.feature[inner].min() >= 0 and tree.feature[inner].max() < tree.n_features):
        return f"each node asks about one of {tree.n_features} columns"
    if (tree.category_row >= len(tree.category_left)).any():
        return "each node that asks about categories has a row of them"
    return None
