"""Proximal Newton on a growing working set, for a loss of linear scores with an L1 or elastic-net penalty.

J(B, b) = Σ wᵢ ℓ(yᵢ, Bᵀxᵢ + b) / W + Σ φ(B_jk). One state per round:

1. slopes of every column; the largest violation of an optimality condition;
2. for each score k in turn, a working set: the columns in use and those that violate their condition most;
3. on it, Newton steps: the loss is replaced by its quadratic model with the curvature h of score k, the intercept is
   eliminated, the penalised model is solved through cross-products (`support_newton`), and the step is halved until
   the objective falls enough. Cross-products are kept as long as steps with them make good progress.

With several classes, adding the same number to a coefficient in every class changes no probability; a round ends with
the shift of each column that the penalty likes best. Syllabus: L21, C7.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy import sparse

from learnable._jit.sparse_gram import sparse_gram
from learnable._jit.vectors import rows_of
from learnable.problems import losses
from learnable.problems.categorical import indicators, negative_log_likelihood, probabilities
from learnable.problems.penalties import EVERY, ElasticNet, subdistance, total
from learnable.solvers.support_factor import SupportFactor
from learnable.solvers.support_newton import Play, gap, solve

# Any positive curvature keeps the gradient of the model right; this one keeps the working response finite.
LEAST_CURVATURE = 1e-10
# Columns that may come into play at once, however small the support.
FEWEST = 100
NEWTON_STEPS = 20
# The problem of the working set is solved so much further than the whole is.
FURTHER = 0.1
# Cross-products are computed anew once a step reduces the violation by less than this.
GOOD_PROGRESS = 0.3
# Rounds without progress after which rounding is all that is left.
PATIENCE = 5


class ProximalState(NamedTuple):
    """At the end of a round (the first state is the start).

    Attributes
    ----------
    objective : J.
    violation : largest distance of a coordinate from its optimality condition, intercepts included.
    theta : (p + 1, K), intercepts in the last row; (p, K) without intercept.
    steps : rounds made.
    """

    objective: float
    violation: float
    theta: np.ndarray
    steps: int


class ScoreLoss(Protocol):
    """A loss of K scores a row, rows weighted by shares that sum to one."""

    n_scores: int

    def value(self, scores: np.ndarray) -> float:
        """Weighted mean loss at scores (n, K)."""

    def slopes(self, scores: np.ndarray) -> np.ndarray:
        """(n, K) derivatives of the weighted mean."""

    def bend(self, scores: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """(n,) first and second derivatives of the weighted mean in score k; the second positive."""


class CategoricalLoss:
    """−log P(class), one score between two classes, else one a class."""

    def __init__(self, index: np.ndarray, n_scores: int, weight: np.ndarray | None):
        self.index, self.n_scores, self.share = index, n_scores, shares(len(index), weight)
        self.target = indicators(index, n_scores)

    def value(self, scores: np.ndarray) -> float:
        return float(self.share @ negative_log_likelihood(self.index, scores))

    def slopes(self, scores: np.ndarray) -> np.ndarray:
        return (probabilities(scores) - self.target) * self.share[:, None]

    def bend(self, scores: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        P = probabilities(scores)[:, k]
        return self.share * (P - self.target[:, k]), self.share * np.maximum(P * (1.0 - P), LEAST_CURVATURE)


class RegressionLoss:
    """A convex loss of `problems` of one score."""

    n_scores = 1

    def __init__(self, loss: NamedTuple, y: np.ndarray, weight: np.ndarray | None):
        self.loss, self.y, self.share = loss, y, shares(len(y), weight)

    def value(self, scores: np.ndarray) -> float:
        # A step too long overflows on its way to being halved.
        with np.errstate(over="ignore", invalid="ignore"):
            found = float(self.share @ losses.value(self.loss, self.y, scores[:, 0]))
        return found if np.isfinite(found) else np.inf

    def slopes(self, scores: np.ndarray) -> np.ndarray:
        return (self.share * losses.gradient(self.loss, self.y, scores[:, 0]))[:, None]

    def bend(self, scores: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        h = np.maximum(losses.curvature(self.loss, self.y, scores[:, 0]), LEAST_CURVATURE)
        return self.slopes(scores)[:, 0], self.share * h


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
    fit = _Fit(X, loss, penalty, intercept)
    p, K = fit.p, loss.n_scores
    theta = np.zeros((p + 1, K))
    if start is not None:
        theta[: len(start)] = start
    scores = fit.scores(theta)
    fit.balance(theta, scores)
    value, best, steps, stalled = fit.value(theta, scores), np.inf, 0, 0
    while stalled < PATIENCE:
        slopes = fit.slopes(scores)
        distance = fit.distance(theta, slopes)
        miss = np.abs(slopes[p]).max() if intercept else 0.0
        violation = float(max(distance.max(initial=0.0), miss))
        yield ProximalState(value, violation, theta if intercept else theta[:p], steps)
        theta = theta.copy()
        for k in range(K):
            fit.improve(theta, scores, k, distance[:, k], violation)
        if K > 1:
            theta[:p] -= best_shift(penalty, theta[:p])[:, None]
            theta[p] -= theta[p].mean()
            scores = fit.scores(theta)
        before, value = value, fit.value(theta, scores)
        # At the minimum J cannot tell points apart any more; there a smaller violation is progress too.
        progress = value < before - 1e-14 * abs(before) or violation < best
        stalled = 0 if progress else stalled + 1
        best, steps = min(best, violation), steps + 1


def largest_level(X, loss: ScoreLoss, intercept: bool) -> float:
    """The L1 level from which on every coefficient is zero: the largest slope at B = 0 with the best intercepts."""
    fit = _Fit(X, loss, ElasticNet(0.0, 1.0), intercept)
    theta = np.zeros((fit.p + 1, loss.n_scores))
    scores = fit.scores(theta)
    fit.balance(theta, scores)
    return float(np.abs(fit.slopes(scores)[: fit.p]).max(initial=0.0))


def shares(n: int, weight: np.ndarray | None) -> np.ndarray:
    """Weights that sum to one."""
    if weight is None:
        return np.full(n, 1.0 / n)
    return np.asarray(weight, dtype=float) / float(np.sum(weight))


class _Fit:
    """The data and the objective of one fit."""

    def __init__(self, X, loss: ScoreLoss, penalty: ElasticNet, intercept: bool):
        self.X = sparse.csc_array(X, dtype=float) if sparse.issparse(X) else np.asarray(X, dtype=float)
        self.loss, self.p = loss, X.shape[1]
        self.penalty, self.intercept = penalty, intercept
        self.taken: np.ndarray | None = None
        self.columns: Any = None
        self.rows: Any = None

    def scores(self, theta: np.ndarray) -> np.ndarray:
        used = np.flatnonzero(theta[: self.p].any(axis=1))
        if not len(used):
            return np.tile(theta[self.p], (self.X.shape[0], 1))
        return np.asarray(self.X[:, used] @ theta[used]) + theta[self.p]

    def value(self, theta: np.ndarray, scores: np.ndarray) -> float:
        return self.loss.value(scores) + total(self.penalty, theta[: self.p])

    def slopes(self, scores: np.ndarray) -> np.ndarray:
        """(p + 1, K) gradient of the mean loss, intercepts in the last row."""
        pull = self.loss.slopes(scores)
        # A matrix times one column is slower than the matrix times a vector.
        columns = np.asarray(self.X.T @ (pull[:, 0] if pull.shape[1] == 1 else pull)).reshape(self.p, -1)
        return np.vstack([columns, pull.sum(axis=0)])

    def distance(self, theta: np.ndarray, slopes: np.ndarray) -> np.ndarray:
        return np.asarray(subdistance(self.penalty, theta[: self.p], slopes[: self.p], EVERY))

    def balance(self, theta: np.ndarray, scores: np.ndarray) -> None:
        """Newton steps on the intercepts alone, in place: from there the slopes of the columns mean something."""
        if not self.intercept:
            return
        for k in range(self.loss.n_scores):
            for _ in range(20):
                u, h = self.loss.bend(scores, k)
                move = -u.sum() / h.sum()
                before = self.loss.value(scores)
                if abs(move) <= 1e-12 * (1.0 + abs(theta[self.p, k])):
                    break
                for t in 0.5 ** np.arange(12):
                    scores[:, k] += t * move
                    if self.loss.value(scores) <= before:
                        theta[self.p, k] += t * move
                        break
                    scores[:, k] -= t * move

    def improve(self, theta: np.ndarray, scores: np.ndarray, k: int, distance: np.ndarray, violation: float) -> None:
        """Newton steps on the working set of score k, in place."""
        W = self._working_set(theta[: self.p, k], distance)
        XW = self._columns(W)
        model: _Model | None = None
        last = np.inf
        for _ in range(NEWTON_STEPS if self.loss.n_scores == 1 else 1):
            u, h = self.loss.bend(scores, k)
            slope, coef = np.asarray(XW.T @ u), theta[W, k]
            now = float(subdistance(self.penalty, coef, slope, W).max(initial=0.0)) if len(W) else 0.0
            now = max(now, abs(float(u.sum()))) if self.intercept else now
            if last < np.inf and now <= FURTHER * violation:
                return
            fresh = model is None or now > GOOD_PROGRESS * last
            if model is None or fresh:
                model = _Model(XW, self.rows, h, self.intercept)
            last = now
            new, shift = model.minimum(self.penalty, W, coef, slope, u)
            if not self._step(theta, scores, k, W, XW, new, shift, u) and fresh:
                return

    def _working_set(self, coef: np.ndarray, distance: np.ndarray) -> np.ndarray:
        support = coef != 0.0
        ranked = np.where(support, np.inf, distance)
        wanted = np.flatnonzero(ranked > 0.0)
        size = max(FEWEST, 2 * int(support.sum()))
        if len(wanted) > size:
            wanted = np.sort(wanted[np.argpartition(-ranked[wanted], size - 1)[:size]])
        return wanted

    def _columns(self, W: np.ndarray) -> Any:
        """The columns of a working set; those of the last one serve again."""
        if self.taken is None or not np.array_equal(W, self.taken):
            self.columns = self.X[:, W] if sparse.issparse(self.X) else np.asfortranarray(self.X[:, W])
            self.rows = rows_of(self.columns) if sparse.issparse(self.X) else None
            self.taken = W
        return self.columns

    def _step(self, theta, scores, k: int, W, XW, new: np.ndarray, shift: float, u: np.ndarray) -> bool:
        """Move towards the minimum of the model as far as the objective falls enough; whether it moved."""
        step = new - theta[W, k]
        along = np.asarray(XW @ step) + shift
        value, held = self.loss.value(scores), total(self.penalty, theta[: self.p])
        decrease = float(u @ along) + total(self.penalty, new) - total(self.penalty, theta[W, k])
        flat = 1e-14 * abs(value + held)
        old = theta[:, k].copy()
        before = scores[:, k].copy()
        for length in 0.5 ** np.arange(30):
            theta[W, k] = old[W] + length * step
            theta[self.p, k] = old[self.p] + length * shift
            scores[:, k] = before + length * along
            enough = value + held + max(1e-4 * length * decrease, -flat) + flat
            if self.loss.value(scores) + total(self.penalty, theta[: self.p]) <= enough:
                return bool(step.any() or shift != 0.0)
        theta[:, k], scores[:, k] = old, before
        return False


class _Model:
    """The quadratic model of the mean loss in some columns: cross-products under the curvatures h of the rows."""

    def __init__(self, XW, rows, h: np.ndarray, intercept: bool):
        self.XW, self.h, self.intercept = XW, h, intercept
        self.total = float(h.sum())
        if sparse.issparse(XW):
            gram = np.zeros((XW.shape[1], XW.shape[1]))
            sparse_gram(rows, h, gram)
        else:
            scaled = XW * np.sqrt(h)[:, None]
            gram = scaled.T @ scaled
        self.mean = np.asarray(XW.T @ h) / self.total if intercept else np.zeros(XW.shape[1])
        self.gram = np.ascontiguousarray(gram - self.total * np.outer(self.mean, self.mean))
        self.factor = SupportFactor()

    def minimum(self, penalty, W, coef: np.ndarray, slope: np.ndarray, u: np.ndarray):
        """(coefficients, change of the intercept) of the least model + penalty, as exactly as the step is worth."""
        miss = float(u.sum()) if self.intercept else 0.0
        # The intercept follows: its best value for every change of the coefficients is known.
        # A row without weight has neither slope nor curvature.
        residual = np.divide(u, self.h, out=np.zeros_like(u), where=self.h > 0.0)
        response = np.asarray(self.XW @ coef) - residual
        if self.intercept:
            response -= float(self.h @ response) / self.total
        square = float(self.h @ response**2)
        play = Play(W, self.gram, coef.copy(), slope - self.mean * miss, square, self.factor)
        target = self.gram @ coef - play.slope
        solve(play, penalty, max(1e-4 * gap(play, target, penalty), 8.0 * np.finfo(float).eps * square))
        shift = -miss / self.total - float(self.mean @ (play.coef - coef)) if self.intercept else 0.0
        return play.coef, shift


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
