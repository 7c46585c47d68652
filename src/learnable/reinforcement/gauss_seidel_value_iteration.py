"""Value iteration in place."""

from numbers import Integral, Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from learnable.base import Fitting
from learnable.reinforcement.planner import Planner, ProcessData, accuracy, plan_attributes
from learnable.reinforcement.starts import rising_start
from learnable.solvers.reinforcement import gauss_seidel_value_iteration
from learnable.trace import Status, budget, first_of, reached


class GaussSeidelValueIteration(Planner):
    """Value iteration in place, forth and back over the states: each sees the new values of those before it.

    A goal's value crosses a whole grid in a few sweeps instead of one cell a sweep. After each pair of sweeps one
    application of Φ encloses V* as in `ValueIteration`. Syllabus: RL7.

    Parameters
    ----------
    epsilon : float, default=None
        The values are within this of V*; by default 1e-6 of what rewards differ by (of the largest, where
        episodes end).
    max_iter : int, default=100000
        Rounds (forth, back, Φ) at most.
    start : array (S,), default=None
        V to start from. By default the worst reward for ever (without discount, the value of a proper policy): what
        is found on the way of a sweep is then better than what lies ahead, and travels with it.

    Attributes
    ----------
    values_, policy_, n_iter_, status_ : as of `ValueIteration`.
    certificate_ : `certificates.Certificate`, which claims
        RL6 : values and policy near V*, as of `ValueIteration`.

    Examples
    --------
    >>> from learnable.reinforcement import GaussSeidelValueIteration, ValueIteration, grid_world
    >>> mdp = grid_world(30, 30, goals={(29, 29): 1.0}, discount=0.95).mdp
    >>> in_place, plain = GaussSeidelValueIteration().fit(mdp), ValueIteration().fit(mdp)
    >>> bool(abs(in_place.values_ - plain.values_).max() < 1e-6), in_place.n_iter_, plain.n_iter_
    (True, 1, 59)
    """

    _parameter_constraints: ClassVar = {
        "epsilon": [Interval(Real, 0, None, closed="neither"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "start": ["array-like", None],
    }

    def __init__(self, epsilon=None, *, max_iter=100_000, start=None):
        self.epsilon = epsilon
        self.max_iter = max_iter
        self.start = start

    def _pose(self, mdp: Any, y: Any = None) -> Fitting:
        mdp, process = self._process(mdp)
        return Fitting(
            gauss_seidel_value_iteration.iterates(process, rising_start(self, mdp, process)),
            first_of(reached("excess", accuracy(self.epsilon, mdp, 1e-6)), budget(self.max_iter)),
            lambda state: plan_attributes(mdp, state.values, state.pairs),
            ProcessData(mdp),
            max_steps=self.max_iter,
            advice="raise max_iter or epsilon",
            ended=Status.OPTIMAL,
            counts_steps=True,
        )
