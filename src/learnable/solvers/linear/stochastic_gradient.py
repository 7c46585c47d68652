"""Stochastic gradient descent: θ ← θ − η (mean gradient over one row or a few), epoch after epoch. Syllabus: O2."""

import math
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from learnable._jit.core.vectors import DenseVectors, SparseVectors
from learnable._jit.linear.stochastic_gradient import any_loss, stochastic_epochs
from learnable.problems.sparse import penalties
from learnable.problems.sparse.penalties import EVERY, L1, ElasticNet
from learnable.rows import Block, Rows
from learnable.solvers.linear.learning_rates import NO_LENGTHS, PASSIVE_AGGRESSIVE, Constant, Schedule
from learnable.solvers.linear.perceptron import Orders, visited_rows

# An adaptive rate is divided by this when progress stalls, until it is below the smallest rate.
RATE_DIVISOR, SMALLEST_RATE = 5.0, 1e-6
# Epochs are made some at a time, of up to so many rows or coefficients altogether.
AHEAD = 2**12


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

    def left(self, patience: Patience) -> float:
        """Epochs after which it may stall at the earliest."""
        return math.inf if patience.tol is None else patience.epochs - self.waited

    def stalls(self, now: float, patience: Patience) -> bool:
        self.waited = self.waited + 1 if patience.tol is not None and now > self.best - patience.tol else 0
        self.best = min(self.best, now)
        return self.waited >= patience.epochs


class Moving(NamedTuple):
    """K problems after each of E epochs in a row.

    Attributes
    ----------
    v, points : (K, E, p) and (K, E, 2), θ = S(v, threshold), and [threshold, b]; thresholds add up from epoch to epoch.
    t : (K, E) number of the next step.
    total : (K, E, p + 1) sum of the points to be averaged.
    met : (K, E, 3) sum of the losses met in the epoch, and ‖θ‖² and ‖θ‖₁ at its end.
    """

    v: np.ndarray
    points: np.ndarray
    t: np.ndarray
    total: np.ndarray
    met: np.ndarray


class Memory(NamedTuple):
    """What goes from epoch to epoch: to begin from it is to go on.

    Attributes
    ----------
    moving, last : the point is that after epoch `last` of `moving`.
    schedules, waiting : of each problem.
    objectives : met in the last epoch, of each problem.
    epochs : epochs made.
    """

    moving: Moving
    last: int
    schedules: list[Schedule]
    waiting: list[_Waiting]
    objectives: list[float]
    epochs: int


