"""The conditions of optimality of one machine with a hinge or a tube, and its offset, from scores alone.

Syllabus: S5, S6, S7.
"""

import math
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from learnable.problems.linear.losses import Hinge, conjugate, value

# Relative duality gap that counts as optimal.
GAP = 5e-3
# Largest violation of a condition, in units of the half-width of the margin or of the largest loss.
CONDITION = 2e-2
# α beyond its box, relative to C; Σβ against Σ|β|.
FEASIBLE = 1e-6
# A row may be off by the violation asked for on both sides, and by as much again where b is a mean; of LIBSVM's fits
# whose b no row names this much counts as asked for, at most.
ASKED, MOST_ASKED = 4.0, 1e-3
# α this near to a bound, relative to C, is on it.
AT_BOUND = 1e-9
TINY = np.finfo(float).tiny
# Share of the sum of all losses, and of the terms that cancel in it, below which a gap is rounding.
ROUNDED = 1024.0 * float(np.finfo(float).eps)


class Conditions(NamedTuple):
    """How far the worst of some machines is from its conditions.

    Attributes
    ----------
    infeasible : how far β is beyond its box, or Σβ from 0, relative to the box.
    relative_gap : (P − D) / min(P, P₀ − D), P₀ the value of the best constant: what all answers share hides nothing.
    condition : largest violation of a row's own condition.
    offset : |b − what the free rows say of it|, over what rounding allows.
    """

    infeasible: float
    relative_gap: float
    condition: float
    offset: float


def conditions(
    loss: Any,
    y: np.ndarray,
    C: np.ndarray,
    beta: np.ndarray,
    product: np.ndarray,
    b: np.ndarray,
    resolution: np.ndarray,
    machine: np.ndarray,
    slack: float | None,
) -> Conditions:
    """The conditions of ½‖w‖² + Σ Cᵢ ℓ(yᵢ, f(xᵢ)), b free, for the hinge (y = ±1) or the ε-insensitive loss.

    The rows of all machines one after the other, each with the number of its `machine`; b and the resolution one a
    machine; `slack` as of a `Machine`. In terms of r = y − f (of 1·y for the hinge): at the optimum
    b − (y − Kβ − ε sign β) is ≤ 0 where β can grow, ≥ 0 where it can fall.
    """
    lower, upper, epsilon = box(loss, y, C)
    # The offset: all rows with β strictly between its bounds name it; else it lies in an interval.
    lean = y - product
    can_grow, can_fall = beta < upper - AT_BOUND * C, beta > lower + AT_BOUND * C
    grow, fall = (lean, lean) if epsilon == 0.0 else (
        lean - epsilon * np.where(beta >= 0.0, 1.0, -1.0), lean - epsilon * np.where(beta > 0.0, 1.0, -1.0),
    )  # fmt: skip
    highest, lowest = np.full(len(b), -np.inf), np.full(len(b), np.inf)
    np.maximum.at(highest, machine[can_grow], grow[can_grow])
    np.minimum.at(lowest, machine[can_fall], fall[can_fall])
    free = can_grow & can_fall & ((beta != 0.0) | (epsilon == 0.0))
    count = sums(free, machine, len(b))
    named = sums(np.where(free, lean - epsilon * np.sign(beta), 0.0), machine, len(b)) / np.maximum(count, 1.0)
    off = np.abs(b - named)
    for k in np.flatnonzero(count == 0.0):
        ends = [end for end in (highest[k], lowest[k]) if np.isfinite(end)]
        if slack is None:
            off[k] = abs(b[k] - np.mean(ends)) if ends else 0.0
        else:
            off[k] = max(highest[k] - b[k] - slack, b[k] - lowest[k] - slack, 0.0)
    unit = 1.0 if isinstance(loss, Hinge) else max(float(np.ptp(y)), TINY)
    # Weights are judged apart from what rounding does to b, which has claims of its own.
    inside = np.clip(b, np.minimum(highest, lowest), np.maximum(highest, lowest))
    near = np.where(np.abs(inside - b) <= resolution * unit, inside, b)
    held = np.clip(beta, lower, upper)
    gap = relative_gaps(loss, y, C, held, product, b, machine)
    if not np.array_equal(near, b):
        gap = np.minimum(gap, relative_gaps(loss, y, C, held, product, near, machine))
    worst = np.maximum(np.maximum(highest - b, b - lowest), 0.0) / unit
    return Conditions(
        infeasibility(beta, lower, upper, C, machine, len(b)), _largest(gap), _largest(worst),
        _largest(off / (resolution * unit)),
    )  # fmt: skip


def sums(terms: np.ndarray, machine: np.ndarray, m: int) -> np.ndarray:
    """(m,) the sum over the rows of each machine."""
    return np.bincount(machine, terms, m)


