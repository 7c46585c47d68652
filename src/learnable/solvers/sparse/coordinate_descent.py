"""Working-set coordinate descent for squared loss + separable penalty, with exact steps on the support.

min over β of ‖y − Xβ‖²_W / 2 + Σ φ_j(β_j), where ‖·‖²_W is the weighted mean of squares and X, y are centred when the
intercept is free. One state per outer round:

1. correlations Xᵀr as far as they can matter (`correlations`), duality gap;
2. working set: the columns met so far and those that violate their optimality condition;
3. the problem of the working set alone, through its cross-products (`support_newton`); with too many columns for
   those, coordinate sweeps over the rows.

Under a sequence of penalties, cross-products, correlations and the factor of the support are kept from one to the next,
and the line through the last two solutions is extrapolated to the next one.

Syllabus: L3, L6, L13.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from learnable._jit.core.vectors import columns_of
from learnable._jit.sparse.coordinate_descent import sweeps, take_away, values
from learnable._jit.sparse.extrapolation import beyond, extrapolate, working_set_slopes
from learnable.problems.core.duality import Gap
from learnable.problems.sparse.penalties import EVERY, NonNegative, l1_level, scaled
from learnable.solvers.core.working_set import furthest, working_set_rounds
from learnable.solvers.sparse.all_products import AllProducts
from learnable.solvers.sparse.correlations import Correlations
from learnable.solvers.sparse.cross_products import CrossProducts, cross_product_rounding
from learnable.solvers.sparse.support_newton import SubProblem, newton_steps, solve

# Beyond this many columns their cross-products cost more than sweeping over the rows.
LARGEST_WORKING_SET = 3000
SWEEPS_A_ROUND = 10
# The problem of the working set is solved so much further than the whole needs to be: from one round to the next, and
# from one penalty to the next.
ROUND_GAP_SHARE = 0.01
PATH_GAP_SHARE = 0.1
# How many times its threshold a column must exceed for the start to count as far away.
CONTINUATION_RATIO = 4.0
# A gap of so many times the mean square of the target is rounding.
EPS, TINY = float(np.finfo(float).eps), float(np.finfo(float).tiny)
ROUNDED_GAP = 16.0 * EPS
# Predictions that move by less than this share of themselves move by rounding.
ROUNDED_MOVE = 1e-12
# Columns that may enter the working set at once, however small the support.
FEWEST = 100


def explained_unit(objective: Any, mean_square: Any, gap_target: float) -> Any:
    """What a gap is measured by: twice what the objective has come down by, from ½ the mean square of the target.

    No relative gap `gap_target` is then asked for below the rounding of the objective.

    >>> float(explained_unit(0.2, 1.0, 1e-6)), bool(explained_unit(0.5, 1.0, 1e-6) < 1e-8)
    (0.6, True)
    """
    least = ROUNDED_GAP / gap_target if gap_target > 0.0 else 1.0
    return np.maximum(mean_square - 2.0 * objective, least * mean_square)


class DescentState(NamedTuple):
    """After an outer round.

    Attributes
    ----------
    objective : primal value, summed over the targets.
    relative_gap : largest duality gap of a target, over what is explained of its mean square.
    gap : (q,) primal minus dual value of each target: its objective is within `gap` of the minimum.
    coef : (q, p).
    rounds : (q,) outer rounds made.
    sweeps : coordinate passes made, over all targets.
    """

    objective: float
    relative_gap: float
    gap: np.ndarray
    coef: np.ndarray
    rounds: np.ndarray
    sweeps: int


class TargetState(NamedTuple):
    """After an outer round on one target."""

    objective: float
    gap: float
    coef: np.ndarray
    sweeps: int


class CentredColumns(NamedTuple):
    """The design as the solver sees it: rows scaled by √w, columns shifted by `mean` (implicitly when sparse).

    Attributes
    ----------
    X : array, Fortran-ordered where columns are many, or CSC matrix; rows multiplied by √w.
    y : centred targets times √w.
    root_weight : √w, or None for equal weights.
    weight_sum : Σ w.
    mean : (p,) what is still to be subtracted from each column (times √w); zero for a dense design, centred already.
    curvature : (p,) weighted mean squares of the centred columns.
    """

    X: Any
    y: np.ndarray
    root_weight: np.ndarray | None
    weight_sum: float
    mean: np.ndarray
    curvature: np.ndarray

    @property
    def mean_square(self) -> float:
        """‖y‖² / W."""
        return float(self.y @ self.y) / self.weight_sum


def centred_columns(X, y: np.ndarray, weight: np.ndarray | None, intercept: bool):
    """(columns ready for the solver, mean of the columns, mean of y); nothing given is modified."""
    n, p = X.shape
    W = float(n) if weight is None else float(weight.sum())
    root = None if weight is None else np.sqrt(weight)
    share = np.full(n, 1.0 / W) if weight is None else weight / W
    x_mean = np.asarray(share @ X).ravel() if intercept else np.zeros(p)
    y = np.asarray(y, dtype=float)
    y_mean = float(mean_of(y, share)) if intercept else 0.0
    y = y - y_mean
    if root is not None:
        y *= root
    if sparse.issparse(X):
        X = sparse.csc_array(X, dtype=float) if root is None else sparse.csc_array(sparse.diags_array(root) @ X)
        squares = np.asarray(X.multiply(X).sum(axis=0)).ravel() / W - x_mean**2
        shift = x_mean
    else:
        # Of few columns cross-products are asked for, not one column after the other.
        order: Any = "K" if p <= FEWEST else "F"
        ready = not intercept and root is None and X.dtype == float and (order == "K" or X.flags.f_contiguous)
        X = X if ready else np.subtract(X, x_mean, out=np.empty_like(X, dtype=float, order=order))
        if root is not None:
            X *= root[:, None]
        squares = np.einsum("ij,ij->j", X, X) / W
        shift = np.zeros(p)
    # A constant column has nothing left after centring but rounding.
    squares[squares <= 1e-28 * x_mean**2] = 0.0
    return CentredColumns(X, y, root, W, shift, squares), x_mean, y_mean


def mean_of(y: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Mean of targets (n,) or (n, q), `share` adding up to one: what a first sum misses is added, so that of equal ones
    it is they themselves.

    >>> bool(mean_of(np.full(29, 0.1), np.full(29, 1 / 29)) == 0.1)
    True
    """
    near = share @ y
    return near + share @ (y - near)


