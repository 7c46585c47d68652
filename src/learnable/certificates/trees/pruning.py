"""Pruned trees: the best pruning by dynamic programming, compared with the one that weakest links or votes gave.

Syllabus: DT8–DT10.
"""

from typing import Any

import numpy as np

from learnable.certificates.core.claim import Claim
from learnable.problems.trees.pruning import best_prunings, cost_complexity, node_risks
from learnable.problems.trees.tree import LEAF, Tree

# Of costs of subtrees, relative to that of the root.
ROUNDING = 1e-9


def matched(grown: Tree, pruned: Tree) -> np.ndarray | None:
    """The node of the grown tree that each node of the pruned one is; None where the one is no pruning of the other."""
    place = np.full(pruned.node_count, -1)
    stack = [(0, 0)]
    while stack:
        small, large = stack.pop()
        if place[small] >= 0 or not _same_node(grown, large, pruned, small):
            return None
        place[small] = large
        if pruned.children_left[small] != LEAF:
            stack.append((int(pruned.children_left[small]), int(grown.children_left[large])))
            stack.append((int(pruned.children_right[small]), int(grown.children_right[large])))
    return place if np.all(place >= 0) else None


def _same_node(grown: Tree, large: int, pruned: Tree, small: int) -> bool:
    for one, two in ((grown.value, pruned.value), (grown.impurity, pruned.impurity),
                     (grown.n_node_samples, pruned.n_node_samples),
                     (grown.weighted_n_node_samples, pruned.weighted_n_node_samples)):  # fmt: skip
        if not np.array_equal(one[large], two[small]):
            return False
    if pruned.children_left[small] == LEAF:
        leaf = (pruned.feature[small], pruned.threshold[small], pruned.category_row[small])
        return leaf == (-2, -2.0, -1) and pruned.missing_go_to_left[small] == 0 and pruned.children_right[small] == LEAF
    if grown.children_left[large] == LEAF:
        return False
    if (grown.category_row[large] < 0) != (pruned.category_row[small] < 0):
        return False
    if pruned.category_row[small] >= 0:
        one, two = (tree.category_left[tree.category_row[node]] for tree, node in ((grown, large), (pruned, small)))
        if not np.array_equal(one, two):
            return False
    if pruned.children_right[small] == LEAF:
        return False
    return all(
        getattr(grown, name)[large] == getattr(pruned, name)[small]
        for name in ("feature", "threshold", "missing_go_to_left")
    )


def pruning_claims(grown: Tree, pruned: Tree, alpha: float) -> list[Claim]:
    """The pruned tree is a pruning of the grown one, of the least C_α, and the smallest such."""
    place = matched(grown, pruned)
    claims = [Claim.at_most("DT8", "the tree is a pruning of the grown one (1 if not)", int(place is None), 0.0)]
    if place is None:
        return claims
    risks = node_risks(grown)
    scale = max(float(risks[0]), np.finfo(float).tiny)
    best = best_prunings(grown, alpha, risks, ROUNDING * scale)
    excess = (cost_complexity(pruned, alpha) - best.cost[0]) / scale
    surplus = pruned.n_leaves - int(best.leaves[0])
    return [
        *claims,
        Claim.at_most("DT8", "C_α over its least value over all prunings (relative)", abs(excess), 1e-7),
        Claim.at_most("DT8", "leaves beyond those of the smallest best pruning", abs(surplus), 0.0),
    ]


def path_claims(tree: Tree, alphas: np.ndarray, impurities: np.ndarray) -> list[Claim]:
    """Of a weakest-link sequence: between two alphas its tree has the least C_α, at several alphas of each interval."""
    risks = node_risks(tree)
    scale = max(float(risks[0]), np.finfo(float).tiny)
    unordered = int(np.count_nonzero(np.diff(alphas) < 0.0) + np.count_nonzero(np.diff(impurities) < -1e-12 * scale))
    worst = 0.0
    for k, impurity in enumerate(impurities):
        top = alphas[k + 1] if k + 1 < len(alphas) else 2.0 * alphas[k] + scale
        # C_α of the k-th tree is R_k + α L_k; its number of leaves follows from the optimum inside the interval.
        inside = [alphas[k] + share * (top - alphas[k]) for share in (0.25, 0.75)]
        costs = [best_prunings(tree, alpha, risks, ROUNDING * scale) for alpha in inside]
        for alpha, best in zip(inside, costs):
            worst = max(worst, abs(impurity + alpha * int(best.leaves[0]) - best.cost[0]) / scale)
    return [
        Claim.at_most("DT8", "alphas or impurities out of order", unordered, 0.0),
        Claim.at_most("DT8", "C_α of the sequence against the best pruning inside its intervals", worst, 1e-7),
    ]


def reduced_error_claims(grown: Tree, pruned: Tree, mistakes: np.ndarray) -> list[Claim]:
    """No pruning of the grown tree makes fewer validation mistakes, and none that makes as few is smaller."""
    place = matched(grown, pruned)
    claims = [Claim.at_most("DT10", "the tree is a pruning of the grown one (1 if not)", int(place is None), 0.0)]
    if place is None:
        return claims
    best = best_prunings(grown, 0.0, mistakes.astype(float))
    made = float(mistakes[place[pruned.is_leaf]].sum())
    improving = 0
    for node in np.flatnonzero(~pruned.is_leaf):
        below = sum(mistakes[place[leaf]] for leaf in _leaves_below(pruned, int(node)))
        improving += int(mistakes[place[node]] <= below)
    return [
        *claims,
        Claim.at_most("DT10", "validation mistakes beyond those of the best pruning", made - best.cost[0], 0.0),
        Claim.at_most(
            "DT10", "leaves beyond those of the smallest best pruning", pruned.n_leaves - best.leaves[0], 0.0
        ),
        Claim.at_most("DT10", "nodes left whose removal would not raise the mistakes", improving, 0.0),
    ]


def _leaves_below(tree: Tree, node: int) -> list[int]:
    stack, found = [node], []
    while stack:
        at = stack.pop()
        if tree.children_left[at] == LEAF:
            found.append(at)
        else:
            stack += [int(tree.children_left[at]), int(tree.children_right[at])]
    return found


def significance_claims(
    grown: Tree, pruned: Tree, p_values: Any, level: float, again: np.ndarray | None
) -> list[Claim]:
    """A node is split if and only if its split is significant and its parent is split; p-values agree with `again`."""
    place = matched(grown, pruned)
    claims = [Claim.at_most("DT9", "the tree is a pruning of the grown one (1 if not)", int(place is None), 0.0)]
    if place is None or len(p_values) != pruned.node_count:
        return [*claims, Claim.at_most("DT9", "nodes without a p-value", 1.0, 0.0)]
    wrong = 0
    for small, large in enumerate(place):
        if grown.children_left[large] == LEAF:
            wrong += int(p_values[small] != 1.0)
        else:
            wrong += int((p_values[small] <= level) != (pruned.children_left[small] != LEAF))
    claims.append(Claim.at_most("DT9", "nodes split or not against their p-value", wrong, 0.0))
    if again is not None:
        off = float(np.max(np.abs(np.asarray(p_values) - again[place]), initial=0.0))
        claims.append(Claim.at_most("DT9", "p-values of the splits differ from those of their tables by", off, 1e-8))
    return claims
