"""Proximal Newton on a growing working set, for a loss of linear scores with an L1 or elastic-net penalty.

J(B, b) = Σ wᵢ ℓ(yᵢ, Bᵀxᵢ + b) / W + Σ φ(B_jk). One state per round:

1. slopes of every column; the largest violation of an optimality condition;
2. for each score k in turn, a working set: the columns in use and those that violate their condition most;
3. on it, Newton steps: the loss is replaced by its quadratic model with the curvature h of score k, the intercept is
   eliminated, the penalised model is solved through cross-products (`support_newton`), and the step is halved until
   the objective falls enough. Columns and cross-products are kept as long as they serve, over rounds too.

Between several classes, the working set holds coefficients of all classes and the steps move them together
(`joint_newton`), as long as they are not too many. Adding the same number to a coefficient in every class changes no
probability; a round ends with the shift of each column that the penalty likes best. Syllabus: L21, C7.
"""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np
from scipy import sparse

from learnable._jit.core.vectors import read_only
from learnable._jit.linear.likelihood import BernoulliLaw, PoissonLaw
from learnable._jit.sparse.law_terms import law_terms
from learnable.problems.linear.categorical import indicators, negative_log_likelihood, probabilities
from learnable.problems.sparse.penalties import EVERY, ElasticNet, l1_level, subdistance, total
from learnable.solvers.core.working_set import furthest, working_set_rounds
from learnable.solvers.sparse.design_columns import DesignColumns
from learnable.solvers.sparse.joint_newton import JointNewton
from learnable.solvers.sparse.last_moves import LastMoves
from learnable.solvers.sparse.support_factor import SupportFactor
from learnable.solvers.sparse.support_newton import SubProblem, gap, solve

# Any positive curvature keeps the gradient of the model right; this one keeps the working response finite.
LEAST_CURVATURE = 1e-10
# Columns that may enter the working set at once, however small the support.
FEWEST = 100
# Columns of the working set serve again as long as they are at most so many times those wanted.
ROOM = 1.5
NEWTON_STEPS = 20
# The problem of the working set is solved so much further than the whole is: not far while the set still changes, ...
FIRST_VIOLATION_SHARE = 0.1
# ... far once its columns have served before, ...
SETTLED_VIOLATION_SHARE = 0.003
# ... and one step only in a new set where the design has at most so many entries for each one in the set: all slopes
# then cost little more than those of the set.
CHEAP = 10.0
# Cross-products are computed anew once a step reduces the violation by less than this.
GOOD_PROGRESS = 0.03
# A change of the objective by less than this share of it may be rounding.
FLAT = 1e-14
# Means of columns in units of their spread from which on all are centred, and rows that tell.
FAR, SAMPLE = 10.0, 1000
# Rounds without progress after which rounding is all that is left.
PATIENCE = 5
# Where one of two classes has all the weight, the best intercept is infinite: it is far enough once every coefficient
# is as it must be and the rows pull less than this share of what they did at zero. The joint steps of several classes
# get there by themselves.
NEGLIGIBLE = 1e-12


class ProximalState(NamedTuple):
    """At the end of a round (the first state is the start).

    Attributes
    ----------
    objective : J.
    violation : largest distance of a coordinate from its optimality condition, intercepts included.
    theta : (p + 1, K), intercepts in the last row; (p, K) without intercept.
    steps : rounds made.
    relative_violation : the same without units: of coefficients over α, of intercepts over the
        mean size of the slopes without columns.
    """

    objective: float
    violation: float
    theta: np.ndarray
    steps: int
    relative_violation: float


class QuadraticModel(NamedTuple):
    """The weighted mean loss along one score of every row.

    Attributes
    ----------
    value : the mean itself.
    slope, curvature : (n,) its first and second derivatives, the second positive where the row counts.
    """

    value: float
    slope: np.ndarray
    curvature: np.ndarray


class ScoreLoss(Protocol):
    """A loss of K scores a row, rows weighted by shares that sum to one."""

    n_scores: int

    def near(self, scores: np.ndarray, k: int) -> QuadraticModel:
        """The mean loss at scores (n, K), along score k."""

    def slopes(self, scores: np.ndarray) -> np.ndarray:
        """(n, K) derivatives of the weighted mean."""


