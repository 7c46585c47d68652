"""Value iteration in place: later states of a sweep see the new values of earlier ones. Syllabus: RL7."""

from collections.abc import Iterator

import numpy as np

from learnable._jit.reinforcement.bellman import gauss_seidel_sweep
from learnable.solvers.reinforcement.bellman import Process
from learnable.solvers.reinforcement.value_iteration import Sweep, SweepState


def iterates(process: Process, start: np.ndarray) -> Iterator[SweepState]:
    """Sweep in place forth and back, so that values travel along the order of the states, then apply Φ once.

    A sweep in place is a γ-contraction towards V* too; the application of Φ encloses V*.
    """
    sweep = Sweep(process)
    values = np.array(start, dtype=float)
    while True:
        for backward in (False, True):
            gauss_seidel_sweep(*sweep.model, values, backward)
        state, swept = sweep(values)
        yield state
        values[:] = swept
