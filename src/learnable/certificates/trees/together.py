"""Nodes of a tree whose columns are numbers, judged together: each split against every other cut of its rows."""

from typing import Any

import numpy as np

from learnable.certificates.trees.candidates import Limits, best_of_cuts
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
    chosen: np.ndarray,
    scale: float,
    drawn: bool,
) -> tuple[Findings, dict[int, float], np.ndarray]:
    """Judge the nodes `chosen`, every column being free and read, but for those among missing cells.

    Where columns were `drawn`, splits are judged by their own ones: others may not have been looked at. `terms` are
    the `summands` of all rows. Sums of them keep their digits in the unit of gains, `scale`.

    Returns
    -------
    what was found so far or is found here, the gains of the splits made and the best ones of leaves, the nodes left.
    """
    gains: dict[int, float] = {}
    left_over = []
    for nodes in _batches(chosen, members, 1 if drawn else X.shape[1]):
        place = np.concatenate([members.row[members.first[k] : members.first[k + 1]] for k in nodes])
        own = np.repeat(np.maximum(tree.feature[nodes], 0), members.first[nodes + 1] - members.first[nodes])
        cells = X[place, own][:, None] if drawn else X[place]
        if np.isnan(cells).any():
            left_over.append(nodes)
        else:
            own = cells[:, 0] if drawn else cells[np.arange(len(cells)), own]
            found = _judge(found, tree, problem, cells, own, place, members, rows, terms, nodes, scale, gains)
    return found, gains, np.concatenate(left_over) if left_over else chosen[:0]


def _batches(chosen: np.ndarray, members: Members, p: int) -> list[np.ndarray]:
    """The nodes in groups of few cells."""
    if not len(chosen):
        return []
    cells = np.cumsum((members.first[chosen + 1] - members.first[chosen]) * p)
    ends = np.flatnonzero(np.diff(cells // TOGETHER)) + 1
    return np.split(chosen, ends) if len(ends) else [chosen]


def _judge(
    found: Findings, tree: Tree, problem: Problem, cells, own, place, members: Members, rows: Any, terms, nodes, scale,
    gains,
) -> Findings:  # fmt: skip
    """`own` are the cells of each row in the column that its node splits."""
    size = members.first[nodes + 1] - members.first[nodes]
    first = np.cumsum(size) - size
    owner = np.repeat(np.arange(len(nodes)), size)
    node, terms = rows.take(place), terms[place]
    inner = tree.children_left[nodes] != LEAF
    whole = np.add.reduceat(terms, first, axis=0)
    W = node.weight_in(whole)
    same = node.y == node.y[first][owner]
    pure = np.logical_and.reduceat(same if same.ndim == 1 else same.all(axis=1), first)
    at_limit = (members.depth[nodes] >= problem.max_depth) | (size < max(problem.min_split, 2 * problem.min_leaf))
    at_limit |= 2.0 * problem.min_leaf_weight > W
    # The split made: what the rows of a node on its left sum to.
    threshold = tree.threshold[nodes]
    left = own <= threshold[owner]
    n_left = np.add.reduceat(left, first, dtype=np.int64)
    sides = np.add.reduceat(terms * left[:, None], first, axis=0)
    sums = np.array([whole, sides, whole - sides])
    (parent, left_loss, right_loss), lightest = node.weighted_impurity(sums), node.weight_in(sums).min(axis=0)
    gain = parent - left_loss - right_loss
    idle = pure | (parent < problem.blur * W)
    divided = inner & (n_left > 0) & (n_left < size)
    # Rounding of its impurity makes scikit-learn split a pure node now and then.
    refused = at_limit & ~idle if problem.least_gap > 0.0 else at_limit | pure
    refused |= np.minimum(n_left, size - n_left) < problem.min_leaf
    refused |= (lightest < problem.min_leaf_weight * (1.0 - 1e-12)) | (lightest <= 0.0)
    refused |= gain < problem.least_gain - 1e-9 * scale - 1e-12 * scale
    # The other cuts, where a node is divided or would have to say why it is not.
    asked = divided | ~(inner | idle | at_limit)
    best = np.full(len(nodes), -np.inf)
    if asked.any():
        limits = Limits(problem.min_leaf, problem.min_leaf_weight, least_gap=problem.least_gap)
        kept = asked[owner]
        begin = np.cumsum(size[asked]) - size[asked]
        best[asked] = best_of_cuts(node, terms[kept], cells[kept], begin, limits)
    known = divided | (asked & ~inner)
    gains.update(zip(nodes[known].tolist(), np.where(inner, gain, best)[known].tolist()))
    low = np.maximum.reduceat(np.where(left, own, -np.inf), first)[divided]
    high = np.minimum.reduceat(np.where(left, np.inf, own), first)[divided]
    off = np.abs(threshold[divided] - (low if problem.at_value else 0.5 * low + 0.5 * high)) / (high - low)
    direction = tree.missing_go_to_left[nodes] != 0
    splittable = best > (problem.least_gain + 1e-9 * scale if problem.least_gain > 0.0 else -np.inf)
    # Where leaves are counted, the order of best-first growth says which of them had to wait.
    unfinished = 0 if problem.max_leaves is not None else np.count_nonzero(splittable & asked & ~inner)
    return found._replace(
        refused=found.refused + int(np.count_nonzero(inner & (refused | ~divided))),
        shortfall=max(
            found.shortfall, float(np.max((best - gain - problem.blur * W)[divided], initial=-np.inf)) / scale
        ),
        off_middle=max(found.off_middle, float(np.max(off, initial=0.0))),
        astray=found.astray + int(np.count_nonzero(divided & (direction != (2 * n_left > size)))),
        unfinished=found.unfinished + int(unfinished),
    )
