"""Every node of a tree against its rows: counts, values, the best split among all candidates, why leaves are leaves."""

from typing import Any

import numpy as np

from learnable.certificates.trees.candidates import (
    Limits,
    best_cut,
    best_of_cuts,
    best_subset,
    gain_of,
)
from learnable.certificates.trees.drawn_thresholds import off_the_draws
from learnable.certificates.trees.links import ill_written, well_linked
from learnable.certificates.trees.members import Findings, Members, Visit, centre_of, depths, members_of, miscounted
from learnable.certificates.trees.reading import Problem
from learnable.certificates.trees.together import judge_together
from learnable.problems.trees.impurities import AbsoluteError, PoissonDeviance
from learnable.problems.trees.tree import LEAF, Tree, goes_left, leaves_of

# Cells and nodes read by a certificate that comes with a fit; `certify` reads them all.
CELLS = 2**17
NODES = 3
# Of a mean, that may differ from one computed otherwise.
LAST_BITS = 4.0
NOWHERE = np.zeros(0, dtype=np.int64)
TINY = float(np.finfo(float).tiny)


def judge(
    tree: Tree,
    problem: Problem,
    X: np.ndarray,
    rows: Any,
    budget: float,
    generator: np.random.Generator,
    leaves: np.ndarray | None = None,
) -> tuple[Findings, np.ndarray]:
    """Compare the tree with its training rows.

    `rows` is a `Node`, or `Several` outputs. Counts, weights, values and impurities are compared at every node. Splits
    are compared with every candidate at all nodes where `budget` is infinite, else at some nodes and columns drawn by
    `generator`, of about `budget` cells. `leaves` are those of the rows, where they are known.

    Returns
    -------
    what was found, and the leaves of the rows; none of a tree that does not lead every row to one.
    """
    if ill := well_linked(tree, X.shape[1]) or (0 if problem.least_gap else ill_written(tree)):
        return Findings(ill_linked=ill), NOWHERE
    if tree.value.shape[1:] != rows.shape:
        return Findings(ill_linked=tree.node_count), NOWHERE
    if problem.least_gap > 0.0 and not problem.n_classes:
        largest = float(np.square(rows.y, dtype=float).max(initial=0.0))
        problem = problem._replace(blur=4.0 * float(np.finfo(float).eps) * (1.0 + len(rows.y) * largest))
    if isinstance(rows.kind, PoissonDeviance):  # a difference of sums of y log y
        most = max(float(rows.y.max(initial=0.0)), TINY)
        blur = 4.0 * len(rows.y) * float(np.finfo(float).eps) * most * (1.0 + abs(float(np.log(most))))
        problem = problem._replace(blur=max(problem.blur, blur))
    positive = np.flatnonzero(rows.weight > 0.0)
    total = rows.weight.sum()
    terms = None if isinstance(rows.kind, AbsoluteError) else rows.summands
    leaves = leaves_of(tree, X) if leaves is None else leaves
    if wrong := miscounted(tree, leaves[positive]):
        return Findings(miscounted=wrong), leaves
    depth = depths(tree) if problem.max_depth < np.inf else np.zeros(tree.node_count, dtype=int)
    members = members_of(tree, X, rows, positive, problem.monotone, leaves, depth)
    sums: Any = None if terms is None else members.sums(terms)
    W = members.sums(rows.weight) if sums is None else rows.weight_in(sums)
    losses: Any = None if sums is None else rows.weighted_impurity(sums, W)
    # Gains are compared with the weight of all rows (classes) or with the loss at the root (numbers).
    scale, unit = total, np.ones(1)
    if not problem.n_classes:
        loss = total * rows.take(positive).impurity if losses is None else float(losses[0])
        scale, unit = max(loss, TINY), np.maximum(np.atleast_1d(_spread(rows.y.take(positive, axis=0))), TINY)
    found = _compare(tree, members, rows, sums, W, losses, unit, problem.blur)
    # Few nodes and cells: all of them. Otherwise some, drawn by a generator that hangs on the tree.
    some = 1.0 if budget == np.inf else min(1.0, NODES / tree.node_count)
    chance = min(1.0, budget / max(1.0, some * float(members.size.sum()) * X.shape[1]))
    gains: dict[int, float] = {}
    chosen = np.flatnonzero(generator.random(tree.node_count) < some) if some < 1.0 else np.arange(tree.node_count)
    plain = not (problem.monotone.any() or len(tree.category_left) or problem.categorical.any())
    drawn = problem.max_features < X.shape[1]
    if terms is not None and plain and chance == 1.0:
        own_only = drawn or problem.random_thresholds
        apart = NOWHERE
        if own_only:  # leaves may have drawn columns without a cut, and draw no cut at random for want of a good one
            leaf = tree.is_leaf[chosen]
            apart, chosen = NOWHERE if problem.random_thresholds else chosen[leaf], chosen[~leaf]
        found, gains, left = judge_together(
            found, tree, problem, X, members, rows, terms, W, losses, chosen, scale, own_only
        )
        chosen = np.concatenate([left, apart])
    for number in chosen:
        visit = members.visit(int(number))
        node = rows.take(visit.rows)
        columns = _columns_to_read(tree, problem, visit, node, chance, generator, X.shape[1])
        if tree.children_left[visit.node] != LEAF:
            found = _judge_split(found, tree, problem, X, visit, node, columns, scale, gains)
        elif columns is not None:
            found = _judge_leaf(found, tree, problem, X, visit, node, columns, scale, gains)
    if problem.random_thresholds and problem.least_gap > 0.0 and budget == np.inf:
        found = found._replace(unfinished=found.unfinished + _undivided(tree, problem, X, members, rows))
    # A leaf whose columns were drawn may have waited for want of one that it did not look at.
    if problem.max_leaves is not None and min(some, chance) == 1.0 and not drawn:
        found = found._replace(unfinished=found.unfinished + _out_of_turn(tree, gains, scale))
    if problem.max_leaves is not None and tree.n_leaves > problem.max_leaves:
        found = found._replace(unfinished=found.unfinished + 1)
    return found, leaves


