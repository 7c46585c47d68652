"""Stochastic gradient descent: θ ← θ − η (mean gradient over one row or a few), epoch after epoch. Syllabus: O2."""

import math
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from learnable._jit.core.vectors import DenseVectors, SparseVectors
from learnable._jit.linear.stochastic_gradient import stochastic_epoch
from learnable.problems.sparse import penalties
from learnable.problems.sparse.penalties import EVERY, L1, ElasticNet
from learnable.rows import Block, Rows
from learnable.solvers.linear.learning_rates import NO_LENGTHS, PASSIVE_AGGRESSIVE, Constant, RatesAhead, Schedule
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
    memory : all that the algorithm remembers.
    """

    objective: float
    coef: np.ndarray
    intercept: np.ndarray
    last_coef: np.ndarray
    last_intercept: np.ndarray
    active: int
    epochs: int
    t: float
    memory: "Memory"


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


class Moving(NamedTuple):
    """K problems between two rows.

    Attributes
    ----------
    v, points : (K, p) and (K, 2), θ = S(v, threshold), and [threshold, b]; thresholds add up from epoch to epoch.
    t : (K,) number of the next step.
    total : (K, p + 1) sum of the points to be averaged.
    lost : (K,) sum of the losses met in this epoch.
    """

    v: np.ndarray
    points: np.ndarray
    t: np.ndarray
    total: np.ndarray
    lost: np.ndarray


class Memory(NamedTuple):
    """What goes from epoch to epoch: to begin from it is to go on.

    Attributes
    ----------
    schedules, waiting : of each problem.
    met : (K,) objective met in the last epoch.
    epochs : epochs made.
    generator : of the orders; None where they are not drawn from one.
    """

    moving: Moving
    schedules: list[Schedule]
    waiting: list[_Waiting]
    met: np.ndarray
    epochs: int
    generator: np.random.Generator | None


class Descent(NamedTuple):
    """How rows are visited: loss, penalty, rate of the intercept as a share of η, averaging, rows a step."""

    loss: Any
    penalty: ElasticNet
    intercept_rate: float = 1.0
    averaging: Averaging = NO_AVERAGING
    batch: int = 1

    def visit(self, moving: Moving, table: "Table", order: np.ndarray, schedules: list[Schedule | None]) -> None:
        """Go through the rows of a table; problems without a schedule rest."""
        ridge, lasso = levels(self.penalty)
        batch = min(self.batch, len(order))
        slopes, steps = np.empty(batch), -(-len(order) // batch)
        for k, schedule in enumerate(schedules):
            if schedule is None:
                continue
            t = float(moving.t[k])
            rates = table.rates.next(schedule, t, steps)
            lost, moving.t[k] = stochastic_epoch(
                table.rows, order, table.targets[k], table.weight[k], self.loss, rates, table.lengths, ridge, lasso,
                moving.v[k], moving.points[k], self.intercept_rate, t, batch, self.averaging.first, moving.total[k],
                slopes,
            )  # fmt: skip
            moving.lost[k] += lost


@lru_cache(maxsize=64)
def levels(penalty: ElasticNet) -> tuple[float, float]:
    """(ridge, lasso) of the penalty ½ ridge ‖θ‖² + lasso ‖θ‖₁."""
    return penalties.curvature(penalty, 0), penalties.l1_level(penalty, 0)


class Table(NamedTuple):
    """Rows for visits one by one, lengths where the schedule needs them, targets and weights (K, n), rates to come."""

    rows: DenseVectors | SparseVectors
    lengths: np.ndarray
    targets: np.ndarray
    weight: np.ndarray
    rates: RatesAhead


def table_of(X: Any, targets: np.ndarray, weight: np.ndarray, schedule: Schedule) -> Table:
    lengths = schedule.lengths(_squares(X)) if isinstance(schedule, PASSIVE_AGGRESSIVE) else NO_LENGTHS
    return Table(visited_rows(X), lengths, targets, weight, RatesAhead())


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
    start: Start | Memory | None = None,
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
    table, descent = table_of(X, targets, weight, schedule), Descent(loss, penalty, intercept_rate, averaging, batch)
    if isinstance(start, Memory):
        orders = orders._replace(generator=start.generator)

    def epoch(number: int, moving: Moving, schedules: list[Schedule | None]) -> Moving:
        descent.visit(moving, table, orders.next(), schedules)
        return moving

    size = (*targets.shape, X.shape[1])
    return _epochs(epoch, size, descent, schedule, patience, start, getattr(orders, "generator", None))


def iterates_in_blocks(
    rows: Rows,
    problems_of: Callable[[Block], tuple[np.ndarray, np.ndarray]],
    K: int,
    descent: Descent,
    schedule: Schedule,
    patience: Patience,
    seed: int | None,
    start: Start | Memory | None = None,
) -> Iterator[EpochState]:
    """The same for rows that come in blocks, which are visited in their order.

    Parameters
    ----------
    problems_of : targets and weights (K, n) of the rows of a block.
    seed : for the order within each block, another one in every epoch; None to leave the rows as they are.
    """

    def epoch(number: int, moving: Moving, schedules: list[Schedule | None]) -> Moving:
        return rows.fold(partial(_visited, problems_of, descent, schedule, schedules, seed, number), moving)

    return _epochs(epoch, (K, rows.n_rows, rows.n_columns), descent, schedule, patience, start, None)


def _visited(
    problems_of: Callable, descent: Descent, schedule: Schedule, schedules: list[Schedule | None], seed: int | None,
    epoch: int, moving: Moving, block: Block,
) -> Moving:  # fmt: skip
    """After the rows of a block."""
    moving = Moving._make(map(np.copy, moving))
    generator = None if seed is None else np.random.default_rng([seed, epoch, block.start])
    X = block.X if sparse.issparse(block.X) else np.ascontiguousarray(block.X, dtype=float)
    targets, weight = problems_of(block)
    table = table_of(X, targets, weight, schedule)
    descent.visit(moving, table, Orders(block.stop - block.start, generator).next(), schedules)
    return moving


def _epochs(
    epoch: Callable[[int, Moving, list[Schedule | None]], Moving],
    size: tuple[int, int, int],
    descent: Descent,
    schedule: Schedule,
    patience: Patience,
    start: Start | Memory | None,
    generator: np.random.Generator | None,
) -> Iterator[EpochState]:
    """Epochs over n rows; `epoch` makes one, of this number, and may write to where it begins."""
    K, n, _ = size
    penalty, averaging = descent.penalty, descent.averaging
    memory = start if isinstance(start, Memory) else _begun(start, size, averaging, schedule, generator)
    moving, schedules, waiting, met, made, _ = memory
    ridge, lasso = levels(penalty)
    for number in range(made + 1, 2**62):
        moving.lost[:] = 0.0
        moving = epoch(number, moving, [each if waiting[k].active else None for k, each in enumerate(schedules)])
        intercept = moving.points[:, 1]
        coef = moving.v
        if lasso > 0.0:
            coef = np.stack([penalties.prox(L1(1.0), v, at, EVERY) for v, at in zip(moving.v, moving.points[:, 0])])
        for k in range(K):
            if not waiting[k].active:
                continue
            theta, b, absolute = coef[k], float(intercept[k]), 0.0
            square = float(np.vdot(theta, theta))  # which overflows without a warning
            if lasso > 0.0:
                with np.errstate(over="ignore"):
                    absolute = float(np.abs(theta).sum())
            met[k] = now = float(moving.lost[k]) / n + 0.5 * ridge * square + lasso * absolute
            _refuse_overflow(theta, square, b, now, number)
            if patience.measure is not None:
                now = patience.measure(k, theta, b)
            if waiting[k].stalls(now, patience):
                schedules[k], waiting[k].active = _slower(schedules[k], patience)
                waiting[k].waited = 0
        active = sum(each.active for each in waiting)
        answer = coef, intercept
        if averaging.first > 0:
            points = np.array([averaging.points(each) for each in moving.t])
            answer = _answer(coef, intercept, moving.total, points)
        memory = Memory(moving, schedules, waiting, met, number, generator)
        yield EpochState(sum(met.tolist()), *answer, coef, intercept, active, number, max(moving.t.tolist()), memory)
        if active == 0:
            return


def _begun(
    start: Start | None, size: tuple[int, int, int], averaging: Averaging, schedule: Schedule,
    generator: np.random.Generator | None,
) -> Memory:  # fmt: skip
    """Before the first epoch."""
    K, _, p = size
    at = start if start is not None else Start(np.zeros((K, p)), np.zeros(K))
    total = np.zeros((K, p + 1))
    if at.mean_coef is not None and at.mean_intercept is not None:
        total[:] = np.column_stack([at.mean_coef, at.mean_intercept]) * averaging.points(at.t)
    points = np.column_stack([np.zeros(K), np.asarray(at.intercept, dtype=float)])
    moving = Moving(np.array(at.coef, dtype=float), points, np.full(K, at.t), total, np.zeros(K))
    return Memory(moving, [schedule] * K, [_Waiting() for _ in range(K)], np.zeros(K), 0, generator)


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


def _refuse_overflow(coef: np.ndarray, square: float, intercept: float, objective: float, epoch: int) -> None:
    """`square` is ‖θ‖²: where that is finite, so is every coefficient."""
    finite = math.isfinite(square) or np.isfinite(coef).all()
    if not (math.isfinite(objective) and math.isfinite(intercept) and finite):
        raise ValueError(
            f"Floating-point under-/overflow occurred at epoch #{epoch}. Scaling input data with StandardScaler or "
            "MinMaxScaler might help."
        )
