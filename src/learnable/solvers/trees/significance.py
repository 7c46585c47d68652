"""Whether a split is more than chance: χ² or t statistics of the two sides, or permutations of the targets."""

import numpy as np
from scipy import special

from learnable._jit.trees.layout import Columns, Targets
from learnable.problems.trees.tree import LEAF, Tree, topological
from learnable.solvers.trees.cart import Growth, grown


def collapsed_at(tree: Tree, p_values: np.ndarray, level: float) -> np.ndarray:
    """Mask of nodes whose split is not significant at the level."""
    return (tree.children_left != LEAF) & (p_values > level)


def independence_p_values(tree: Tree, targets: Targets, members: list[np.ndarray]) -> np.ndarray:
    """P-values of the splits, from the sums over the rows of both sides.

    Classes: Pearson's χ² with K' − 1 degrees of freedom for the K' classes present. Numbers: Student's t of the means.
    `members` are the rows of each node.
    """
    values = np.ones(tree.node_count)
    for node in topological(tree):
        if tree.children_left[node] == LEAF:
            continue
        sides = [members[child] for child in (tree.children_left[node], tree.children_right[node])]
        if targets.n_classes:
            table = np.array([np.bincount(targets.label[s], targets.weight[s], targets.n_classes) for s in sides])
            table = table[:, table.sum(axis=0) > 0.0]
            expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
            statistic = float(np.sum((table - expected) ** 2 / expected))
            values[node] = special.chdtrc(table.shape[1] - 1, statistic)
        elif min(map(len, sides)) > 1:
            a, b = (targets.y[s] for s in sides)
            freedom = len(a) + len(b) - 2
            pooled = (np.sum((a - a.mean()) ** 2) + np.sum((b - b.mean()) ** 2)) / freedom
            gap = abs(a.mean() - b.mean())
            if pooled > 0.0:
                t = gap / np.sqrt(pooled * (1.0 / len(a) + 1.0 / len(b)))
                values[node] = 2.0 * special.stdtr(freedom, -t)
            else:
                values[node] = 0.0 if gap > 0.0 else 1.0
    return values


def permutation_p_values(
    tree: Tree, columns: Columns, targets: Targets, members: list[np.ndarray], growth: Growth, rounds: int,
    generator: np.random.Generator,
) -> np.ndarray:  # fmt: skip
    """(1 + how often the best split of permuted targets gains as much) / (1 + rounds), searching anew each time."""
    values = np.ones(tree.node_count)
    for node in topological(tree):
        if tree.children_left[node] == LEAF:
            continue
        rows = members[node]
        part = columns._replace(codes=np.ascontiguousarray(columns.codes[:, rows]))
        at_least = 0
        gain = _gain(tree, node)
        for _ in range(rounds):
            drawn = rows[generator.permutation(len(rows))]
            mixed = targets._replace(
                label=targets.label[drawn] if len(targets.label) > 1 else targets.label,
                y=targets.y[drawn] if len(targets.y) > 1 else targets.y,
                weight=targets.weight[drawn],
            )
            stump = grown(part, mixed, growth._replace(max_depth=1, max_leaves=None))
            at_least += int(stump.node_count > 1 and _gain(stump, 0) >= gain * (1.0 - 1e-12))
        values[node] = (1 + at_least) / (1 + rounds)
    return values


def _gain(tree: Tree, node: int) -> float:
    sums = tree.impurity * tree.weighted_n_node_samples
    return float(sums[node] - sums[tree.children_left[node]] - sums[tree.children_right[node]])