def _compare(
    tree: Tree, members: Members, rows: Any, sums: np.ndarray | None, W: np.ndarray, losses: np.ndarray | None,
    unit: np.ndarray, blur: float,
) -> Findings:  # fmt: skip
    """Weights, values and impurities of all nodes, from `sums` over their rows, their weights W and W · impurity;
    `unit` is that of each output.

    Of targets far from zero scikit-learn's impurities are off by up to `blur`, and its means by what a sum is.
    """
    lower, upper = members.lower, members.upper
    if sums is None or losses is None:
        nodes = [rows.take(members.rows(node)) for node in range(tree.node_count)]
        value = np.array([node.centres for node in nodes])
        impurity = np.array([node.impurity for node in nodes])
    else:
        impurity = losses / W
        value = rows.values(sums, W)
    bounded = np.isfinite(lower).any() or np.isfinite(upper).any()
    if bounded and rows.n_classes:
        value[:, 0, 1] = np.clip(value[:, 0, 1], lower, upper)
        value[:, 0, 0] = 1.0 - value[:, 0, 1]
    elif bounded:
        value = np.clip(value, lower[:, None, None], upper[:, None, None])
    apart, spoilt = np.abs(tree.value - value), np.abs(tree.impurity - impurity)
    if not rows.n_classes:
        # The last bits of a mean: where all targets of a node are one number, there is nothing else to compare.
        bits = np.finfo(float).eps * (len(rows.y) if blur > 0.0 else LAST_BITS)
        grain = bits * np.atleast_1d(np.abs(rows.y).max(axis=0, initial=0.0))
        apart = np.maximum(apart - grain[:, None], 0.0)
        spoilt = np.maximum(spoilt - max(blur, float(np.square(grain).max())), 0.0)
        per = (unit if isinstance(rows.kind, AbsoluteError | PoissonDeviance) else np.maximum(unit * unit, TINY)).mean()
        spoilt = spoilt / np.maximum(per, impurity)
    return Findings(
        weight=float((np.abs(tree.weighted_n_node_samples - W) / W).max()),
        value=float((apart / unit[:, None]).max()),
        impurity=float(spoilt.max()),
    )


def _spread(y: np.ndarray) -> np.ndarray:
    """The standard deviation of each output, by fewer steps than those of NumPy."""
    off = y - y.sum(axis=0) / len(y)
    return np.sqrt(np.einsum("i...,i...->...", off, off) / len(y))


def _columns_to_read(tree, problem, visit: Visit, node: Any, chance: float, generator, p: int) -> np.ndarray | None:
    """The columns whose candidates are compared at a node; None for a leaf that needs no reason."""
    leaf = tree.children_left[visit.node] == LEAF
    if leaf and (_must_be_leaf(problem, visit, node) or problem.random_thresholds):
        return None
    if problem.random_thresholds:
        return np.zeros(0, dtype=int)
    if problem.max_features < p and not leaf:
        # Other columns may not have been looked at; its own was.
        own = np.array([tree.feature[visit.node]])
        return own if generator.random() < chance else own[:0]
    if chance >= 1.0:
        return np.arange(p)
    return np.flatnonzero(generator.random(p) < chance)


