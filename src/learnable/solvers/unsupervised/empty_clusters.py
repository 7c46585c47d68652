"""A cluster that lost all its points takes the point that is farthest from its centre, which leaves its own cluster."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from learnable.rows import Block, Rows
from learnable.solvers.unsupervised.assignment import centred, distances, nearest


class Far(NamedTuple):
    """Points far from their centres, farthest first: squared distance, number, cluster, weight and the point."""

    squares: np.ndarray
    numbers: np.ndarray
    labels: np.ndarray
    weights: np.ndarray
    points: np.ndarray


def farthest(rows: Rows, origin: np.ndarray | None, centres: np.ndarray, count: int) -> Far:
    """The `count` points of positive weight that are farthest from their centres; ties go to the first row."""
    of_block = partial(_far, centres=centres, origin=origin, count=count)
    return rows.reduce(of_block, partial(_farther, count=count))


def refilled(rows: Rows, origin: np.ndarray | None, centres: np.ndarray, sums: Any, means: np.ndarray) -> np.ndarray:
    """`means` with each empty cluster at a point of its own; it stays empty where every point lies on its centre."""
    empty = np.flatnonzero(sums.masses <= 0.0)
    far = farthest(rows, origin, centres, len(empty))
    means, firsts, masses = means.copy(), sums.firsts.copy(), sums.masses.copy()
    for k, square, old, weight, point in zip(empty, far.squares, far.labels, far.weights, far.points):
        if square > 0.0:
            firsts[old] -= weight * point
            masses[old] -= weight
            means[old] = firsts[old] / masses[old] if masses[old] > 0.0 else centres[old]
            means[k] = point
    return means


def _far(block: Block, centres: np.ndarray, origin: np.ndarray | None, count: int) -> Far:
    squares = distances(block, centres, origin)
    weight = np.ones(len(squares)) if block.weight is None else np.asarray(block.weight, dtype=float)
    squares = np.where(weight > 0.0, squares, -1.0)
    order = np.lexsort((np.arange(len(squares)), -squares))[:count]
    points = block.X[order]
    points = points.toarray() if sparse.issparse(points) else centred(points, origin)
    labels = nearest(block, centres, origin)[order]
    return Far(squares[order], block.start + order, labels, weight[order], points)


def _farther(a: Far, b: Far, count: int) -> Far:
    order = np.argsort(-np.concatenate([a.squares, b.squares]), kind="stable")[:count]
    return Far(*(np.concatenate([x, y])[order] for x, y in zip(a, b)))