def infeasibility(
    beta: np.ndarray, lower: np.ndarray, upper: np.ndarray, C: np.ndarray, machine: np.ndarray, m: int
) -> float:
    """How far β is outside its box, and Σβ from zero, relative; of the worst machine."""
    size, beyond = np.full(m, TINY), np.zeros(m)
    np.maximum.at(size, machine, C)
    np.maximum.at(beyond, machine, np.maximum(lower - beta, beta - upper))
    unequal = np.abs(sums(beta, machine, m)) / np.maximum(sums(np.abs(beta), machine, m), TINY)
    return _largest(beyond / size, unequal)


def relative_gaps(
    loss: Any, y: np.ndarray, C: np.ndarray, beta: np.ndarray, product: np.ndarray, b: np.ndarray, machine: np.ndarray
) -> np.ndarray:
    """(P − D) / min(|P|, |D|, P₀ − D) of each machine, P₀ the value of the best constant f.

    Under a tiny C all rows of the smaller class have α = C whatever the others have, and P and D are all but P₀: what
    the answer is about is the rest, ½‖w‖² at least. With Σβ = 0 the gap is Σ Cℓ(f) + Cℓ*(−β/C) + βf, and so is P₀ − D
    less ½‖w‖² at the constant: sums of terms ≥ 0, of which none cancels.
    """
    m = len(b)
    half = 0.5 * sums(beta * product, machine, m)
    share = np.divide(-beta, C, out=np.zeros(C.shape), where=C > 0.0)
    # A conjugate is infinite outside its domain, also for a row that does not count.
    paid = np.where(C > 0.0, C * conjugate(loss, y, share), 0.0)

    def regret(f: np.ndarray) -> np.ndarray:
        return sums(C * value(loss, y, f) + paid + beta * f, machine, m)

    scores, level = product + b[machine], best_constant(loss, y, C, machine, m)
    gap, dual = regret(scores), -sums(paid, machine, m) - half
    attainable = regret(level[machine]) + half
    size = np.minimum(np.minimum(np.abs(dual + gap), np.abs(dual)), attainable)
    size = np.maximum(size, ROUNDED * sums(C * (np.abs(y) + np.abs(scores)), machine, m))
    return np.where(size > 0.0, gap / np.where(size > 0.0, size, 1.0), 0.0)


def best_constant(loss: Any, y: np.ndarray, C: np.ndarray, machine: np.ndarray, m: int) -> np.ndarray:
    """(m,) the constant of least loss: the heavier class, or the median of the edges of the tubes round the targets."""
    if isinstance(loss, Hinge):
        return np.where(sums(C * y, machine, m) >= 0.0, 1.0, -1.0)
    level = np.zeros(m)
    for k in range(m):
        mine = machine == k
        edges = np.concatenate([y[mine] - loss.epsilon, y[mine] + loss.epsilon])
        order = edges.argsort()
        below = np.tile(C[mine], 2)[order].cumsum()
        level[k] = edges[order[below.searchsorted(0.5 * below[-1])]]
    return level


def _largest(*parts: np.ndarray) -> float:
    """The largest of all, NaN where one is."""
    return float(reduce(np.maximum, [part.max(initial=0.0) for part in parts]))


def offset_interval(lean: np.ndarray, beta: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> tuple[float, float]:
    """(least, largest) offset that the rows allow: what those strictly inside their box say on average, else what is
    left open by those at a bound."""
    size = AT_BOUND * np.maximum(upper - lower, 0.0)
    said = lean[(beta < upper - size) & (beta > lower + size)]
    if len(said):
        mean = float(said.sum()) / len(said)
        return mean, mean
    return offset_ends(lean, beta, lower, upper)


def offset_ends(lean: np.ndarray, beta: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> tuple[float, float]:
    """(most that a row which can grow says, least that a row which can fall says): at the optimum in this order."""
    size = AT_BOUND * np.maximum(upper - lower, 0.0)
    can_grow, can_fall = beta < upper - size, beta > lower + size
    return float(lean.max(where=can_grow, initial=-np.inf)), float(lean.min(where=can_fall, initial=np.inf))


def named_offset(lean: np.ndarray, beta: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> float:
    """What the rows strictly inside their box say on average, else the middle of what the others leave open."""
    finite = [end for end in offset_interval(lean, beta, lower, upper) if math.isfinite(end)]
    return sum(finite) / len(finite) if finite else 0.0


def box(loss: Any, y: np.ndarray, C: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """(lower, upper, ε) of the dual: β = yα with 0 ≤ α ≤ C for the hinge, −C ≤ β ≤ C for the tube."""
    if isinstance(loss, Hinge):
        return np.where(y > 0.0, 0.0, -C), np.where(y > 0.0, C, 0.0), 0.0
    return -C, C, float(loss.epsilon)
