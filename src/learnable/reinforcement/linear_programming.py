"""Planning by linear programming."""

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable.base import Fitting
from learnable.reinforcement.planner import Planner, ProcessData
from learnable.solvers.reinforcement import occupancy_program
from learnable.trace import Status, to_the_end


class LinearProgrammingPlanner(Planner):
    """V* as a linear program, with its dual as the proof.

    Primal: min w·V with V ≥ r + γPV. Dual: max r·μ over μ ≥ 0 with Σ_a μ(s, a) − γ Σ P(s | s′, a′) μ(s′, a′) = w(s):
    μ(s, a) is the discounted number of times that the policy takes a in s when episodes start by w. Syllabus: RL6.

    Parameters
    ----------
    epsilon : float, default=None
        Kept beside the other planners': the program is solved to the last digits anyway.
    weight : array (S,), default=None
        Positive weights w; 1/S by default. Every positive w has the same optimal V.

    Attributes
    ----------
    values_ : array (S,).
    occupancy_ : array (S, A), μ; NaN where an action is not available.
    policy_ : int array (S,), where μ is positive; −1 in a state without actions.
    weight_ : array (S,), w.
    n_iter_, status_
    certificate_ : `certificates.Certificate`, which claims
        RL6 : V and μ are feasible, w·V = r·μ, μ (V − Q) = 0; values and policy near V*.

    Examples
    --------
    >>> from learnable.reinforcement import LinearProgrammingPlanner, russell_norvig_world
    >>> plan = LinearProgrammingPlanner().fit(russell_norvig_world().mdp)
    >>> plan.certificate_.holds
    True
    """

    _parameter_constraints: ClassVar = {
        "epsilon": [Interval(Real, 0, None, closed="neither"), None],
        "weight": ["array-like", None],
    }

    def __init__(self, epsilon=None, *, weight=None):
        self.epsilon = epsilon
        self.weight = weight

    def _pose(self, mdp: Any, y: Any = None) -> Fitting:
        mdp, process = self._process(mdp)
        n, inside = mdp.n_states, mdp.stopped() if mdp.discount == 1.0 else mdp
        weight = np.full(n, 1.0 / n) if self.weight is None else np.array(self.weight, dtype=float)
        if weight.shape != (n,) or not np.all(np.isfinite(weight) & (weight > 0.0)):
            raise ValueError(f"LinearProgrammingPlanner(weight=...): {n} positive weights are needed, one a state")

        def attributes(state) -> dict[str, Any]:
            return {
                "values_": state.values,
                "occupancy_": inside.pair_matrix(state.occupancy),
                "policy_": np.where(state.pairs >= 0, inside.pair_actions[np.maximum(state.pairs, 0)], -1),
                "weight_": weight,
            }

        return Fitting(
            occupancy_program.iterates(process, weight),
            to_the_end,
            attributes,
            ProcessData(mdp),
            max_steps=1,
            ended=Status.OPTIMAL,
            counts_steps=True,
        )
