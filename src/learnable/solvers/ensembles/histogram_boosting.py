"""Gradient boosting on histograms: one tree a score and round, fitted to gradients and curvatures."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from learnable._jit.ensembles import histograms as kernels
from learnable._jit.ensembles.histograms import Growth, Nodes
from learnable.problems.ensembles.boosted_trees import BoostedTrees
from learnable.problems.ensembles.boosting_losses import (
    SquaredLoss,
    has_line_search,
    leaf_constant,
    loss_values,
    slopes,
)
from learnable.rows.threads import in_order, one_blas_thread, worker_count
from learnable.solvers.ensembles.binning import Bins

BLOCK = 2**13


class BinnedRows(NamedTuple):
    """Rows with their targets and weights."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray


class Shape(NamedTuple):
    """What trees may look like: growth, signs of effects, groups of columns that may meet, learning rate, seed."""

    growth: Growth
    monotone: np.ndarray
    groups: np.ndarray
    learning_rate: float
    seed: int


class BoostingState(NamedTuple):
    """Trees so far, mean training loss of every round (0 trees first), and mean validation loss of every round."""

    trees: list[BoostedTrees]
    losses: list[float]
    validation: list[float]
    objective: float

    @property
    def packed(self) -> BoostedTrees:
        """All trees in one set of arrays."""
        return joined(self.trees)


def iterates(
    loss: Any,
    bins: Bins,
    train: BinnedRows,
    held_out: BinnedRows | None,
    start: np.ndarray,
    shape: Shape,
    before: BoostedTrees,
) -> Iterator[BoostingState]:
    """Boost from the constant scores `start` and the trees `before`."""
    n, p = bins.codes.shape
    K = len(start)
    score = scores_of(before, train.X, start)
    against = None if held_out is None else scores_of(before, held_out.X, start)
    nodes, room = _nodes(shape.growth, p), _histograms(shape.growth, p)
    rows = np.empty(n, dtype=np.int32)
    spare = np.empty(n, dtype=np.int32)
    order, keys = np.zeros(256, dtype=np.int64), np.zeros(256)
    random = np.array([shape.seed], dtype=np.uint64)
    weighted = bool(np.any(train.weight != 1.0))
    constant = isinstance(loss, SquaredLoss) or has_line_search(loss)
    constant = constant and not weighted
    trees = [before] if before.n_rounds else []
    losses = [_mean_loss(loss, train, score)]
    validation = [] if against is None or held_out is None else [_mean_loss(loss, held_out, against)]
    yield BoostingState(trees or [BoostedTrees.none(K)], losses, validation, losses[-1])
    while True:
        grown = []
        gradient, curvature = slopes(loss, train.y, score if K > 1 else score[:, 0])
        gradient, curvature = gradient.reshape(n, K), curvature.reshape(n, K)
        for k in range(K):
            g = np.ascontiguousarray(gradient[:, k]) * (train.weight if weighted else 1.0)
            h = np.ascontiguousarray(curvature[:, k]) * (train.weight if weighted else 1.0)
            rows[:] = np.arange(n)
            kernels.grow(
                bins.codes, rows, spare, g, h, constant, bins.n_bins, bins.categorical, shape.monotone, shape.groups,
                shape.growth, nodes, room, order, keys, random, np.arange(p, dtype=np.int32),
            )  # fmt: skip
            value = _leaf_values(loss, nodes, rows, train, score[:, k], shape)
            column = score[:, k].copy()
            m = int(nodes.counters[0])
            kernels.add_leaves(rows, nodes.start[:m], nodes.end[:m], nodes.left[:m], value, column)
            score[:, k] = column
            grown.append(_tree(nodes, bins, value))
        tree = joined(grown, one_round=True)
        trees = [*trees, tree]
        losses = [*losses, _mean_loss(loss, train, score)]
        if held_out is not None and against is not None:
            add_scores(tree, held_out.X, against)
            validation = [*validation, _mean_loss(loss, held_out, against)]
        yield BoostingState(trees, losses, validation, losses[-1])


def scores_of(trees: BoostedTrees, X: np.ndarray, start: np.ndarray) -> np.ndarray:
    """(n, K) raw scores."""
    score = np.tile(start, (len(X), 1))
    add_scores(trees, X, score)
    return score


