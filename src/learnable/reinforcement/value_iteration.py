"""Value iteration."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from learnable.base import Fitting
from learnable.reinforcement.planner import Planner, ProcessData, accuracy, plan_attributes
from learnable.reinforcement.starts import start_values
from learnable.solvers.reinforcement import value_iteration
from learnable.trace import Status, budget, first_of, reached


class ValueIteration(Planner):
    """Value iteration: V ← ΦV with (ΦV)(s) = max_a (r(s, a) + γ Σ P(s′ | s, a) V(s′)), until V* is enclosed.

    Φ shrinks distances by γ in the sup norm, so ‖ΦV − V*‖ ≤ γ/(1−γ) ‖ΦV − V‖: once ‖ΦV − V‖ < (1−γ)ε/γ, ΦV is within
    ε of V*, and ΦV, not V, is what is returned. Where episodes cannot end, γ/(1−γ) times the least and the largest
    entry of ΦV − V enclose V* − ΦV, and the middle of that enclosure is within ε long before: `stop="span"` uses it.
    Without discount a potential that proves total rewards finite takes the place of the contraction.
    Syllabus: RL7.

    Parameters
    ----------
    epsilon : float, default=None
        The values are within this of V*; by default 1e-6 of what rewards differ by (of the largest, where
        episodes end).
    max_iter : int, default=100000
        Sweeps at most.
    stop : {"span", "norm"}, default="span"
        Whether the extremes of ΦV − V enclose V*, or their largest magnitude.
    start : array (S,), default=None
        V to start from; zeros by default.

    Attributes
    ----------
    values_ : array (S,), within ε of V*.
    policy_ : int array (S,), the greedy actions; −1 in a state without actions.
    changes_ : array, ‖ΦV − V‖ of every sweep.
    n_iter_, status_
    certificate_ : `certificates.Certificate`, which claims
        RL6 : values within 1e-6 of what they and rewards differ by, the policy within twice that; of a larger ε less.
        RL7 : every sweep contracts by γ; `certify` makes the sweeps of `changes_` again.

    Examples
    --------
    >>> from learnable.reinforcement import ValueIteration, russell_norvig_world
    >>> world = russell_norvig_world()
    >>> plan = ValueIteration(epsilon=1e-8).fit(world.mdp)
    >>> print(world.table(plan.values_, "{:.3f}"))
    0.812 0.868 0.918 1.000
    0.762       0.660 -1.000
    0.705 0.655 0.611 0.388
    >>> plan.certificate_.holds
    True
    """

    _parameter_constraints: ClassVar = {
        "epsilon": [Interval(Real, 0, None, closed="neither"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "stop": [StrOptions({"span", "norm"})],
        "start": ["array-like", None],
    }

    def __init__(self, epsilon=None, *, max_iter=100_000, stop="span", start=None):
        self.epsilon = epsilon
        self.max_iter = max_iter
        self.stop = stop
        self.start = start

    def _pose(self, mdp: Any, y: Any = None) -> Fitting:
        mdp, process = self._process(mdp)
        changes: list[float] = []

        def recorded():
            for state in value_iteration.iterates(process, start_values(self, mdp), self.stop == "span"):
                changes.append(state.objective)
                yield state

        return Fitting(
            recorded(),
            first_of(reached("excess", accuracy(self.epsilon, mdp, 1e-6)), budget(self.max_iter)),
            lambda state: plan_attributes(mdp, state.values, state.pairs) | {"changes_": np.array(changes)},
            ProcessData(mdp),
            max_steps=self.max_iter,
            advice="raise max_iter or epsilon",
            ended=Status.OPTIMAL,
            counts_steps=True,
        )
