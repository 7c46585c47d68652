"""Dual points of mean loss + penalty for losses whose slopes stay within a range: feasible for a free intercept too.

`duality.duality_gap` needs slopes u with Σ wᵢuᵢ = 0 when the intercept is free, inside the range on which the conjugate
is finite. Those of a fitted answer nearly are; here they are moved by as little as makes it exact. Syllabus: O6, L21.
"""

from typing import Any

import numpy as np

from learnable.problems.linear.glm import slope_range
from learnable.problems.linear.losses import Logistic
from learnable.problems.linear.margin_losses import Deviance, Exponential, ModifiedHuber, SquaredHinge
from learnable.problems.linear.regression_losses import Huber, SquaredEpsilonInsensitive
from learnable.problems.sparse.penalties import EVERY, l1_level


def _margin_range(largest: float):
    """Slopes of a margin loss: −largest ≤ y u ≤ 0."""

    def body(loss, y):
        far = -largest * y
        return np.minimum(far, 0.0), np.maximum(far, 0.0)

    return body


for _kind, _largest in (
    (Logistic, 1.0), (Deviance, 2.0), (ModifiedHuber, 4.0), (SquaredHinge, np.inf), (Exponential, np.inf),
):  # fmt: skip
    slope_range.of(_kind)(_margin_range(_largest))


@slope_range.of(Huber)
def _(loss, y):
    return np.full_like(y, -loss.delta), np.full_like(y, loss.delta)


@slope_range.of(SquaredEpsilonInsensitive)
def _(loss, y):
    return np.full_like(y, -np.inf), np.full_like(y, np.inf)


def balanced_slopes(loss, y: np.ndarray, u: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """u moved so that Σ wᵢuᵢ = 0, each within its range: towards one of its edges, away from it, or by a shift.

    Parameters
    ----------
    weight : (n,) that sum to one.

    >>> from learnable.problems.linear.losses import Squared
    >>> balanced_slopes(Squared(), np.zeros(2), np.array([1.0, 2.0]), np.array([0.5, 0.5]))
    array([-0.5,  0.5])
    """
    miss = float(weight @ u)
    if miss == 0.0:
        return u
    lower, upper = slope_range(loss, y)
    near, far = (lower, upper) if miss > 0.0 else (upper, lower)
    counted = weight > 0.0
    if np.isfinite(near[counted]).all():
        return _towards(near, u, weight, miss)
    open_near, open_far = np.isinf(near), np.isinf(far)
    if (open_near & open_far)[counted].all():
        return u - miss
    if np.isfinite(far[counted]).all() and open_near[counted].all():
        return _towards(far, u, weight, miss)
    # Some rows have room on this side: they take it all.
    room = open_near & counted
    return u - np.where(room, miss / float(weight[room].sum()), 0.0)


def _towards(edge: np.ndarray, u: np.ndarray, weight: np.ndarray, miss: float) -> np.ndarray:
    edge = np.where(np.isfinite(edge), edge, 0.0)
    level = float(weight @ edge)
    if level == miss:
        return edge - level
    return edge + level / (level - miss) * (u - edge)


def violation_unit(penalty: Any, slopes: np.ndarray) -> float:
    """What violations of a condition are measured in: the slope at which a coordinate leaves zero, where it has one.

    Without one, or where no slope reaches it, the largest slope at β = 0.
    """
    largest = float(np.abs(slopes).max(initial=0.0))
    level = float(np.max(l1_level(penalty, EVERY)))
    return min(level, largest) if level > 0.0 else largest