def _must_be_leaf(problem: Problem, visit: Visit, node: Any) -> bool:
    m, W = len(node.y), node.weight.sum()
    return bool(
        node.pure
        or node.impurity < problem.blur
        or visit.depth >= problem.max_depth
        or m < problem.min_split
        or m < 2 * problem.min_leaf
        or 2.0 * problem.min_leaf_weight > W
    )


def _bounded(problem: Problem, sign: int) -> bool:
    """Whether a split must keep to what bounds its node: scikit-learn asks that of columns with a sign alone."""
    return sign != 0 or problem.least_gap == 0.0


def _limits(problem: Problem, visit: Visit, sign: int = 0) -> Limits:
    lower, upper = (visit.lower, visit.upper) if _bounded(problem, sign) else (-np.inf, np.inf)
    return Limits(problem.min_leaf, problem.min_leaf_weight, lower, upper, problem.least_gap)


def _best(problem: Problem, X, visit: Visit, node: Any, columns: np.ndarray) -> float:
    best = -np.inf
    plain = ~problem.categorical[columns] & (problem.monotone[columns] == 0)
    if plain.any() and not isinstance(node.kind, AbsoluteError):
        cells = X[np.ix_(visit.rows, columns[plain])]
        if not np.isnan(cells).any():
            best = float(best_of_cuts(node, node.summands, cells, np.zeros(1, dtype=int), _limits(problem, visit))[0])
            columns = columns[~plain]
    for j in columns:
        cells = X[visit.rows, j]
        if problem.categorical[j]:
            gain, exact = best_subset(node, cells, _limits(problem, visit))
            best = max(best, gain) if exact else best
        elif not (isinstance(node.kind, AbsoluteError) and len(node.y) > 400):
            sign = int(problem.monotone[j])
            best = max(best, best_cut(node, cells, _limits(problem, visit, sign), sign))
    return best


def _judge_split(found, tree, problem, X, visit: Visit, node: Any, columns, scale: float, gains) -> Findings:
    number = visit.node
    f = int(tree.feature[number])
    cells = X[visit.rows, f]
    left = goes_left(tree, number, cells)
    n_left = int(np.count_nonzero(left))
    W = (float(node.weight[left].sum()), float(node.weight[~left].sum()))
    tiny = 1e-12 * scale
    # Rounding of its impurity makes scikit-learn split a pure node now and then.
    excused = node.impurity < problem.blur or (problem.least_gap > 0.0 and node.pure)
    refused = (
        (_must_be_leaf(problem, visit, node) and not excused)
        or min(n_left, len(left) - n_left) < problem.min_leaf
        or min(W) < problem.min_leaf_weight * (1.0 - 1e-12)
        or min(W) <= 0.0
    )
    if n_left in (0, len(left)):
        return found._replace(refused=found.refused + 1)
    gain = gains[number] = gain_of(node, left)
    refused = refused or gain < problem.least_gain - 1e-9 * scale - tiny - problem.blur * sum(W)
    refused = refused or _breaks_order(node, left, problem, visit, int(problem.monotone[f]))
    best = _best(problem, X, visit, node, columns)
    return found._replace(
        refused=found.refused + int(refused),
        shortfall=max(found.shortfall, (best - gain - problem.blur * sum(W)) / scale),
        off_middle=max(found.off_middle, _off_middle(tree, problem, number, cells)),
        astray=found.astray + _astray(tree, number, cells, left),
    )


def _breaks_order(node: Any, left: np.ndarray, problem: Problem, visit: Visit, sign: int) -> bool:
    """Whether a split puts its sides in another order than its column's sign, or beyond what bounds the node."""
    if not _bounded(problem, sign) or (not sign and visit.lower == -np.inf and visit.upper == np.inf):
        return False
    u, v = (centre_of(node.take(side)) for side in (left, ~left))
    rounding = 1e-9 * max(abs(u), abs(v))
    beyond = min(u, v) < visit.lower - rounding or max(u, v) > visit.upper + rounding
    return beyond or sign * (v - u) < -rounding


def _off_middle(tree: Tree, problem: Problem, number: int, cells: np.ndarray) -> float:
    """Distance of a threshold from the middle of its two neighbours, in units of their distance.

    Of a threshold drawn at random, from what the seed of the tree draws, in units of the range.
    """
    if tree.category_row[number] >= 0:
        return 0.0
    threshold = float(tree.threshold[number])
    present = cells[~np.isnan(cells)]
    below, above = present[present <= threshold], present[present > threshold]
    if len(above) == 0:
        # Of one value beside missing cells scikit-learn draws that value.
        drawn = problem.random_thresholds and problem.least_gap > 0.0 and bool((present == threshold).all())
        return 0.0 if threshold == np.inf or drawn else 1.0
    if len(below) == 0:
        return 1.0
    low, high = below.max(), above.min()
    if problem.random_thresholds:
        if problem.draws is None:
            return 0.0
        return float(off_the_draws(problem.draws, np.array([threshold]), present.min(), present.max())[0])
    wanted = low if problem.at_value else 0.5 * low + 0.5 * high
    return abs(threshold - wanted) / (high - low)


