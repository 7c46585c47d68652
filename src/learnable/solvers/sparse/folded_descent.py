"""Coordinate descent for squared loss + a penalty that may be concave, on a warm path of penalties that fall.

min over β of ‖y − Xβ‖²_W / 2 + Σ φ(β_j), X and y centred when the intercept is free. Every update is the exact global
minimiser of its coordinate, so the objective never rises. One state per outer round:

1. correlations Xᵀr as far as they can matter (`correlations`), the violation of stationarity;
2. the columns met so far and those whose best coefficient is not zero;
3. their problem alone, through cross-products: coordinate sweeps find the support, Newton steps on it end the work;
   with too many columns for cross-products, coordinate sweeps over the rows.

Down the path each answer starts the next. Which stationary point is found depends on the way there: at the end the
one of the path is compared with the one found from the lasso, and the lower is kept. Syllabus: L10, L11, L12.
"""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
from scipy import linalg

from learnable._jit.core.vectors import columns_of
from learnable._jit.sparse.folded_descent import add_rows, block, gram_sweeps, sweeps
from learnable.problems.sparse.folded_penalties import concavity, derivative, entry, second_derivative
from learnable.problems.sparse.penalties import EVERY, L1, subdistance, total, value
from learnable.solvers.core.working_set import working_set_rounds
from learnable.solvers.sparse.coordinate_descent import (
    CentredColumns,
    by_column,
    explained_unit,
    residual_of,
    target_states,
)
from learnable.solvers.sparse.correlations import Correlations
from learnable.solvers.sparse.cross_products import CrossProducts

# Beyond this many columns their cross-products cost more than sweeping over the rows.
LARGEST_WORKING_SET = 3000
SWEEPS_OVER_ROWS = 10
SWEEPS = 4
INNER_ROUNDS = 200
# So few columns are in the working set from the start: to multiply them all takes less time than column after column.
FEW = 100
# The problem of the working set is solved so much further than the whole is asked to be.
ROUND_VIOLATION_SHARE = 0.1
# Stretches of the path before the last need not be walked to their ends.
ON_THE_WAY = 1e-3
LASSO_GAP = 1e-6
# Rounds after which the lasso is as near as it comes.
MOST_ROUNDS = 1000
# A slope is known to this, in units of the lengths of its column and of y.
ROUNDED_SLOPE = 64.0 * float(np.finfo(float).eps)
# The path begins at most so many times above its end.
LONGEST = 1e4


class FoldedState(NamedTuple):
    """After an outer round.

    Attributes
    ----------
    objective : at `alpha`, which falls along the path.
    alpha : penalty of this stretch of the path.
    violation : largest distance to stationarity of a coefficient, over ‖x_j‖ ‖Xβ‖ / W; 0 at a stationary point. It is
        infinite before the last stretch, and where a coefficient has a better value far away.
    coef : (p,).
    lasso : (p,) the lasso's coefficients, the other start.
    """

    objective: float
    alpha: float
    violation: float
    coef: np.ndarray
    lasso: np.ndarray


class FoldedDescent:
    """One target, under one penalty after another: each starts at the solution before it and finds what it left.

    Parameters
    ----------
    design : the columns and the target.
    start : (p,) coefficients, zero if None.
    """

    def __init__(self, design: CentredColumns, start: np.ndarray | None = None):
        self.design = design = by_column(design)
        self.columns = columns_of(design.X)
        self.movable = design.curvature > 0.0
        self.coef = np.zeros(len(self.movable)) if start is None else np.array(start, dtype=float)
        self.coef[~self.movable] = 0.0
        self.bend = np.where(self.movable, design.curvature, 1.0)
        self.root_bend = np.sqrt(self.bend)
        self.ones = np.ones(len(design.y)) if design.root_weight is None else design.root_weight
        lengths = np.sqrt(design.curvature)
        self.correlations = Correlations(self.columns, design.mean, lengths, self.ones, design.weight_sum)
        self.crossings = CrossProducts(design.X, design.mean, design.weight_sum)

    def _unit(self, explained: float, enough: float) -> np.ndarray:
        """(p,) ‖xⱼ‖ ‖Xβ‖ / W, or so much that a violation `enough` is not below the rounding of a slope."""
        whole = max(self.design.mean_square, np.finfo(float).tiny)
        least = (ROUNDED_SLOPE / enough) ** 2 if enough > 0.0 else 1.0
        return self.root_bend * np.sqrt(max(explained, least * whole))

    def rounds(self, penalty, enough: float) -> Iterator[FoldedState]:
        """Endless states under one penalty; `enough` is the violation at which the caller means to stop."""
        level = self.bend * entry(penalty, 1.0 / self.bend, EVERY)

        def judge():
            residual = residual_of(self.design, self.columns, self.ones, self.coef)
            support = np.flatnonzero(self.coef)
            slope = -self.correlations.of(residual, level, np.concatenate([self.crossings.known, support]))
            entering = self.movable & (self.coef == 0.0) & (np.abs(slope) > level)
            unit = self._unit(float(np.sum((self.design.y - residual) ** 2)) / self.design.weight_sum, enough)
            off = np.where(self.movable, subdistance(penalty, self.coef, slope, EVERY), 0.0) / unit
            # Beyond its level a column has a better coefficient than zero, however flat the objective is at zero.
            beyond = entering & (np.abs(slope) > level + enough * unit)
            violation = max(float(off.max(initial=0.0)), np.inf if beyond.any() else 0.0)
            square = float(residual @ residual) / self.design.weight_sum
            objective = 0.5 * square + total(penalty, self.coef)
            state = FoldedState(objective, penalty.alpha, violation, self.coef, self.coef)
            return state, (residual, slope, entering)

        def enlarge(standing) -> np.ndarray:
            return np.flatnonzero(standing[2] | (self.coef != 0.0))

        def solve(standing, wanted: np.ndarray) -> None:
            residual, slope, _ = standing
            if len(self.movable) <= FEW:
                wanted = np.flatnonzero(self.movable)
            new = wanted[self.crossings.place[wanted] < 0]
            if len(self.crossings.known) + len(new) > LARGEST_WORKING_SET:
                self._sweep(penalty, wanted, residual)
                return
            if len(new):
                self.crossings.add(new)
            known = self.crossings.known
            if len(known):
                self._solve(penalty, known, slope[known], ROUND_VIOLATION_SHARE * enough)

        return working_set_rounds(judge, enlarge, solve)

    def _sweep(self, penalty, working: np.ndarray, residual: np.ndarray) -> None:
        """Too many columns for cross-products: coordinate sweeps over the rows."""
        total = np.array([float(self.ones @ residual)])
        sweeps(
            self.columns, self.design.mean, residual, total, self.design.weight_sum, self.coef,
            self.design.curvature, penalty, working, SWEEPS_OVER_ROWS, 0.0,
        )  # fmt: skip

    def _solve(self, penalty, known: np.ndarray, slope: np.ndarray, enough: float) -> None:
        """Coordinate sweeps, and a Newton step whenever they leave the support as it was."""
        gram, coef = self.crossings.gram, self.coef[known]
        target = gram[: len(known), : len(known)] @ coef - slope

        def settled() -> bool:
            unit = self._unit(float(coef @ (slope + target)), enough)[known]
            return float(np.max(subdistance(penalty, coef, slope, known) / unit)) <= enough

        for _ in range(INNER_ROUNDS):
            before = coef != 0.0
            gram_sweeps(gram, slope, coef, penalty, known, SWEEPS)
            if settled():
                break
            if np.array_equal(before, coef != 0.0):
                _newton(gram, slope, coef, penalty, known)
                if settled():
                    break
        self.coef[known] = coef


