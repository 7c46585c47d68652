"""Linear machines with few weights: ‖w‖₁ + Σ Cᵢ (1 − yᵢ w·(xᵢ, s))₊² by coordinate descent with shrinking.

One state a pass over the columns still in play:

1. each column in random order: a Newton step of its own, halved until the objective falls enough;
2. columns with weight 0 whose slope is well within ±1 are set aside; when the others are done, all come back;
3. the dual point −C∂ℓ, shortened until no column has a slope beyond 1, gives the gap, beside what the weights gain over
   an offset alone.

Syllabus: S3.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from learnable._jit.core.vectors import columns_of
from learnable._jit.kernels.l1_descent import sweep
from learnable.solvers.kernels.dual_descent import DescentState

# What weights gain counts as this share of the objective at least.
LEAST_GAINED = 1e-6


def iterates(
    X: Any, y: np.ndarray, C: np.ndarray, scale: float, enough: float, random: np.random.Generator
) -> Iterator[DescentState]:
    """Endless states from w = 0; `enough` is the mean violation, of that at w = 0, at which columns are called done."""
    n = X.shape[0]
    if scale > 0.0:
        offset = np.full((n, 1), scale)
        X = sparse.hstack([X, offset]).tocsc() if sparse.issparse(X) else np.hstack([X, offset])
    columns = columns_of(X)
    w, z, constant = np.zeros(X.shape[1]), np.zeros(n), best_constant(y, C, scale)
    p = len(w) - (scale > 0.0)
    order, active, margin, first, goal = np.arange(X.shape[1]), X.shape[1], np.inf, None, enough
    while True:
        order[:active] = order[random.permutation(active)]
        active, total, largest = sweep(columns, y, C, w, z, order, active, margin)
        first = total if first is None else first
        margin = largest / max(n, 1)
        # Sums of steps round; the scores are those of the weights again whenever all columns are in play.
        done = total <= goal * first
        beta = 2.0 * C * y * np.maximum(1.0 - y * z, 0.0)
        primal, gap = values(X, y, C, w, z, beta)
        if done:
            if active == len(order):
                goal *= 0.5
            z = np.asarray(X @ w).ravel()
            active, margin = len(order), np.inf
        size = max(min(primal, constant - primal + gap), LEAST_GAINED * primal) if w[:p].any() else primal
        yield DescentState(
            primal, total / first if first else 0.0, gap / size if size > 0.0 else 0.0,
            w if scale > 0.0 else np.append(w, 0.0), beta, active,
        )  # fmt: skip


def best_constant(y: np.ndarray, C: np.ndarray, scale: float) -> float:
    """The least of |b|/s + Σ C (1 − y b)₊²: the balance of the classes, shortened by the penalty.

    >>> best_constant(np.array([1.0, 1.0, 1.0, -1.0]), np.ones(4), 1.0), best_constant(np.ones(2), np.ones(2), 0.0)
    (3.4375, 2.0)
    """
    above, below = float(C[y > 0.0].sum()), float(C[y < 0.0].sum())
    if scale == 0.0 or above + below == 0.0:
        return above + below
    lead = above - below
    b = np.sign(lead) * max(abs(lead) - 0.5 / scale, 0.0) / (above + below)
    return float(abs(b) / scale + above * (1.0 - b) ** 2 + below * (1.0 + b) ** 2)


def values(X, y, C, w, z, beta) -> tuple[float, float]:
    """(primal value, gap to the dual value of the best multiple of β)."""
    counts = C > 0.0
    primal = float(np.abs(w).sum()) + float(C @ np.maximum(1.0 - y * z, 0.0) ** 2)
    steepest = float(np.abs(np.asarray(beta @ X)).max(initial=0.0))
    line, bend = float(y @ beta), float(np.sum(beta[counts] ** 2 / C[counts])) / 4.0
    length = min(1.0 / steepest if steepest > 0.0 else np.inf, line / (2.0 * bend) if bend > 0.0 else 0.0)
    return primal, primal - (length * line - length**2 * bend)
