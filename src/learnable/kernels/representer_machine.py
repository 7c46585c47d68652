"""Shared by the learners of the representer problem. Syllabus: K11."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from learnable.base import Data, Fitting
from learnable.kernels.cost import refuse_cost
from learnable.kernels.kernel_expansion import KernelExpansion
from learnable.kernels.not_semidefinite import refuse_indefinite
from learnable.problems.linear import losses as basic
from learnable.problems.linear import margin_losses, regression_losses
from learnable.solvers.kernels import representer
from learnable.trace import Status, budget

MARGIN = {
    "hinge": basic.Hinge(), "squared_hinge": margin_losses.SquaredHinge(), "logistic": basic.Logistic(),
    "modified_huber": margin_losses.ModifiedHuber(),
}  # fmt: skip
DISTANCE = {
    "squared": basic.Squared(), "absolute": regression_losses.Absolute(), "huber": regression_losses.Huber(1.35),
    "epsilon_insensitive": regression_losses.EpsilonInsensitive(0.1),
    "squared_epsilon_insensitive": regression_losses.SquaredEpsilonInsensitive(0.1),
}  # fmt: skip


class RepresenterState(NamedTuple):
    """After a step of the machine at work: the objectives' sum, its violation and gap, all coefficients (n, m)."""

    objective: float
    violation: float
    relative_gap: float
    dual: np.ndarray


class RepresenterMachine(KernelExpansion):
    """½‖f‖² + C Σ wᵢ ℓ(yᵢ, f(xᵢ))."""

    C: float
    loss: Any
    max_iter: int

    def _loss(self, known: dict[str, Any]) -> Any:
        loss = known.get(self.loss) if isinstance(self.loss, str) else self.loss
        if loss is None or not isinstance(loss, tuple(type(each) for each in known.values())):
            raise ValueError(f"{type(self).__name__}(loss={self.loss!r}): one of {', '.join(known)}, or such a loss")
        return loss

    def _machines(self, data: Data, targets: list[np.ndarray], loss: Any, more: dict[str, Any], flat: bool) -> Fitting:
        name = type(self).__name__
        refuse_cost(name, self.C)
        n = data.X.shape[0]
        C = np.full(n, float(self.C)) if data.sample_weight is None else self.C * data.sample_weight
        K = self._table(data.X)
        if not self._is_precomputed and not self._kernel_on(data.X).is_semidefinite:
            refuse_indefinite(name, K, self.kernel)

        def states() -> Iterator[RepresenterState]:
            dual, objective = np.zeros((n, len(targets))), np.zeros(len(targets))
            for k, state in representer.machines(K, targets, C, loss):
                dual[:, k], objective[k] = state.beta, state.objective
                yield RepresenterState(float(objective.sum()), state.violation, state.relative_gap, dual.copy())

        return Fitting(
            iterates=states(),
            stop=budget(self.max_iter),
            attributes=lambda state: {
                "dual_coef_": state.dual[:, 0].copy() if flat else state.dual.copy(), "X_fit_": data.X.copy(), **more,
            },
            data=data,
            ended=Status.OPTIMAL,
            counts_steps=True,
        )  # fmt: skip
