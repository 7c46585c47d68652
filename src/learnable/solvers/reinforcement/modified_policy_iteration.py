"""Modified policy iteration: a greedy step, then a few sweeps of the greedy policy. Syllabus: RL5, RL7."""

from collections.abc import Iterator

import numpy as np

from learnable._jit.reinforcement.bellman import policy_sweeps
from learnable.solvers.reinforcement.bellman import Process
from learnable.solvers.reinforcement.value_iteration import Sweep, SweepState

# A policy is evaluated to this share of what the greedy step found to change: it will be replaced anyway.
SHARE = 0.2


def iterates(process: Process, start: np.ndarray, n_sweeps: int, epsilon: float) -> Iterator[SweepState]:
    """One state per greedy step, without end.

    Sweeps of one policy read one pair a state, a greedy step all of them. From a start with ΦV ≥ V the values only
    rise, which proves convergence.

    Parameters
    ----------
    start : (S,) V to start from.
    n_sweeps : sweeps of the greedy policy after each greedy step, at most; 0 gives value iteration.
    epsilon : error that is aimed at; sweeps that no longer change anything of its size are left out.
    """
    sweep = Sweep(process)
    values, spare = np.array(start, dtype=float), np.empty(process.n_states)
    while True:
        state, swept = sweep(values)
        yield state
        values[:] = swept
        enough = max(0.1 * epsilon * (1.0 - process.discount), SHARE * state.spread)
        policy_sweeps(sweep.kept, process.rewards, sweep.pairs, process.discount, values, spare, n_sweeps, enough)