def by_column(design: CentredColumns) -> CentredColumns:
    """The same design, columns stored one after the other."""
    return design if sparse.issparse(design.X) else design._replace(X=np.asfortranarray(design.X))


def iterates(
    designs: Sequence[CentredColumns], penalty, starts: Sequence[np.ndarray | None], gap_target: float = 0.0
) -> Iterator[DescentState]:
    """States, one round on every target that is not within the relative gap `gap_target` yet.

    A gap is over twice what the objective has come down by: at the minimum that is the mean square of Xβ or more, so
    that answers which explain little are as near, of themselves, as those which explain all. It is never asked for
    below the rounding of the objective. The states end where no round moves anything more.
    """
    scale = [max(design.mean_square, TINY) for design in designs]
    runs = [target_states(design, penalty, start, gap_target) for design, start in zip(designs, starts)]
    states = [next(run) for run in runs]
    rounds = np.zeros(len(runs), dtype=int)
    while True:
        relative = [each.gap / explained_unit(each.objective, size, gap_target) for each, size in zip(states, scale)]
        yield DescentState(
            sum(state.objective for state in states),
            float(max(relative)),
            np.array([state.gap for state in states]),
            np.array([state.coef for state in states]),
            rounds.copy(),
            sum(state.sweeps for state in states),
        )
        far = [k for k, each in enumerate(relative) if each > gap_target]
        advanced = False
        for k in far:
            if (state := next(runs[k], None)) is not None:
                states[k], advanced = state, True
                rounds[k] += 1
        if far and not advanced:
            return


def target_states(
    design: CentredColumns, penalty: Any, start: np.ndarray | None, gap_target: float
) -> Iterator[TargetState]:
    """States of one target: those of working sets, or the start and the solution where there are few columns.

    There too working sets go on where cross-products cannot tell a relative gap of `gap_target` from rounding.
    """
    size = design.mean_square
    if 0 < np.count_nonzero(design.curvature) <= min(FEWEST, len(design.y)):
        problem = AllProducts(design, start)
        for point in problem.points(penalty, ROUND_GAP_SHARE * gap_target * size):
            start, enough = point.coef, gap_target * explained_unit(point.objective, size, gap_target)
            if start.any() and point.gap <= enough <= problem.rounding(start):
                break
            yield TargetState(point.objective, point.gap, point.coef, point.steps)
    yield from Descent(design, start).rounds(penalty, gap_target * size)


def until_at_rest(
    states: Iterator[Any], curvature: np.ndarray, mean_square: float, longest: float = math.inf
) -> Iterator[Any]:
    """The states, of one target or of several, to the first whose objective and predictions rounding may have moved, or
    to the last of so many in a row (`longest`) whose objective it may have.

    Under a penalty so weak that its level is lost in the rounding of Xᵀr, no dual point shows a small gap.
    """
    rounding, length = ROUNDED_GAP * mean_square, np.sqrt(curvature)
    before, coef, rested = np.inf, np.zeros(()), 0
    for state in states:
        yield state
        rested = rested + 1 if before - state.objective <= rounding else 0
        if rested:
            moved, size = (float(np.sum(length @ np.abs(part))) for part in (state.coef - coef, state.coef))
            if moved <= ROUNDED_MOVE * size or rested >= longest:
                return
        before, coef = state.objective, state.coef.copy()


