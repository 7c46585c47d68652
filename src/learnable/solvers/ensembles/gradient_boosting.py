"""Gradient boosting with exact trees: fit a tree to the negative gradients, then a line search in every leaf."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from learnable._jit.trees.layout import Columns
from learnable.problems.ensembles.boosting_losses import (
    HuberLoss,
    MultinomialLoss,
    SquaredLoss,
    has_line_search,
    leaf_constant,
    loss_values,
    slopes,
)
from learnable.problems.ensembles.steps import newton_step, with_delta
from learnable.problems.trees.tree import Tree
from learnable.solvers.trees.cart import Growth, grown, sorted_rows, targets_of


class GradientState(NamedTuple):
    """Trees of every round (one a score), the values of their nodes as steps, losses before and after every round.

    `out_of_bag` are those on the rows that a round leaves out: before the first one, and after every one.
    """

    trees: list[Tree]
    steps: list[np.ndarray]
    losses: list[float]
    validation: list[float]
    out_of_bag: list[float]
    objective: float


class Part(NamedTuple):
    """Rows with the scores (n, K) that they start from."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    start: np.ndarray


def iterates(
    loss: Any, columns: Columns, train: Part, held_out: Part | None, growth: Growth, rate: float,
    leaves: Any, draws: Any, before: GradientState | None = None,
) -> Iterator[GradientState]:  # fmt: skip
    """Boost from the scores that the rows start from.

    Parameters
    ----------
    leaves : function (tree, X) -> leaf of each row.
    draws : function (round) -> weights 0/1 of the rows that take part.
    before : an earlier state on these rows, to go on from.
    """
    n, K = train.start.shape
    order = sorted_rows(columns, growth)
    score = train.start.copy()
    against = None if held_out is None else held_out.start.copy()
    trees: list[Tree] = []
    steps: list[np.ndarray] = []
    losses: list[float] = [_mean(loss, train, score)]
    out_of_bag: list[float] = []
    validation = [] if held_out is None or against is None else [_mean(loss, held_out, against)]
    if before is not None:
        trees, steps, losses, validation, out_of_bag, _ = before
        for number, (tree, step) in enumerate(zip(trees, steps)):
            score[:, number % K] += step[leaves(tree, train.X)]
            if held_out is not None and against is not None:
                against[:, number % K] += step[leaves(tree, held_out.X)]
    yield GradientState(trees, steps, losses, validation, out_of_bag, losses[-1])
    while True:
        drawn = draws(len(losses) - 1)
        weight = train.weight * drawn
        left_out = train._replace(weight=train.weight * (1.0 - drawn))
        if not out_of_bag and left_out.weight.any():
            out_of_bag = [_mean(loss, left_out, score)]
        now = with_delta(loss, train.y - score[:, 0], weight) if isinstance(loss, HuberLoss) else loss
        g, h = (part.reshape(n, K) for part in slopes(now, train.y, score if K > 1 else score[:, 0]))
        for k in range(K):
            targets, shift = targets_of("squared_error", -g[:, k], weight)
            seed = growth._replace(seed=growth.seed + len(trees))
            tree = grown(columns, targets, seed, shift, order)
            at = leaves(tree, train.X)
            if isinstance(loss, SquaredLoss):
                step = np.where(tree.is_leaf, tree.value[:, 0, 0], 0.0)
            else:
                step = _leaf_steps(now, tree, at, train.y - score[:, k], g[:, k], h[:, k], weight)
            step *= rate
            trees, steps = [*trees, tree], [*steps, step]
            score[:, k] += step[at]
            if held_out is not None and against is not None:
                against[:, k] += step[leaves(tree, held_out.X)]
        losses = [*losses, _mean(loss, train, score)]
        if left_out.weight.any():
            out_of_bag = [*out_of_bag, _mean(loss, left_out, score)]
        if held_out is not None and against is not None:
            validation = [*validation, _mean(loss, held_out, against)]
        yield GradientState(trees, steps, losses, validation, out_of_bag, losses[-1])


def _leaf_steps(
    loss: Any, tree: Tree, at: np.ndarray, residual: np.ndarray, g: np.ndarray, h: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """The best constant of the residuals in every leaf, or a Newton step; zero at other nodes."""
    rows = np.flatnonzero(weight > 0.0)
    rows = rows[np.argsort(at[rows], kind="stable")]  # those of a leaf one after the other
    residual, g, h, weight = residual[rows], g[rows], h[rows], weight[rows]
    n_scores = loss.n_classes if isinstance(loss, MultinomialLoss) else 1
    step, searched = np.zeros(tree.node_count), has_line_search(loss)
    leaves = np.flatnonzero(tree.is_leaf)
    ends = np.searchsorted(at[rows], leaves, side="right").tolist()
    for leaf, begin, end in zip(leaves.tolist(), [0, *ends], ends):
        if searched:
            step[leaf] = leaf_constant(loss, residual[begin:end], weight[begin:end])
        else:
            step[leaf] = newton_step(g[begin:end], h[begin:end], weight[begin:end], n_scores)
    return step


def _mean(loss: Any, part: Part, score: np.ndarray) -> float:
    values = loss_values(loss, part.y, score if score.shape[1] > 1 else score[:, 0])
    return float(np.average(values, weights=part.weight))
