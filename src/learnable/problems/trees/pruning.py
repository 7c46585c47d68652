"""Costs of pruned trees: C_α(T) = Σ over leaves of R(t) + α |leaves|, R(t) = (W_t/W) · impurity.

Syllabus: DT8, DT10.
"""

from typing import NamedTuple

import numpy as np

from learnable.problems.trees.tree import LEAF, Tree, topological


class Pruning(NamedTuple):
    """The best pruning of every subtree: its cost, and its number of leaves (the fewest among equals)."""

    cost: np.ndarray
    leaves: np.ndarray


def node_risks(tree: Tree) -> np.ndarray:
    """R(t) of every node."""
    return tree.impurity * tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]


def cost_complexity(tree: Tree, alpha: float, risks: np.ndarray | None = None) -> float:
    """C_α of the tree."""
    risks = node_risks(tree) if risks is None else risks
    leaf = tree.is_leaf
    return float(risks[leaf].sum() + alpha * np.count_nonzero(leaf))


def best_prunings(tree: Tree, alpha: float, risks: np.ndarray, tie: float = 0.0) -> Pruning:
    """For every node the least of Σ R + α |leaves| over all prunings of its subtree, from the leaves up.

    A node is the best pruning of its own subtree when R(t) + α ≤ the best costs of its children (up to `tie`).
    """
    cost, leaves = np.zeros(tree.node_count), np.ones(tree.node_count, dtype=np.int64)
    for node in reversed(topological(tree)):
        cost[node] = risks[node] + alpha
        left, right = tree.children_left[node], tree.children_right[node]
        if left != LEAF and cost[left] + cost[right] < cost[node] - tie:
            cost[node] = cost[left] + cost[right]
            leaves[node] = leaves[left] + leaves[right]
    return Pruning(cost, leaves)
