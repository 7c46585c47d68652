"""Where k-means starts: k-means++ with several candidates a centre, or rows drawn at random. Syllabus: U4."""

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import sparse

from learnable._jit.unsupervised.nearest import potentials
from learnable.rows import Block, Rows
from learnable.rows.arrays import ArrayRows
from learnable.solvers.unsupervised.assignment import centred, taken


def plus_plus(
    rows: Rows, weight: np.ndarray, K: int, origin: np.ndarray | None, generator: np.random.Generator
) -> np.ndarray:
    """Centres drawn one by one with probability ∝ w · squared distance to the nearest centre so far (k-means++).

    Of 2 + ⌊log K⌋ candidates for each centre the one that lowers J most is taken. Rows are (n, p); the centres (K, p)
    are about `origin`. What is known of each row is kept for rows in memory; others find it again where they are, from
    all centres so far, since sending it would take longer.
    """
    candidates = 2 + int(np.log(K))
    even = weight / weight.sum()
    in_memory = isinstance(rows, ArrayRows)
    norms = rows.concatenate(partial(_norms, origin=origin)) if in_memory else None
    centres = np.empty((K, rows.n_columns))
    centres[0] = _points(rows, generator.choice(rows.n_rows, size=1, p=even), origin)[0]
    closest = np.full(rows.n_rows, np.inf)
    for k in range(1, K):
        known = _Known(centres[k - 1 : k], norms, closest, weight) if in_memory else _Known(centres[:k])
        closest = rows.concatenate(partial(_closest, known=known, origin=origin))
        shares = np.cumsum(weight * closest)
        if shares[-1] <= 0.0:  # every point lies on a centre already
            centres[k] = _points(rows, generator.choice(rows.n_rows, size=1, p=even), origin)[0]
            continue
        drawn = np.searchsorted(shares, generator.random(candidates) * shares[-1])
        points = _points(rows, np.minimum(drawn, rows.n_rows - 1), origin)
        known = known._replace(closest=closest if in_memory else None)
        cost = partial(_costs, points=points, known=known, origin=origin)
        centres[k] = points[int(np.argmin(rows.reduce(cost)))]
    return centres


def random_rows(
    rows: Rows, weight: np.ndarray, K: int, origin: np.ndarray | None, generator: np.random.Generator
) -> np.ndarray:
    """K different rows drawn with probability ∝ weight, about `origin`."""
    possible = int(np.count_nonzero(weight))
    drawn = generator.choice(rows.n_rows, size=min(K, possible), replace=False, p=weight / weight.sum())
    if len(drawn) < K:
        drawn = np.concatenate([drawn, generator.choice(drawn, K - len(drawn))])
    return _points(rows, drawn, origin)


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
    """Centres, and what is kept of each row: ‖x‖², its squared distance to the centres before those, its weight."""

    centres: np.ndarray
    norms: np.ndarray | None = None
    closest: np.ndarray | None = None
    weight: np.ndarray | None = None

    def of(self, block: Block, origin: np.ndarray | None) -> tuple[np.ndarray, np.ndarray | None, np.ndarray]:
        """Norms, distances, weights of the rows of a block."""
        here = slice(block.start, block.stop)
        if self.norms is None or self.closest is None or self.weight is None:
            even = np.ones(block.stop - block.start)
            return _norms(block, origin), None, even if block.weight is None else np.asarray(block.weight, dtype=float)
        return self.norms[here], self.closest[here], self.weight[here]


def _closest(block: Block, known: _Known, origin: np.ndarray | None) -> np.ndarray:
    """Squared distance of each row to its nearest centre."""
    norms, closest, _ = known.of(block, origin)
    sizes = np.array([[centre @ centre] for centre in known.centres])
    squares = np.maximum(np.min(norms + sizes - 2.0 * _products(block, known.centres, origin), axis=0), 0.0)
    return squares if closest is None else np.minimum(closest, squares)


def _costs(block: Block, points: np.ndarray, known: _Known, origin: np.ndarray | None) -> np.ndarray:
    """What J would be with each of the candidates as the next centre."""
    out, sizes = np.zeros(len(points)), np.einsum("tj,tj->t", points, points)
    norms, closest, weight = known.of(block, origin)
    if closest is None:
        closest = _closest(block, known, origin)
    potentials(_products(block, points, origin), norms, sizes, closest, weight, out)
    return out
