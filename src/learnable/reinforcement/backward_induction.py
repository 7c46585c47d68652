"""Backward induction."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable.base import Fitting
from learnable.plain import plain
from learnable.reinforcement.mdp import MDP
from learnable.reinforcement.planner import Planner, ProcessData
from learnable.solvers.reinforcement import backward_induction
from learnable.solvers.reinforcement.bellman import process_of
from learnable.trace import Status, to_the_end


class BackwardInduction(Planner):
    """The best policy for a finite horizon: V_T given, V_t = max_a (r + γPV_{t+1}), for t = T − 1, …, 0.

    The best action depends on the time left, so the policy changes with time; any γ in [0, 1] will do.
    Syllabus: RL2, RL3, RL8.

    Parameters
    ----------
    horizon : int, default=10
        Number of decisions T.
    final_values : array (S,), default=None
        What each state is worth after the last step, 0 for a state without actions; zeros by default.

    Attributes
    ----------
    values_ : array (T + 1, S), `values_[t]` with T − t decisions to go.
    policy_ : int array (T, S), −1 in states without actions.
    n_iter_, status_
    certificate_ : `certificates.Certificate`, which claims
        RL3 : V_t = max_a (r + γPV_{t+1}) at every time. RL8 : every action attains the maximum.

    Examples
    --------
    >>> from learnable.reinforcement import MDP, BackwardInduction
    >>> rows = [("work", "save", "work", 1.0, 1.0), ("work", "cash in", "idle", 1.0, 3.0)]
    >>> plan = BackwardInduction(horizon=4).fit(MDP.from_table(rows, discount=1.0))
    >>> plan.policy_[:, 0].tolist(), plan.values_[:, 0].tolist()
    ([0, 0, 0, 1], [6.0, 5.0, 4.0, 3.0, 0.0])
    """

    _parameter_constraints: ClassVar = {
        "horizon": [Interval(Integral, 1, None, closed="left")],
        "final_values": ["array-like", None],
    }

    def __init__(self, horizon=10, *, final_values=None):
        self.horizon = horizon
        self.final_values = final_values

    def _pose(self, mdp: Any, y: Any = None) -> Fitting:
        self._check(mdp)

        def attributes(state) -> dict[str, Any]:
            policy = np.where(state.pairs >= 0, mdp.pair_actions[np.maximum(state.pairs, 0)], -1)
            return {"values_": state.values.copy(), "policy_": policy}

        return Fitting(
            backward_induction.iterates(process_of(mdp), final_values(self, mdp), self.horizon),
            to_the_end,
            attributes,
            ProcessData(mdp),
            max_steps=self.horizon,
            ended=Status.OPTIMAL,
            counts_steps=True,
        )


def final_values(planner: Any, mdp: MDP) -> np.ndarray:
    """The values after the last step, checked."""
    if planner.final_values is None:
        return np.zeros(mdp.n_states)
    last = np.array(planner.final_values, dtype=float)
    if last.shape != (mdp.n_states,) or not np.all(np.isfinite(last)):
        raise ValueError(
            f"{type(planner).__name__}(final_values=...): {mdp.n_states} finite values are needed; found {last.shape}"
        )
    over = (np.diff(mdp.first) == 0) & (last != 0.0)
    if over.any():
        state = mdp.states[int(np.argmax(over))]
        raise ValueError(
            f"{type(planner).__name__}(final_values=...): state {plain(state)!r} has no actions: episodes end there "
            f"with value 0, whenever it is reached. Put {last[over][0]:g} into the reward of the step that leads there"
        )
    return last
