"""k-means++ over rows that come in blocks: only sums over blocks and the rows that are drawn travel. Syllabus: U4."""

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import sparse

from learnable._jit.core.vectors import read_only
from learnable._jit.unsupervised.nearest import potentials, potentials_of_few
from learnable.rows import Block, Rows
from learnable.solvers.unsupervised.assignment import FEW, centred, weights_of


class Masses(NamedTuple):
    """Of every block: its first row, and what a draw from it weighs, for each of a few candidates."""

    starts: np.ndarray
    values: np.ndarray


class Target(NamedTuple):
    """A draw: the block it falls into, how much of the block's mass lies before it, and its place among the draws."""

    start: int
    before: float
    number: int


def plus_plus(rows: Rows, K: int, origin: np.ndarray | None, generator: np.random.Generator) -> np.ndarray:
    """Centres (K, p) about `origin`, drawn one by one with probability ∝ w · squared distance to the nearest so far.

    The draws are those of rows in memory. A pass that weighs the candidates says what each of them leaves in every
    block; with the one that is taken, this says from which blocks to draw the next, and only these are looked at again.
    """
    candidates = 2 + int(np.log(K))
    centres = np.empty((K, rows.n_columns))
    even = rows.reduce(_weights, _joined)
    centres[0] = _drawn(rows, even, generator.random(1), centres[:0], origin)[0]
    left = _left(rows, centres[:0], centres[:1], origin)
    for k in range(1, K):
        if not left.values.sum() > 0.0:  # every point lies on a centre already
            centres[k] = _drawn(rows, even, generator.random(1), centres[:0], origin)[0]
            continue
        points = _drawn(rows, left, generator.random(candidates), centres[:k], origin)
        left = _left(rows, centres[:k], points, origin)
        best = int(np.argmin(left.values.sum(axis=0)))
        centres[k], left = points[best], left._replace(values=left.values[:, best : best + 1])
    return centres


def _left(rows: Rows, centres: np.ndarray, points: np.ndarray, origin: np.ndarray | None) -> Masses:
    return rows.reduce(partial(_potentials, centres=centres, points=points, origin=origin), _joined)


def _drawn(
    rows: Rows, masses: Masses, uniform: np.ndarray, centres: np.ndarray, origin: np.ndarray | None
) -> np.ndarray:
    """Rows about `origin`, one for each uniform number, with probability ∝ their mass, from one pass over all."""
    ends = np.cumsum(masses.values[:, 0])
    shares = uniform * ends[-1]
    of = np.searchsorted(ends, shares)
    before = shares - (ends[of] - masses.values[of, 0])
    targets = [Target(int(start), float(rest), t) for t, (start, rest) in enumerate(zip(masses.starts[of], before))]
    found = rows.reduce(partial(_hit, targets=targets, centres=centres, origin=origin), list.__add__)
    return np.array([point for _, point in sorted(found, key=lambda pair: pair[0])])


def _hit(block: Block, targets: list[Target], centres: np.ndarray, origin: np.ndarray | None) -> list:
    """(number, row) of the draws that fall into this block."""
    here = [target for target in targets if target.start == block.start]
    if not here:
        return []
    X, norms, weight = _read(block, origin)
    mass = weight
    if len(centres):
        mass = weight * np.maximum(np.min(norms + _squares(centres) - 2.0 * _products(X, centres), axis=0), 0.0)
    ends = np.cumsum(mass)
    # No further than the end: the last row with any mass.
    rows = [int(np.searchsorted(ends, min(target.before, ends[-1]))) for target in here]
    return [(target.number, _dense(X[i : i + 1])[0]) for target, i in zip(here, rows)]


def _potentials(block: Block, centres: np.ndarray, points: np.ndarray, origin: np.ndarray | None) -> Masses:
    """What is left of a block, Σ w · squared distance to the nearest, with each of the points as the next centre."""
    out = np.zeros(len(points))
    if len(centres) + len(points) <= FEW and not sparse.issparse(block.X):
        X = read_only(np.ascontiguousarray(block.X, dtype=float))
        about = np.zeros(X.shape[1]) if origin is None else origin
        potentials_of_few(X, about, weights_of(block), centres, points, out)
        return Masses(np.array([block.start]), out[None])
    X, norms, weight = _read(block, origin)
    products = _products(X, np.concatenate([centres, points]))
    closest = np.full(len(norms), np.inf)
    if len(centres):
        closest = np.min(norms + _squares(centres) - 2.0 * products[: len(centres)], axis=0)
    potentials(products[len(centres) :], norms, _squares(points)[:, 0], np.maximum(closest, 0.0), weight, out)
    return Masses(np.array([block.start]), out[None])


def _read(block: Block, origin: np.ndarray | None) -> tuple:
    """(rows about the origin, their squared lengths, weights)."""
    weight = weights_of(block)
    if sparse.issparse(block.X):
        return block.X, np.asarray(block.X.multiply(block.X).sum(axis=1), dtype=float).ravel(), weight
    X = centred(block.X, origin)
    return X, np.einsum("ij,ij->i", X, X), weight


def _products(X, points: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray((X @ points.T).T) if sparse.issparse(X) else points @ X.T


def _squares(points: np.ndarray) -> np.ndarray:
    """‖c‖² of each, as a column."""
    return np.einsum("tj,tj->t", points, points)[:, None]


def _dense(rows) -> np.ndarray:
    return rows.toarray() if sparse.issparse(rows) else rows


def _weights(block: Block) -> Masses:
    return Masses(np.array([block.start]), np.array([[weights_of(block).sum()]]))


def _joined(one: Masses, two: Masses) -> Masses:
    return Masses(*map(np.concatenate, zip(one, two)))
