"""The value of a policy over a finite horizon."""

from numbers import Integral
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from learnable.base import Fitting
from learnable.reinforcement.backward_induction import final_values
from learnable.reinforcement.planner import Planner, ProcessData
from learnable.reinforcement.policy import RULE, Policy
from learnable.solvers.reinforcement import policy_evaluation
from learnable.solvers.reinforcement.bellman import process_of
from learnable.trace import Status, to_the_end


class FiniteHorizonEvaluation(Planner):
    """V_t = r_π + γP_πV_{t+1}, from V_T given down to V_0: the expected return of T steps from every state.

    The policy may change with time, and γ may be 1. Syllabus: RL2, RL3.

    Parameters
    ----------
    policy : a `Policy`, or what `Policy` takes; one that changes with time has `horizon` rules.
    horizon : int, default=10
        Number of steps T.
    final_values : array (S,), default=None
        What each state is worth after the last step, 0 for a state without actions; zeros by default.

    Attributes
    ----------
    values_ : array (T + 1, S).
    weights_ : array (T, K) or (1, K), the probability of each pair.
    n_iter_, status_
    certificate_ : `certificates.Certificate`, which claims
        RL3 : V_t = r_π + γP_πV_{t+1} at every time.

    Examples
    --------
    >>> from learnable.reinforcement import MDP, FiniteHorizonEvaluation
    >>> mdp = MDP([[[1.0], [1.0]]], [[1.0, 10.0]], discount=1.0)
    >>> FiniteHorizonEvaluation([[0], [0], [1]], horizon=3).fit(mdp).values_[:, 0]
    array([12., 11., 10.,  0.])
    """

    _parameter_constraints: ClassVar = {
        "policy": RULE,
        "horizon": [Interval(Integral, 1, None, closed="left")],
        "final_values": ["array-like", None],
    }

    def __init__(self, policy, *, horizon=10, final_values=None):
        self.policy = policy
        self.horizon = horizon
        self.final_values = final_values

    def _pose(self, mdp: Any, y: Any = None) -> Fitting:
        self._check(mdp)
        policy = Policy(mdp, self.policy)
        if not policy.stationary and len(policy.weights) != self.horizon:
            raise ValueError(
                f"FiniteHorizonEvaluation(horizon={self.horizon}): the policy has rules for {len(policy.weights)} times"
            )
        process, last = process_of(mdp), final_values(self, mdp)
        return Fitting(
            policy_evaluation.backward_iterates(process, policy.weights, last, self.horizon),
            to_the_end,
            lambda state: {"values_": state.values.copy(), "weights_": policy.weights},
            ProcessData(mdp),
            max_steps=self.horizon,
            ended=Status.OPTIMAL,
            counts_steps=True,
        )
