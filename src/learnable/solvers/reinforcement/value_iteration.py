"""Value iteration: V ← ΦV. Syllabus: RL7."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from learnable._jit.reinforcement.bellman import are_short, bellman_sweep, keep_rows, room_for_one, short_sweep
from learnable.solvers.reinforcement.bellman import EPS, Process, enclosure, rounding


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

    r + γPV of a pair grows by at most γ times the largest growth of V: a pair that so stays below the best of its state
    is not read again. The result is that of reading them all.

    Parameters
    ----------
    process : the decision process.
    pairs : (S,) tried first in the first sweep; those of the largest rewards if None.

    Attributes
    ----------
    pairs : (S,) the best pairs of the last sweep, tried first in the next.
    kept : the rows of P of those pairs.
    bounds : (K,) at least r + γPV of every pair at the last V.
    """

    def __init__(self, process: Process, pairs: np.ndarray | None = None):
        self.process = process
        self.model = (process.rows, process.rewards, process.first, process.discount)
        self.swept = np.empty(process.n_states)
        self.short = are_short(process.rows)
        # At V = 0 the value of a pair is its reward.
        self.last, self.bounds = np.zeros(process.n_states), process.rewards.copy()
        self.pairs = np.full(process.n_states, -1, dtype=np.int64)
        self.kept = room_for_one(process.rows, process.first)
        self.favour(best_rewards(process) if pairs is None else pairs)

    def favour(self, pairs: np.ndarray) -> None:
        """Try these pairs first in the next sweep."""
        self.pairs[:] = pairs
        keep_rows(self.process.rows, self.pairs, self.kept)

    def __call__(self, values: np.ndarray, centred: bool = True) -> tuple[SweepState, np.ndarray]:
        """(the state after the sweep, ΦV as it came out of the sweep)."""
        if self.short:
            low, high = short_sweep(*self.model, values, self.bounds, self.swept, self.pairs, self.kept)
        else:
            growth = float(np.max(values - self.last))
            # An episode that ends keeps its value 0. A little more covers rounding.
            growth = max(growth, 0.0) if self.process.can_end else growth
            drift = self.process.discount * growth + 8.0 * EPS * float(np.abs(values).max() + np.abs(self.last).max())
            low, high = bellman_sweep(*self.model, values, drift, self.bounds, self.swept, self.pairs, self.kept)
            self.last[:] = values
        change = max(high, -low)
        where = enclosure(self.process, self.swept, *((low, high) if centred else (-change, change)))
        excess = where.error - rounding(self.process, self.swept)
        shown = self.swept if where.shift == 0.0 else self.swept + where.shift
        return SweepState(change, high - low, where.error, excess, shown, self.pairs), self.swept


def best_rewards(process: Process) -> np.ndarray:
    """(S,): the pair of the largest reward of each state, −1 where there is none."""
    first, rewards = process.first, process.rewards
    pairs = np.full(process.n_states, -1, dtype=np.int64)
    acting = np.flatnonzero(np.diff(first))
    top = np.zeros(process.n_states)
    top[acting] = np.maximum.reduceat(rewards, first[acting])
    state = np.repeat(np.arange(process.n_states), np.diff(first))
    ready = np.flatnonzero(rewards == top[state])
    # Reversed, so that the first among equals stays.
    pairs[state[ready[::-1]]] = ready[::-1]
    return pairs
