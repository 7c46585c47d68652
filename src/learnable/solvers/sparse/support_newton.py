"""Squared loss + separable penalty on a few columns: coordinate sweeps and Newton steps across sign changes.

min over β of ½ βᵀGβ − c·β + Σ φ_j(β_j), G = XᵀX/W and c = Xᵀy/W of the columns of the working set. Sweeps decide which
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
FULL_NEWTON_AFTER = 2


class SubProblem(NamedTuple):
    """The columns of the working set.

    Attributes
    ----------
    columns : (w,) their places among all columns.
    gram : G in the first w rows and columns of a square that may be larger.
    coef : (w,) β, updated in place.
    slope : (w,) Gβ − c, updated in place.
    target : (w,) c.
    mean_square : ‖y‖² / W.
    factor, last : the linear systems of the supports, and the last moves; equal places may share them.
    """

    columns: np.ndarray
    gram: np.ndarray
    coef: np.ndarray
    slope: np.ndarray
    target: np.ndarray
    mean_square: float
    factor: SupportFactor
    last: LastMoves


def solve(part: SubProblem, penalty: Any, gap_target: float) -> int:
    """Improve `part` until its duality gap is at most `gap_target`; returns the coordinate sweeps made."""
    made, last = 0, part.last
    last.widen(part.gram, len(part.coef))
    for k in range(ROUNDS):
        sweeps, remaining, last.held = gram_descent(
            part.gram, part.slope, part.coef, part.target, part.mean_square, penalty, part.columns,
            SWEEPS, PATIENCE, gap_target, last.moves, last.images, last.held,
        )  # fmt: skip
        made += sweeps
        if remaining <= gap_target:
            break
        newton_steps(part, penalty, 1 if k < FULL_NEWTON_AFTER else len(part.coef))
        if gap(part, penalty) <= gap_target:
            break
    return made


def gap(part: SubProblem, penalty: Any) -> float:
    """Duality gap of the columns of the working set, from their cross-products alone."""
    return gram_values(part.slope, part.coef, part.target, part.mean_square, penalty, part.columns)[1]


def newton_steps(part: SubProblem, penalty: Any, most: int) -> None:
    """Newton steps until one ends inside its signs, at most so many.

    Each of the others takes a column out, so that there are no more than columns; but for rounding, in which columns
    may leave and come back for ever.
    """
    for _ in range(most):
        if not newton_across_signs(part, penalty):
            return


def newton_across_signs(part: SubProblem, penalty: Any) -> bool:
    """One Newton step on the support, as far as the objective falls along it; dependent columns leave before.

    Returns whether it ended where a coefficient became zero, short of the solution for its signs.
    """
    while True:
        support, level, ridge, down = equations(part.slope, part.coef, penalty, part.columns)
        if not len(support):
            return False
        d, image = part.factor.direction(part.gram, support, ridge, down, len(part.slope))
        if not part.factor.lost or ridge.any() or not _dependent_leave(part, penalty):
            break
    keep_signs = isinstance(penalty, NonNegative)
    return step_across_signs(part.slope, part.coef, support, level, ridge, down, d, image, keep_signs)


def _dependent_leave(part: SubProblem, penalty: Any) -> int:
    """Take columns that depend on others out of the support; returns how many."""
    level = np.broadcast_to(l1_level(penalty, part.columns), part.coef.shape)
    return independent_support(part.gram, part.coef, level)
