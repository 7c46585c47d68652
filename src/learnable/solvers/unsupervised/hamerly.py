"""Lloyd's algorithm without the comparisons that the triangle inequality decides (Hamerly), for rows in memory.

Each point carries an upper bound on the distance to its centre and a lower bound on the distance to all others. They
move with the centres, and most points need no comparison once the centres move little: the same steps as Lloyd's.
Sums change by the points that moved. Syllabus: U3.
"""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from learnable._jit.core.vectors import read_only
from learnable._jit.unsupervised.nearest import assign_few, group_sums, settle, undecided
from learnable.rows import Block, Rows, as_rows
from learnable.solvers.unsupervised import empty_clusters
from learnable.solvers.unsupervised.assignment import FEW, scores
from learnable.solvers.unsupervised.lloyd import KMeansState

# Where more of a block's rows than this are undecided, all of them are compared: copying them out does not pay.
MOST = 0.6


class Bounds(NamedTuple):
    """Of each row: its label (−1 before the first step), and bounds on its distances."""

    label: np.ndarray
    upper: np.ndarray
    lower: np.ndarray


class Moves(NamedTuple):
    """How far the centres have moved since the bounds were made, and how far they are apart."""

    drift: np.ndarray
    largest: float
    runner_up: float
    farthest: int
    apart: np.ndarray


class Changes(NamedTuple):
    """What a step adds to the sums of the clusters, how many points have moved, and Σ w ‖x‖² if it is the first."""

    firsts: np.ndarray
    masses: np.ndarray
    moved: int
    squares: float


def iterates(
    X: np.ndarray, weight: np.ndarray | None, start: np.ndarray, restart: int = 0, n_jobs: int | None = None
) -> Iterator[KMeansState]:
    """The states of `lloyd.iterates`, with labels, until no label changes.

    Parameters
    ----------
    X : (n, p) float64, C-ordered, about an origin near its mean.
    weight : (n,) or None for ones.
    start : (K, p).
    """
    n, K = len(X), len(start)
    w = np.ones(n) if weight is None else np.asarray(weight, dtype=float)
    # A step that decides most rows by their bounds is short: handing out many blocks would take longer.
    rows, weighted = as_rows(X).coarser(16), as_rows(X, None, w).coarser(16)
    bounds = Bounds(np.full(n, -1, dtype=np.int32), np.full(n, np.inf), np.full(n, -np.inf))
    centres, moves = np.array(start, dtype=float), None
    history: list[float] = []
    firsts, masses, squares = np.zeros(centres.shape), np.zeros(K), 0.0
    while True:
        # 1. Assign: compare the points that the bounds leave undecided.
        sizes = np.einsum("kj,kj->k", centres, centres)
        size = float(sizes.max())
        step = partial(assign, weight=w, centres=centres, bounds=bounds, moves=moves, size=size)
        changes = rows.reduce(step, n_jobs=n_jobs)
        firsts, masses, squares = firsts + changes.firsts, masses + changes.masses, squares + changes.squares
        if changes.moved == 0:
            # The sums have followed the moves of points; the last ones are taken afresh.
            firsts, masses = weighted.reduce(partial(_fresh, labels=bounds.label, K=K), n_jobs=n_jobs)
        # J = Σ w ‖x‖² − 2 Σ_k c_k·Σ w x + Σ_k ‖c_k‖² Σ w
        value = squares - 2.0 * np.vdot(firsts, centres) + masses @ sizes
        # 2. Recentre.
        filled = masses > 1e-300
        refilled = False
        if filled.all():
            following = firsts / masses[:, None]
        else:
            following = np.where(filled[:, None], firsts / np.where(filled, masses, 1.0)[:, None], centres)
            refilled = refill(weighted, centres, bounds, firsts, masses, following)
        shift = float(((following - centres) ** 2).sum())
        ended = changes.moved == 0 and not refilled
        history.append(max(float(value), 0.0))
        yield KMeansState(
            history[-1], following if ended else centres, bounds.label, 0.0 if ended else shift, changes.moved,
            np.array(history), restart,
        )  # fmt: skip
        if ended:
            return
        moves = _moves(centres, following)
        centres = following


