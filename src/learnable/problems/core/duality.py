"""Duality of mean loss + penalty: primal value, dual value and the gap between them.

Primal P(β, b) = Σ wᵢ ℓ(yᵢ, fᵢ)/W + Σ φⱼ(βⱼ), f = Xβ + b.
Dual   D(u)   = −Σ wᵢ ℓ*(yᵢ, uᵢ)/W − Σ φⱼ*(−(Xᵀ(w∘u))ⱼ/W), over u with Σ wᵢuᵢ = 0 when b is free.
D(u) ≤ P(β, b) for every pair (weak duality), so P − D bounds how far P is from the optimum. Syllabus: O6, L3.
"""

from typing import NamedTuple

import numpy as np

from learnable.problems.core.formula import formula
from learnable.problems.linear import losses
from learnable.problems.sparse import penalties
from learnable.problems.sparse.penalties import EVERY, ElasticNet, NonNegative, Weighted, curvature, l1_level

EPS = float(np.finfo(float).eps)


class Gap(NamedTuple):
    """primal − dual, with both values."""

    primal: float
    dual: float

    @property
    def gap(self) -> float:
        return self.primal - self.dual


@formula
def reach(penalty, u, j):
    """Largest t ≤ 1 with φ_j*(t·u) finite."""


@reach.of(ElasticNet)
def _(penalty, u, j):
    if penalty.alpha * (1.0 - penalty.l1_ratio) > 0.0:
        return 1.0
    level = penalty.alpha * penalty.l1_ratio
    return level / np.maximum(np.abs(u), np.maximum(level, 1e-300))


@reach.of(Weighted)
def _(penalty, u, j):
    return reach(penalty.of, u / penalty.factor[j], j)


@reach.of(NonNegative)
def _(penalty, u, j):
    return reach(penalty.of, np.maximum(u, 0.0), j)


def duality_gap(loss, penalty, y, f, weight, coef, u, slope) -> Gap:
    """The gap at (coef, f) against the better of two dual points t·u, t ∈ [0, 1].

    The one has the largest t that is feasible. Where the penalty has curvature any is; a curvature that is small beside
    that of the loss makes its conjugate steep, and the other point is short enough for the L1 part alone to hold what
    the curvature at `coef` leaves.

    Parameters
    ----------
    y, f : targets and predictions Xβ + b.
    weight : row weights that sum to one, or None for 1/n each.
    u : dual point with Σ wᵢuᵢ = 0 when the intercept is free; usually the loss gradients.
    slope : Xᵀ(w∘u), the matching correlations.

    >>> y, x = np.array([1.0, -1.0]), np.array([1.0, -1.0])
    >>> f = 0.5 * x                                   # lasso with alpha = 0.5: the optimum is 0.5
    >>> duality_gap(losses.Squared(), penalties.L1(0.5), y, f, None, np.array([0.5]), f - y, np.array([-0.5])).gap
    0.0
    """
    primal = _mean(losses.value(loss, y, f), weight) + penalties.total(penalty, coef)
    return Gap(primal, dual_value(loss, penalty, y, weight, coef, u, slope))


def dual_value(loss, penalty, y, weight, coef, u, slope) -> float:
    """The dual value of `duality_gap`, at the better of its two points."""
    dual = -np.inf
    for t in dual_lengths(penalty, coef, slope):
        lost = float(np.sum(penalties.conjugate(penalty, -t * slope, EVERY)))
        dual = max(dual, -_mean(losses.conjugate(loss, y, t * u), weight) - lost)
    return dual


def _mean(values: np.ndarray, weight: np.ndarray | None) -> float:
    return float(np.mean(values) if weight is None else np.dot(weight, values))


def dual_lengths(penalty, coef, slope) -> list[float]:
    """The t of the dual points of `duality_gap`, one or two of them."""
    longest = float(np.min(reach(penalty, -slope, EVERY), initial=1.0))
    both = dict.fromkeys((longest, min(longest, _held_by_l1(penalty, coef, slope))))
    # Strictly inside, so that rounding cannot push the point out of the domain.
    return [t * (1.0 - 4.0 * EPS) if t < 1.0 else t for t in both]


def _held_by_l1(penalty, coef, slope) -> float:
    """The largest t ≤ 1 with t·(−slope − φ″ β) within the L1 part; 1 where there is no curvature, or no L1 part."""
    if type(penalty) not in curvature.bodies:
        return 1.0
    bend, level = curvature(penalty, EVERY), l1_level(penalty, EVERY)
    if not np.count_nonzero(bend) or np.count_nonzero(np.less_equal(level, 0.0)):
        return 1.0
    left = -slope - bend * coef
    left = left if isinstance(penalty, NonNegative) else np.abs(left)
    return float(np.min(level / np.maximum(left, level), initial=1.0))