class CategoricalLoss:
    """−log P(class), one score between two classes, else one a class."""

    def __init__(self, index: np.ndarray, n_scores: int, weight: np.ndarray | None):
        self.index, self.n_scores, self.share = index, n_scores, shares(len(index), weight)
        self.target, self.least = indicators(index, n_scores), LEAST_CURVATURE * self.share

    def near(self, scores: np.ndarray, k: int) -> QuadraticModel:
        if self.n_scores == 1:
            return self._log_odds(scores[:, 0])
        P = probabilities(scores)[:, k]
        value = float(self.share @ negative_log_likelihood(self.index, scores))
        curvature = np.maximum(self.share * (P * (1.0 - P)), self.least)
        return QuadraticModel(value, self.share * (P - self.target[:, k]), curvature)

    def _log_odds(self, f: np.ndarray) -> QuadraticModel:
        slope, curvature = np.empty(len(f)), np.empty(len(f))
        value = law_terms(BernoulliLaw(), self.target[:, 0], np.ascontiguousarray(f), self.share, slope, curvature)
        return QuadraticModel(value, slope, np.maximum(curvature, self.least))

    def slopes(self, scores: np.ndarray) -> np.ndarray:
        return (probabilities(scores) - self.target) * self.share[:, None]


class PoissonLoss:
    """e^f − y f of counts y."""

    n_scores = 1

    def __init__(self, y: np.ndarray, weight: np.ndarray | None):
        self.y, self.share = y, shares(len(y), weight)
        self.least = LEAST_CURVATURE * self.share

    def near(self, scores: np.ndarray, k: int) -> QuadraticModel:
        f = np.ascontiguousarray(scores[:, 0], dtype=float)
        slope, curvature = np.empty(len(f)), np.empty(len(f))
        value = law_terms(PoissonLaw(), read_only(self.y), f, self.share, slope, curvature)
        # A step too long overflows on its way to being halved.
        return QuadraticModel(value if np.isfinite(value) else np.inf, slope, np.maximum(curvature, self.least))

    def slopes(self, scores: np.ndarray) -> np.ndarray:
        return self.near(scores, 0).slope[:, None]


def iterates(
    X, index: np.ndarray, n_scores: int, weight: np.ndarray | None, penalty: ElasticNet, intercept: bool,
    start: np.ndarray | None = None,
) -> Iterator[ProximalState]:  # fmt: skip
    """States for classes, until no step improves the objective any more in floating point.

    Parameters
    ----------
    X : array or sparse matrix (n, p).
    index : (n,) class indices.
    n_scores : 1 for two classes, K for K ≥ 3.
    weight : (n,) row weights, or None.
    penalty : in mean-loss scaling.
    intercept : whether intercepts are free.
    start : (p + intercept, n_scores), zero if None.
    """
    return loss_iterates(X, CategoricalLoss(index, n_scores, weight), penalty, intercept, start)


def loss_iterates(
    X, loss: ScoreLoss, penalty: ElasticNet, intercept: bool, start: np.ndarray | None = None
) -> Iterator[ProximalState]:
    """The same for any loss of scores."""
    centre = far_centres(X) if intercept else None
    if centre is None:
        yield from _rounds(X, loss, penalty, intercept, start)
        return
    if start is not None:
        start = np.vstack([start[:-1], start[-1] + centre @ start[:-1]])
    for state in _rounds(np.asarray(X, dtype=float) - centre, loss, penalty, intercept, start):
        coef, free = state.theta[:-1], state.theta[-1]
        yield state._replace(theta=np.vstack([coef, free - centre @ coef]))


