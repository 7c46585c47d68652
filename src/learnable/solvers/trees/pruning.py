"""Pruning by weakest links, by validation error, and by significance."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from learnable.problems.trees.pruning import node_risks
from learnable.problems.trees.tree import LEAF, Tree, cut, topological

# Links whose strengths differ relatively by less than this are cut together.
TIE = 1e-12


class Link(NamedTuple):
    """One step of the weakest-link sequence: the tree is the best one for all alpha from `alpha` to the next one's."""

    alpha: float
    impurity: float
    collapsed: np.ndarray
    objective: float


def weakest_links(tree: Tree, risks: np.ndarray | None = None) -> Iterator[Link]:
    """The nested sequence from the whole tree to the root, by g(t) = (R(t) − R(T_t)) / (|T_t| − 1), smallest first."""
    R = node_risks(tree) if risks is None else risks
    m = tree.node_count
    order = topological(tree)
    parent = np.full(m, -1)
    for node in order:
        if tree.children_left[node] != LEAF:
            parent[tree.children_left[node]] = parent[tree.children_right[node]] = node
    below, leaves = R.copy(), np.ones(m, dtype=np.int64)
    for node in reversed(order):
        if tree.children_left[node] != LEAF:
            left, right = tree.children_left[node], tree.children_right[node]
            below[node], leaves[node] = below[left] + below[right], leaves[left] + leaves[right]
    collapsed = np.zeros(m, dtype=bool)
    alive = tree.children_left != LEAF
    alpha = 0.0
    yield Link(0.0, float(below[0]), collapsed.copy(), float(below[0]))
    scale = TIE * max(float(R[0]), np.finfo(float).tiny)
    while alive[0]:
        strength = np.full(m, np.inf)
        strength[alive] = (R[alive] - below[alive]) / (leaves[alive] - 1)
        alpha = max(alpha, float(strength.min()), 0.0)
        for node in order:
            if not alive[node] or strength[node] > alpha + scale:
                continue
            collapsed[node] = True
            lost, gained = leaves[node] - 1, R[node] - below[node]
            stack = [node]
            while stack:
                at = stack.pop()
                alive[at] = False
                if tree.children_left[at] != LEAF and not (at != node and collapsed[at]):
                    stack += [int(tree.children_left[at]), int(tree.children_right[at])]
            at = node
            while at != -1:
                leaves[at] -= lost
                below[at] += gained
                at = parent[at]
        yield Link(alpha, float(below[0]), collapsed.copy(), float(below[0]))


def pruned_at(tree: Tree, alpha: float) -> Tree:
    """The smallest tree that minimises R(T) + alpha |leaves|."""
    chosen = np.zeros(tree.node_count, dtype=bool)
    for link in weakest_links(tree):
        if link.alpha > alpha:
            break
        chosen = link.collapsed
    return cut(tree, chosen)


def reduced_error(tree: Tree, mistakes: np.ndarray) -> np.ndarray:
    """Mask of the nodes to collapse: from the leaves up, wherever a leaf makes no more mistakes than the subtree.

    Parameters
    ----------
    mistakes : (m,) validation mistakes (or loss) of each node used as a leaf, among the rows that reach it.
    """
    below, collapsed = mistakes.astype(float).copy(), np.zeros(tree.node_count, dtype=bool)
    for node in reversed(topological(tree)):
        if tree.children_left[node] == LEAF:
            continue
        kept = below[tree.children_left[node]] + below[tree.children_right[node]]
        collapsed[node] = mistakes[node] <= kept
        below[node] = mistakes[node] if collapsed[node] else kept
    return collapsed
