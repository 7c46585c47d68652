"""Squared loss + separable penalty on a few columns: coordinate sweeps and Newton steps across sign changes.

min over β of ½ βᵀGβ − c·β + Σ φ_j(β_j), G = XᵀX/W and c = Xᵀy/W of the columns in play. Sweeps decide which
coefficients leave zero, each followed by the best point between the last moves. Where these are slow, the Newton
direction of the support solves the equations of the current signs, and an exact line search along it passes every
coefficient through zero that wants to: the objective along the line is convex and piecewise quadratic, with a jump of
its slope by 2 · level · |d_j| where β_j changes sign.
"""

from typing import Any, NamedTuple

import numpy as np

from learnable._jit.sparse.gram_descent import gram_descent, gram_values
from learnable._jit.sparse.line_search import equations, step_across_signs
from learnable.problems.sparse.penalties import NonNegative, l1_level
from learnable.solvers.sparse.dependent_support import independent_support
from learnable.solvers.sparse.last_moves import LastMoves
from learnable.solvers.sparse.support_factor import SupportFactor

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
    while True:
        support, level, ridge, down = equations(play.slope, play.coef, penalty, play.columns)
        if not len(support):
            return False
        d, image = play.factor.direction(play.gram, support, ridge, down, len(play.slope))
        if not play.factor.lost or ridge.any() or not _dependent_leave(play, penalty):
            break
    walled = isinstance(penalty, NonNegative)
    return step_across_signs(play.slope, play.coef, support, level, ridge, down, d, image, walled)


def _dependent_leave(play: Play, penalty: Any) -> int:
    """Take columns that depend on others out of the support; returns how many."""
    level = np.broadcast_to(l1_level(penalty, play.columns), play.coef.shape)
    return independent_support(play.gram, play.coef, level)
