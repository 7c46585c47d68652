"""The conditions of optimality of one machine with a hinge or a tube, and its offset, from scores alone.

Syllabus: S5, S6, S7.
"""

from typing import Any, NamedTuple

import numpy as np

from learnable.problems.kernels.machines import values
from learnable.problems.linear.losses import Hinge

# Relative duality gap that counts as optimal.
GAP = 5e-3
# Largest violation of a condition, in units of the half-width of the margin or of the largest loss.
CONDITION = 2e-2
# α beyond its box, relative to C; Σβ against Σ|β|.
FEASIBLE = 1e-6
# α this near to a bound, relative to C, is on it.
AT_BOUND = 1e-9


class Conditions(NamedTuple):
    """How far one machine is from its conditions.

    Attributes
    ----------
    infeasible : how far β is beyond its box, or Σβ from 0, relative to the box.
    relative_gap : (P − D) / P.
    condition : largest violation of a row's own condition.
    offset : |b − what the free rows say of it|, over what rounding allows.
    """

    infeasible: float
    relative_gap: float
    condition: float
    offset: float


def conditions(
    loss: Any, y: np.ndarray, C: np.ndarray, beta: np.ndarray, product: np.ndarray, b: float, resolution: float
) -> Conditions:
    """The conditions of ½‖w‖² + Σ Cᵢ ℓ(yᵢ, f(xᵢ)), b free, for the hinge (y = ±1) or the ε-insensitive loss.

    In terms of r = y − f (of 1·y for the hinge): at the optimum b − (y − Kβ − ε sign β) is ≤ 0 where β can grow,
    ≥ 0 where it can fall.
    """
    lower, upper, epsilon = box(loss, y, C)
    # How far β is outside its box, and Σβ from zero.
    size = max(float(np.max(C, initial=0.0)), np.finfo(float).tiny)
    beyond = float(np.max(np.maximum(lower - beta, beta - upper), initial=0.0)) / size
    total = float(np.abs(beta).sum())
    unequal = abs(float(beta.sum())) / max(total, np.finfo(float).tiny)
    inside = np.clip(beta, lower, upper)
    gap = values(loss, y, C, inside, product, b).relative_gap
    # The offset: all rows with β strictly between its bounds name it; else it lies in an interval.
    lean = y - product
    can_grow, can_fall = beta < upper - AT_BOUND * C, beta > lower + AT_BOUND * C
    grow = lean - epsilon * np.where(beta >= 0.0, 1.0, -1.0)
    fall = lean - epsilon * np.where(beta > 0.0, 1.0, -1.0)
    highest = float(np.max(grow, where=can_grow, initial=-np.inf))
    lowest = float(np.min(fall, where=can_fall, initial=np.inf))
    free = can_grow & can_fall & ((beta != 0.0) | (epsilon == 0.0))
    if free.any():
        offset = abs(b - float(np.mean(lean[free] - epsilon * np.sign(beta[free]))))
    else:
        ends = [end for end in (highest, lowest) if np.isfinite(end)]
        offset = abs(b - float(np.mean(ends))) if ends else 0.0
    unit = 1.0 if isinstance(loss, Hinge) else max(float(np.ptp(y)), np.finfo(float).tiny)
    worst = max(highest - b, b - lowest, 0.0) / unit
    return Conditions(max(beyond, unequal), gap, worst, offset / (resolution * unit))


def named_offset(lean: np.ndarray, beta: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> float:
    """What the rows strictly inside their box say on average, else the middle of what the others leave open."""
    size = AT_BOUND * np.maximum(upper - lower, 0.0)
    can_grow, can_fall = beta < upper - size, beta > lower + size
    free = can_grow & can_fall
    if free.any():
        return float(np.mean(lean[free]))
    ends = (float(np.max(lean, where=can_grow, initial=-np.inf)), float(np.min(lean, where=can_fall, initial=np.inf)))
    finite = [end for end in ends if np.isfinite(end)]
    return float(np.mean(finite)) if finite else 0.0


def box(loss: Any, y: np.ndarray, C: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """(lower, upper, ε) of the dual: β = yα with 0 ≤ α ≤ C for the hinge, −C ≤ β ≤ C for the tube."""
    if isinstance(loss, Hinge):
        return np.where(y > 0.0, 0.0, -C), np.where(y > 0.0, C, 0.0), 0.0
    return -C, C, float(loss.epsilon)
