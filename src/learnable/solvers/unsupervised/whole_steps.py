"""Lloyd's algorithm on a small table: one kernel a step, whose accounts would take longer than its comparisons.

Syllabus: U3.
"""

from collections.abc import Iterator

import numpy as np

from learnable._jit.core.vectors import read_only
from learnable._jit.unsupervised.nearest import whole_step
from learnable.rows import as_rows
from learnable.solvers.unsupervised import hamerly
from learnable.solvers.unsupervised.hamerly import Bounds, refill
from learnable.solvers.unsupervised.lloyd import KMeansState

# Up to so many comparisons of numbers a step is made whole.
SMALL = 2**17


def or_shortened(
    X: np.ndarray, weight: np.ndarray | None, start: np.ndarray, restart: int = 0
) -> Iterator[KMeansState]:
    """The states by `hamerly` where that shortens a step by more than its accounts take; else by whole steps."""
    steps = iterates if X.size * len(start) <= SMALL else hamerly.iterates
    return steps(X, weight, start, restart)


def iterates(X: np.ndarray, weight: np.ndarray | None, start: np.ndarray, restart: int = 0) -> Iterator[KMeansState]:
    """The states of `hamerly.iterates`."""
    n, K = len(X), len(start)
    w = np.ones(n) if weight is None else np.asarray(weight, dtype=float)
    centres = np.array(start, dtype=float)
    label = np.full(n, -1, dtype=np.int32)
    sums, masses = np.empty(centres.shape), np.empty(K)
    history: list[float] = []
    X = read_only(X)
    while True:
        means = np.empty(centres.shape)
        moved, value, shift = whole_step(X, w, centres, label, sums, masses, means)
        refilled = False
        if masses.min() <= 1e-300:
            bounds = Bounds(label, np.empty(n), np.empty(n))
            refilled = refill(as_rows(X, None, w), centres, bounds, sums, masses, means)
            shift = float(((means - centres) ** 2).sum())
        ended = moved == 0 and not refilled
        history.append(value)
        yield KMeansState(
            value, means if ended else centres, label, 0.0 if ended else shift, moved, np.array(history), restart
        )
        if ended:
            return
        centres = means
