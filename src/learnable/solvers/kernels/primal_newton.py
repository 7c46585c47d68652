"""Linear machines with a smooth loss by Newton steps on the weights: few columns, any number of rows.

½‖w‖² + Σ Cᵢ ℓ(yᵢ, w·(xᵢ, s)), with a squared hinge, is a quadratic on each set of rows inside the margin (outside the
tube), so that a step whose set stays the same ends at the minimum. One state a step:

1. scores, slopes −β/C and the gradient w − Σ βᵢ(xᵢ, s), whose half square is the duality gap;
2. the Hessian I + Σ Cᵢℓ″(xᵢ, s)(xᵢ, s)ᵀ over the rows where the loss bends, by blocks over threads: that of the last
   step, with the rows that begin to bend added and those that cease taken away, or anew where the table is small;
3. a step, halved until the objective falls enough.

Many rows begin where every eighth of them, weighing eight times as much, would end.

Syllabus: S3, S9.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg.lapack import dposv

from learnable.problems.linear.losses import curvature, gradient, value
from learnable.rows.threads import in_order, one_blas_thread_meanwhile, worker_count
from learnable.solvers.kernels.dual_descent import DescentState

# Columns up to which the Hessian is formed.
MOST_COLUMNS = 1500
ROWS_A_BLOCK = 4096
# Products up to which the Hessian is formed anew in every step, of rows that have the scale of the offset beside them.
FEW_PRODUCTS = 2**17
# With so many rows a column, every SHARE-th row tells where to begin: until the gradient is this small, relative to w.
MANY_ROWS, SHARE, NEAR = 200, 8, 1e-2


def suits(n: int, p: int) -> bool:
    """Whether Newton steps are the shorter way."""
    return p < n and p <= MOST_COLUMNS


def iterates(
    X: Any, y: np.ndarray, C: np.ndarray, loss: Any, scale: float, start: np.ndarray | None = None
) -> Iterator[DescentState]:
    """States from `start`, w = 0 unless given; ends when no step lowers the objective."""
    n, p = X.shape
    if start is None and n > MANY_ROWS * (p + 1):
        part = slice(None, None, SHARE)
        for state in iterates(X[part], y[part], SHARE * C[part], loss, scale):
            start = state.w
            if state.violation <= NEAR:
                break
    w = np.zeros(p + 1) if start is None else start
    small = n * (p + 1) ** 2 <= FEW_PRODUCTS and not sparse.issparse(X)
    Z = np.column_stack([X, np.full(n, scale)]) if small else None

    def scored(w: np.ndarray) -> np.ndarray:
        return np.asarray(X @ w[:-1]).ravel() + scale * w[-1] if Z is None else Z @ w

    def pulled_by(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """β, and Σ βᵢ(xᵢ, s)."""
        beta = -C * gradient(loss, y, scores)
        return beta, np.append(np.asarray(beta @ X).ravel(), scale * beta.sum()) if Z is None else beta @ Z

    with one_blas_thread_meanwhile():
        scores = scored(w)
        beta, pulled = pulled_by(scores)
    objective = 0.5 * float(w @ w) + float(C @ value(loss, y, scores))
    identity = np.eye(p + 1)
    weight, bend = np.zeros(n), identity.copy()
    stalled = 0
    while True:
        # 1. Where we stand.
        slope = w - pulled
        gap, size = 0.5 * float(slope @ slope), float(w @ w)
        far = math.sqrt(2.0 * gap / size) if size > 0.0 else (1.0 if gap > 0.0 else 0.0)
        yield DescentState(objective, far, gap / objective if gap > 0.0 else 0.0, w, beta, n)
        # 2. The bend.
        now = C * curvature(loss, y, scores)
        if Z is None:
            changed = np.flatnonzero(now != weight)
            if 2 * len(changed) > np.count_nonzero(now):
                weight, bend = np.zeros(n), identity.copy()
                changed = np.flatnonzero(now)
            bend += _weighted_gram(X, changed, (now - weight)[changed], scale)
            weight = now
        # 3. The step.
        with one_blas_thread_meanwhile():
            if Z is not None:
                bend = (Z.T * now) @ Z + identity
            step = -_solved(bend, slope)
            along = scored(step)
            fall, length = float(slope @ step), 1.0
            while True:
                trial, reached = w + length * step, scores + length * along
                there = 0.5 * float(trial @ trial) + float(C @ value(loss, y, reached))
                # Rounding of the objective is granted: near the minimum it hides what a whole step gains.
                if there <= objective + 1e-4 * length * fall + 1e-14 * abs(objective) or length < 1e-10:
                    break
                length *= 0.5
            # A fall below the rounding of the objective is none; one more is allowed, since steps double the digits.
            stalled = stalled + 1 if there >= objective * (1.0 - 1e-14) else 0
            if length < 1e-10 or stalled > 1:
                return
            w, scores, objective = trial, reached, there
            beta, pulled = pulled_by(scores)


def _solved(bend: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """bend⁻¹ slope; where rounding leaves it indefinite, of the least multiple of I more that a factor bears."""
    more = 0.0
    while True:
        _, found, failed = dposv(bend + more * np.eye(len(bend)) if more else bend, slope)
        if not failed:
            return found
        more = max(10.0 * more, 1e-15 * float(np.trace(bend)))


def _weighted_gram(X: Any, chosen: np.ndarray, weight: np.ndarray, scale: float) -> np.ndarray:
    """Σ weightᵢ (xᵢ, s)(xᵢ, s)ᵀ over the chosen rows, weights of either sign, blocks added in order."""
    p = X.shape[1]
    signs = [np.flatnonzero(weight > 0.0), np.flatnonzero(weight < 0.0)]
    parts = [(part[k : k + ROWS_A_BLOCK]) for part in signs for k in range(0, len(part), ROWS_A_BLOCK)]

    def gram(part: np.ndarray) -> np.ndarray:
        rows, w = chosen[part], np.abs(weight[part])
        whole = len(rows) == rows[-1] - rows[0] + 1
        block = X[rows[0] : rows[-1] + 1] if whole else X[rows]
        block = block.toarray() if sparse.issparse(block) else block
        sign = 1.0 if weight[part[0]] > 0.0 else -1.0
        found = np.empty((p + 1, p + 1))
        # One weight for all, as in most data, is taken out of the sum.
        if np.all(w == w[0]):
            found[:p, :p] = (sign * w[0]) * (block.T @ block)
        else:
            scaled = block * np.sqrt(w)[:, None]
            found[:p, :p] = sign * (scaled.T @ scaled)
        found[:p, p] = found[p, :p] = (sign * scale) * (w @ block)
        found[p, p] = sign * scale**2 * w.sum()
        return found

    total = np.zeros((p + 1, p + 1))
    with one_blas_thread_meanwhile() as granted:
        workers = worker_count(None, granted, len(parts)) if len(chosen) > ROWS_A_BLOCK else 1
        for one in map(gram, parts) if workers == 1 else in_order(gram, iter(parts), workers):
            total += one
    return total
