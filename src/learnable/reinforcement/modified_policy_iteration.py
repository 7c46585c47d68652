"""Modified policy iteration."""

from numbers import Integral, Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from learnable.base import Fitting
from learnable.reinforcement.planner import Planner, ProcessData, accuracy, plan_attributes
from learnable.reinforcement.starts import rising_start
from learnable.solvers.reinforcement import modified_policy_iteration
from learnable.trace import Status, budget, first_of, reached


class ModifiedPolicyIteration(Planner):
    """Modified policy iteration: V ← ΦV, then a few sweeps V ← r_π + γP_πV of the greedy policy π.

    Between value iteration (no such sweeps) and policy iteration (infinitely many). A sweep of one policy reads one
    action a state where Φ reads them all. Syllabus: RL5, RL7.

    Parameters
    ----------
    epsilon : float, default=None
        The values are within this of V*; by default 1e-6 of what rewards differ by (of the largest, where
        episodes end).
    n_sweeps : int, default=20
        Sweeps of the greedy policy after each application of Φ, at most: they end once they change little.
    max_iter : int, default=100000
        Applications of Φ at most.
    start : array (S,), default=None
        V to start from. By default the worst reward for ever (without discount, the value of a proper policy), from
        where values only rise.

    Attributes
    ----------
    values_, policy_, n_iter_, status_ : as of `ValueIteration`.
    certificate_ : `certificates.Certificate`, which claims
        RL6 : values and policy near V*, as of `ValueIteration`.

    Examples
    --------
    >>> from learnable.reinforcement import ModifiedPolicyIteration, sutton_barto_world
    >>> world = sutton_barto_world()
    >>> plan = ModifiedPolicyIteration().fit(world.mdp)
    >>> print(world.table(plan.values_, "{:.1f}"))
    22.0 24.4 22.0 19.4 17.5
    19.8 22.0 19.8 17.8 16.0
    17.8 19.8 17.8 16.0 14.4
    16.0 17.8 16.0 14.4 13.0
    14.4 16.0 14.4 13.0 11.7
    """

    _parameter_constraints: ClassVar = {
        "epsilon": [Interval(Real, 0, None, closed="neither"), None],
        "n_sweeps": [Interval(Integral, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "start": ["array-like", None],
    }

    def __init__(self, epsilon=None, *, n_sweeps=20, max_iter=100_000, start=None):
        self.epsilon = epsilon
        self.n_sweeps = n_sweeps
        self.max_iter = max_iter
        self.start = start

    def _pose(self, mdp: Any, y: Any = None) -> Fitting:
        mdp, process = self._process(mdp)
        tolerance = accuracy(self.epsilon, mdp, 1e-6)
        return Fitting(
            modified_policy_iteration.iterates(process, rising_start(self, mdp, process), self.n_sweeps, tolerance),
            first_of(reached("excess", tolerance), budget(self.max_iter)),
            lambda state: plan_attributes(mdp, state.values, state.pairs),
            ProcessData(mdp),
            max_steps=self.max_iter,
            advice="raise max_iter or epsilon",
            ended=Status.OPTIMAL,
            counts_steps=True,
        )
