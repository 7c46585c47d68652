"""ℓ1-regularised AdaBoost: min over α ≥ 0 of Σ w e^{−y f} + λ Σ α over all stumps, by column generation.

The stump with the largest edge Σ w y h e^{−y f} enters while that edge exceeds λ; then the votes of the stumps at hand
are brought to their optimum, one at a time in closed form and together by Newton steps.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy import linalg

from learnable._jit.ensembles.stumps import best_stump
from learnable.solvers.ensembles.ada_boost import Presorted


class L1State(NamedTuple):
    """Stumps (feature, threshold, sign), their votes, the objective, and how far the largest edge is above λ."""

    stumps: list[tuple[int, float, int]]
    alpha: np.ndarray
    objective: float
    violation: float


def iterates(columns: Presorted, y: np.ndarray, weight: np.ndarray, penalty: float) -> Iterator[L1State]:
    """One state a stump that enters; weights sum to 1."""
    H = np.zeros((0, len(y)))
    stumps: list[tuple[int, float, int]] = []
    alpha = np.zeros(0)
    while True:
        tilted = weight * np.exp(-y * (alpha @ H))
        objective = float(tilted.sum() + penalty * alpha.sum())
        stump, edge = _largest_edge(columns, y, tilted)
        within = _within(H, y, tilted, alpha, penalty)
        yield L1State(list(stumps), alpha.copy(), objective, max(edge - penalty, within) / penalty)
        if stump in stumps:
            return  # nothing new to enter: what is left is rounding
        stumps.append(stump)
        j, threshold, sign = stump
        H = np.vstack([H, np.where(columns.X[:, j] > threshold, float(sign), -float(sign))])
        alpha = _optimal_votes(H, y, weight, np.append(alpha, 0.0), penalty)
        kept = alpha > 0.0
        stumps, H, alpha = [s for s, keep in zip(stumps, kept) if keep], H[kept], alpha[kept]


def _largest_edge(columns: Presorted, y: np.ndarray, tilted: np.ndarray) -> tuple[tuple[int, float, int], float]:
    """The stump with the largest Σ tilted y h: that of least error under the tilted weights."""
    positive, negative = float(tilted[y > 0].sum()), float(tilted[y < 0].sum())
    error, j, i, sign = best_stump(columns.order, columns.last_of_value, tilted * y, positive, negative)
    if i < 0:
        stump = (0, -np.inf, int(sign))
    else:
        low, high = (float(columns.X[columns.order[j, k], j]) for k in (i, i + 1))
        middle = 0.5 * low + 0.5 * high
        stump = (int(j), middle if low <= middle < high else low, int(sign))
    return stump, positive + negative - 2.0 * float(error)


def _within(H, y, tilted, alpha, penalty) -> float:
    """The largest |edge − λ| among stumps with a vote."""
    return float(np.max(np.abs(H @ (tilted * y) - penalty)[alpha > 0.0], initial=0.0))


def _optimal_votes(H: np.ndarray, y: np.ndarray, weight: np.ndarray, alpha: np.ndarray, penalty: float) -> np.ndarray:
    Y = H * y
    for _ in range(200):
        tilted = weight * np.exp(-(alpha @ Y))
        for k in range(len(alpha)):
            total, edge = float(tilted.sum()), float(Y[k] @ tilted)
            right, wrong = 0.5 * max(total + edge, 0.0), 0.5 * max(total - edge, 0.0)
            # B u² + λ u − A = 0 with u = e^δ, written so that it stands for B → 0 too.
            u = 2.0 * right / (penalty + np.sqrt(penalty * penalty + 4.0 * right * wrong))
            moved = max(alpha[k] + np.log(max(u, 1e-300)), 0.0) - alpha[k]
            alpha[k] += moved
            tilted *= np.cosh(moved) - np.sinh(moved) * Y[k]  # e^{−moved · Y}, Y being ±1
        alpha = _newton(Y, weight, alpha, penalty)
        tilted = weight * np.exp(-(alpha @ Y))
        slope = penalty - Y @ tilted
        free = alpha > 0.0
        if max(np.max(np.abs(slope[free]), initial=0.0), np.max(-slope[~free], initial=0.0)) <= 1e-11 * penalty:
            break
    return alpha


def _newton(Y: np.ndarray, weight: np.ndarray, alpha: np.ndarray, penalty: float) -> np.ndarray:
    free = np.flatnonzero(alpha > 0.0)
    if not len(free):
        return alpha
    tilted = weight * np.exp(-(alpha @ Y))
    slope = penalty - Y[free] @ tilted
    bend = (Y[free] * tilted) @ Y[free].T
    _, step, failed = linalg.lapack.dposv(bend, -slope)
    if failed:
        step = -np.linalg.lstsq(bend, slope, rcond=1e-12)[0]
    value = tilted.sum() + penalty * alpha.sum()
    shrinking = step < 0.0
    t = min(1.0, float(np.min(-alpha[free][shrinking] / step[shrinking], initial=1.0)))
    for _ in range(20):
        trial = alpha.copy()
        trial[free] = np.maximum(alpha[free] + t * step, 0.0)
        if (weight * np.exp(-(trial @ Y))).sum() + penalty * trial.sum() <= value:
            return trial
        t *= 0.5
    return alpha
