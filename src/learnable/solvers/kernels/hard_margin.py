"""The widest margin of separable points: min ½‖w‖² with yᵢ(w·Φ(xᵢ) + b) ≥ 1, through its dual.

With an offset by pairs (Σβ = 0), through the origin row by row. Such steps find the support vectors early and their
multipliers late: after each stretch a jump solves for the multipliers of the support vectors at hand. A state is a
stretch and a jump; its gap compares w scaled to the margin it has with the best multiple of α. Syllabus: S1, S2, S5.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from learnable._jit.core.vectors import rows_of
from learnable._jit.kernels.dual_descent import sweep
from learnable._jit.kernels.smo import pairs
from learnable.rows.threads import one_blas_thread
from learnable.solvers.kernels.kernel_rows import ALL

# Steps of pairs between two jumps.
STRETCH = 1_000
# Of the mean of the diagonal: beyond rounding, and too little to be seen in a margin.
TOUCH = 1e-12


class HardMarginState(NamedTuple):
    """After a stretch of steps.

    Attributes
    ----------
    objective : ½‖w‖² scaled to the margin, ∞ before every row is on its side (told as a large number).
    relative_gap : primal less dual value over the primal one; 1 before every row is on its side.
    beta : (n,) yα, scaled so that the least margin is 1.
    offset : b, scaled likewise.
    margin : half the width, 1/‖w‖.
    """

    objective: float
    relative_gap: float
    beta: np.ndarray
    offset: float
    margin: float


def iterates(K: np.ndarray, points: np.ndarray | None, z: np.ndarray) -> Iterator[HardMarginState]:
    """Endless states on separable points.

    Parameters
    ----------
    K : (n, n) kernel values.
    points : (n, r) with points·pointsᵀ = K for a hyperplane through the origin; None for one with an offset.
    z : (n,) of ±1.
    """
    n, free = len(z), points is None
    # With Σβ = 0 the points may be taken from their mean: scores shift alike, and near points keep their digits.
    mean = K.mean(axis=0) if free else np.zeros(n)
    K = K - mean - mean[:, None] + mean.mean() if free else K
    beta, slope = np.zeros(n), -z.copy()
    lower, upper = np.where(z > 0.0, 0.0, -np.inf), np.where(z > 0.0, np.inf, 0.0)
    group, goal = np.zeros(n, dtype=np.int8), 0.1
    w = np.zeros(0 if points is None else points.shape[1] + 1)
    rows = None if points is None else rows_of(points)
    own, order = np.column_stack([lower, upper, z, np.zeros(n), np.diagonal(K)]), np.arange(n)
    while True:
        if rows is None:
            _, left = pairs(K, ALL, slope, beta, lower, upper, 0.0, group, goal, STRETCH)
            goal = goal if left > goal else 0.1 * goal
        else:
            for _ in range(10):
                sweep(rows, 0.0, w, beta, own, 0.0, order, n, -np.inf, np.inf, 0.0, 0.0)
        with one_blas_thread():
            _jump(K, z, beta, free)
            if points is None:
                slope = K @ beta - z
            else:
                w[:-1] = points.T @ beta
        state = _standing(K, z, beta, free)
        yield state._replace(offset=state.offset - float(mean @ state.beta))


def _jump(K: np.ndarray, z: np.ndarray, beta: np.ndarray, free: bool) -> None:
    """Towards the minimum of ½βᵀKβ − z·β over the rows with β ≠ 0 (Σβ = 0 if `free`), as far as signs allow.

    A row that reaches zero first leaves, and the rest go on, as in non-negative least squares. Where the rows depend
    on each other a touch of ridge makes the point that they head for far, and so one of them leaves.
    """
    unit = float(np.trace(K)) / len(K)
    while len(support := np.flatnonzero(beta)) > 1:
        m = len(support)
        system = np.zeros((m + free, m + free))
        system[:m, :m] = K[np.ix_(support, support)] + TOUCH * unit * np.eye(m)
        system[:m, m:] = system[m:, :m] = unit
        there = np.linalg.solve(system, np.append(z[support], np.zeros(int(free))))[:m]
        here, sign = beta[support], z[support]
        short = sign * there <= 0.0
        if not short.any():
            beta[support] = there
            return
        room = np.full(m, np.inf)
        np.divide(here, here - there, out=room, where=short)
        first = int(np.argmin(room))
        beta[support] = here + room[first] * (there - here)
        beta[support[first]] = 0.0


def _standing(K: np.ndarray, z: np.ndarray, beta: np.ndarray, free: bool) -> HardMarginState:
    with one_blas_thread():
        scores = K @ beta
    norm, total = float(beta @ scores), float(np.abs(beta).sum())
    b = -0.5 * (float(scores[z < 0.0].max()) + float(scores[z > 0.0].min())) if free else 0.0
    least = float(np.min(z * (scores + b)))
    if least <= 0.0 or norm <= 0.0:
        return HardMarginState(np.finfo(float).max, 1.0, beta, b, 0.0)
    primal, dual = 0.5 * norm / least**2, 0.5 * total**2 / norm
    return HardMarginState(primal, (primal - dual) / primal, beta / least, b / least, least / np.sqrt(norm))
