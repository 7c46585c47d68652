"""The value of a policy by solving its equations."""

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable.base import Fitting
from learnable.certificates.reinforcement.total_reward import towards_the_end
from learnable.reinforcement.mdp import MDP
from learnable.reinforcement.planner import Planner, ProcessData, accuracy
from learnable.reinforcement.policy import RULE, stationary_weights
from learnable.solvers.reinforcement import policy_evaluation
from learnable.solvers.reinforcement.bellman import Process, process_of
from learnable.trace import Status, to_the_end


class PolicyEvaluation(Planner):
    """V_π = (I − γP_π)⁻¹ r_π, the expected discounted return of a policy from every state, and Q_π = r + γPV_π.

    The inverse exists since the spectral radius of γP_π is at most γ < 1; without discount, if π is proper.
    Syllabus: RL3, RL4.

    Parameters
    ----------
    policy : a `Policy`, or what `Policy` takes: ints (S,), probabilities (S, A), a mapping of names.
    epsilon : float, default=None
        The values are within this of V_π, or within rounding; by default 1e-9 of what rewards differ
        by (of the largest, where episodes end).

    Attributes
    ----------
    values_ : array (S,), V_π.
    q_values_ : array (S, A), Q_π; NaN where an action is not available.
    weights_ : array (K,), the probability of each pair under π.
    n_iter_, status_
    certificate_ : `certificates.Certificate`, which claims
        RL3 : V = r_π + γP_πV. RL4 : Q = r + γPV and E_π Q = V.

    Examples
    --------
    >>> from learnable.reinforcement import MDP, PolicyEvaluation
    >>> mdp = MDP([[[1.0]]], [[3.0]], discount=0.75)
    >>> PolicyEvaluation([0]).fit(mdp).values_
    array([12.])
    """

    _parameter_constraints: ClassVar = {
        "policy": RULE,
        "epsilon": [Interval(Real, 0, None, closed="neither"), None],
    }

    def __init__(self, policy, *, epsilon=None):
        self.policy = policy
        self.epsilon = epsilon

    def _pose(self, mdp: Any, y: Any = None) -> Fitting:
        self._check(mdp)
        inside, process, weights = followed(mdp, self.policy, type(self).__name__)

        def states():
            values = policy_evaluation.solve(process, weights, tolerance=0.1 * accuracy(self.epsilon, mdp, 1e-9))
            yield policy_evaluation.EvaluationState(0.0, values)

        return Fitting(
            states(),
            to_the_end,
            lambda state: value_attributes(inside, state.values, weights),
            ProcessData(mdp),
            max_steps=1,
            ended=Status.OPTIMAL,
            counts_steps=True,
        )


def followed(mdp: MDP, policy: Any, owner: str) -> tuple[MDP, Process, np.ndarray]:
    """(process, its arrays, weights of the pairs); without discount the policy must end from everywhere."""
    inside = mdp.stopped() if mdp.discount == 1.0 else mdp
    weights = stationary_weights(mdp, policy, owner)
    if inside is not mdp:
        weights = weights[~mdp.terminal[mdp.pair_states]]
    if mdp.discount == 1.0 and np.any(stuck := towards_the_end(inside, weights > 0.0) < 0):
        raise ValueError(
            f"{owner}: discount=1, and the policy is not proper: from state {mdp.states[int(np.argmax(stuck))]!r} it "
            "never reaches the end; use a discount below 1"
        )
    return inside, process_of(inside), weights


def value_attributes(mdp: MDP, values: np.ndarray, weights: np.ndarray) -> dict[str, Any]:
    """`values_`, `q_values_` and `weights_` of an evaluated policy."""
    q = mdp.rewards + mdp.discount * np.asarray(mdp.transitions @ values).ravel()
    return {"values_": values.copy(), "q_values_": mdp.pair_matrix(q), "weights_": weights}
