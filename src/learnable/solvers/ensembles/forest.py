"""Bags of trees: each one grown on its own draw of the rows, several at a time."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from learnable._jit.trees.layout import Columns, Outputs, Targets
from learnable.problems.ensembles.bags import bag_counts, balance
from learnable.problems.trees.tree import Tree
from learnable.rows.threads import in_order, one_blas_thread, worker_count
from learnable.solvers.trees.cart import Growth, grown, sorted_rows


class ForestState(NamedTuple):
    """The trees so far; `objective` is the mean impurity of their leaves."""

    trees: list[Tree]
    objective: float


def iterates(
    columns: Columns, targets: Targets | Outputs, growth: Growth, shift: Any, seeds: np.ndarray, drawn: int | None,
    balanced: np.ndarray | None, n_jobs, earlier: list[Tree],
) -> Iterator[ForestState]:  # fmt: skip
    """One state a tree, of earlier trees one for all of them.

    Parameters
    ----------
    seeds : (T,) one a tree, for its rows and its columns.
    drawn : rows drawn with replacement for each tree, None for all rows once.
    balanced : (q, n) class indices of q outputs whose classes are to weigh the same in each bag, or None.
    earlier : trees of the first seeds, which are there already.
    """

    order = sorted_rows(columns, growth)

    def grow(seed: np.uint64) -> Tree:
        weight = targets.weight
        if drawn is not None:
            counts = bag_counts(int(seed), len(weight), drawn)
            weight = weight * counts
            for label in () if balanced is None else balanced:
                weight = weight * balance(label, counts)
        its_own = growth._replace(seed=int(seed >> np.uint64(1)))
        return grown(columns, targets._replace(weight=weight), its_own, shift, order)

    trees = list(earlier)
    total = sum(_leaf_impurity(tree) for tree in trees)
    if trees:
        yield ForestState(trees, total / len(trees))
    with one_blas_thread() as granted:
        for tree in in_order(grow, iter(seeds[len(trees) :]), worker_count(n_jobs, granted, len(seeds))):
            trees = [*trees, tree]
            total += _leaf_impurity(tree)
            yield ForestState(trees, total / len(trees))


def _leaf_impurity(tree: Tree) -> float:
    leaf = tree.is_leaf
    return float(tree.impurity[leaf] @ tree.weighted_n_node_samples[leaf] / tree.weighted_n_node_samples[0])