class Descent(NamedTuple):
    """How rows are visited: loss, penalty, rate of the intercept as a share of η, averaging, rows a step."""

    loss: Any
    penalty: ElasticNet
    intercept_rate: float = 1.0
    averaging: Averaging = NO_AVERAGING
    batch: int = 1

    def visit(self, moving: Moving, table: "Table", orders: np.ndarray, schedules: list[Schedule | None]) -> Moving:
        """After the epochs that follow, one an order, over the rows of a table; problems without a schedule rest.

        A single epoch is made in place.
        """
        ridge, lasso = levels(self.penalty)
        epochs, n = orders.shape
        batch, loss = min(self.batch, n), any_loss(self.loss)
        steps = -(-n // batch)
        v, points, t, total = (_ahead(each, epochs) for each in moving[:4])
        met = np.zeros((len(v), epochs, 3))
        for k, schedule in enumerate(schedules):
            if schedule is None:
                v[k], points[k], t[k], total[k] = (each[k, 0] for each in (v, points, t, total))
                continue
            first = float(t[k, 0])
            rates = schedule.rates(first, epochs * steps).reshape(epochs, steps)
            stochastic_epochs(
                table.rows, orders, table.targets[k], table.weight[k], loss, rates, table.lengths, ridge, lasso,
                v[k], points[k], self.intercept_rate, first, batch, self.averaging.first, total[k], met[k],
            )  # fmt: skip
            t[k] = first + steps * np.arange(1, epochs + 1)
        return Moving(v, points, t, total, met)


def _ahead(made: np.ndarray, epochs: int) -> np.ndarray:
    """(K, epochs, …) to be written, with what stands at the end of those made where the first one will end."""
    if epochs == 1:
        return made[:, -1:]
    places = np.empty((len(made), epochs, *made.shape[2:]))
    places[:, 0] = made[:, -1]
    return places


@lru_cache(maxsize=64)
def levels(penalty: ElasticNet) -> tuple[float, float]:
    """(ridge, lasso) of the penalty ½ ridge ‖θ‖² + lasso ‖θ‖₁."""
    return penalties.curvature(penalty, 0), penalties.l1_level(penalty, 0)


class Table(NamedTuple):
    """Rows for visits one by one, lengths where the schedule needs them, targets and weights (K, n)."""

    rows: DenseVectors | SparseVectors
    lengths: np.ndarray
    targets: np.ndarray
    weight: np.ndarray


def table_of(X: Any, targets: np.ndarray, weight: np.ndarray, schedule: Schedule) -> Table:
    lengths = schedule.lengths(_squares(X)) if isinstance(schedule, PASSIVE_AGGRESSIVE) else NO_LENGTHS
    return Table(visited_rows(X), lengths, targets, weight)


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
    most: float = math.inf,
) -> Iterator[EpochState]:
    """One state per epoch, until the patience of every problem has run out; K problems advance side by side.

    Of a short table epochs are made some at a time, as many as no patience runs out in.

    Parameters
    ----------
    targets : (K, n), one row a problem.
    weight : (K, n) row weights; the objective is Σ w ℓ / n + penalty.
    schedule : learning rates, of `learning_rates`.
    intercept_rate : the intercept moves by this times η; 0 keeps it where it is.
    batch : rows a step.
    most : epochs altogether.
    """
    table, descent = table_of(X, targets, weight, schedule), Descent(loss, penalty, intercept_rate, averaging, batch)
    if isinstance(start, Memory):
        orders.skip(start.epochs)
    K, n, p = size = (*targets.shape, X.shape[1])
    at_once = max(1, AHEAD // max(n, K * p))

    def epochs(number: int, moving: Moving, schedules: list[Schedule | None], wanted: float) -> Moving:
        return descent.visit(moving, table, orders.several(min(at_once, wanted)), schedules)

    return _epochs(epochs, size, descent, schedule, patience, start, most)


def iterates_in_blocks(
    rows: Rows,
    problems_of: Callable[[Block], tuple[np.ndarray, np.ndarray]],
    K: int,
    descent: Descent,
    schedule: Schedule,
    patience: Patience,
    seed: int | None,
    start: Start | Memory | None = None,
    most: float = math.inf,
) -> Iterator[EpochState]:
    """The same for rows that come in blocks, which are visited in their order.

    Parameters
    ----------
    problems_of : targets and weights (K, n) of the rows of a block.
    seed : for the order within each block, another one in every epoch; None to leave the rows as they are.
    """

    def epoch(number: int, moving: Moving, schedules: list[Schedule | None], wanted: float) -> Moving:
        begin = moving._replace(met=np.zeros((K, 1, 3)))
        return rows.fold(partial(_visited, problems_of, descent, schedule, schedules, seed, number), begin)

    return _epochs(epoch, (K, rows.n_rows, rows.n_columns), descent, schedule, patience, start, most)


def _visited(
    problems_of: Callable, descent: Descent, schedule: Schedule, schedules: list[Schedule | None], seed: int | None,
    epoch: int, moving: Moving, block: Block,
) -> Moving:  # fmt: skip
    """After the rows of a block."""
    moving = Moving._make(map(np.copy, moving))
    generator = None if seed is None else np.random.default_rng([seed, epoch, block.start])
    X = block.X if sparse.issparse(block.X) else np.ascontiguousarray(block.X, dtype=float)
    targets, weight = problems_of(block)
    orders = Orders(block.stop - block.start, generator).several(1)
    after = descent.visit(moving, table_of(X, targets, weight, schedule), orders, schedules)
    after.met[..., 0] += moving.met[..., 0]
    return after


def _epochs(
    epochs: Callable[[int, Moving, list[Schedule | None], float], Moving],
    size: tuple[int, int, int],
    descent: Descent,
    schedule: Schedule,
    patience: Patience,
    start: Start | Memory | None,
    most: float,
) -> Iterator[EpochState]:
    """Epochs over n rows; `epochs` makes some, at most so many, the first of this number, and may write to where it
    begins."""
    _, n, _ = size
    averaging, (ridge, lasso) = descent.averaging, levels(descent.penalty)
    memory = start if isinstance(start, Memory) else _begun(start, size, averaging, schedule)
    moving, last, schedules, waiting, objectives, number = memory
    moving = Moving._make(each[:, : last + 1] for each in moving)
    while number < most and (active := [k for k, each in enumerate(waiting) if each.active]):
        wanted = min(most - number, *(waiting[k].left(patience) for k in active))
        going = [each if waiting[k].active else None for k, each in enumerate(schedules)]
        moving = epochs(number + 1, moving, going, wanted)
        coefs, intercepts = moving.v, moving.points[..., 1]
        if lasso > 0.0:
            coefs = penalties.prox(L1(1.0), coefs, moving.points[..., :1], EVERY)
        met, offsets, next_steps = moving.met.tolist(), intercepts.tolist(), moving.t.max(axis=0).tolist()
        left = len(active)
        for e, t in enumerate(next_steps):
            number += 1
            coef, intercept = coefs[:, e], intercepts[:, e]
            for k in active:
                lost, square, absolute = met[k][e]
                objectives[k] = now = lost / n + 0.5 * ridge * square + lasso * absolute
                if not math.isfinite(now + absolute + offsets[k][e]):
                    raise ValueError(
                        f"Floating-point under-/overflow occurred at epoch #{number}. Scaling input data with "
                        "StandardScaler or MinMaxScaler might help."
                    )
                if patience.measure is not None:
                    now = patience.measure(k, coef[k], offsets[k][e])
                if waiting[k].stalls(now, patience):
                    schedules[k], waiting[k].active = _slower(schedules[k], patience)
                    waiting[k].waited, left = 0, left - (not waiting[k].active)
            answer = coef, intercept
            if averaging.first > 0:
                points = np.array([averaging.points(each) for each in moving.t[:, e]])
                answer = _answer(coef, intercept, moving.total[:, e], points)
            memory = Memory(moving, e, schedules, waiting, objectives, number)
            yield EpochState(sum(objectives), *answer, coef, intercept, left, number, t, memory)


def _begun(start: Start | None, size: tuple[int, int, int], averaging: Averaging, schedule: Schedule) -> Memory:
    """Before the first epoch."""
    K, _, p = size
    at = start if start is not None else Start(np.zeros((K, p)), np.zeros(K))
    total = np.zeros((K, 1, p + 1))
    if at.mean_coef is not None and at.mean_intercept is not None:
        total[:, 0] = np.column_stack([at.mean_coef, at.mean_intercept]) * averaging.points(at.t)
    points = np.zeros((K, 1, 2))
    points[:, 0, 1] = at.intercept
    v = np.array(at.coef, dtype=float)[:, None]
    moving = Moving(v, points, np.full((K, 1), at.t), total, np.zeros((K, 1, 3)))
    return Memory(moving, 0, [schedule] * K, [_Waiting() for _ in range(K)], [0.0] * K, 0)


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
