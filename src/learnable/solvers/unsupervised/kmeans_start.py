"""Where k-means starts: k-means++ with several candidates a centre, or rows drawn at random. Syllabus: U4."""

from functools import partial

import numpy as np
from scipy import sparse

from learnable._jit.unsupervised.nearest import potentials
from learnable.rows import Block, Rows
from learnable.solvers.unsupervised.assignment import centred, taken


def plus_plus(
    rows: Rows, weight: np.ndarray, K: int, origin: np.ndarray | None, generator: np.random.Generator
) -> np.ndarray:
    """Centres drawn one by one with probability ∝ w · squared distance to the nearest centre so far (k-means++).

    Of 2 + ⌊log K⌋ candidates for each centre the one that lowers J most is taken. Rows are (n, p); the centres (K, p)
    are about `origin`.
    """
    candidates = 2 + int(np.log(K))
    even = weight / weight.sum()
    norms = rows.concatenate(partial(_norms, origin=origin))
    centres = np.empty((K, rows.n_columns))
    centres[0] = _points(rows, generator.choice(rows.n_rows, size=1, p=even), origin)[0]
    closest = np.full(rows.n_rows, np.inf)
    for k in range(1, K):
        last = partial(_closer, point=centres[k - 1], origin=origin, norms=norms, closest=closest)
        closest = rows.concatenate(last)
        shares = np.cumsum(weight * closest)
        if shares[-1] <= 0.0:  # every point lies on a centre already
            centres[k] = _points(rows, generator.choice(rows.n_rows, size=1, p=even), origin)[0]
            continue
        drawn = np.searchsorted(shares, generator.random(candidates) * shares[-1])
        points = _points(rows, np.minimum(drawn, rows.n_rows - 1), origin)
        cost = partial(_costs, points=points, origin=origin, norms=norms, closest=closest, weight=weight)
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


def _closer(block: Block, point, origin, norms, closest) -> np.ndarray:
    """Squared distance of each row to its nearest centre, now that there is one more."""
    here = slice(block.start, block.stop)
    squares = norms[here] + point @ point - 2.0 * _products(block, point[None], origin)[0]
    return np.minimum(closest[here], np.maximum(squares, 0.0))


def _costs(block: Block, points, origin, norms, closest, weight) -> np.ndarray:
    """What J would be with each of the candidates as the next centre."""
    here, out = slice(block.start, block.stop), np.zeros(len(points))
    sizes = np.einsum("tj,tj->t", points, points)
    potentials(_products(block, points, origin), norms[here], sizes, closest[here], weight[here], out)
    return out
