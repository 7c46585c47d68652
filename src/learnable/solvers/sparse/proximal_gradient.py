"""Accelerated proximal gradient for a smooth loss of one score and any separable penalty, convex or not.

J(β, b) = Σ wᵢ ℓ(yᵢ, xᵢ·β + b) / W + Σ φ_j(β_j). Columns are centred implicitly when the intercept is free, and every
coordinate has its own step t / d_j, d_j the mean square of its column. One state per burst of steps; t is halved where
the quadratic bound fails, momentum is dropped where the objective rises. Syllabus: L21, O4.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from learnable.problems.linear import losses
from learnable.problems.sparse.penalties import EVERY, prox, subdistance, total
from learnable.solvers.sparse.proximal_newton import shares

# Steps between looks at the gap; looks without progress before it is called stalled.
BURST = 20
PATIENCE = 10


class GradientState(NamedTuple):
    """After a burst.

    Attributes
    ----------
    objective : J.
    violation : largest distance of a coordinate from its optimality condition, the intercept included.
    coef : (p,) β.
    intercept : b.
    bursts : made so far.
    """

    objective: float
    violation: float
    coef: np.ndarray
    intercept: float
    bursts: int


class _Problem:
    """The loss as a function of z = (β, b + mean·β)."""

    def __init__(self, X, y: np.ndarray, weight: np.ndarray | None, loss: Any, intercept: bool):
        self.X, self.y, self.loss, self.share = X, y, loss, shares(len(y), weight)
        self.p, self.intercept = X.shape[1], intercept
        self.mean = np.asarray(self.share @ X).ravel() if intercept else np.zeros(self.p)
        square = X.multiply(X) if sparse.issparse(X) else X * X
        spread = np.asarray(self.share @ square).ravel() - self.mean**2
        # A column that does not vary has no slope either: any step will do.
        self.size = np.append(np.where(spread > 1e-14 * self.mean**2, spread, 1.0), 1.0)

    def value_and_slope(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        with np.errstate(over="ignore", invalid="ignore"):
            f = np.asarray(self.X @ z[: self.p]).ravel() + (z[self.p] - self.mean @ z[: self.p])
            value = float(self.share @ losses.value(self.loss, self.y, f))
            if not np.isfinite(value):
                return np.inf, np.zeros_like(z)
            u = self.share * losses.gradient(self.loss, self.y, f)
        miss = float(u.sum())
        slope = np.append(np.asarray(self.X.T @ u).ravel() - self.mean * miss, miss if self.intercept else 0.0)
        return value, slope


def iterates(
    X, y: np.ndarray, weight: np.ndarray | None, loss: Any, penalty: Any, intercept: bool,
    start: tuple[np.ndarray, float] | None = None,
) -> Iterator[GradientState]:  # fmt: skip
    """States until no step improves the objective or the conditions any more in floating point."""
    problem = _Problem(X, y, weight, loss, intercept)
    p = problem.p
    z = np.zeros(p + 1)
    if start is not None:
        z[:p], z[p] = start[0], start[1] + problem.mean @ start[0]
    value, slope = problem.value_and_slope(z)
    step, bursts, stalled, best = 1.0, 0, 0, np.inf
    objective = value + total(penalty, z[:p])
    while stalled < PATIENCE:
        distance = subdistance(penalty, z[:p], _raw(problem, slope), EVERY)
        violation = float(max(np.max(distance, initial=0.0), abs(slope[p])))
        yield GradientState(objective, violation, z[:p].copy(), float(z[p] - problem.mean @ z[:p]), bursts)
        before = objective
        z, objective, slope, step = _burst(problem, penalty, z, objective, step)
        progress = objective < before - 1e-15 * abs(before) or violation < 0.9 * best
        stalled, best, bursts = 0 if progress else stalled + 1, min(best, violation), bursts + 1


def _raw(problem: _Problem, slope: np.ndarray) -> np.ndarray:
    """Slopes in β at a fixed intercept, from those at a fixed mean score."""
    return slope[:-1] + problem.mean * slope[-1]


def _burst(problem: _Problem, penalty: Any, z: np.ndarray, objective: float, step: float):
    p = problem.p
    ahead, t = z, 1.0
    for _ in range(BURST):
        value, slope = problem.value_and_slope(ahead)
        while True:
            steps = step / problem.size
            new = ahead - steps * slope
            new[:p] = prox(penalty, new[:p], steps[:p], EVERY)
            reached, _ = problem.value_and_slope(new)
            move = new - ahead
            bound = value + float(slope @ move) + 0.5 * float(np.sum(problem.size * move**2)) / step
            if reached <= bound + 1e-14 * abs(value) or step < 1e-12:
                break
            step *= 0.5
        now = reached + total(penalty, new[:p])
        if now > objective and ahead is not z:
            ahead, t = z, 1.0
            continue
        following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * t * t))
        ahead = new + (t - 1.0) / following * (new - z)
        z, objective, t = new, now, following
    return z, objective, problem.value_and_slope(z)[1], min(2.0 * step, 1e6)
