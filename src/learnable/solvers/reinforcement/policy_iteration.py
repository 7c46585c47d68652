"""Policy iteration: solve for the value of the policy, take better actions, until there are none. Syllabus: RL5."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from learnable.solvers.reinforcement.bellman import EPS, Process
from learnable.solvers.reinforcement.policy_evaluation import induced_by_pairs, solve_chain
from learnable.solvers.reinforcement.value_iteration import Sweep


class PolicyState(NamedTuple):
    """After an evaluation.

    Attributes
    ----------
    objective : ‖ΦV − V‖, what one better action would gain at most.
    values : (S,) V_π.
    pairs : (S,) the pair that π takes.
    improvable : number of states with a better action.
    """

    objective: float
    values: np.ndarray
    pairs: np.ndarray
    improvable: int


def iterates(process: Process, start: np.ndarray | None, tolerance: float) -> Iterator[PolicyState]:
    """One state per policy; ends with the first that no action improves.

    An action is changed only for one that is better beyond rounding: with ties broken anew, the policies could run in
    circles, and with γ = 1 leave the proper ones.

    Parameters
    ----------
    start : (S,) pairs of the first policy; those of the largest rewards if None.
    tolerance : error allowed in the values of a policy.
    """
    sweep, values = Sweep(process, start), None
    if start is None:
        sweep(np.zeros(process.n_states))
    pairs = sweep.pairs.copy()
    while True:
        reward, P = induced_by_pairs(process, pairs)
        values = solve_chain(reward, P, process.discount, values, 0.1 * tolerance)
        now, swept = sweep(values, centred=False)
        slack = 64.0 * EPS * (sweep.size + process.largest_reward) + 0.25 * tolerance * (1.0 - process.discount)
        # The pair that π takes was read in the sweep, so its bound is its value.
        better = np.flatnonzero((swept > sweep.bounds[pairs] + slack) & (pairs >= 0))
        yield PolicyState(now.objective, values, pairs, len(better))
        if len(better) == 0:
            return
        pairs = pairs.copy()
        pairs[better] = sweep.pairs[better]
        sweep.favour(pairs)
