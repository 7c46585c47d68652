"""The dual of a kernel machine with few rows by a path through the inside of its box.

    min over β of ½ βᵀKβ − t·β   subject to lower ≤ β ≤ upper and Σβ fixed over each group

Steps for pairs, and for the free variables at once, go zigzag where rows are all but copies of each other to the kernel
(columns in units far apart: one of them tells rows apart) and the best β is held by no bound. The number of steps of a
path hardly changes (Mehrotra's predictor and corrector):

1. slopes, and what is left of distance times pull;
2. the factor of K, stiffened where a bound is near;
3. a step as if the bounds could be reached, then one that keeps as far from them as that one shows to be good.

Syllabus: S6.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from learnable.solvers.kernels.interior_point import INSIDE, moved, room

# Steps after which rounding, and not the path, is what is left; distance times pull that is none, of the first.
MOST_STEPS, AT_ITS_END = 80, 1e-18
# Added to the diagonal, as a share of its mean: rounding of K.
RIDGE = 1e-15
# Share of its box below which a variable is at its bound.
AT_BOUND = 1e-13


class _Point(NamedTuple):
    """Distances of the variables from their bounds, and what holds them there."""

    below: np.ndarray
    above: np.ndarray
    s: np.ndarray
    v: np.ndarray

    @property
    def product(self) -> float:
        return float(self.s @ self.below + self.v @ self.above)


class _Factor:
    """The factor of K, stiffened by the bounds at a point, on steps that keep the sums."""

    def __init__(self, K: np.ndarray, ridge: float, at: _Point, sums: np.ndarray):
        self.at, self.sums = at, sums
        stiff = at.s / at.below + at.v / at.above
        self.factor = cho_factor(K + np.diag(stiff + ridge), lower=True, check_finite=False)
        self.each = cho_solve(self.factor, sums, check_finite=False)

    def step(self, slope: np.ndarray, left: np.ndarray | float, right: np.ndarray | float) -> _Point:
        """Towards the point where distance times pull is `left` below and `right` above."""
        at = self.at
        towards = cho_solve(self.factor, left / at.below - right / at.above - slope, check_finite=False)
        du = towards - self.each @ np.linalg.solve(self.sums.T @ self.each, self.sums.T @ towards)
        du -= self.sums @ (self.sums.T @ du / self.sums.sum(axis=0))
        ds, dv = (left - at.s * du) / at.below - at.s, (right + at.v * du) / at.above - at.v
        return _Point(du, -du, ds, dv)


def solution(
    K: np.ndarray, target: np.ndarray, lower: np.ndarray, upper: np.ndarray, group: np.ndarray, beta: np.ndarray
) -> tuple[np.ndarray, int]:
    """(β, steps made) with the sums of the `beta` given; that itself where its sums leave no inside.

    >>> K, zero, one = np.diag([1.0, 1.0, 2.0]), np.zeros(3), np.ones(3)
    >>> beta, _ = solution(K, zero, zero, one, np.zeros(3, dtype=int), np.array([1.0, 0.0, 0.0]))
    >>> beta.round(9)
    array([0.4, 0.4, 0.2])
    """
    sums = np.stack([group == k for k in np.unique(group)], axis=1).astype(float)
    wide = upper - lower
    share = sums.T @ (beta - lower) / np.maximum(sums.T @ wide, np.finfo(float).tiny)
    if not np.all((share > 0.0) & (share < 1.0)) or not np.all(wide > 0.0):
        return beta, 0
    below = (sums @ share) * wide
    pull = max(float(np.abs(K @ (lower + below) - target).max()), np.finfo(float).tiny)
    at = _Point(below, wide - below, np.full(len(wide), pull), np.full(len(wide), pull))
    first, ridge = at.product, RIDGE * float(np.trace(K))
    made = 0
    while made < MOST_STEPS:
        made += 1
        # 1. Where we stand.
        slope = K @ (lower + at.below) - target
        # 2. How the variables move together.
        try:
            factor = _Factor(K, ridge, at, sums)
        except LinAlgError:
            break
        # 3. Predict, then correct.
        step = factor.step(slope, 0.0, 0.0)
        ahead = moved(at, step, _room(at, step)).product
        goal = at.product / (2 * len(wide)) * (ahead / at.product) ** 3
        step = factor.step(slope, goal - step.s * step.below, goal + step.v * step.below)
        after = moved(at, step, INSIDE * _room(at, step))
        if not np.isfinite(after.product) or min(map(np.min, after)) <= 0.0:
            break
        stalled, at = after.product > 0.99 * at.product, after
        if stalled or at.product <= AT_ITS_END * first:
            break
    found = lower + at.below
    found[at.below <= AT_BOUND * wide], found[at.above <= AT_BOUND * wide] = (
        lower[at.below <= AT_BOUND * wide], upper[at.above <= AT_BOUND * wide],
    )  # fmt: skip
    return found, made


def _room(at: _Point, step: _Point) -> float:
    return room(np.concatenate(at), np.concatenate(step))
