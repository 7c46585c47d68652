"""Gradient boosting on histograms: one tree a score and round, fitted to gradients and curvatures."""

from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from learnable._jit.ensembles.boosted_descent import add_plain_trees, add_trees
from learnable._jit.ensembles.expansions import expand, expand_classes, expand_two_classes
from learnable._jit.ensembles.split_search import Growth, Nodes, Table
from learnable.problems.ensembles.boosted_trees import BoostedTrees
from learnable.problems.ensembles.boosting_losses import (
    BinomialLoss,
    MultinomialLoss,
    SquaredLoss,
    has_line_search,
    leaf_constant,
    loss_values,
)
from learnable.rows.parts import in_parts
from learnable.rows.threads import in_order, one_blas_thread, worker_count
from learnable.solvers.ensembles import leafwise
from learnable.solvers.ensembles.binning import Bins

# Rows at a time: their scores and slopes stay in the second cache.
BLOCK = 2**13


class BinnedRows(NamedTuple):
    """Rows with their targets and weights; of training rows without trees before them the cells are not read."""

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
    (n, p), K = bins.codes.shape, len(start)
    score = np.ascontiguousarray(scores_of(before, train.X, start).T)
    against = None if held_out is None else scores_of(before, held_out.X, start)
    columns = np.ascontiguousarray(bins.codes.T)
    table = Table(bins.codes, columns, bins.n_bins, bins.categorical, shape.monotone, shape.groups)
    weighted = bool(np.any(train.weight != 1.0))
    width = words_of(loss, weighted)
    gradient, curvature = np.empty((K, n)), np.empty((K, n))
    # A tree to a thread where there are several a round, else threads within a tree.
    rooms = deque([(leafwise.room_for(shape.growth, n, p, width), np.empty((n, width), dtype=np.int64))])
    trees = [before] if before.n_rounds else []
    sums = expanded(loss, train, weighted, score, gradient, curvature)
    losses = [sums[0] / train.weight.sum()]
    validation = [] if against is None or held_out is None else [_mean_loss(loss, held_out, against)]
    yield BoostingState(trees or [BoostedTrees.none(K)], losses, validation, losses[-1])
    while True:
        number = len(losses)

        def one(part: slice, sums: np.ndarray = sums, number: int = number) -> list[BoostedTrees]:
            try:
                room, words = rooms.pop()
            except IndexError:
                room, words = leafwise.room_for(shape.growth, n, p, width), np.empty((n, width), dtype=np.int64)
            grown = []
            for k in range(part.start, part.stop):
                size, bend = (float(each) for each in sums[1 + 2 * k : 3 + 2 * k])
                slopes = leafwise.slopes_of(gradient[k], curvature[k], size, bend, words)
                seed = (shape.seed + 0x632BE59BD9B4E019 * (number * K + k)) % 2**64
                leaves = leafwise.grow(slopes, table, shape.growth, room, seed, K == 1)
                if has_line_search(loss):
                    value = _best_constants(loss, room, leaves, train, score[k], shape.learning_rate)
                else:
                    value = leafwise.step(slopes, room, leaves, shape.growth, shape.learning_rate)
                leafwise.move(room, value, score[k])
                grown.append(tree_of(room.nodes, bins.thresholds, leaves, value))
            rooms.append((room, words))
            return grown

        parts = [one(slice(0, 1))] if K == 1 else in_parts(one, n * p * np.arange(1, K + 1))
        tree = joined([each for part in parts for each in part], one_round=True)
        trees = [*trees, tree]
        sums = expanded(loss, train, weighted, score, gradient, curvature)
        losses = [*losses, sums[0] / train.weight.sum()]
        if held_out is not None and against is not None:
            add_scores(tree, held_out.X, against)
            validation = [*validation, _mean_loss(loss, held_out, against)]
        yield BoostingState(trees, losses, validation, losses[-1])


def words_of(loss: Any, weighted: bool) -> int:
    """Words a row: one where all curvatures are 1."""
    return 1 if (isinstance(loss, SquaredLoss) or has_line_search(loss)) and not weighted else 2


def expanded(loss: Any, train: BinnedRows, weighted: bool, score, gradient, curvature) -> np.ndarray:
    """Write gradients and curvatures; Σ w loss, and for each score Σ |gradient| and Σ curvature."""
    n, K = len(train.y), len(score)
    blocks = -(-n // BLOCK)
    sums = np.empty((blocks, 1 + 2 * K))

    def some(part: slice) -> None:
        for b in range(part.start, part.stop):
            rows = slice(b * BLOCK, (b + 1) * BLOCK)
            y, w = train.y[rows], train.weight[rows]
            if isinstance(loss, MultinomialLoss):
                expand_classes(y, score[:, rows], w, weighted, gradient[:, rows], curvature[:, rows], sums[b])
            elif isinstance(loss, BinomialLoss) and not weighted:
                expand_two_classes(y, score[0, rows], gradient[0, rows], curvature[0, rows], sums[b])
            else:
                expand(loss, y, score[0, rows], w, weighted, gradient[0, rows], curvature[0, rows], sums[b])

    # The blocks, and with them the sums, are the same for any number of threads.
    in_parts(some, np.minimum(BLOCK * np.arange(1, blocks + 1), n) * 20 * K)
    return sums.sum(axis=0)


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
    plain = (trees.first, trees.children_left, trees.feature, trees.threshold, trees.value)
    split = trees.children_left >= 0
    beside = np.array_equal(trees.children_right[split], trees.children_left[split] + 1)
    by_number = beside and not len(trees.category_left)

    def add(block: slice) -> None:
        if by_number and not np.isnan(X[block]).any():
            add_plain_trees(*plain, X[block], score[block])
        else:
            add_trees(*fields, X[block], score[block])

    blocks = [slice(a, a + BLOCK) for a in range(0, len(X), BLOCK)]
    with one_blas_thread() as granted:
        for _ in in_order(add, iter(blocks), worker_count(None, granted, len(blocks))):
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


def _best_constants(
    loss: Any, room: leafwise.Room, leaves: np.ndarray, train: BinnedRows, score: np.ndarray, rate: float
) -> np.ndarray:
    nodes, value = room.nodes, np.empty(len(leaves))
    for k, node in enumerate(leaves):
        here = room.rows[nodes.start[node] : nodes.end[node]]
        value[k] = rate * leaf_constant(loss, train.y[here] - score[here], train.weight[here])
    return value


def _mean_loss(loss, rows: BinnedRows, score: np.ndarray) -> float:
    values = loss_values(loss, rows.y, score if score.shape[1] > 1 else score[:, 0])
    return float(np.average(values, weights=rows.weight))


def tree_of(nodes: Nodes, thresholds: list[np.ndarray], leaves: np.ndarray, value: np.ndarray) -> BoostedTrees:
    m = int(nodes.counters[0])
    values = np.zeros(m)
    values[leaves] = value
    split = nodes.left[:m] >= 0
    feature = np.where(split, nodes.feature[:m], -2).astype(np.int32)
    by_category = split & (nodes.by_category[:m] == 1)
    threshold = np.zeros(m)
    for node in np.flatnonzero(split & ~by_category):
        edges = thresholds[feature[node]]
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
        values,
        nodes.end[:m] - nodes.start[:m],
    )
