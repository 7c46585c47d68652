"""All classes in one machine, as Crammer and Singer have it, by a path through the inside: few columns, any units.

With scores f = Wx the loss of a row is Cᵢ(tᵢ − f_y), tᵢ the least number with every slack s_m = tᵢ − f_m − [m ≠ y] ≥ 0.
Pulls u_m ≥ 0 on the slacks of a row add up to Cᵢ and make the weights, w_m = Σᵢ (Cᵢ[m = yᵢ] − u_im) xᵢ; at the minimum
u_m s_m = 0. Row after row takes ever more passes as C or the columns grow; here the number of steps hardly changes
(Mehrotra's predictor and corrector, as in `interior_point`). A state a step:

1. scores, and the duality gap of the weights that the pulls make;
2. with d = u/s, the change of W sees each row through D − ddᵀ/Σd = LᵀL: orthogonal factors of the rows L ⊗ x above I;
3. a step as if the slacks could vanish, then one that keeps as far from it as that one shows to be good.

Syllabus: S3.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import solve_triangular

from learnable.problems.kernels.multiclass import values
from learnable.rows.threads import interruptible, one_blas_thread
from learnable.solvers.kernels.crammer_singer import JointState
from learnable.solvers.kernels.interior_point import (
    CANCELLED,
    INSIDE,
    MOST_COLUMNS,
    MOST_ENTRIES,
    MOST_STEPS,
    SMALLEST_GAP,
    TINY,
    Nearing,
    least_change,
    moved,
    quick_factors,
    room,
)

# The machine ends at a larger gap than that to which its weights must be those of its pulls.
APART = 100.0


class _Point(NamedTuple):
    """slack, pull (n, K); t (n,); W (K, p + 1)."""

    slack: np.ndarray
    pull: np.ndarray
    t: np.ndarray
    W: np.ndarray

    @property
    def product(self) -> float:
        """Sum of slack times pull, which falls to zero along the path."""
        return float(np.vdot(self.slack, self.pull))

    def room(self, step: "_Point") -> float:
        return room(np.stack(self[:2]), np.stack(step[:2]))


class _Factors(NamedTuple):
    """Orthogonal factors of the rows as far as each lets the weights move, above those of I."""

    A: np.ndarray
    bend: np.ndarray
    Q: np.ndarray
    R: np.ndarray

    @classmethod
    def at(cls, point: _Point, A: np.ndarray) -> "_Factors":
        bend = point.pull / point.slack
        rows = _seen(bend, A)
        with one_blas_thread():
            rows = np.vstack([rows, np.eye(rows.shape[1])])
            found = interruptible(quick_factors, rows) or interruptible(np.linalg.qr, rows)
        return cls(A, bend, *found)

    def step(self, point: _Point, missing: np.ndarray, goal: Any) -> _Point:
        """Towards the point where slack times pull is `goal`, and no weight is missing."""
        lean = goal / point.slack - point.pull
        pulled = np.concatenate([-(lean / np.sqrt(self.bend)).ravel(), missing.ravel()])
        dW = solve_triangular(self.R, self.Q.T @ pulled).reshape(missing.shape)
        df = self.A @ dW.T
        # The pulls of a row go on adding up to its C.
        dt = np.sum(lean + self.bend * df, axis=1) / self.bend.sum(axis=1)
        ds = dt[:, None] - df
        return _Point(ds, lean - self.bend * ds, dt, dW)


def suits(n: int, p: int, K: int) -> bool:
    """Whether factors of all rows and classes are cheap."""
    return K * (p + 1) <= min(n * K, MOST_COLUMNS) and n * K * K * (p + 1) <= MOST_ENTRIES


def iterates(X: Any, index: np.ndarray, K: int, C: np.ndarray, scale: float) -> Iterator[JointState]:
    """States of falling gap; ends when it no longer falls. Rows with C = 0 are left out.

    The distance of W from what the pulls make, a hundredfold, stands for the gap where it is larger.
    """
    counted = np.flatnonzero(C > 0.0)
    rows = X[counted].toarray() if sparse.issparse(X) else np.asarray(X[counted], dtype=float)
    n, index, C = len(C), index[counted], C[counted]
    A, own = np.column_stack([rows, np.full(len(counted), scale)]), np.eye(K)[index]
    longest, t = float(np.sqrt(np.vecdot(A, A).max())), np.full(len(C), 2.0)
    at = _Point(t[:, None] - (1.0 - own), np.repeat(C[:, None] / K, K, axis=1), t, np.zeros((K, A.shape[1])))
    nearing = Nearing()
    for _ in range(MOST_STEPS):
        # 1. Where we stand.
        alpha = _multipliers(C, own, at.pull)
        with one_blas_thread():
            made, scores = alpha.T @ A, A @ at.W.T
        missing = made - at.W
        length = max(float(np.linalg.norm(at.W)), CANCELLED * float(np.abs(alpha).sum()) * longest, TINY)
        if np.linalg.norm(missing) > SMALLEST_GAP * length:
            alpha = _multipliers(C, own, _settled(at.pull, A, missing))
            made = alpha.T @ A
        found = values(scores, np.vdot(at.W, at.W), index, C, alpha, np.vdot(made, made))
        gap = max(found.relative_gap, APART * float(np.linalg.norm(made - at.W)) / length)
        if nearing.closer(gap, at.product, found.primal):
            every = np.zeros((n, K))
            every[counted] = alpha
            yield JointState(found.primal, np.inf, gap, at.W, every)
        if nearing.over or not np.isfinite(gap):
            return
        # 2. How the rows move together.
        factors = _Factors.at(at, A)
        # 3. Predict, then correct.
        step = factors.step(at, missing, 0.0)
        ahead = moved(at, step, at.room(step)).product
        goal = at.product / at.slack.size * (ahead / at.product) ** 3
        step = factors.step(at, missing, goal - step.slack * step.pull)
        at = moved(at, step, INSIDE * at.room(step))


def _seen(d: np.ndarray, A: np.ndarray) -> np.ndarray:
    """(n K, K q) rows L ⊗ x, L = √D (I − 1dᵀ/Σd)."""
    (n, K), q = d.shape, A.shape[1]
    away = np.eye(K) - (d / d.sum(axis=1, keepdims=True))[:, None, :]
    return np.einsum("ik,ikm,ij->ikmj", np.sqrt(d), away, A, optimize=True).reshape(n * K, K * q)


def _settled(pull: np.ndarray, A: np.ndarray, missing: np.ndarray) -> np.ndarray:
    """Pulls that make up W once more: the least change of sum zero in every row, each measured by its pull."""
    d = (pull / pull.max()) ** 2
    change = np.sqrt(d) * least_change(np.ones(d.size), _seen(d, A), missing.reshape(-1, 1)).reshape(d.shape)
    change -= d * (change.sum(axis=1) / d.sum(axis=1))[:, None]
    return np.maximum(pull - change, 0.0)


def _multipliers(C: np.ndarray, own: np.ndarray, pull: np.ndarray) -> np.ndarray:
    """(n, K) α of pulls, brought to add up to C in every row."""
    return C[:, None] * own - pull * (C / pull.sum(axis=1))[:, None]