def far_centres(X) -> np.ndarray | None:
    """Means of the columns of an array, if the spread of one of them is small beside its mean; else None.

    The slope of such a column is mostly that of the intercept: what is its own would drown in the rounding of the rest.

    >>> far_centres(np.array([[1e6, 0.0], [1e6 + 2.0, 1.0]]))
    array([1.000001e+06, 5.000000e-01])
    """
    if sparse.issparse(X) or not X.size:
        return None
    some = np.asarray(X[:: max(len(X) // SAMPLE, 1)], dtype=float)
    if not np.any(np.abs(some.mean(axis=0)) > FAR * some.std(axis=0)):
        return None
    return np.mean(X, axis=0, dtype=float)


def _rounds(
    X, loss: ScoreLoss, penalty: ElasticNet, intercept: bool, start: np.ndarray | None
) -> Iterator[ProximalState]:
    fit = _Fit(X, loss, penalty, intercept)
    p, K = fit.p, loss.n_scores
    theta = np.zeros((p + 1, K))
    scores = fit.scores(theta)
    at_zero = _size(loss.slopes(scores))
    fit.balance(theta, scores)
    level = penalty.alpha
    unit = max(_size(loss.slopes(scores)), np.finfo(float).tiny)
    if start is not None:
        theta[: len(start)] = start
        scores = fit.scores(theta)
        fit.balance(theta, scores)
    quadratic, best, steps, stalled, at_infinity = loss.near(scores, 0), np.inf, 0, 0, False
    value = quadratic.value + fit.held(theta)

    def judge():
        nonlocal at_infinity
        if stalled >= PATIENCE or at_infinity:
            return None
        slopes = fit.slopes(quadratic.slope[:, None] if K == 1 else loss.slopes(scores))
        distance = fit.distance(theta, slopes)
        miss = np.abs(slopes[p]).max() if intercept else 0.0
        furthest_off = float(distance.max(initial=0.0))
        violation = max(furthest_off, float(miss))
        relative = max(furthest_off / level if level > 0.0 else np.inf, float(miss) / unit)
        at_infinity = K == 1 and furthest_off == 0.0 and _size(quadratic.slope[:, None]) <= NEGLIGIBLE * at_zero
        state = ProximalState(value, violation, theta if intercept else theta[:p], steps, relative)
        return state, (slopes, distance, violation)

    def improve(standing, _) -> None:
        nonlocal theta, scores, quadratic, best, steps, stalled, value
        slopes, distance, violation = standing
        theta = theta.copy()
        if fit.joint is None or not fit.joint.improve(theta, scores, distance, violation):
            for k in range(K):
                quadratic = loss.near(scores, k) if k else quadratic
                # Each score has a working set of its own.
                quadratic = fit.improve(theta, scores, k, quadratic, slopes[:p, k], distance[:, k], violation)
        if K > 1:
            theta[:p] -= best_shift(penalty, theta[:p])[:, None]
            theta[p] -= theta[p].mean()
            scores = fit.scores(theta)
            quadratic = loss.near(scores, 0)
        before, value = value, quadratic.value + fit.held(theta)
        # At the minimum J cannot tell points apart any more; there a smaller violation is progress too.
        progress = value < before - FLAT * abs(before) or violation < best
        stalled = 0 if progress else stalled + 1
        best, steps = min(best, violation), steps + 1

    return working_set_rounds(judge, lambda standing: None, improve)


def _size(slopes: np.ndarray) -> float:
    """The mean size of the slopes in a score, the largest of all scores."""
    return float(np.abs(slopes).sum(axis=0).max())


def largest_level(X, loss: ScoreLoss, intercept: bool) -> float:
    """The L1 level from which on every coefficient is zero: the largest slope at B = 0 with the best intercepts."""
    fit = _Fit(X, loss, ElasticNet(0.0, 1.0), intercept)
    theta = np.zeros((fit.p + 1, loss.n_scores))
    scores = fit.scores(theta)
    fit.balance(theta, scores)
    return float(np.abs(fit.slopes(loss.slopes(scores))[: fit.p]).max(initial=0.0))


def shares(n: int, weight: np.ndarray | None) -> np.ndarray:
    """Weights that sum to one."""
    if weight is None:
        return np.full(n, 1.0 / n)
    return np.asarray(weight, dtype=float) / float(np.sum(weight))


class _Fit:
    """The data and the objective of one fit."""

    def __init__(self, X, loss: ScoreLoss, penalty: ElasticNet, intercept: bool):
        self.every, self.p = DesignColumns.of(X), X.shape[1]
        self.loss, self.penalty, self.intercept = loss, penalty, intercept
        self.working: _WorkingSet | None = None
        self.joint: JointNewton | None = None
        if isinstance(loss, CategoricalLoss) and loss.n_scores > 1:
            self.joint = JointNewton(self.every, loss.index, loss.target, loss.share, penalty, intercept)

    def scores(self, theta: np.ndarray) -> np.ndarray:
        used = np.flatnonzero(theta[: self.p].any(axis=1))
        if not len(used):
            return np.tile(theta[self.p], (self.every.n, 1))
        return self.every.part(used).times(theta[used]) + theta[self.p]

    def slopes(self, pull: np.ndarray) -> np.ndarray:
        """(p + 1, K) gradient of the mean loss, intercepts in the last row; `pull` is that in the scores."""
        # A matrix times one column is slower than the matrix times a vector.
        columns = self.every.pulled(pull[:, 0] if pull.shape[1] == 1 else pull).reshape(self.p, -1)
        return np.vstack([columns, pull.sum(axis=0)])

    def held(self, theta: np.ndarray) -> float:
        """The penalty."""
        coef = theta[: self.p]
        return total(self.penalty, coef[coef != 0.0])

    def distance(self, theta: np.ndarray, slopes: np.ndarray) -> np.ndarray:
        """(p, K) distances from the optimality conditions: a zero whose slope is within the level satisfies its own."""
        theta, slopes = theta[: self.p], slopes[: self.p]
        found = np.zeros_like(slopes)
        some = (np.abs(slopes) > l1_level(self.penalty, EVERY)) | (theta != 0.0)
        found[some] = subdistance(self.penalty, theta[some], slopes[some], EVERY)
        return found

    def balance(self, theta: np.ndarray, scores: np.ndarray) -> None:
        """Newton steps on the intercepts alone, in place: from there the slopes of the columns mean something."""
        if not self.intercept:
            return
        for k in range(self.loss.n_scores):
            quadratic = self.loss.near(scores, k)
            for _ in range(20):
                move = -quadratic.slope.sum() / quadratic.curvature.sum()
                before = quadratic.value
                if abs(move) <= 1e-12 * (1.0 + abs(theta[self.p, k])):
                    break
                for t in 0.5 ** np.arange(12):
                    scores[:, k] += t * move
                    quadratic = self.loss.near(scores, k)
                    if quadratic.value <= before + FLAT * abs(before):
                        theta[self.p, k] += t * move
                        break
                    scores[:, k] -= t * move
                else:  # rounding is all that is left
                    break

    def improve(
        self, theta: np.ndarray, scores: np.ndarray, k: int, quadratic: QuadraticModel, slopes: np.ndarray,
        distance: np.ndarray, violation: float,
    ) -> QuadraticModel:  # fmt: skip
        """Newton steps in score k, in place; the loss where they end.

        Parameters
        ----------
        quadratic : the loss at `scores` along k.
        slopes, distance : (p,) of the columns at the start of the round.
        violation : largest of all then.
        """
        working = self._working_set(theta[: self.p, k], distance, k)
        columns, W = working.columns, working.columns.places
        slope = slopes[W]
        settled = working.model is not None
        cheap = not settled and self.every.entries <= CHEAP * columns.entries
        for made in range(1 if cheap or self.loss.n_scores > 1 else NEWTON_STEPS):
            if made or k:
                slope = columns.pulled(quadratic.slope)
            coef = theta[W, k]
            now = float(subdistance(self.penalty, coef, slope, W).max(initial=0.0)) if len(W) else 0.0
            now = max(now, abs(float(quadratic.slope.sum()))) if self.intercept else now
            if made and now <= (SETTLED_VIOLATION_SHARE if settled else FIRST_VIOLATION_SHARE) * violation:
                break
            fresh = working.model is None or now > GOOD_PROGRESS * working.last
            if working.model is None or fresh:
                working.model = _ColumnModel(columns, quadratic.curvature, self.intercept)
            working.last = now
            new, shift = working.model.minimum(
                self.penalty, coef, slope, scores[:, k] - theta[self.p, k], quadratic.slope
            )
            moved, quadratic = self._step(theta, scores, k, columns, new, shift, quadratic)
            if not moved and fresh:
                break
        return quadratic

    def _working_set(self, coef: np.ndarray, distance: np.ndarray, k: int) -> "_WorkingSet":
        """The columns in use and those that violate their condition most; the last ones as long as they serve."""
        wanted = furthest(np.where(coef != 0.0, np.inf, distance), max(FEWEST, 2 * int(np.count_nonzero(coef))))
        working = self.working
        if working is None or not working.columns.hold(wanted):
            working = _WorkingSet(self.every.part(wanted), k)
        elif working.k != k or len(working.columns.places) > ROOM * len(wanted):
            working = _WorkingSet(working.columns.part(wanted), k)
        self.working = working
        return working

    def _step(
        self, theta, scores, k: int, columns: DesignColumns, new, shift: float, quadratic: QuadraticModel
    ) -> tuple[bool, QuadraticModel]:
        """Move towards the minimum of the model as far as the objective falls enough; (whether it moved, the loss)."""
        W, free = columns.places, theta[self.p, k]
        old = theta[W, k]
        step = new - old
        along = columns.times(step) + shift
        held, before = total(self.penalty, old), scores[:, k].copy()
        decrease = float(quadratic.slope @ along) + total(self.penalty, new) - held
        flat = FLAT * abs(quadratic.value + held)
        for length in 0.5 ** np.arange(30):
            scores[:, k] = before + length * along
            there, moved = self.loss.near(scores, k), old + length * step
            enough = quadratic.value + held + max(1e-4 * length * decrease, -flat) + flat
            if there.value + total(self.penalty, moved) <= enough:
                theta[W, k], theta[self.p, k] = moved, free + length * shift
                return bool(step.any() or shift != 0.0), there
        scores[:, k] = before
        return False, quadratic


class _WorkingSet:
    """Columns for score k, the last model of the loss in them and the violation it was to remove."""

    def __init__(self, columns: DesignColumns, k: int):
        self.columns, self.k = columns, k
        self.model: _ColumnModel | None = None
        self.last = np.inf


class _ColumnModel:
    """The quadratic model of the mean loss in some columns: cross-products under the curvatures h of the rows."""

    def __init__(self, columns: DesignColumns, h: np.ndarray, intercept: bool):
        self.W, self.h, self.intercept = columns.places, h, intercept
        self.total = float(h.sum())
        # A row without weight has neither slope nor curvature.
        self.inverse = np.divide(1.0, h, out=np.zeros_like(h), where=h > 0.0)
        self.gram = columns.gram(h)
        self.mean = columns.pulled(h) / self.total if intercept else np.zeros(len(self.W))
        if intercept:
            self.gram -= self.total * np.outer(self.mean, self.mean)
        self.factor, self.last = SupportFactor(), LastMoves()

    def minimum(self, penalty, coef: np.ndarray, slope: np.ndarray, fitted: np.ndarray, u: np.ndarray):
        """(coefficients, change of the intercept) of the least model + penalty, as exactly as the step is worth.

        Parameters
        ----------
        slope : (w,) of the loss in the columns.
        fitted : (n,) what the columns contribute to the scores.
        u : (n,) slopes of the loss in the scores.
        """
        miss = float(u.sum()) if self.intercept else 0.0
        # The intercept follows: its best value for every change of the coefficients is known.
        response = fitted - u * self.inverse
        if self.intercept:
            response -= float(self.h @ response) / self.total
        square = float(self.h @ response**2)
        slope = slope - self.mean * miss
        sub_problem = SubProblem(
            self.W, self.gram, coef.copy(), slope, self.gram @ coef - slope, square, self.factor, self.last
        )
        try:
            solve(sub_problem, penalty, max(1e-4 * gap(sub_problem, penalty), 8.0 * np.finfo(float).eps * square))
        except np.linalg.LinAlgError as error:
            raise ValueError(self._far_from_zero()) from error
        shift = -miss / self.total - float(self.mean @ (sub_problem.coef - coef)) if self.intercept else 0.0
        return sub_problem.coef, shift

    def _far_from_zero(self) -> str:
        left = np.maximum(np.abs(np.diag(self.gram)), np.finfo(float).tiny)
        column = self.W[np.argmax(np.abs(self.mean) / np.sqrt(left))]
        return (
            f"column {column} is so far from zero, beside what it varies by, that sums over sparse rows keep no digit "
            "of it; subtract its mean, or give a dense table"
        )


def best_shift(penalty: ElasticNet, B: np.ndarray) -> np.ndarray:
    """For each row of B, the number s that minimises Σ_k φ(B_k − s): the median for L1, the mean for L2.

    The sum is convex and quadratic between neighbouring entries, so that its minimum is at an entry or at the
    stationary point of a piece.

    >>> best_shift(ElasticNet(1.0, 1.0), np.array([[1.0, 2.0, 9.0]]))
    array([2.])
    """
    K = B.shape[1]
    ordered = np.sort(B, axis=1)
    candidates = [ordered]
    ridge = penalty.alpha * (1.0 - penalty.l1_ratio)
    if ridge > 0.0:
        below = np.arange(1, K)
        stationary = B.mean(axis=1, keepdims=True) - penalty.alpha * penalty.l1_ratio * (2 * below - K) / (ridge * K)
        candidates.append(np.clip(stationary, ordered[:, :-1], ordered[:, 1:]))
    shift = np.hstack(candidates)
    apart = B[:, None, :] - shift[:, :, None]
    cost = (penalty.alpha * penalty.l1_ratio * np.abs(apart) + 0.5 * ridge * apart**2).sum(axis=2)
    return shift[np.arange(len(B)), cost.argmin(axis=1)]
