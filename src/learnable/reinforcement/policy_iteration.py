"""Policy iteration."""

from itertools import islice
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable.base import Fitting
from learnable.certificates.reinforcement.total_reward import towards_the_end
from learnable.reinforcement.mdp import MDP
from learnable.reinforcement.planner import Planner, ProcessData, accuracy, plan_attributes
from learnable.reinforcement.policy import RULE, Policy
from learnable.reinforcement.proper import proper_pairs
from learnable.solvers.reinforcement import gauss_seidel_value_iteration, policy_iteration
from learnable.solvers.reinforcement.bellman import Process
from learnable.solvers.reinforcement.policy_evaluation import DENSE_STATES
from learnable.trace import Status, budget

# Sweeps forth and back that find the first policy of a large process.
START_SWEEPS = 30


class PolicyIteration(Planner):
    """Policy iteration: solve V_π = r_π + γP_πV_π, act greedily for it, until no action is better.

    By the policy improvement theorem no value ever falls, and there are finitely many policies: the last one is
    optimal, and its value is V* up to the rounding of the solve. Syllabus: RL5.

    Parameters
    ----------
    epsilon : float, default=None
        The values are within this of V*; by default 1e-8 of what rewards differ by (of the largest, where
        episodes end).
    max_iter : int, default=1000
        Policies at most.
    policy : the policy to start from, a deterministic one, default=None
        By default the actions of the largest immediate reward, or, of many states, those that some sweeps of value
        iteration in place find; without discount a proper policy.

    Attributes
    ----------
    values_, policy_, n_iter_, status_ : as of `ValueIteration`.
    improvements_ : array, for each change of policy the least gain of a value, which the theorem says is ≥ 0.
    certificate_ : `certificates.Certificate`, which claims
        RL6 : values and policy near V*, as of `ValueIteration`. RL5 : no other action improves the policy.
        Nothing is claimed about `improvements_`.

    Examples
    --------
    >>> from learnable.reinforcement import PolicyIteration, russell_norvig_world
    >>> world = russell_norvig_world()
    >>> print(world.arrows(PolicyIteration().fit(world.mdp).policy_))
    → → → +
    ↑ # ↑ -
    ↑ ← ← ←
    """

    _parameter_constraints: ClassVar = {
        "epsilon": [Interval(Real, 0, None, closed="neither"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "policy": [*RULE, None],
    }

    def __init__(self, epsilon=None, *, max_iter=1000, policy=None):
        self.epsilon = epsilon
        self.max_iter = max_iter
        self.policy = policy

    def _pose(self, mdp: Any, y: Any = None) -> Fitting:
        mdp, process = self._process(mdp)
        gains: list[float] = []

        def recorded():
            before = None
            tolerance = accuracy(self.epsilon, mdp, 1e-8)
            for state in policy_iteration.iterates(process, self._start(mdp, process), tolerance):
                if before is not None:
                    gains.append(float((state.values - before).min()))
                before = state.values
                yield state

        return Fitting(
            recorded(),
            budget(self.max_iter),
            lambda state: plan_attributes(mdp, state.values, state.pairs) | {"improvements_": np.array(gains)},
            ProcessData(mdp),
            max_steps=self.max_iter,
            advice="raise max_iter",
            ended=Status.OPTIMAL,
            counts_steps=True,
        )

    def _start(self, mdp: MDP, process: Process) -> np.ndarray | None:
        inside = mdp.stopped() if mdp.discount == 1.0 else mdp
        if self.policy is not None:
            given = Policy(inside, self.policy)
            if not (given.deterministic and given.stationary):
                raise ValueError("PolicyIteration(policy=...): a deterministic policy that does not change is needed")
            pairs = np.full(mdp.n_states, -1, dtype=np.int64)
            taken = np.flatnonzero(given.weights[0])
            pairs[inside.pair_states[taken]] = taken
            if mdp.discount == 1.0 and np.any(stuck := towards_the_end(inside, given.weights[0]) < 0):
                raise ValueError(
                    f"PolicyIteration(policy=...): discount=1, and the policy never ends from state "
                    f"{mdp.states[int(np.argmax(stuck))]!r}; give a proper one"
                )
            return pairs
        if mdp.discount == 1.0:
            return proper_pairs(inside)
        if process.n_states <= DENSE_STATES:
            return None
        # Solving for the value of a policy of many states takes as long as many sweeps: these find a better start.
        sweeps = gauss_seidel_value_iteration.iterates(process, np.zeros(process.n_states))
        return next(islice(sweeps, START_SWEEPS, None)).pairs.copy()
