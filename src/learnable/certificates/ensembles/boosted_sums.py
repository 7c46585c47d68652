"""Losses, slopes and values of leaves over the rows of a boosted model, a block of rows at a time.

Beside the scores nothing of the length of the rows is kept: what a certificate takes is less than what a fit does.
"""

from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from learnable.certificates.ensembles.boosted_routes import Route
from learnable.certificates.ensembles.kinks import loss_values, slopes
from learnable.problems.ensembles.boosted_trees import BoostedTrees
from learnable.rows.parts import in_parts

# Rows that are looked at as one.
BLOCK = 2**14


class Sums(NamedTuple):
    """Sums over rows: of their losses; and, (K,) each, of the sizes, the squares and the curvatures of their slopes;
    for each tree of the round, (leaves, 3) gradients, curvatures and rows of its leaves."""

    loss: float
    size: np.ndarray
    squares: np.ndarray
    bend: np.ndarray
    leaves: list[np.ndarray]


def mean_loss(loss: Any, y: np.ndarray, score: np.ndarray, weight: np.ndarray) -> float:
    return summed(loss, y, score, weight, []).loss / float(weight.sum())


def summed(loss: Any, y: np.ndarray, score: np.ndarray, weight: np.ndarray, ways: list[Route]) -> Sums:
    """Sums at the scores, and by the leaves of `ways`: blocks of rows over threads, added up in their order."""
    blocks = max(1, -(-len(y) // BLOCK))

    def some(part: slice) -> list[Sums]:
        return [of_block(slice(b * BLOCK, (b + 1) * BLOCK)) for b in range(part.start, part.stop)]

    def of_block(rows: slice) -> Sums:
        w, here = weight[rows], score[rows]
        total = float(np.sum(loss_values(loss, y[rows], here if here.shape[1] > 1 else here[:, 0]) * w))
        nothing = np.zeros(here.shape[1])
        if not ways:
            return Sums(total, nothing, nothing, nothing, [])
        g, h = weighted_slopes(loss, y[rows], here, w)
        leaves = [
            np.stack([np.bincount(way.leaf[rows], v, len(way.leaves)) for v in (g[:, k], h[:, k], None)], axis=1)
            for k, way in enumerate(ways)
        ]
        return Sums(total, np.abs(g).sum(axis=0), (g * g).sum(axis=0), h.sum(axis=0), leaves)

    parts = in_parts(some, np.arange(1, blocks + 1) * BLOCK * 20 * score.shape[1])
    return reduce(_both, (each for part in parts for each in part))


def _both(one: Sums, two: Sums) -> Sums:
    leaves = [a + b for a, b in zip(one.leaves, two.leaves)]
    return Sums(one.loss + two.loss, one.size + two.size, one.squares + two.squares, one.bend + two.bend, leaves)


def weighted_slopes(loss: Any, y: np.ndarray, score: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n, K) gradients and curvatures, times weights."""
    g, h = slopes(loss, y, score if score.shape[1] > 1 else score[:, 0])
    return g.reshape(score.shape) * weight[:, None], h.reshape(score.shape) * weight[:, None]


def add_values(trees: BoostedTrees, way: Route, score: np.ndarray) -> None:
    """Add to scores what the rows get from a tree."""
    value = trees.value[way.leaves]
    for low in range(0, len(score), BLOCK):
        score[low : low + BLOCK] += value.take(way.leaf[low : low + BLOCK])
