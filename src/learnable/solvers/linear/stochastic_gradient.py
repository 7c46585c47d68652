"""Stochastic gradient descent: θ ← θ − η (mean gradient over one row or a few), epoch after epoch. Syllabus: O2."""

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from learnable._jit.linear.stochastic_gradient import stochastic_epoch
from learnable.problems.sparse import penalties
from learnable.problems.sparse.penalties import EVERY, L1, ElasticNet
from learnable.solvers.linear.learning_rates import NO_LENGTHS, PASSIVE_AGGRESSIVE, Constant, Schedule
from learnable.solvers.linear.perceptron import Orders, visited_rows

# An adaptive rate is divided by this when progress stalls, until it is below the smallest rate.
RATE_DIVISOR, SMALLEST_RATE = 5.0, 1e-6


class EpochState(NamedTuple):
    """After an epoch.

    Attributes
    ----------
    objective : mean loss met during the epoch, before each step, plus the penalty at its end, summed over problems.
    coef, intercept : (K, p) and (K,), the answer: averaged where averaging has begun.
    last_coef, last_intercept : the last point itself, from which to go on.
    active : problems whose patience has not run out.
    epochs : epochs made.
    t : number of the next step.
    """

    objective: float
    coef: np.ndarray
    intercept: np.ndarray
    last_coef: np.ndarray
    last_intercept: np.ndarray
    active: int
    epochs: int
    t: float


class Start(NamedTuple):
    """Where to begin: the point, the number t of the next step, and the mean of the points averaged so far, if any."""

    coef: np.ndarray
    intercept: np.ndarray
    t: float = 1.0
    mean_coef: np.ndarray | None = None
    mean_intercept: np.ndarray | None = None


class Patience(NamedTuple):
    """When a problem is given up: `epochs` in a row in which `measure` improved on its best by less than `tol`.

    Attributes
    ----------
    tol : least improvement; None to go on without end.
    epochs : how many epochs without it are borne.
    measure : (problem k, coef, intercept) -> number that should fall; None for the objective met.
    divide_rate : whether a stalled problem first goes on at smaller and smaller rates.
    """

    tol: float | None
    epochs: int
    measure: Callable[[int, np.ndarray, float], float] | None = None
    divide_rate: bool = False


class Averaging(NamedTuple):
    """The answer is the mean of the points after step `first`, first + 1, …; `first` = 0 for the last point itself."""

    first: int

    def points(self, t: float) -> float:
        """Points averaged when the next step has number t."""
        return max(t - self.first, 0.0) if self.first > 0 else 0.0


NO_AVERAGING = Averaging(0)


class _Waiting:
    """Best measure of one problem and how long it has been waiting for a better one."""

    def __init__(self):
        self.best, self.waited, self.active = np.inf, 0, True

    def stalls(self, now: float, patience: Patience) -> bool:
        self.waited = self.waited + 1 if patience.tol is not None and now > self.best - patience.tol else 0
        self.best = min(self.best, now)
        return self.waited >= patience.epochs


def iterates(
    X: Any,
    targets: np.ndarray,
    weight: np.ndarray,
    loss: Any,
    penalty: ElasticNet,
    schedule: Schedule,
    orders: Orders,
    patience: Patience,
    intercept_rate: float = 1.0,
    averaging: Averaging = NO_AVERAGING,
    start: Start | None = None,
    batch: int = 1,
) -> Iterator[EpochState]:
    """One state per epoch, until the patience of every problem has run out; K problems advance side by side.

    Parameters
    ----------
    targets : (K, n), one row a problem.
    weight : (K, n) row weights; the objective is Σ w ℓ / n + penalty.
    schedule : learning rates, of `learning_rates`.
    intercept_rate : the intercept moves by this times η; 0 keeps it where it is.
    batch : rows a step.
    """
    K, n = targets.shape
    p = X.shape[1]
    rows = visited_rows(X)
    at = start if start is not None else Start(np.zeros((K, p)), np.zeros(K))
    coef, intercept = np.array(at.coef, dtype=float), np.array(at.intercept, dtype=float)
    ridge, lasso = penalties.curvature(penalty, 0), penalties.l1_level(penalty, 0)
    # θ = S(v, threshold); thresholds add up from epoch to epoch. Without any, θ is v itself.
    v, threshold, t = coef.copy() if lasso > 0.0 else coef, np.zeros(K), np.full(K, at.t)
    total = np.zeros((K, p + 1))
    if at.mean_coef is not None and at.mean_intercept is not None:
        total[:] = np.column_stack([at.mean_coef, at.mean_intercept]) * averaging.points(at.t)
    slopes, steps = np.empty(batch), -(-n // batch)
    lengths = schedule.lengths(_squares(X)) if isinstance(schedule, PASSIVE_AGGRESSIVE) else NO_LENGTHS
    schedules: list[Schedule] = [schedule] * K
    waiting, met = [_Waiting() for _ in range(K)], np.zeros(K)
    for epoch in range(1, 2**62):
        order = orders.next()
        for k in range(K):
            if not waiting[k].active:
                continue
            point = np.array([threshold[k], intercept[k]])
            lost, t[k] = stochastic_epoch(
                rows, order, targets[k], weight[k], loss, schedules[k].rates(t[k], steps), lengths,
                ridge, lasso, v[k], point,
                intercept_rate, t[k], batch, averaging.first, total[k], slopes,
            )  # fmt: skip
            threshold[k], intercept[k] = point
            if lasso > 0.0:
                coef[k] = penalties.prox(L1(1.0), v[k], threshold[k], EVERY)
            with np.errstate(over="ignore"):
                met[k] = lost / n + penalties.total(penalty, coef[k])
            _refuse_overflow(coef[k], intercept[k], met[k], epoch)
            now = met[k] if patience.measure is None else patience.measure(k, coef[k], intercept[k])
            if waiting[k].stalls(now, patience):
                schedules[k], waiting[k].active = _slower(schedules[k], patience)
                waiting[k].waited = 0
        active = sum(each.active for each in waiting)
        answer = coef, intercept
        if averaging.first > 0:
            answer = _answer(coef, intercept, total, np.array([averaging.points(each) for each in t]))
        yield EpochState(float(met.sum()), *answer, coef, intercept, active, epoch, float(t.max()))
        if active == 0:
            return


def _answer(coef, intercept, total, count: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean of `count` points where there are any, the last point elsewhere."""
    if not count.any():
        return coef, intercept
    mean = total / np.maximum(count, 1.0)[:, None]
    return np.where(count[:, None] > 0.0, mean[:, :-1], coef), np.where(count > 0.0, mean[:, -1], intercept)


def _slower(schedule: Any, patience: Patience) -> tuple[Any, bool]:
    """(rate to go on with, whether to go on) for a problem that has stalled."""
    if not patience.divide_rate or schedule.eta <= SMALLEST_RATE:
        return schedule, False
    return Constant(schedule.eta / RATE_DIVISOR), True


def _squares(X: Any) -> np.ndarray:
    """‖x‖² of each row."""
    squared = X.multiply(X) if sparse.issparse(X) else np.square(X, dtype=float)
    return np.asarray(squared.sum(axis=1), dtype=float).ravel()


def _refuse_overflow(coef: np.ndarray, intercept: float, objective: float, epoch: int) -> None:
    if not (math.isfinite(objective) and math.isfinite(intercept) and np.isfinite(coef).all()):
        raise ValueError(
            f"Floating-point under-/overflow occurred at epoch #{epoch}. Scaling input data with StandardScaler or "
            "MinMaxScaler might help."
        )
