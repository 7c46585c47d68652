"""Learning rates η of stochastic gradient descent. Syllabus: O2.

A schedule gives the rates of the coming steps, `rates(t, count)`, for steps number t, t + 1, … The passive-aggressive
ones depend on the row as well: η = min(rate, ℓ / length), with `length(squares)` from the squared lengths ‖x‖² of the
rows, just enough to bring the row's loss to zero. For all others there is no length.
"""

from typing import NamedTuple

import numpy as np

NO_LENGTHS = np.empty(0)


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


PASSIVE_AGGRESSIVE = (PassiveAggressiveCapped, PassiveAggressiveDamped)
Schedule = Constant | Optimal | InverseScaling | PassiveAggressiveCapped | PassiveAggressiveDamped
