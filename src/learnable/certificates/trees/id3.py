"""ID3: every test has the largest gain at its node, counts and labels are those of the rows. Syllabus: DT1, DT2."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnable.certificates.core import Claim, Ledger, certifies
from learnable.certificates.core.worst import worst_of
from learnable.certificates.trees.decision_tree import said_by
from learnable.certificates.trees.reading import codes_among
from learnable.problems.trees.impurities import CLASS_IMPURITIES, class_impurity
from learnable.problems.trees.multiway import branch_of

# Of impurities, which are differences of sums over the rows of a node.
ROUNDING = 1e-8
# A test that gains no more gains nothing: its node is a leaf.
NOTHING = 1e-13


@certifies("ID3Classifier", ledger=Ledger(verified=("tree_",), derived=("categories_",)))
def id3_claims(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """The claims of a multiway tree on its training data."""
    raw = np.asarray(X)
    continuous = np.array([values is None for values in model.categories_])
    cells = np.column_stack(
        [
            raw[:, j].astype(float) if values is None else codes_among(np.asarray(values), raw[:, j])
            for j, values in enumerate(model.categories_)
        ]
    )
    index = np.searchsorted(model.classes_, np.asarray(y))
    weight = np.ones(len(index)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    K, tree, kind = len(model.classes_), model.tree_, CLASS_IMPURITIES[model.criterion]
    domains = sum(
        int(values is not None and len({str(v) for v in values}) != len(set(map(str, raw[:, j].tolist()))))
        for j, values in enumerate(model.categories_)
    )
    strays = int(np.isnan(cells).any()) + domains + _otherwise_read(model, raw)
    m = len(tree.parent)
    if m == 0 or tree.parent[0] != -1 or tree.branch[0] != -1 or np.any(tree.parent[1:] < 0):
        return [Claim.at_most("DT1", "nodes without a place in the tree", 1, 0.0)]
    members: list[np.ndarray] = [np.flatnonzero(weight > 0.0)] + [np.zeros(0, dtype=int)] * (m - 1)
    used: list[frozenset[int]] = [frozenset()] * m
    depth = np.zeros(m, dtype=int)
    wrong, off, short, misnamed = strays, 0.0, 0.0, 0
    for node in range(m):
        rows = members[node]
        counts = np.zeros(K)
        np.add.at(counts, index[rows], weight[rows])
        off = worst_of(off, float(np.abs(counts - tree.counts[node]).max()) / weight.sum())
        expected = int(counts.argmax()) if len(rows) else int(tree.label[tree.parent[node]])
        misnamed += int(tree.label[node] != expected)
        free = [j for j in range(cells.shape[1]) if j not in used[node]]
        stops = depth[node] >= (model.max_depth or np.inf) or len(rows) < model.min_samples_split
        stops = stops or len(np.unique(index[rows])) < 2
        best = (
            0.0
            if stops
            else max(
                (_best(kind, cells[rows, j], index[rows], weight[rows], K, continuous[j]) for j in free), default=0.0
            )
        )
        j = int(tree.feature[node])
        if j < 0:
            wrong += int(tree.threshold[node] != 0.0 or np.any(tree.parent == node))
            short = worst_of(short, best - 1e-11)
            continue
        if j not in free or stops:
            wrong += 1
            continue
        branch = branch_of(tree, node, cells[rows, j], continuous)
        gain = _gain(kind, branch, index[rows], weight[rows], K)
        wrong += int(gain <= NOTHING)  # a leaf
        short = worst_of(short, best - gain)
        children = tree.children(node)
        expected_branches = 2 if continuous[j] else len(model.categories_[j])
        wrong += int(sorted(children) != list(range(expected_branches)))
        wrong += int(np.count_nonzero(tree.parent == node) != expected_branches)
        wrong += int(not continuous[j] and tree.threshold[node] != 0.0)
        if continuous[j]:
            line = cells[rows, j]
            low, high = line[branch == 0], line[branch == 1]
            if not len(low) or not len(high):
                wrong += 1
            else:
                middle = 0.5 * low.max() + 0.5 * high.min()
                wrong += int(abs(tree.threshold[node] - middle) > 1e-9 * (high.min() - low.max()))
        for value, child in children.items():
            members[child], depth[child] = rows[branch == value], depth[node] + 1
            used[child] = used[node] if continuous[j] else used[node] | {j}
    said = said_by(model.predict, X)
    ends = {int(row): node for node in range(m) if tree.feature[node] < 0 for row in members[node]}
    unlike = sum(int(said[row] != model.classes_[tree.label[node]]) for row, node in ends.items())
    return [
        Claim.at_most("DT1", "nodes with branches, thresholds or attributes that they may not have", wrong, 0.0),
        Claim.at_most("DT1", "class weights of nodes differ from those of their rows by", off, ROUNDING),
        Claim.at_most(
            "DT1", "nodes not labelled by their majority, or their parent's if they are empty", misnamed, 0.0
        ),
        Claim.at_most("DT1", "gain that some attribute or threshold has over the one tested", short, ROUNDING),
        Claim.at_most("DT1", "predictions unlike their leaves", unlike, 0.0),
    ]


def _gain(kind: Any, branch: np.ndarray, index: np.ndarray, weight: np.ndarray, K: int) -> float:
    """φ(all) − Σ W_b φ(b)/W, branch by branch from the rows."""
    branches, place = np.unique(branch, return_inverse=True)
    sides = np.zeros((len(branches), K))
    np.add.at(sides, (place, index), weight)
    return float(_gains(kind, sides))


def _gains(kind: Any, sides: np.ndarray) -> np.ndarray:
    """φ(all) − Σ W_b φ(b)/W of class weights (…, branches, K)."""
    whole = sides.sum(axis=-2)
    each, total = sides.sum(axis=-1), whole.sum(axis=-1)
    mixed = class_impurity(kind, sides / np.where(each > 0.0, each, 1.0)[..., None])
    return class_impurity(kind, whole / total[..., None]) - np.sum(each * mixed, axis=-1) / total


def _otherwise_read(model: Any, raw: np.ndarray) -> int:
    """Columns that are cut although their values were to have branches, or have branches although they were to be cut.

    By "auto" floats are cut; those of a table that held other numbers in the fit may be floats here.
    """
    branches, asked = np.array([values is not None for values in model.categories_]), model.continuous
    if asked is None:
        return int(np.count_nonzero(~branches))
    if not isinstance(asked, str):
        return int(np.count_nonzero(branches == np.asarray(asked, dtype=bool)))
    floats = [
        column.dtype.kind == "f"
        or (column.dtype == object and all(isinstance(cell, float) for cell in column.tolist()))
        for column in raw.T
    ]
    kept = [values is not None and np.asarray(values).dtype.kind == "f" for values in model.categories_]
    return int(np.count_nonzero(np.logical_and(floats, kept)))


def _best(kind, cells, index, weight, K, continuous: bool) -> float:
    """The largest gain of an attribute: of a continuous one over a cut above every value but the last."""
    if not continuous:
        return _gain(kind, cells.astype(int), index, weight, K)
    cuts = np.unique(cells)[:-1]
    sides = np.empty((len(cuts), 2, K))
    for k in range(K):
        order = np.argsort(cells[index == k])
        line, w = cells[index == k][order], weight[index == k][order]
        place = np.searchsorted(line, cuts, side="right")
        sides[:, 0, k] = np.concatenate([[0.0], np.cumsum(w)])[place]
        sides[:, 1, k] = np.concatenate([np.cumsum(w[::-1])[::-1], [0.0]])[place]
    return float(_gains(kind, sides).max(initial=0.0))
