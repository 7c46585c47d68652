"""Backward induction: V_t = max_a (r + γPV_{t+1}) from the last step to the first. Syllabus: RL3, RL8."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from learnable._jit.reinforcement.bellman import backward_sweep
from learnable.solvers.reinforcement.bellman import Process


class InductionState(NamedTuple):
    """After one step back in time; `objective` counts the steps still to go.

    Attributes
    ----------
    values : (T + 1, S), filled from the end.
    pairs : (T, S), likewise.
    """

    objective: float
    values: np.ndarray
    pairs: np.ndarray


def iterates(process: Process, last: np.ndarray, horizon: int) -> Iterator[InductionState]:
    """One state per time, from the last decision to the first.

    Parameters
    ----------
    last : (S,) what each state is worth once the last step is made.
    horizon : number of decisions T.
    """
    values = np.zeros((horizon + 1, process.n_states))
    pairs = np.full((horizon, process.n_states), -1, dtype=np.int64)
    values[horizon] = last
    for t in range(horizon - 1, -1, -1):
        backward_sweep(
            process.rows, process.rewards, process.first, process.discount, values[t + 1], values[t], pairs[t]
        )
        yield InductionState(float(t), values, pairs)
