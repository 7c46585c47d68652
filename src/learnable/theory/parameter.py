"""The parameters a bound takes: their domains and the direction in which they move the bound."""

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Parameter:
    """One argument of a bound.

    Parameters
    ----------
    name, meaning : str
        The letter used in the formula and what it stands for.
    grows : bool or None
        True when the bound grows with this parameter, False when it falls, None when it does neither throughout.
    low, high : float
        The ends of the domain.
    not_below, not_above : str
        The name of another parameter that limits this one (`not_below="d"` reads m ≥ d), or empty.
    open_low, open_high : bool
        Whether the ends themselves are excluded.
    integer : bool
        Whether only whole numbers make sense.
    default : float or None
        Used when the caller leaves the parameter out.
    monotone_from : callable or None
        From which value on `grows` is true, given the other parameters; below it the bound must be vacuous.
    search_limit : int
        The largest whole number taken, and the largest `solve_for` looks at.

    Examples
    --------
    >>> DELTA.check("hoeffding", 0.05, {})
    0.05
    >>> DELTA.check("hoeffding", 1.5, {})
    Traceback (most recent call last):
    ...
    ValueError: hoeffding(delta=1.5): delta must be in (0, 1)
    """

    name: str
    meaning: str
    grows: bool | None
    low: float = 0.0
    high: float = math.inf
    not_below: str = ""
    not_above: str = ""
    open_low: bool = False
    open_high: bool = False
    integer: bool = False
    default: float | None = None
    monotone_from: Callable[[Values], float] | None = None
    search_limit: int = 2**1000

    def but(self, **changes: Any) -> "Parameter":
        """The same parameter with some fields changed."""
        return replace(self, **changes)

    def domain(self, others: Values) -> str:
        """The domain in words, with the current value of any parameter that limits it."""
        low = f"{self.not_below} = {others[self.not_below]}" if self.not_below in others else f"{self.low:g}"
        high = f"{self.not_above} = {others[self.not_above]}" if self.not_above in others else f"{self.high:g}"
        whole = "a whole number " if self.integer else ""
        if high == "inf":
            return f"{whole}{'>' if self.open_low else '>='} {low}" + ("" if self.integer else " and finite")
        return f"{whole}in {'(' if self.open_low else '['}{low}, {high}{')' if self.open_high else ']'}"

    def edges(self, others: Values) -> tuple[float, float]:
        """The two ends of the domain as numbers."""
        low = max(self.low, others[self.not_below]) if self.not_below in others else self.low
        high = min(self.high, others[self.not_above]) if self.not_above in others else self.high
        return low, high

    def check(self, owner: str, value: Any, others: Values) -> Any:
        """`value` as a plain int or float, or an error that names the bound, the value and the domain."""
        if not isinstance(value, Real) or isinstance(value, bool):
            raise TypeError(f"{owner}({self.name}={value!r}): {self.name} must be a number")
        low, high = self.edges(others)
        number = _as_whole(value) if self.integer else float(value)
        if isinstance(number, int) and number > self.search_limit:
            limit = self.search_limit.bit_length() - 1
            raise ValueError(f"{owner}({self.name}): {self.name} is above 2^{limit}, beyond what is computed here")
        inside = (
            number is not None
            and number == number
            and number != math.inf
            and (number > low if self.open_low else number >= low)
            and (number < high if self.open_high else number <= high)
        )
        if not inside:
            raise ValueError(f"{owner}({self.name}={value}): {self.name} must be {self.domain(others)}")
        return number


def _as_whole(value: Any) -> int | None:
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    try:
        return operator.index(value)
    except TypeError:
        number = float(value)
        return int(number) if number.is_integer() else None


M = Parameter("m", "number of independent examples", grows=False, low=1, integer=True)
DELTA = Parameter("delta", "probability that the bound fails", grows=False, high=1.0, open_low=True, open_high=True)
EPSILON = Parameter("epsilon", "deviation or error tolerated", grows=False, high=1.0, open_low=True)
SIZE = Parameter("size", "number of hypotheses |H|", grows=True, low=1, integer=True, search_limit=2**100_000)
VC = Parameter("d", "VC dimension of the hypothesis class", grows=True, low=1, not_above="m", integer=True)
EMPIRICAL_RISK = Parameter("empirical_risk", "risk on the sample", grows=True, high=1.0, default=0.0)
COMPLEXITY = Parameter("complexity", "Rademacher complexity", grows=True)
