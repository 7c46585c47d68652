"""What the two smallest networks share: one unit, trained by the delta rule."""

from abc import abstractmethod
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from learnable.base import Data, Fitting, LinearPredictor
from learnable.problems.neural.network import Architecture
from learnable.seeds import generator_from
from learnable.solvers.neural.packed import Layout
from learnable.solvers.neural.standing import standing
from learnable.solvers.neural.targets import Targets
from learnable.solvers.neural.training import Plan, Training
from learnable.trace import Status, budget, first_of

# Weights begin this close to 0.
SMALL = 0.05


class Unit(LinearPredictor):
    """One unit o = f(θ·x + b) on squared errors, by batch, mini-batch or stochastic gradient descent."""

    # Greatest |∂²ℓ/∂u²|, and the name of the output in `problems.neural.outputs`.
    _curvature: ClassVar[float]
    _unit_output: ClassVar[str]
    _step = "epoch"
    _redone = True
    _remedy = "lower learning_rate or rescale the columns of X"
    shared_constraints: ClassVar[dict[str, list]] = {
        "learning_rate": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "batch_size": [Interval(Integral, 1, None, closed="left"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    @abstractmethod
    def _unit_target(self, data: Data) -> np.ndarray:
        """The targets, a number a row."""

    @abstractmethod
    def _unit_answer(self, coef: np.ndarray, intercept: np.ndarray) -> dict[str, Any]:
        """`coef_` and `intercept_` in the shapes users know, from (p,) and (1,)."""

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        data = self._validated(
            X, y, sample_weight, blocks=False, accept_sparse="csr", dtype=np.float64, order="C", **self._checks()
        )
        chosen = slice(None) if data.sample_weight is None else data.sample_weight > 0.0
        rows, weight = data.X[chosen], None if data.sample_weight is None else data.sample_weight[chosen]
        targets = Targets(self._unit_target(data)[chosen, None])
        n_rows, layout = rows.shape[0], Layout((rows.shape[1], 1))
        random = generator_from(self.random_state, type(self).__name__)
        batch = n_rows if self.batch_size is None else min(self.batch_size, n_rows)
        plan = Plan(
            Architecture("identity", self._unit_output), solver="sgd", batch_size=batch, learning_rate="constant",
            eta=self._rate(rows, weight, batch), power=0.0, momentum=0.0, nesterov=False, betas=(0.9, 0.999),
            epsilon=1e-8, clip_norm=None, dropout=0.0, tol=float(self.tol), patience=5.0, max_fun=0,
            shuffle=batch < n_rows, device="cpu",
        )  # fmt: skip
        start = random.uniform(-SMALL, SMALL, layout.n_parameters)
        run = Training(plan, layout, start, np.empty(0), rows, targets, weight, random)

        def attributes(state) -> dict[str, Any]:
            found = standing(plan.architecture, layout, state.vector, state.running, rows, targets, weight)
            theta = state.theta
            return self._unit_answer(theta.coefs[0][:, 0].copy(), theta.intercepts[0].copy()) | {
                "objective_": found.objective,
                "gradient_norms_": found.gradient_norms,
                "loss_curve_": state.losses[: state.epoch],
                "n_iter_": state.epoch,
            }

        return Fitting(
            run.iterates(), first_of(lambda step, state: state.settled, budget(self.max_iter)), attributes, data,
            ended=Status.STOPPED, max_steps=self.max_iter,
        )  # fmt: skip

    def _checks(self) -> dict[str, Any]:
        return {}

    def _rate(self, X, weight, batch: int) -> float:
        """η, or the largest that cannot overshoot: 1 over curvature times the mean (one row: the largest) of ‖x̃‖²."""
        if self.learning_rate != "auto":
            return float(self.learning_rate)
        squares = np.asarray((X.multiply(X) if hasattr(X, "multiply") else X * X).sum(axis=1)).ravel() + 1.0
        return 1.0 / (
            self._curvature * float(np.average(squares, weights=weight) if batch == X.shape[0] else squares.max())
        )
