"""Squared loss + separable penalty on a few columns: coordinate sweeps and Newton steps across sign changes.

min over β of ½ βᵀGβ − c·β + Σ φ_j(β_j), G = XᵀX/W and c = Xᵀy/W of the columns in play. Sweeps decide which
coefficients leave zero; the Newton direction of the support then solves the equations of the current signs, and an
exact line search along it passes every coefficient through zero that wants to: the objective along the line is convex
and piecewise quadratic, with a jump of its slope by 2 · level · |d_j| where β_j changes sign.
"""

from typing import Any, NamedTuple

import numpy as np

from learnable._jit.coordinate_descent import add_rows, gram_sweeps
from learnable.problems.duality import reach
from learnable.problems.penalties import NonNegative, conjugate, curvature, l1_level, value
from learnable.solvers.dependent_support import independent_support
from learnable.solvers.support_factor import SupportFactor

SWEEPS = 6
ROUNDS = 50


class Play(NamedTuple):
    """The columns in play.

    Attributes
    ----------
    columns : (w,) their places among all columns.
    gram : G in the first w rows and columns of a square that may be larger.
    coef : (w,) β, updated in place.
    slope : (w,) Gβ − c, updated in place.
    mean_square : ‖y‖² / W.
    factor : the linear systems of the supports; plays with the same places may share one.
    """

    columns: np.ndarray
    gram: np.ndarray
    coef: np.ndarray
    slope: np.ndarray
    mean_square: float
    factor: SupportFactor


def solve(play: Play, penalty: Any, enough: float) -> int:
    """Improve `play` until its duality gap is at most `enough`; returns the coordinate sweeps made."""
    target = -play.slope
    support = np.flatnonzero(play.coef)
    add_rows(play.gram, support, play.coef[support], target)
    made = 0
    for _ in range(ROUNDS):
        made += gram_sweeps(play.gram, play.slope, play.coef, penalty, play.columns, SWEEPS)
        if gap(play, target, penalty) <= enough:
            break
        newton_across_signs(play, penalty)
        if gap(play, target, penalty) <= enough:
            break
    return made


def gap(play: Play, target: np.ndarray, penalty: Any) -> float:
    """Duality gap of the columns in play, from their cross-products alone; `target` is c.

    With r = y − Xβ: ‖r‖²/W = ‖y‖²/W − c·β + slope·β and r·y/W = ‖y‖²/W − c·β.
    """
    beta, slope = play.coef, play.slope
    with_y = play.mean_square - float(target @ beta)
    square = max(with_y + float(slope @ beta), 0.0)
    t = float(np.min(reach(penalty, -slope, play.columns), initial=1.0)) * (1.0 - 4.0 * np.finfo(float).eps)
    primal = 0.5 * square + float(np.sum(value(penalty, beta, play.columns)))
    dual = t * with_y - 0.5 * t * t * square - float(np.sum(conjugate(penalty, -t * slope, play.columns)))
    return primal - dual


def newton_across_signs(play: Play, penalty: Any) -> None:
    """One Newton step on the support, as far as the objective falls along it; dependent columns leave before."""
    every = np.broadcast_to(l1_level(penalty, play.columns), play.coef.shape)
    while True:
        S = np.flatnonzero(play.coef)
        if not len(S):
            return
        x, level, ridge = play.coef[S], every[S], np.broadcast_to(curvature(penalty, play.columns[S]), S.shape)
        gradient = play.slope[S] + level * np.sign(x) + ridge * x
        d, image = play.factor.direction(play.gram, S, ridge, -gradient, len(play.slope))
        if not play.factor.lost or ridge.any() or not independent_support(play.gram, play.coef, every):
            break
    slope, bend = float(gradient @ d), float(d @ (image[S] + ridge * d))
    if not slope < 0.0:
        return
    t, stopped_at_zero = _line_search(x, d, level, slope, bend, walled=isinstance(penalty, NonNegative))
    moved = x + t * d
    moved[stopped_at_zero] = 0.0
    play.coef[S] = moved
    play.slope[:] += t * image


def _line_search(x, d, level, slope: float, bend: float, walled: bool) -> tuple[float, np.ndarray]:
    """(t, which coefficients end at zero) of the least objective along x + t d, t ≥ 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = np.where(x * d < 0.0, -x / d, np.inf)
    free = -slope / bend if bend > 0.0 else np.inf
    order = np.argsort(crossing)
    order = order[crossing[order] < free]
    if not len(order):
        return min(free, 1.0) if not np.isfinite(free) else free, np.zeros(0, dtype=int)
    if walled:
        first = crossing[order[0]]
        return first, order[crossing[order] == first]
    times, jumps = crossing[order], np.cumsum(2.0 * level[order] * np.abs(d[order]))
    before = slope + bend * times + np.concatenate([[0.0], jumps[:-1]])
    after = slope + bend * times + jumps
    inside, at = np.flatnonzero(before >= 0.0), np.flatnonzero(after >= 0.0)
    if len(inside) and (not len(at) or inside[0] <= at[0]):
        k = inside[0]
        passed = jumps[k - 1] if k else 0.0
        return -(slope + passed) / bend, np.zeros(0, dtype=int)
    if len(at):
        t = times[at[0]]
        return t, order[times == t]
    return -(slope + jumps[-1]) / bend, np.zeros(0, dtype=int)
