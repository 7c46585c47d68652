"""The value of a policy by sweeps."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable.base import Fitting
from learnable.reinforcement.planner import Planner, ProcessData, accuracy
from learnable.reinforcement.policy import RULE
from learnable.reinforcement.policy_evaluation import followed, value_attributes
from learnable.reinforcement.starts import start_values
from learnable.solvers.reinforcement import policy_evaluation
from learnable.trace import Status, budget, first_of, reached


class IterativePolicyEvaluation(Planner):
    """V ← r_π + γP_πV until V is within ε of V_π.

    The distance to V_π is at most γ/(1−γ) times the change of a sweep; without discount, at most the longest mean
    number of steps to the end times that change. Syllabus: RL3.

    Parameters
    ----------
    policy : a `Policy`, or what `Policy` takes.
    epsilon : float, default=None
        The values are within this of V_π; by default 1e-6 of what rewards differ by (of the largest, where
        episodes end).
    max_iter : int, default=100000
        Sweeps at most.
    start : array (S,), default=None
        V to start from; zeros by default.

    Attributes
    ----------
    values_, q_values_, weights_, n_iter_, status_ : as of `PolicyEvaluation`.
    certificate_ : `certificates.Certificate`, which claims
        RL3 : V is near the solution of V = r_π + γP_πV. RL4 : Q = r + γPV and E_π Q = V.

    Examples
    --------
    >>> from learnable import watch
    >>> from learnable.reinforcement import IterativePolicyEvaluation, sutton_barto_corners, uniform_policy
    >>> world = sutton_barto_corners()
    >>> for step in watch(IterativePolicyEvaluation(uniform_policy(world.mdp)), world.mdp):
    ...     if step.number == 2:
    ...         print(world.table(step.state.values, "{:.2f}"))
    0.00 -1.75 -2.00 -2.00
    -1.75 -2.00 -2.00 -2.00
    -2.00 -2.00 -2.00 -1.75
    -2.00 -2.00 -1.75 0.00
    """

    _parameter_constraints: ClassVar = {
        "policy": RULE,
        "epsilon": [Interval(Real, 0, None, closed="neither"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "start": ["array-like", None],
    }

    def __init__(self, policy, *, epsilon=None, max_iter=100_000, start=None):
        self.policy = policy
        self.epsilon = epsilon
        self.max_iter = max_iter
        self.start = start

    def _pose(self, mdp: Any, y: Any = None) -> Fitting:
        self._check(mdp)
        inside, process, weights = followed(mdp, self.policy, type(self).__name__)
        if mdp.discount < 1.0:
            reach = mdp.discount / (1.0 - mdp.discount)
        else:
            each_step = process._replace(rewards=np.ones(len(process.rewards)))
            reach = float(policy_evaluation.solve(each_step, weights).max())
        return Fitting(
            policy_evaluation.iterates(process, weights, start_values(self, mdp), reach),
            first_of(reached("objective", accuracy(self.epsilon, mdp, 1e-6)), budget(self.max_iter)),
            lambda state: value_attributes(inside, state.values, weights),
            ProcessData(mdp),
            max_steps=self.max_iter,
            advice="raise max_iter or epsilon",
            ended=Status.OPTIMAL,
            counts_steps=True,
        )
