"""Least squares over the ℓ1 ball, along the path of the lasso to the knot at which the norm reaches its radius.

Syllabus: L3.
"""

from typing import NamedTuple

import numpy as np

from learnable.solvers.sparse import homotopy, penalty_path
from learnable.solvers.sparse.coordinate_descent import Descent
from learnable.solvers.sparse.penalty_factors import Posed

EPS = np.finfo(float).eps


class ConstrainedLasso(NamedTuple):
    """The solution of min Σ wᵢ (yᵢ − xᵢ·β − b)² / (2 Σ wᵢ) subject to ‖β‖₁ ≤ t.

    Attributes
    ----------
    coef, intercept : β and b.
    radius : t.
    alpha : the multiplier of ‖β‖₁ ≤ t, which is the penalty of the equivalent lasso; 0 where the bound is idle.
    norm : ‖β‖₁.
    gap : duality gap of that lasso.
    slackness : α |t − ‖β‖₁|, zero at a solution: the objective is within gap + slackness of its minimum over the ball.
    """

    coef: np.ndarray
    intercept: float
    radius: float
    alpha: float
    norm: float
    gap: float
    slackness: float


def constrained(posed: Posed, radius: float, n_columns: int) -> ConstrainedLasso:
    """The solution with ‖β‖₁ ≤ radius, from all `n_columns` columns."""
    n, p = posed.design.X.shape
    # Of the many least-squares answers of a wide table the path ends at one with few columns.
    free = None if p >= n else next(penalty_path.iterates(posed, [0.0], 1.0, False, 0.0, 1)).coef
    if free is not None and np.abs(free).sum() <= radius:
        coef, alpha, gap = free, 0.0, 0.0
    else:
        coef, alpha = _on_the_path(posed, radius)
        # Where the path of a dependent design ends, at no penalty, the gap is that of a negligible one.
        penalty = posed.penalty(alpha or EPS * posed.largest_pull(), 1.0)
        gap = max(next(Descent(posed.design, coef).rounds(penalty)).gap, 0.0)
    norm = float(np.abs(coef).sum())
    every, intercept = posed.answer(coef, n_columns)
    return ConstrainedLasso(every, intercept, radius, alpha, norm, gap, alpha * abs(radius - norm))


def _on_the_path(posed: Posed, radius: float) -> tuple[np.ndarray, float]:
    """(β, α) where the norm first reaches t, between two knots of the path; its end where it never does."""
    alpha, coef, norm = 0.0, np.zeros(0), 0.0
    for state in homotopy.iterates(homotopy.centred_products(posed.design)):
        before, (alpha, coef, norm) = (alpha, coef, norm), (state.alpha, state.coef, float(np.abs(state.coef).sum()))
        if norm >= radius:
            share = (radius - before[2]) / (norm - before[2])
            return before[1] + share * (coef - before[1]), before[0] + share * (alpha - before[0])
    return coef, alpha
