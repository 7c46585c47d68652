"""Nodes of a tree whose columns are numbers, judged together: each split against every other cut of its rows."""

from typing import Any

import numpy as np

from learnable.certificates.trees.candidates import Limits, best_of_cuts
from learnable.certificates.trees.drawn_thresholds import off_the_draws
from learnable.certificates.trees.members import Findings, Members
from learnable.certificates.trees.reading import Problem
from learnable.problems.trees.tree import LEAF, Tree

# Cells that are sorted at a time; a node of more is judged alone.
TOGETHER = 2**17


def judge_together(
    found: Findings,
    tree: Tree,
    problem: Problem,
    X: np.ndarray,
    members: Members,
    rows: Any,
    terms: np.ndarray,
    W: np.ndarray,
    losses: np.ndarray,
    chosen: np.ndarray,
    scale: float,
    own_only: bool,
) -> tuple[Findings, dict[int, float], np.ndarray]:
    """Judge the nodes `chosen`, every column being free and read, but for those among missing cells.

    With `own_only` splits are judged by their own columns: others may not have been looked at. `terms` are
    the `summands` of all rows, W the weights of the nodes and `losses` W · impurity, in the unit of gains, `scale`.

    Returns
    -------
    what was found so far or is found here, the gains of the splits made and the best ones of leaves, the nodes left.
    """
    gains: dict[int, float] = {}
    left_over = []
    for nodes in _batches(chosen, members, 1 if own_only else X.shape[1]):
        place = np.concatenate([members.row[members.first[k] : members.end[k]] for k in nodes])
        own = np.repeat(np.maximum(tree.feature[nodes], 0), members.size[nodes])
        cells = X[place, own][:, None] if own_only else X.take(place, axis=0)
        if np.isnan(cells).any():
            left_over.append(nodes)
        else:
            own = cells[:, 0] if own_only else cells[np.arange(len(cells)), own]
            found = _judge(
                found, tree, problem, cells, own, place, members, rows, terms, W, losses, nodes, scale, gains
            )
    return found, gains, np.concatenate(left_over) if left_over else chosen[:0]


def _batches(chosen: np.ndarray, members: Members, p: int) -> list[np.ndarray]:
    """The nodes in groups of few cells."""
    if not len(chosen):
        return []
    cells = np.cumsum(members.size[chosen] * p)
    if cells[-1] < TOGETHER:
        return [chosen]
    return np.split(chosen, np.flatnonzero(np.diff(cells // TOGETHER)) + 1)


def _judge(
    found: Findings, tree: Tree, problem: Problem, cells, own, place, members: Members, rows: Any, terms, W, losses,
    nodes, scale, gains,
) -> Findings:  # fmt: skip
    """`own` are the cells of each row in the column that its node splits."""
    count = members.size
    size = count[nodes]
    first = size.cumsum() - size
    owner = np.repeat(np.arange(len(nodes)), size)
    y = rows.y[place]
    same = y == y[first][owner]
    pure = np.logical_and.reduceat(same if same.ndim == 1 else same.all(axis=1), first)
    # The split made: the rows of a node on its left are those of its left child.
    children = np.array([tree.children_left[nodes], tree.children_right[nodes]])
    inner = children[0] != LEAF
    n_left = count[children[0]]
    W, lightest = W.take(nodes), W.take(children).min(axis=0)
    parent = losses.take(nodes)
    gain = parent - losses.take(children).sum(axis=0)
    fewest = np.minimum(n_left, size - n_left)
    at_limit = (members.depth[nodes] >= problem.max_depth) | (size < max(problem.min_split, 2 * problem.min_leaf))
    at_limit |= 2.0 * problem.min_leaf_weight > W
    idle = pure | (parent < problem.blur * W)
    # Rounding of its impurity makes scikit-learn split a pure node now and then.
    refused = at_limit & ~idle if problem.least_gap > 0.0 else at_limit | pure
    refused |= fewest < problem.min_leaf
    refused |= (lightest < problem.min_leaf_weight * (1.0 - 1e-12)) | (lightest <= 0.0)
    refused |= gain < problem.least_gain - 1e-9 * scale - 1e-12 * scale - problem.blur * W
    # The other cuts, where a node is divided or would have to say why it is not.
    open_leaf = ~(inner | idle | at_limit) & (not problem.random_thresholds)
    asked = inner | open_leaf
    best = np.full(len(nodes), -np.inf)
    if asked.any() and not problem.random_thresholds:
        limits = Limits(problem.min_leaf, problem.min_leaf_weight, least_gap=problem.least_gap)
        kept, begin = asked[owner], size[asked].cumsum() - size[asked]
        best[asked] = best_of_cuts(rows, terms.take(place[kept], axis=0), cells[kept], begin, limits)
    gains.update(zip(nodes[asked].tolist(), np.where(inner, gain, best)[asked].tolist()))
    threshold, left = tree.threshold[nodes], own <= tree.threshold[nodes][owner]
    if problem.random_thresholds:
        ends = np.minimum.reduceat(own, first)[inner], np.maximum.reduceat(own, first)[inner]
        off = np.zeros(0) if problem.draws is None else off_the_draws(problem.draws, threshold[inner], *ends)
    else:
        low = np.maximum.reduceat(np.where(left, own, -np.inf), first)[inner]
        high = np.minimum.reduceat(np.where(left, np.inf, own), first)[inner]
        off = np.abs(threshold[inner] - (low if problem.at_value else 0.5 * low + 0.5 * high)) / (high - low)
    direction = tree.missing_go_to_left[nodes] != 0
    least = max(problem.least_gain, problem.left_gain)
    splittable = best > (least + 1e-9 * scale if least > 0.0 else -np.inf)
    # Where there are as many leaves as may be, the order of best-first growth says which of them had to wait.
    waiting = problem.max_leaves is not None and tree.n_leaves >= problem.max_leaves
    unfinished = 0 if waiting else np.count_nonzero(splittable & open_leaf)
    short = (best - gain - problem.blur * W)[inner]
    return found._replace(
        refused=found.refused + int(np.count_nonzero(inner & refused)),
        shortfall=max(found.shortfall, float(short.max(initial=-np.inf)) / scale),
        off_middle=max(found.off_middle, float(off.max(initial=0.0))),
        astray=found.astray + int(np.count_nonzero(inner & (direction != (2 * n_left > size)))),
        unfinished=found.unfinished + int(unfinished),
    )
