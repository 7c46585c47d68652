"""Learning rates η of stochastic gradient descent. Syllabus: O2.

A schedule gives the rates of the coming steps, `rates(t, count)`, for steps number t, t + 1, … The passive-aggressive
ones depend on the row as well: η = min(rate, ℓ / length), with `length(squares)` from the squared lengths ‖x‖² of the
rows, just enough to bring the row's loss to zero. For all others there is no length.
"""

from typing import NamedTuple

import numpy as np

NO_LENGTHS = np.empty(0)
# About so many rates are found at once.
AHEAD = 2**12


class Constant(NamedTuple):
    """η.

    >>> Constant(0.5).rates(1.0, 2)
    array([0.5, 0.5])
    """

    eta: float

    def rates(self, t: float, count: int) -> np.ndarray:
        return np.full(count, self.eta)


class Optimal(NamedTuple):
    """1 / (α (t₀ + t − 1)), the rate for an objective that is α-strongly convex.

    >>> Optimal(0.1, 10.0).rates(1.0, 2)
    array([1.        , 0.90909091])
    """

    alpha: float
    t0: float

    def rates(self, t: float, count: int) -> np.ndarray:
        return 1.0 / (self.alpha * (self.t0 + (t - 1.0 + np.arange(count, dtype=float))))


class InverseScaling(NamedTuple):
    """η₀ / t^power.

    >>> InverseScaling(1.0, 0.5).rates(1.0, 4)[-1]
    np.float64(0.5)
    """

    eta0: float
    power: float

    def rates(self, t: float, count: int) -> np.ndarray:
        steps = t + np.arange(count, dtype=float)
        # Two square roots take a tenth of the time of a power.
        return self.eta0 / (np.sqrt(np.sqrt(steps)) if self.power == 0.25 else steps**self.power)


class PassiveAggressiveCapped(NamedTuple):
    """min(C, ℓ / ‖x‖²); a row of zeros moves nothing."""

    C: float

    def rates(self, t: float, count: int) -> np.ndarray:
        return np.full(count, self.C)

    def lengths(self, squares: np.ndarray) -> np.ndarray:
        return np.where(squares > 0.0, squares, np.inf)


class PassiveAggressiveDamped(NamedTuple):
    """ℓ / (‖x‖² + 1 / (2C))."""

    C: float

    def rates(self, t: float, count: int) -> np.ndarray:
        return np.full(count, np.inf)

    def lengths(self, squares: np.ndarray) -> np.ndarray:
        return squares + 0.5 / self.C


class RatesAhead:
    """Rates of visits to the same rows, asked for some visits at a time: of a short table each would take as long.

    Numbers of steps are whole, so that the rates are the same wherever a stretch of them begins.

    >>> rates = RatesAhead()
    >>> schedule = InverseScaling(1.0, 0.5)
    >>> [bool((rates.next(schedule, t, 5) == schedule.rates(t, 5)).all()) for t in (1.0, 6.0, 11.0, 3.0)]
    [True, True, True, True]
    """

    def __init__(self) -> None:
        self.schedule: Schedule | None = None
        self.first, self.found = 0.0, NO_LENGTHS

    def next(self, schedule: "Schedule", t: float, count: int) -> np.ndarray:
        """Those of the steps number t, …, t + count − 1."""
        begin = int(t - self.first)
        if schedule is not self.schedule or begin < 0 or begin + count > len(self.found):
            self.schedule, self.first, begin = schedule, t, 0
            self.found = schedule.rates(t, count * max(1, AHEAD // count))
        return self.found[begin : begin + count]


PASSIVE_AGGRESSIVE = (PassiveAggressiveCapped, PassiveAggressiveDamped)
Schedule = Constant | Optimal | InverseScaling | PassiveAggressiveCapped | PassiveAggressiveDamped