class Descent:
    """One target, under one penalty after another: each starts at the solution before it and finds what it left.

    Parameters
    ----------
    design : the columns and the target.
    start : (p,) coefficients, zero if None.
    """

    def __init__(self, design: CentredColumns, start: np.ndarray | None = None):
        self.design = design = by_column(design)
        self.columns = columns_of(design.X)
        lipschitz = design.curvature
        self.coef = np.zeros(len(lipschitz)) if start is None else np.array(start, dtype=float)
        self.movable = lipschitz > 0.0
        self.coef[~self.movable] = 0.0
        self.length = np.sqrt(np.where(self.movable, lipschitz, 1.0))
        self.ones = np.ones(len(design.y)) if design.root_weight is None else design.root_weight
        self.correlations = Correlations(self.columns, design.mean, np.sqrt(lipschitz), self.ones, design.weight_sum)
        self.crossings = CrossProducts(design.X, design.mean, design.weight_sum)
        self.mean_square = design.mean_square
        self.target = self.correlations.everywhere(design.y)  # x_j·y / W
        self.level: np.ndarray | None = None
        # Where we stood last, and where when the penalty before was done with; of how many columns of the working set
        # the slopes are exact at both.
        self.slope = -self.target
        self.before: tuple[np.ndarray, np.ndarray] | None = None
        self.exact_at_both = 0
        # Slopes of the columns of the working set that the last solution left, if they are exact gap_target.
        self.last_slopes: np.ndarray | None = None
        self.sweeps = 0

    def follow(self, penalty, step: float, gap_target: float) -> bool:
        """From the solution under one penalty to near the one under the next, which `rounds` then judges and improves.

        Solutions and slopes move nearly along a line with the penalty: both go on `step` times as far as they came
        since the penalty before. What would change its sign stops at zero, and the columns beyond their level at the
        extrapolated point enter the working set. False, and nothing done, where these are too many for cross-products.
        """
        level = self._level(penalty)
        before, threshold = (self.before, level) if self.before else ((self.coef, self.slope), self._threshold(level))
        coef, slope = np.empty_like(self.coef), np.empty_like(self.slope)
        extrapolate(self.coef, self.slope, *before, step, coef, slope)
        wanted = self._wanted(penalty, slope, threshold)
        if len(wanted) > LARGEST_WORKING_SET:
            self.before = None
            return False
        crossings, known = self.crossings, self._taken_in(wanted)
        exact = min(self.exact_at_both, len(known))
        slope = working_set_slopes(
            crossings.gram, known, exact, self.target, self.coef, self.slope, before[0], step, coef, slope
        )
        self.before, self.level, self.exact_at_both = (self.coef, self.slope), level, len(known)
        self.coef = coef
        sub_problem = self._solved(penalty, slope, PATH_GAP_SHARE * gap_target)
        self.coef[known] = sub_problem.coef
        self.last_slopes = sub_problem.slope if gap_target > self._rounding() else None
        return True

    def rounds(self, penalty, gap_target: float = 0.0) -> Iterator[TargetState]:
        """States under one penalty, until they are at rest; `gap_target` is the gap at which the caller will stop."""
        level = self._level(penalty)
        threshold, self.level = self._threshold(level), level
        if isinstance(penalty, NonNegative):
            # A start below zero has no finite objective to improve.
            np.maximum(self.coef, 0.0, out=self.coef)

        def judge() -> tuple[TargetState, tuple[np.ndarray, Gap]]:
            residual = residual_of(self.design, self.columns, self.ones, self.coef)
            self.slope = self._slope(residual, np.minimum(threshold, level))
            gap = self._gap(penalty, residual)
            return TargetState(gap.primal, gap.gap, self.coef, self.sweeps), (residual, gap)

        def enlarge(standing) -> np.ndarray:
            nonlocal threshold
            wanted, threshold = self._wanted(penalty, self.slope, threshold), level
            return wanted

        def solve_part(standing: tuple[np.ndarray, Gap], wanted: np.ndarray) -> None:
            residual, gap = standing
            easy = len(level) <= min(FEWEST, len(self.ones))
            harder = penalty if easy else self._on_the_way(penalty, level)
            if len(wanted) > LARGEST_WORKING_SET:
                self._sweep(penalty, wanted, residual.copy(), 0.01 * max(gap.gap, 0.0) / len(wanted))
                return
            known = self._taken_in(wanted)
            target = ROUND_GAP_SHARE * (gap_target if gap_target > 0.0 else gap.gap)
            sub_problem = self._solved(harder, self.slope[known], target)
            # Sweeps end near the solution; the equations of its signs, solved, are the solution.
            newton_steps(sub_problem, harder, len(known))
            self.coef[known] = sub_problem.coef

        return until_at_rest(working_set_rounds(judge, enlarge, solve_part), self.design.curvature, self.mean_square)

    def _on_the_way(self, penalty, level: np.ndarray):
        """From far away the penalty comes down by halves: each solution starts the next one near its own."""
        outside = self.movable & (level > 0.0) & (self.coef == 0.0)
        excess = float(np.max(_pull(penalty, self.slope)[outside] / level[outside], initial=1.0))
        return scaled(penalty, 0.5 * excess) if excess > CONTINUATION_RATIO else penalty

    def _level(self, penalty) -> np.ndarray:
        level = np.empty(len(self.coef))
        level[:] = l1_level(penalty, EVERY)
        return level

    def _threshold(self, level: np.ndarray) -> np.ndarray:
        """The sequential strong rule: a correlation rarely grows by more than the penalty falls."""
        return level if self.level is None else 2.0 * level - self.level

    def _wanted(self, penalty, slope: np.ndarray, threshold: np.ndarray) -> np.ndarray:
        """The support and the columns beyond their threshold; if these are many, the furthest."""
        ahead = np.empty(len(slope))
        chosen = beyond(slope, threshold, self.length, self.movable, self.coef, isinstance(penalty, NonNegative), ahead)
        size = max(FEWEST, 2 * int(np.count_nonzero(self.coef)))
        return furthest(ahead, size, chosen)

    def _taken_in(self, wanted: np.ndarray) -> np.ndarray:
        """Have the cross-products of the wanted columns; returns all columns known then."""
        if self.crossings.take_in(wanted, LARGEST_WORKING_SET):
            self.exact_at_both = 0
        return self.crossings.known

    def _slope(self, residual: np.ndarray, level: np.ndarray) -> np.ndarray:
        """−Xᵀr/W, exact where it reaches `level`, and for all columns of the working set."""
        known, last, self.last_slopes = self.crossings.known, self.last_slopes, None
        if not len(self.correlations.known):
            return -(self.correlations.everywhere(residual) if self.coef.any() else self.target)
        needed = known if last is not None else np.concatenate([known, np.flatnonzero(self.coef)])
        return -self.correlations.of(residual, level, needed, None if last is None else -last)

    def _rounding(self) -> float:
        return cross_product_rounding(self.mean_square, float(np.dot(np.abs(self.coef), self.length)))

    def _gap(self, penalty, residual: np.ndarray) -> Gap:
        """The gap of `problems.duality` for this loss."""
        W = self.design.weight_sum
        square, with_y = float(residual @ residual) / W, float(self.design.y @ residual) / W
        return Gap(*values(square, with_y, self.slope, self.coef, penalty, self.correlations.every))

    def _solved(self, penalty, slope: np.ndarray, gap_target: float) -> SubProblem:
        """The columns whose cross-products are known, improved from their slopes."""
        crossings, known = self.crossings, self.crossings.known
        sub_problem = SubProblem(
            known, crossings.gram, self.coef[known], slope, self.target[known], self.mean_square,
            crossings.factor, crossings.last,
        )  # fmt: skip
        # A gap below the rounding of its own terms cannot be asked for.
        self.sweeps += solve(sub_problem, penalty, max(gap_target, 8.0 * EPS * self.mean_square))
        return sub_problem

    def _sweep(self, penalty, working: np.ndarray, residual: np.ndarray, stop: float) -> None:
        """Too many columns for cross-products: coordinate sweeps over the rows."""
        total = np.array([float(self.ones @ residual)])
        done, _ = sweeps(
            self.columns, self.design.mean, residual, total, self.design.weight_sum, self.coef,
            self.design.curvature, penalty, working, SWEEPS_A_ROUND, stop,
        )  # fmt: skip
        self.sweeps += done


def residual_of(design: CentredColumns, columns, ones: np.ndarray, coef: np.ndarray) -> np.ndarray:
    """y − Xβ, centred when the intercept is free: that absorbs the mean of the residual."""
    residual = design.y.copy()
    take_away(columns, coef, residual)
    if design.mean.any():
        residual -= ones * (float(ones @ residual) / design.weight_sum)
    return residual


def _pull(penalty, slope: np.ndarray) -> np.ndarray:
    """How hard each column is drawn away from zero."""
    return np.maximum(-slope, 0.0) if isinstance(penalty, NonNegative) else np.abs(slope)