def _newton(gram: np.ndarray, slope: np.ndarray, coef: np.ndarray, penalty, known: np.ndarray) -> None:
    """One Newton step on the support, taken only where the objective is convex there and falls; in place."""
    S = np.flatnonzero(coef)
    if not len(S):
        return
    x = coef[S]
    H = block(gram, S, S)
    G = H.copy()
    H[np.diag_indices_from(H)] += second_derivative(penalty, x, known[S])
    lower, failed = linalg.lapack.dpotrf(H, lower=1, clean=0)
    if failed:
        return
    gradient = slope[S] + derivative(penalty, x, known[S])
    d, _ = linalg.lapack.dpotrs(lower, -gradient, lower=1)
    moved = x + d
    if np.any(moved * x <= 0.0):
        return
    pay = value(penalty, moved, known[S]) - value(penalty, x, known[S])
    if float(slope[S] @ d + 0.5 * d @ G @ d + np.sum(pay)) <= 0.0:
        coef[S] = moved
        add_rows(gram, S, d, slope)


def levels(design: CentredColumns, penalty, ratio: float = 0.8) -> np.ndarray:
    """α_max, …, α: penalties from the least at which every best single coefficient is zero, down to that of `penalty`.

    Parameters
    ----------
    ratio : of one to the next, at least.
    """
    ones = np.ones(len(design.y)) if design.root_weight is None else design.root_weight
    pull = (design.X.T @ design.y - design.mean * float(ones @ design.y)) / design.weight_sum
    inside = design.curvature > 0.0
    bend, pull = design.curvature[inside], np.abs(pull[inside])

    def enters(alpha: float) -> bool:
        return bool(np.any(pull > bend * entry(penalty._replace(alpha=alpha), 1.0 / bend, EVERY)))

    high = penalty.alpha
    if concavity(penalty, 0) == 0.0 or not enters(high):
        # The answer of a convex problem does not depend on the start.
        return np.array([high])
    while enters(high) and high < LONGEST * penalty.alpha:
        high *= 2.0
    steps = int(np.ceil(np.log(high / penalty.alpha) / -np.log(ratio)))
    return np.geomspace(high, penalty.alpha, steps + 1)[1:]


def iterates(design: CentredColumns, penalty, enough: float) -> Iterator[FoldedState]:
    """States down the path to `penalty`, then from the lasso's solution, and at last the lower of the two ends.

    Parameters
    ----------
    enough : violation at which the descent under `penalty` ends.
    """
    design = by_column(design)
    lasso = lasso_start(design, penalty.alpha)
    run = FoldedDescent(design)
    ends = []
    for alpha in levels(design, penalty):
        asked = enough if alpha == penalty.alpha else max(enough, ON_THE_WAY)
        for state in run.rounds(penalty._replace(alpha=float(alpha)), asked):
            if state.violation <= asked:
                break
            yield state._replace(violation=np.inf, lasso=lasso)
    ends.append(state._replace(coef=state.coef.copy(), lasso=lasso))
    for state in FoldedDescent(design, lasso).rounds(penalty, enough):
        if state.violation <= enough:
            break
        yield state._replace(violation=np.inf, lasso=lasso)
    ends.append(state._replace(lasso=lasso))
    yield min(ends, key=lambda end: end.objective)


def lasso_start(design: CentredColumns, alpha: float) -> np.ndarray:
    """The lasso's coefficients at the level α, to a gap that is small beside what they explain."""
    # Under a level that is lost in rounding, columns that nearly depend on each other never come to rest.
    for state in islice(target_states(design, L1(float(alpha)), None, LASSO_GAP), MOST_ROUNDS):
        unit = explained_unit(state.objective, design.mean_square, LASSO_GAP)
        if state.gap <= LASSO_GAP * unit + np.finfo(float).tiny:
            break
    return state.coef.copy()
