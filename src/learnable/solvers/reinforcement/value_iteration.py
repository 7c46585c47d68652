"""Value iteration: V ← ΦV. Syllabus: RL7."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from learnable._jit.reinforcement.bellman import are_short, bellman_sweep, keep_rows, room_for_one, short_sweep
from learnable.solvers.reinforcement.bellman import Process, enclosure, rounding


class SweepState(NamedTuple):
    """After a sweep.

    Attributes
    ----------
    objective : ‖ΦV − V‖.
    spread : largest minus smallest entry of ΦV − V.
    error : how far any value may be from V*; `excess` is what rounding does not explain of it.
    values : (S,) ΦV, moved to the middle of its enclosure.
    pairs : (S,) the pair that attains the maximum; −1 for a state without any.
    """

    objective: float
    spread: float
    error: float
    excess: float
    values: np.ndarray
    pairs: np.ndarray


def iterates(process: Process, start: np.ndarray, centred: bool) -> Iterator[SweepState]:
    """One state per sweep, without end.

    Parameters
    ----------
    start : (S,) V to start from.
    centred : whether each state is moved to the middle of its enclosure; otherwise it is ΦV itself, which the norm of
        the change encloses. The sweeps are the same.
    """
    sweep = Sweep(process)
    values = np.array(start, dtype=float)
    while True:
        state, swept = sweep(values, centred)
        yield state
        values[:] = swept


class Sweep:
    """One application of Φ, and what it tells of the distance to V*.

    Parameters
    ----------
    process : the decision process.
    pairs : (S,) tried first in the first sweep; the first of each state if None.

    Attributes
    ----------
    pairs : (S,) the best pairs of the last sweep, tried first in the next.
    kept : the rows of P of those pairs.
    bounds : (K,) at least r + γPV of every pair at the last V.
    size : the largest magnitude in the last ΦV.
    """

    def __init__(self, process: Process, pairs: np.ndarray | None = None):
        self.process = process
        self.model = (process.rows, process.rewards, process.first, process.discount)
        self.swept, self.size = np.empty(process.n_states), 0.0
        self.short = are_short(process.rows)
        # At V = 0 the value of a pair is its reward.
        self.last, self.bounds = np.zeros(process.n_states), process.rewards.copy()
        begin, end = process.first[:-1], process.first[1:]
        self.pairs = np.where(begin < end, begin, -1) if pairs is None else pairs.copy()
        self.kept = room_for_one(process.rows, process.first)
        keep_rows(process.rows, self.pairs, self.kept)

    def favour(self, pairs: np.ndarray) -> None:
        """Try these pairs first in the next sweep."""
        self.pairs[:] = pairs
        keep_rows(self.process.rows, self.pairs, self.kept)

    def __call__(self, values: np.ndarray, centred: bool = True) -> tuple[SweepState, np.ndarray]:
        """(the state after the sweep, ΦV as it came out of the sweep)."""
        if self.short:
            low, high, self.size = short_sweep(*self.model, values, self.bounds, self.swept, self.pairs, self.kept)
        else:
            low, high, self.size = bellman_sweep(
                *self.model, self.process.can_end, values, self.last, self.bounds, self.swept, self.pairs, self.kept
            )
        change = max(high, -low)
        where = enclosure(self.process, self.swept, *((low, high) if centred else (-change, change)))
        excess = where.error - rounding(self.process, self.size)
        shown = self.swept if where.shift == 0.0 else self.swept + where.shift
        return SweepState(change, high - low, where.error, excess, shown, self.pairs), self.swept
