"""One training run: the network, its rule of descent and where they live, put together from a plan."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from learnable.device import devices
from learnable.problems.neural.network import Architecture
from learnable.solvers.neural import epochs, lbfgs
from learnable.solvers.neural.buffered import BufferedNetwork
from learnable.solvers.neural.packed import Layout
from learnable.solvers.neural.plain import PlainNetwork
from learnable.solvers.neural.rules import Adam, Momentum, Penalties
from learnable.solvers.neural.standing import AllRows
from learnable.solvers.neural.targets import Targets
from learnable.trace import Status


class Plan(NamedTuple):
    """How to train: the parameters of the estimator, with what they mean for these rows worked out."""

    architecture: Architecture
    solver: str
    batch_size: int
    learning_rate: str
    eta: float
    power: float
    momentum: float
    nesterov: bool
    betas: tuple[float, float]
    epsilon: float
    clip_norm: float | None
    dropout: float
    tol: float
    patience: float
    max_fun: int
    shuffle: bool
    device: str


class Answer(NamedTuple):
    """What a state leaves behind: (parameters, running statistics), and the account of the way there."""

    at: tuple[np.ndarray, np.ndarray]
    account: dict[str, Any]


class Training:
    """A run from given parameters over given rows.

    Parameters
    ----------
    vector, running : where to start; changed in place on the CPU.
    weight : weights of the rows, or None.
    score : (vector, running) -> score on rows set aside, or None.
    seen : rows met by earlier runs.
    rule : the rule of an earlier run, to go on with its momentum.
    """

    def __init__(
        self, plan: Plan, layout: Layout, vector, running, X, targets: Targets, weight, random, score=None, seen=0,
        rule=None,
    ):  # fmt: skip
        self.plan, self.layout, self.vector, self.running = plan, layout, vector, running
        self.X, self.targets, self.random, self.score, self.seen = X, targets, random, score, seen
        self.n_rows = X.shape[0]
        self.raw_weight = weight
        # Of mean 1, so that a batch of any rows has the same expected weight.
        self.weight = None
        if weight is not None:
            self.weight = (weight * (self.n_rows / np.sum(weight, dtype=float))).astype(vector.dtype)
        self.rule = rule

    def iterates(self) -> Iterator[Any]:
        """The states of the solver."""
        if self.plan.solver == "lbfgs":
            return lbfgs.iterates(self._all_rows(), self.vector.astype(float), self.plan.tol)
        return self._stochastic()

    def spent(self, step: int, state: Any) -> Status | None:
        """Stop rule: too many evaluations of the objective."""
        return Status.BUDGET_SPENT if getattr(state, "evaluations", 0) >= self.plan.max_fun else None

    def answer(self, state: Any) -> Answer:
        if self.plan.solver == "lbfgs":
            at = state.point.astype(self.vector.dtype), self._all_rows().moments(state.point).astype(self.vector.dtype)
            return Answer(at, {"loss_": state.objective, "n_iter_": state.iteration, "t_": 0})
        losses, scores = state.losses[: state.epoch], state.scores[: state.epoch]
        account = {"loss_": state.objective, "loss_curve_": losses, "n_iter_": state.epoch, "t_": state.seen}
        if self.score is None:
            account |= {"best_loss_": min(losses), "validation_scores_": None, "best_validation_score_": None}
        else:
            account |= {"best_loss_": None, "validation_scores_": scores, "best_validation_score_": max(scores)}
        return Answer((state.best_vector, state.best_running), account)

    def _all_rows(self) -> AllRows:
        return AllRows(self.plan.architecture, self.layout, self.X, self.targets, self.raw_weight)

    def _stochastic(self) -> Iterator[Any]:
        plan, network, host = self.plan, *self._network()
        if self.rule is None:
            penalties = Penalties(self.layout.n_weights, plan.architecture.l2, plan.architecture.l1)
            if plan.solver == "adam":
                self.rule = Adam(network.vector, penalties, *plan.betas, plan.epsilon, plan.clip_norm)
            else:
                self.rule = Momentum(network.vector, penalties, plan.momentum, plan.nesterov, plan.clip_norm)
        power = plan.power if plan.solver == "sgd" and plan.learning_rate == "invscaling" else 0.0
        return epochs.iterates(
            network, self.rule, plan.architecture, self.layout, self.n_rows, plan.batch_size,
            epochs.Schedule(plan.eta, power),
            epochs.Patience(plan.tol, plan.patience, plan.solver == "sgd" and plan.learning_rate == "adaptive"),
            self.random if plan.shuffle else None, self.score, self.seen, host,
        )  # fmt: skip

    def _network(self) -> tuple[Any, Callable[[Any], np.ndarray]]:
        """The network where it is to be trained, and how its vectors come back."""
        plan, dtype = self.plan, self.vector.dtype
        place = devices.place_for(plan.device, self._operations(), self._bytes())
        if place.is_device:
            X = self.X.toarray() if sparse.issparse(self.X) else self.X
            weight = None if self.weight is None else place.put(self.weight, dtype)
            draw = place.uniform(int(self.random.integers(2**63)), dtype) if plan.dropout else None
            network: Any = PlainNetwork(
                plan.architecture, self.layout, place.put(self.vector, dtype), place.put(self.running, dtype),
                place.put(X, dtype), place.put(self.targets.values, dtype), weight, plan.dropout, draw, place.put_index,
            )  # fmt: skip
            return network, place.get
        if self.layout.batch_norm:
            y = self.targets.values.astype(dtype)
            network = PlainNetwork(
                plan.architecture, self.layout, self.vector, self.running, self.X, y, self.weight, plan.dropout,
                lambda shape: self.random.random(shape, dtype=dtype), np.asarray,
            )  # fmt: skip
            return network, np.asarray
        y, largest = self.targets.judged(slice(None), dtype), min(plan.batch_size, self.n_rows)
        network = BufferedNetwork(
            plan.architecture, self.layout, self.vector, self.X, y, self.weight, largest, plan.dropout, self.random
        )
        return network, np.asarray

    def _operations(self) -> float:
        """Multiplications and additions of an epoch, about."""
        return 6.0 * self.n_rows * self.layout.n_weights

    def _bytes(self) -> int:
        """What the run needs on a device: the rows, and of a batch every layer several times."""
        sizes = self.layout.sizes
        batch = 6 * min(self.plan.batch_size, self.n_rows) * sum(sizes)
        numbers = self.n_rows * (sizes[0] + sizes[-1] + 3) + batch + 8 * self.layout.n_parameters
        return int(numbers) * self.vector.dtype.itemsize
