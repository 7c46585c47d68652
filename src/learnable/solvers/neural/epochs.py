"""Training by mini-batches: one state an epoch. Syllabus: O2, O3, NN2 to NN7.

1. Put the rows in a new order. 2. For each batch: forward, back, one step of the rule. 3. Look at the loss met on the
way, or at the score on rows set aside; without progress for long enough, lower the rate or end.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from learnable.problems.neural.network import Architecture, Parameters, forward
from learnable.solvers.neural.packed import Layout
from learnable.trace import Status

# A rate that "adaptive" has lowered to this is not lowered further: the training ends.
LEAST_RATE = 1e-6
DIVISOR = 5.0


class EpochState(NamedTuple):
    """A network after an epoch.

    Attributes
    ----------
    objective : mean over the epoch's batches of their loss and the penalty, each before its step.
    epoch : number of epochs so far.
    vector, running : parameters and running statistics, in the order of `layout`.
    best_vector, best_running : those with the best score on the rows set aside; the last ones without such rows.
    score : score on the rows set aside, or None.
    rate : learning rate of the epoch.
    settled : the status of a training that has ended, else None.
    seen : rows met so far, those of earlier runs included.
    losses, scores : `objective` and `score` of every epoch; the lists grow, the first `epoch` entries are this state's.
    """

    objective: float
    epoch: int
    architecture: Architecture
    layout: Layout
    vector: np.ndarray
    running: np.ndarray
    best_vector: np.ndarray
    best_running: np.ndarray
    score: float | None
    rate: float
    settled: Status | None
    seen: int
    losses: list[float]
    scores: list[float]

    @property
    def theta(self) -> Parameters:
        """The parameters as arrays of layers."""
        return self.layout.view(self.vector)

    def activations(self, X: np.ndarray) -> list[np.ndarray]:
        """What each hidden layer puts out for rows X, as in prediction; the last entry is before the output."""
        return [
            layer.left for layer in forward(self.architecture, self.theta, X, self.layout.view_moments(self.running))
        ]


class Patience(NamedTuple):
    """When training ends: no progress by more than `tol` for more than `epochs` epochs; `adaptive` lowers the rate."""

    tol: float
    epochs: float
    adaptive: bool = False


class Schedule(NamedTuple):
    """Learning rates: η, or η / (t + 1)^power after t rows.

    >>> Schedule(0.5).after(99), Schedule(0.5, 0.5).after(99)
    (0.5, 0.05)
    """

    eta: float
    power: float = 0.0

    def after(self, t: int) -> float:
        return self.eta / (t + 1) ** self.power if self.power else self.eta


def batches(n_rows: int, size: int, join_last: bool) -> list[slice]:
    """Rows in stretches of `size`; a last single row joins the batch before where one row has no variance.

    >>> batches(5, 2, join_last=True)
    [slice(0, 2, None), slice(2, 5, None)]
    """
    starts = list(range(0, n_rows, size))
    if join_last and len(starts) > 1 and n_rows - starts[-1] == 1:
        starts.pop()
    return [slice(a, b) for a, b in zip(starts, [*starts[1:], n_rows])]


def iterates(
    network: Any, rule: Any, architecture: Architecture, layout: Layout, n_rows: int, batch_size: int,
    schedule: Schedule, patience: Patience, random: np.random.Generator | None, score: Callable | None, seen: int = 0,
    host: Callable[[Any], np.ndarray] = np.asarray,
) -> Iterator[EpochState]:  # fmt: skip
    """Epochs without end, until one is `settled`.

    Parameters
    ----------
    network : `PlainNetwork` or `BufferedNetwork`.
    rule : `Momentum` or `Adam`.
    random : orders the rows anew before each epoch; None leaves them as they are.
    score : (vector, running) -> score on the rows set aside, the larger the better; None to watch the loss.
    seen : rows met before, for a schedule that goes on.
    host : brings a vector to NumPy.
    """
    parts = batches(n_rows, batch_size, layout.batch_norm)
    rate, best, waited, epoch = schedule.after(seen), -np.inf, 0, 0
    running = getattr(network, "running", np.empty(0))
    best_vector: Any = None
    best_running: Any = None
    losses: list[float] = []
    scores: list[float] = []
    while True:
        # 1. A new order.
        order = None if random is None else network.index(random.permutation(n_rows))
        # 2. The batches. On a device nothing is waited for until the epoch is over. A loss that is no number ends the
        # fit, and says so; BLAS also flags numbers that it reads beyond the last one.
        with np.errstate(over="ignore", invalid="ignore"):
            total: Any = 0.0
            for part in parts:
                loss = network.evaluate(part if order is None else order[part])
                penalty = rule.step(network.vector, network.gradient, rate)
                total = total + (loss + penalty) * (part.stop - part.start)
            vector, moments = host(network.vector), host(running)
            now = None if score is None else score(vector, moments)
        epoch += 1
        seen += n_rows
        objective = float(total) / n_rows if np.all(np.isfinite(vector)) else np.nan
        # 3. Progress.
        merit = -objective if now is None else now
        losses.append(objective)
        scores.append(merit)
        waited = waited + 1 if merit < best + patience.tol or np.isnan(merit) else 0
        if score is not None and (merit > best or best_vector is None):
            best_vector, best_running = vector.copy(), moments.copy()
        best = max(best, merit)
        used, settled = rate, None
        if schedule.power:
            rate = schedule.after(seen)
        if waited > patience.epochs:
            if patience.adaptive and rate > LEAST_RATE:
                rate, waited = rate / DIVISOR, 0
            else:
                settled = Status.STOPPED
        kept, kept_moments = (vector, moments) if best_vector is None else (best_vector, best_running)
        yield EpochState(
            objective, epoch, architecture, layout, vector, moments, kept, kept_moments, now, used, settled, seen,
            losses, scores,
        )  # fmt: skip
        if settled is not None:
            return
