"""The best deterministic policy by trying them all."""

from math import prod
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable.base import Fitting
from learnable.reinforcement.planner import Planner, ProcessData
from learnable.solvers.reinforcement import policy_enumeration
from learnable.solvers.reinforcement.bellman import process_of
from learnable.solvers.reinforcement.policy_enumeration import BATCH
from learnable.trace import Status, to_the_end


class PolicyEnumeration(Planner):
    """All deterministic policies of a small process, and the one of largest Σ_s V_π(s).

    That one is at least as good as every other in every single state, not only in the sum: a finite process has an
    optimal policy, and a deterministic one. Syllabus: RL8.

    Parameters
    ----------
    max_policies : int, default=1000000
        Refuse processes with more deterministic policies.

    Attributes
    ----------
    values_ : array (S,). policy_ : int array (S,), −1 in a state without actions.
    highest_ : array (S,), the largest value of each state under any policy.
    n_policies_ : how many there are.
    n_iter_, status_
    certificate_ : `certificates.Certificate`, which claims
        RL8 : no deterministic policy is better in any state. RL6 : no policy at all is.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.reinforcement import MDP, PolicyEnumeration
    >>> P = np.array([[[0.5, 0.5], [1.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]]])
    >>> mdp = MDP(P, [[1.0, 0.0], [2.0, 0.0]], discount=0.9)
    >>> best = PolicyEnumeration().fit(mdp)
    >>> best.n_policies_, best.policy_.tolist(), best.certificate_.holds
    (4, [0, 0], True)
    """

    _parameter_constraints: ClassVar = {"max_policies": [Interval(Integral, 1, None, closed="left")]}

    def __init__(self, max_policies=1_000_000):
        self.max_policies = max_policies

    def _pose(self, mdp: Any, y: Any = None) -> Fitting:
        self._check(mdp)
        if mdp.discount == 1.0:
            raise ValueError("PolicyEnumeration: discount=1 gives endless policies no value; use a discount below 1")
        count = prod(int(size) for size in np.diff(mdp.first) if size)
        if count > self.max_policies:
            raise ValueError(
                f"PolicyEnumeration(max_policies={self.max_policies}): there are {count:.3g} deterministic policies; "
                "use PolicyIteration"
            )

        def attributes(state) -> dict[str, Any]:
            policy = np.where(state.pairs >= 0, mdp.pair_actions[np.maximum(state.pairs, 0)], -1)
            return {"values_": state.values, "policy_": policy, "highest_": state.highest, "n_policies_": state.tried}

        return Fitting(
            policy_enumeration.iterates(process_of(mdp)),
            to_the_end,
            attributes,
            ProcessData(mdp),
            max_steps=-(-count // BATCH),
            ended=Status.OPTIMAL,
            counts_steps=True,
        )