def add_scores(trees: BoostedTrees, X: np.ndarray, score: np.ndarray) -> None:
    """Add the trees to scores, blocks of rows over threads."""
    if not trees.n_rounds:
        return
    fields = (
        trees.first, trees.children_left, trees.children_right, trees.feature, trees.threshold,
        trees.missing_go_to_left, trees.category_row, trees.category_left, trees.value,
    )  # fmt: skip
    blocks = [slice(a, a + BLOCK) for a in range(0, len(X), BLOCK)]
    with one_blas_thread() as granted:
        for _ in in_order(
            lambda block: kernels.add_trees(*fields, X[block], score[block]),
            iter(blocks),
            worker_count(None, granted, len(blocks)),
        ):
            pass


def joined(trees: list[BoostedTrees], one_round: bool = False) -> BoostedTrees:
    """Several sets of trees in one: as further rounds, or as the scores of one round."""
    if len(trees) == 1:
        return trees[0]
    nodes = np.cumsum([0, *(len(tree.value) for tree in trees)])
    categories = np.cumsum([0, *(len(tree.category_left) for tree in trees)])

    def moved(name: str, by: np.ndarray) -> np.ndarray:
        parts = []
        for tree, shift in zip(trees, by):
            array = getattr(tree, name)
            parts.append(np.where(array >= 0, array + shift, array).astype(array.dtype))
        return np.concatenate(parts)

    def together(name: str) -> np.ndarray:
        return np.concatenate([getattr(tree, name) for tree in trees])

    first = [tree.first + shift for tree, shift in zip(trees, nodes)]
    return BoostedTrees(
        np.concatenate(first, axis=1 if one_round else 0),
        moved("children_left", nodes),
        moved("children_right", nodes),
        together("feature"),
        together("threshold"),
        together("missing_go_to_left"),
        moved("category_row", categories),
        together("category_left"),
        together("value"),
        together("n_samples"),
    )


def _leaf_values(
    loss, nodes: Nodes, rows: np.ndarray, train: BinnedRows, score: np.ndarray, shape: Shape
) -> np.ndarray:
    m = int(nodes.counters[0])
    leaf = nodes.left[:m] < 0
    value = np.zeros(m)
    if has_line_search(loss):
        for node in np.flatnonzero(leaf):
            here = rows[nodes.start[node] : nodes.end[node]]
            value[node] = leaf_constant(loss, train.y[here] - score[here], train.weight[here])
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            step = -nodes.sums[:m, 0] / (nodes.sums[:m, 1] + shape.growth.l2)
        step[~np.isfinite(step)] = 0.0
        value[leaf] = np.clip(step, nodes.lower[:m], nodes.upper[:m])[leaf]
    return shape.learning_rate * value


def _mean_loss(loss, rows: BinnedRows, score: np.ndarray) -> float:
    values = loss_values(loss, rows.y, score if score.shape[1] > 1 else score[:, 0])
    return float(np.average(values, weights=rows.weight))


def _nodes(growth: Growth, p: int) -> Nodes:
    m = 2 * growth.max_leaves
    whole = np.int32
    return Nodes(
        np.full(m, -1, whole), np.full(m, -1, whole), np.zeros(m, whole), np.zeros(m, whole), np.zeros(m, np.uint8),
        np.zeros((m, 256), np.uint8), np.zeros(m, np.uint8), np.zeros(m, np.int64), np.zeros(m, np.int64),
        np.zeros(m, whole), np.zeros(m), np.zeros((m, 3)), np.zeros(m), np.zeros(m), np.ones((m, p), np.uint8),
        np.zeros(m, whole), np.zeros(2, np.int64),
    )  # fmt: skip


def _histograms(growth: Growth, p: int) -> np.ndarray:
    return np.zeros((growth.max_leaves, p, 256, 3))


def _tree(nodes: Nodes, bins: Bins, value: np.ndarray) -> BoostedTrees:
    m = int(nodes.counters[0])
    split = nodes.left[:m] >= 0
    feature = np.where(split, nodes.feature[:m], -2).astype(np.int32)
    by_category = split & (nodes.by_category[:m] == 1)
    threshold = np.zeros(m)
    for node in np.flatnonzero(split & ~by_category):
        edges = bins.thresholds[feature[node]]
        threshold[node] = edges[nodes.bin[node]] if nodes.bin[node] < len(edges) else np.inf
    category_row = np.full(m, -1, dtype=np.int32)
    category_row[by_category] = np.arange(int(by_category.sum()))
    return BoostedTrees(
        np.zeros((1, 1), dtype=np.int64),
        nodes.left[:m].copy(),
        np.where(split, nodes.right[:m], -1).astype(np.int32),
        feature,
        threshold,
        np.where(split, nodes.missing_left[:m], 0).astype(np.uint8),
        category_row,
        nodes.category_left[:m][by_category],
        value,
        nodes.end[:m] - nodes.start[:m],
    )
