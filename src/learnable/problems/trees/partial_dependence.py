"""The mean prediction of a tree where some columns have given cells and the others those of the training rows."""

import numpy as np

from learnable.problems.trees.tree import LEAF, Tree, goes_left


def partial_dependence(tree: Tree, grid: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """(m, q) for m rows of cells of some columns: Σ over leaves of their value times the share of the way there.

    At a node that asks about one of the columns a row goes its way; at any other it goes both ways, with the shares of
    the training weight that went there.

    Parameters
    ----------
    grid : (m, c) cells, codes in place of categories, NaN for missing ones.
    columns : (c,) which columns these are.
    """
    place = {int(column): k for k, column in enumerate(columns)}
    weight = tree.weighted_n_node_samples
    total = np.zeros((len(grid), tree.n_outputs))
    ways = [(0, np.ones(len(grid)))]
    while ways:
        node, share = ways.pop()
        left, right, f = int(tree.children_left[node]), int(tree.children_right[node]), int(tree.feature[node])
        if left == LEAF:
            total += share[:, None] * tree.value[node, :, 0]
            continue
        goes = goes_left(tree, node, grid[:, place[f]]).astype(float) if f in place else weight[left] / weight[node]
        ways += [(left, share * goes), (right, share * (1.0 - goes))]
    return total
