"""Squared loss + separable penalty on a few columns: coordinate sweeps and Newton steps across sign changes.

min over β of ½ βᵀGβ − c·β + Σ φ_j(β_j), G = XᵀX/W and c = Xᵀy/W of the columns in play. Sweeps decide which
coefficients leave zero, each followed by the best point between the last moves. Where these are slow, the Newton
direction of the support solves the equations of the current signs, and an exact line search along it passes every
coefficient through zero that wants to: the objective along the line is convex and piecewise quadratic, with a jump of
its slope by 2 · level · |d_j| where β_j changes sign.
"""

from typing import Any, NamedTuple

import numpy as np

from learnable._jit.gram_descent import gram_descent, gram_values
from learnable.problems.penalties import NonNegative, curvature, l1_level
from learnable.solvers.dependent_support import independent_support
from learnable.solvers.last_moves import LastMoves
from learnable.solvers.support_factor import SupportFactor

# Sweeps in any case; more as long as at most so many seem to be left. Then a Newton step is better.
SWEEPS = 16
PATIENCE = 20
ROUNDS = 50
# After so many rounds, sweeps wait until the Newton steps end inside: those at which a coefficient stops at zero may be
# short, and a sweep between two of them may bring it back, again and again where columns are nearly dependent.
HASTY = 2


class Play(NamedTuple):
    """The columns in play.

    Attributes
    ----------
    columns : (w,) their places among all columns.
    gram : G in the first w rows and columns of a square that may be larger.
    coef : (w,) β, updated in place.
    slope : (w,) Gβ − c, updated in place.
    target : (w,) c.
    mean_square : ‖y‖² / W.
    factor, last : the linear systems of the supports, and the last moves; plays with the same places may share them.
    """

    columns: np.ndarray
    gram: np.ndarray
    coef: np.ndarray
    slope: np.ndarray
    target: np.ndarray
    mean_square: float
    factor: SupportFactor
    last: LastMoves


def solve(play: Play, penalty: Any, enough: float) -> int:
    """Improve `play` until its duality gap is at most `enough`; returns the coordinate sweeps made."""
    made, last = 0, play.last
    last.widen(play.gram, len(play.coef))
    for k in range(ROUNDS):
        sweeps, left, last.held = gram_descent(
            play.gram, play.slope, play.coef, play.target, play.mean_square, penalty, play.columns,
            SWEEPS, PATIENCE, enough, last.moves, last.images, last.held,
        )  # fmt: skip
        made += sweeps
        if left <= enough:
            break
        while newton_across_signs(play, penalty) and k >= HASTY:
            pass
        if gap(play, penalty) <= enough:
            break
    return made


def gap(play: Play, penalty: Any) -> float:
    """Duality gap of the columns in play, from their cross-products alone."""
    return gram_values(play.slope, play.coef, play.target, play.mean_square, penalty, play.columns)[1]


def newton_across_signs(play: Play, penalty: Any) -> bool:
    """One Newton step on the support, as far as the objective falls along it; dependent columns leave before.

    Returns whether it ended where a coefficient became zero, short of the solution for its signs.
    """
    every = np.broadcast_to(l1_level(penalty, play.columns), play.coef.shape)
    while True:
        S = np.flatnonzero(play.coef)
        if not len(S):
            return False
        x, level, ridge = play.coef[S], every[S], np.broadcast_to(curvature(penalty, play.columns[S]), S.shape)
        gradient = play.slope[S] + level * np.sign(x) + ridge * x
        d, image = play.factor.direction(play.gram, S, ridge, -gradient, len(play.slope))
        if not play.factor.lost or ridge.any() or not independent_support(play.gram, play.coef, every):
            break
    slope, bend = float(gradient @ d), float(d @ (image[S] + ridge * d))
    if not slope < 0.0:
        return False
    t, stopped_at_zero = _line_search(x, d, level, slope, bend, walled=isinstance(penalty, NonNegative))
    moved = x + t * d
    moved[stopped_at_zero] = 0.0
    play.coef[S] = moved
    play.slope[:] += t * image
    return len(stopped_at_zero) > 0


def _line_search(x, d, level, slope: float, bend: float, walled: bool) -> tuple[float, np.ndarray]:
    """(t, which coefficients end at zero) of the least objective along x + t d, t ≥ 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = np.where(np.sign(x) * d < 0.0, -x / d, np.inf)
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