def _astray(tree: Tree, number: int, cells: np.ndarray, left: np.ndarray) -> int:
    """Whether cells that the rows of the node do not show would go another way than stated: with the majority."""
    missing = np.isnan(cells)
    majority = 2 * np.count_nonzero(left) > len(left)
    wrong = 0
    direction = bool(tree.missing_go_to_left[number])
    if not missing.any():
        wrong = int(direction != majority)
    if tree.category_row[number] >= 0:
        table = tree.category_left[tree.category_row[number]] == 1
        absent = np.ones(len(table), dtype=bool)
        absent[cells[~missing].astype(int)] = False
        wrong = max(wrong, int(np.any(table[absent] != direction)))
    return wrong


def _judge_leaf(found, tree, problem, X, visit: Visit, node: Any, columns, scale: float, gains) -> Findings:
    """Leaves that could be split with enough gain, where no limit forbids it."""
    best = gains[visit.node] = _best(problem, X, visit, node, columns)
    least = max(problem.least_gain, problem.left_gain)
    enough = best > least + 1e-9 * scale
    splittable = enough or (least == 0.0 and best > -np.inf and not _poisson_zero(node))
    if problem.max_leaves is not None and tree.n_leaves >= problem.max_leaves:
        splittable = False  # the order of best-first growth says which leaves had to wait
    if splittable and problem.max_features < X.shape[1]:
        splittable = not _may_be_overlooked(problem, X, visit, node, columns)
    return found._replace(unfinished=found.unfinished + int(splittable))


def _undivided(tree: Tree, problem: Problem, X, members: Members, rows: Any) -> int:
    """Leaves that any threshold drawn by scikit-learn would have split: where no limit is on their sides, each does.

    The Poisson deviance is one where targets are zero: they must not all be on a side. Of a column with missing cells
    all may be drawn to one side, and then a column that is left out might have split them.
    """
    limited = problem.min_leaf > 1 or problem.min_leaf_weight > 0.0 or problem.least_gain > 0.0
    limited = limited or (isinstance(rows.kind, PoissonDeviance) and bool(np.any(rows.y == 0.0)))
    if limited or problem.max_leaves is not None or problem.monotone.any():
        return 0
    count = 0
    for number in np.flatnonzero(tree.is_leaf):
        visit = members.visit(int(number))
        node = rows.take(visit.rows)
        if not _must_be_leaf(problem, visit, node):
            spread = np.ptp(X[visit.rows], axis=0)
            sure = int(np.count_nonzero(spread > problem.least_gap))
            count += sure > 0 and (len(spread) - sure < problem.max_features or not np.isnan(spread).any())
    return count


def _may_be_overlooked(problem: Problem, X, visit: Visit, node: Any, columns: np.ndarray) -> bool:
    """Whether the columns drawn at a leaf may all have been without a cut that gains, and leaves, enough.

    Drawing goes on beyond `max_features` only until a column is met that is not constant in the node.
    """
    least = problem.least_gain if problem.least_gain > 0.0 else -np.inf
    barren = [int(j) for j in columns if _best(problem, X, visit, node, np.array([j])) <= least]
    if X.shape[1] - (len(columns) - len(barren)) < problem.max_features:
        return False
    varied = any(len(np.unique(X[visit.rows, j])) > 1 for j in barren if not problem.categorical[j])
    return varied or len(columns) < X.shape[1]


def _poisson_zero(node: Any) -> bool:
    return not node.n_classes and bool(np.all(node.y == 0.0))


def _out_of_turn(tree: Tree, gains: dict[int, float], scale: float) -> int:
    """Splits that best-first growth would not have made before that of a leaf."""
    frontier, wrong = [0], 0
    while True:
        ready = [node for node in frontier if tree.children_left[node] != LEAF]
        if not ready:
            return wrong
        most = max(gains[node] for node in ready)
        waiting = max((gains.get(leaf, -np.inf) for leaf in frontier if tree.children_left[leaf] == LEAF), default=0.0)
        wrong += int(waiting > most + 1e-9 * scale)
        # Splits of the same gain come in any order: what one of them uncovers does not count against the others.
        for node in [node for node in ready if gains[node] >= most - 1e-9 * scale]:
            frontier.remove(node)
            frontier += [int(tree.children_left[node]), int(tree.children_right[node])]