def assign(block: Block, weight: np.ndarray, centres: np.ndarray, bounds: Bounds, moves: Moves | None, size: float):
    """Bring labels and bounds of a block's rows up to date; what their moves change in the sums."""
    here = slice(block.start, block.stop)
    label, upper, lower = (each[here] for each in bounds)
    X, m = block.X, len(block.X)
    changes = np.zeros(centres.shape), np.zeros(len(centres))
    if len(centres) <= FEW:
        drifts = Moves(np.zeros(0), 0.0, 0.0, 0, np.zeros(0)) if moves is None else moves
        moved = assign_few(read_only(X), weight[here], centres, *drifts, label, upper, lower, *changes)
        squares = group_sums(read_only(X), weight[here], label, *changes) if moves is None else 0.0
        return Changes(*changes, moved, squares)
    rows = np.arange(m)
    if moves is not None:
        count = undecided(
            read_only(X), centres, label, upper, lower, moves.drift, moves.largest, moves.runner_up, moves.farthest,
            moves.apart, rows,
        )  # fmt: skip
        rows = rows[:count] if count <= MOST * m else np.arange(m)
    if len(rows) == 0:
        return Changes(*changes, 0, 0.0)
    found = scores(X if len(rows) == m else X[rows], centres)
    slack = 4.5e-16 * (X.shape[1] + 4)
    moved = settle(
        found.best, found.second, found.norms, found.label, rows, slack, size, label, upper, lower, read_only(X),
        weight[here], *changes,
    )  # fmt: skip
    return Changes(*changes, moved, float(weight[here] @ found.norms) if moves is None else 0.0)


def _moves(before: np.ndarray, after: np.ndarray) -> Moves:
    drift = np.sqrt(((after - before) ** 2).sum(axis=1)) * (1.0 + 1e-12)
    farthest = int(drift.argmax())
    if len(after) == 1:
        return Moves(drift, float(drift[0]), 0.0, 0, np.full(1, np.inf))
    others = drift.copy()
    others[farthest] = 0.0
    half = 0.5 * np.einsum("kj,kj->k", after, after)
    # ½‖a − b‖² of every pair of centres; the nearest neighbour is then measured from the differences.
    pairs = half[:, None] + half - after @ after.T
    pairs.flat[:: len(after) + 1] = np.inf
    closest = pairs.min(axis=1)
    rounding = 1e-14 * (half + half.max())
    apart = 0.5 * np.sqrt(2.0 * np.maximum(closest - rounding, 0.0)) * (1.0 - 1e-12)
    return Moves(drift, float(drift[farthest]), float(others.max()), farthest, apart)


def refill(rows: Rows, centres, bounds: Bounds, firsts, masses, following) -> bool:
    """Give each empty cluster the point farthest from its centre; whether any was given one.

    Labels, bounds, sums, masses and the centres that follow are changed in place.
    """
    empty = np.flatnonzero(masses <= 1e-300)
    far = empty_clusters.farthest(rows, None, centres, len(empty))
    any_given = False
    for k, square, i, weight, point in zip(empty, far.squares, far.numbers, far.weights, far.points):
        old = bounds.label[i]
        if square <= 0.0 or masses[old] <= weight:
            continue
        any_given = True
        firsts[old] -= weight * point
        masses[old] -= weight
        firsts[k], masses[k] = weight * point, weight
        following[old], following[k] = firsts[old] / masses[old], point
        bounds.label[i], bounds.upper[i], bounds.lower[i] = k, np.inf, -np.inf
    return any_given


def _fresh(block: Block, labels: np.ndarray, K: int) -> tuple[np.ndarray, np.ndarray]:
    firsts, masses = np.zeros((K, block.X.shape[1])), np.zeros(K)
    group_sums(read_only(block.X), block.weight, labels[block.start : block.stop], firsts, masses)
    return firsts, masses
