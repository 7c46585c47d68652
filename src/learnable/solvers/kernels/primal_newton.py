"""Linear machines with a smooth loss by Newton steps on the weights: few columns, any number of rows.

½‖w‖² + Σ Cᵢ ℓ(yᵢ, w·(xᵢ, s)), with a squared hinge, is a quadratic on each set of rows inside the margin (outside the
tube), so that a step whose set stays the same ends at the minimum. One state a step:

1. scores, slopes −β/C and the gradient w − Σ βᵢ(xᵢ, s), whose half square is the duality gap;
2. the Hessian I + Σ Cᵢℓ″(xᵢ, s)(xᵢ, s)ᵀ over the rows where the loss bends, by blocks over threads;
3. a step, halved until the objective falls enough.

Syllabus: S3, S9.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve

from learnable.problems.linear.losses import curvature, gradient, value
from learnable.rows.threads import in_order, one_blas_thread, worker_count
from learnable.solvers.kernels.dual_descent import DescentState

# Columns up to which the Hessian is formed.
MOST_COLUMNS = 1500
ROWS_A_BLOCK = 4096


def suits(n: int, p: int) -> bool:
    """Whether Newton steps are the shorter way."""
    return p < n and p <= MOST_COLUMNS


def iterates(X: Any, y: np.ndarray, C: np.ndarray, loss: Any, scale: float) -> Iterator[DescentState]:
    """States from w = 0; ends when no step lowers the objective."""
    n, p = X.shape
    w = np.zeros(p + 1)
    scores = np.zeros(n)
    objective = float(C @ value(loss, y, scores))
    stalled = 0
    while True:
        # 1. Where we stand.
        with one_blas_thread():
            beta = -C * gradient(loss, y, scores)
            slope = w - np.append(np.asarray(beta @ X).ravel(), scale * beta.sum())
        gap, size = 0.5 * float(slope @ slope), float(w @ w)
        far = np.sqrt(2.0 * gap / size) if size > 0.0 else (1.0 if gap > 0.0 else 0.0)
        yield DescentState(objective, float(far), gap / objective if gap > 0.0 else 0.0, w, beta, n)
        # 2. The bend.
        weight = C * curvature(loss, y, scores)
        bends = np.flatnonzero(weight)
        bend = _weighted_gram(X, bends, weight[bends], scale)
        bend[np.diag_indices(p + 1)] += 1.0
        # 3. The step.
        with one_blas_thread():
            step = -cho_solve(cho_factor(bend), slope)
            along = np.asarray(X @ step[:-1]).ravel() + scale * step[-1]
        fall, length = float(slope @ step), 1.0
        while True:
            trial = w + length * step
            there = 0.5 * float(trial @ trial) + float(C @ value(loss, y, scores + length * along))
            # Rounding of the objective is granted: near the minimum it hides what a whole step gains.
            if there <= objective + 1e-4 * length * fall + 1e-14 * abs(objective) or length < 1e-10:
                break
            length *= 0.5
        # A fall below the rounding of the objective is none; one more is allowed, since steps double the digits.
        stalled = stalled + 1 if there >= objective * (1.0 - 1e-14) else 0
        if length < 1e-10 or stalled > 1:
            return
        w, scores, objective = trial, scores + length * along, there


def _weighted_gram(X: Any, chosen: np.ndarray, weight: np.ndarray, scale: float) -> np.ndarray:
    """Σ weightᵢ (xᵢ, s)(xᵢ, s)ᵀ over the chosen rows, blocks added in order."""
    p = X.shape[1]

    def part(start: int) -> np.ndarray:
        rows, w = chosen[start : start + ROWS_A_BLOCK], weight[start : start + ROWS_A_BLOCK]
        block = X[rows].toarray() if sparse.issparse(X) else X[rows]
        block = np.column_stack([block, np.full(len(rows), scale)]) * np.sqrt(w)[:, None]
        return block.T @ block

    total = np.zeros((p + 1, p + 1))
    starts = range(0, len(chosen), ROWS_A_BLOCK)
    with one_blas_thread() as granted:
        for gram in in_order(part, iter(starts), worker_count(None, granted, len(starts))):
            total += gram
    return total
