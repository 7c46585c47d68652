"""k-means from small samples of the rows: every batch draws its centres towards its points. Syllabus: U3."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from learnable.rows import Block
from learnable.solvers.unsupervised.assignment import cluster_sums


class MiniBatchState(NamedTuple):
    """After a batch.

    Attributes
    ----------
    objective : exponentially weighted average of J per unit of weight of the batches.
    centres : (K, p), about the origin of the fit.
    counts : (K,) weight that each centre has seen.
    waited : batches since the average last improved by more than the tolerance.
    shift : Σ_k ‖c_k − before‖², averaged in the same way.
    """

    objective: float
    centres: np.ndarray
    counts: np.ndarray
    waited: int
    shift: float


def updated(X: Any, weight: np.ndarray | None, centres: np.ndarray, counts: np.ndarray):
    """(centres, counts, J of the batch) after one batch: each centre is the mean of all points it has ever been given.

    c_k ← c_k + Σ_{i ∈ k} w_i (x_i − c_k) / n_k, n_k being the weight seen so far, this batch included.
    """
    sums = cluster_sums(Block(X, None, weight, 0, X.shape[0]), centres, None)
    after = counts + sums.masses
    met = sums.masses > 0.0
    moved = centres.copy()
    moved[met] += (sums.firsts[met] - sums.masses[met, None] * centres[met]) / after[met, None]
    return moved, after, sums.inertia


def iterates(
    X: Any,
    weight: np.ndarray | None,
    start: np.ndarray,
    batch_size: int,
    reassignment_ratio: float,
    generator: np.random.Generator,
) -> Iterator[MiniBatchState]:
    """One state a batch, for ever. X is (n, p) about its origin, dense or sparse."""
    n = X.shape[0]
    batch_size = min(batch_size, n)
    chance = None if weight is None or np.ptp(weight) == 0.0 else weight / weight.sum()
    centres, counts = np.array(start, dtype=float), np.zeros(len(start))
    forget = min(2.0 * batch_size / (n + 1.0), 1.0)
    average, shift, best, waited, step = None, 0.0, np.inf, 0, 0
    while True:
        step += 1
        chosen = (
            generator.choice(n, batch_size, p=chance) if chance is not None else generator.integers(n, size=batch_size)
        )
        batch = X[chosen]
        before = centres
        centres, counts, inertia = updated(batch, None, centres, counts)
        inertia /= batch_size
        average = inertia if average is None else (1.0 - forget) * average + forget * inertia
        moved = float(np.sum((centres - before) ** 2))
        shift = moved if step == 1 else (1.0 - forget) * shift + forget * moved
        # A centre that hardly any point comes to starts again at a point of the batch.
        if reassignment_ratio > 0.0 and step % 10 == 0:
            centres, counts = _reassigned(centres, counts, batch, reassignment_ratio, generator)
        waited = 0 if average < best else waited + 1
        best = min(best, average)
        yield MiniBatchState(average, centres, counts, waited, shift)


def _reassigned(centres, counts, batch, ratio: float, generator: np.random.Generator):
    poor = np.flatnonzero(counts < ratio * counts.max())[: batch.shape[0] // 2]
    if len(poor) == 0:
        return centres, counts
    points = batch[generator.choice(batch.shape[0], len(poor), replace=False)]
    centres, counts = centres.copy(), counts.copy()
    centres[poor] = points.toarray() if hasattr(points, "toarray") else points
    rich = np.delete(counts, poor)
    counts[poor] = rich.min() if len(rich) else 1.0
    return centres, counts
