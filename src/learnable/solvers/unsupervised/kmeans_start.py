"""Where k-means starts: k-means++ with several candidates a centre, or rows drawn at random. Syllabus: U4."""

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import sparse

from learnable._jit.unsupervised.nearest import potentials
from learnable.rows import Block, Rows
from learnable.rows.arrays import ArrayRows
from learnable.solvers.unsupervised import start_in_blocks
from learnable.solvers.unsupervised.assignment import centred, taken, weights_of


def plus_plus(
    rows: Rows, weight: np.ndarray | None, K: int, origin: np.ndarray | None, generator: np.random.Generator
) -> np.ndarray:
    """Centres drawn one by one with probability ∝ w · squared distance to the nearest centre so far (k-means++).

    Of 2 + ⌊log K⌋ candidates for each centre the one that lowers J most is taken. Rows are (n, p); the centres (K, p)
    are about `origin`. What is known of each row is kept for rows in memory; those that come in blocks carry their own
    weights, and are drawn where they are.
    """
    if not isinstance(rows, ArrayRows) or weight is None:
        return start_in_blocks.plus_plus(rows, K, origin, generator)
    candidates = 2 + int(np.log(K))
    even = weight / weight.sum()
    norms = rows.concatenate(partial(_norms, origin=origin))
    centres = np.empty((K, rows.n_columns))
    centres[0] = _points(rows, _one(even, generator), origin)[0]
    closest = np.full(rows.n_rows, np.inf)
    for k in range(1, K):
        known = _Known(centres[k - 1], norms, closest, weight)
        closest = rows.concatenate(partial(_closest, known=known, origin=origin))
        shares = np.cumsum(weight * closest)
        if shares[-1] <= 0.0:  # every point lies on a centre already
            centres[k] = _points(rows, _one(even, generator), origin)[0]
            continue
        drawn = np.searchsorted(shares, generator.random(candidates) * shares[-1])
        points = _points(rows, np.minimum(drawn, rows.n_rows - 1), origin)
        cost = partial(_costs, points=points, known=known._replace(closest=closest), origin=origin)
        centres[k] = points[int(np.argmin(rows.reduce(cost)))]
    return centres


def random_rows(
    rows: Rows, weight: np.ndarray | None, K: int, origin: np.ndarray | None, generator: np.random.Generator
) -> np.ndarray:
    """K different rows drawn with probability ∝ weight, about `origin`."""
    if weight is None:
        weight = rows.concatenate(weights_of)
    possible = int(np.count_nonzero(weight))
    drawn = generator.choice(rows.n_rows, size=min(K, possible), replace=False, p=weight / weight.sum())
    if len(drawn) < K:
        drawn = np.concatenate([drawn, generator.choice(drawn, K - len(drawn))])
    return _points(rows, drawn, origin)


def _one(shares: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """(1,) a place drawn with these probabilities: that of `Generator.choice`, which takes six times as long."""
    below = shares.cumsum()
    return below.searchsorted(generator.random(1) * below[-1], side="right")


def _points(rows: Rows, chosen: np.ndarray, origin: np.ndarray | None) -> np.ndarray:
    points = taken(rows, chosen)
    return points if origin is None else points - origin


def _norms(block: Block, origin: np.ndarray | None) -> np.ndarray:
    if sparse.issparse(block.X):
        return np.asarray(block.X.multiply(block.X).sum(axis=1), dtype=float).ravel()
    X = centred(block.X, origin)
    return np.einsum("ij,ij->i", X, X)


def _products(block: Block, points: np.ndarray, origin: np.ndarray | None) -> np.ndarray:
    """c·x of each of a few points and each row, (T, m)."""
    if sparse.issparse(block.X):
        return np.ascontiguousarray((block.X @ points.T).T)
    return points @ centred(block.X, origin).T


class _Known(NamedTuple):
    """The last centre, and of each row: ‖x‖², its squared distance to the centres before that one, its weight."""

    centre: np.ndarray
    norms: np.ndarray
    closest: np.ndarray
    weight: np.ndarray


def _closest(block: Block, known: _Known, origin: np.ndarray | None) -> np.ndarray:
    """Squared distance of each row to its nearest centre."""
    here, centre = slice(block.start, block.stop), known.centre
    squares = known.norms[here] + centre @ centre - 2.0 * _products(block, centre[None], origin)[0]
    return np.minimum(known.closest[here], np.maximum(squares, 0.0))


def _costs(block: Block, points: np.ndarray, known: _Known, origin: np.ndarray | None) -> np.ndarray:
    """What J would be with each of the candidates as the next centre."""
    out, sizes = np.zeros(len(points)), np.einsum("tj,tj->t", points, points)
    here = slice(block.start, block.stop)
    products = _products(block, points, origin)
    potentials(products, known.norms[here], sizes, known.closest[here], known.weight[here], out)
    return out
