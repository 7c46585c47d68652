"""A number with its uncertainty: what every score of the library is printed through."""

from html import escape
from math import floor, isfinite, log10
from numbers import Real
from typing import Any, NamedTuple

from scipy.special import ndtri


class Interval(NamedTuple):
    """An estimate and the confidence interval around it.

    `low` and `high` are built so that P(low ≤ truth ≤ high) is `level`: exactly, at least, or approximately, as the
    function that made it says. Syllabus: E3, E10.

    Attributes
    ----------
    estimate : the score itself.
    low, high : ends of the interval; both belong to it.
    level : confidence level in (0, 1).
    method : how the ends were found, e.g. "wilson".
    n : number of rows behind the estimate (the effective number when rows are weighted).

    Examples
    --------
    >>> from learnable.evaluation import Interval
    >>> error = Interval(0.124, 0.098, 0.155, 0.95, "wilson", 500)
    >>> print(error)
    0.124 [0.098, 0.155]
    >>> 0.1 in error, 0.2 in error
    (True, False)
    >>> f"{error:.1%}"
    '12.4% [9.8%, 15.5%]'
    """

    estimate: float
    low: float
    high: float
    level: float
    method: str
    n: float

    def __contains__(self, value: object) -> bool:
        return isinstance(value, Real) and self.low <= float(value) <= self.high

    def __format__(self, spec: str) -> str:
        if not spec:
            spec = self._readable_format()
        return f"{self.estimate:{spec}} [{self.low:{spec}}, {self.high:{spec}}]"

    def __str__(self) -> str:
        return format(self, "")

    def _repr_html_(self) -> str:
        estimate, _, ends = str(self).partition(" ")
        title = f"{self.level:.4g} {self.method} interval, n = {self.n:g}"
        return f'<span class="interval" title="{escape(title)}">{estimate} <small>{ends}</small></span>'

    @property
    def width(self) -> float:
        """`high − low`."""
        return self.high - self.low

    def negated(self) -> "Interval":
        """The interval of −θ: what turns a loss into a score that is better when larger."""
        return self._replace(estimate=-self.estimate, low=-self.high, high=-self.low)

    def shifted(self, by: float) -> "Interval":
        """The interval of θ + `by` for a known number `by`."""
        return self._replace(estimate=self.estimate + by, low=self.low + by, high=self.high + by)

    def to_dict(self) -> dict[str, Any]:
        """The fields as a dictionary of plain numbers, ready for JSON."""
        return self._asdict()

    def _readable_format(self) -> str:
        # Digits beyond the second significant one of the width say nothing.
        if not isfinite(self.width) or self.width == 0:
            return ".4g"
        decimals = max(1 - floor(log10(self.width)), 0)
        return f".{decimals}f" if decimals <= 8 and abs(self.estimate) < 1e9 else ".4g"


def check_level(level: float, caller: str) -> float:
    """`level` itself when it lies in (0, 1); otherwise an error that names the caller."""
    if not isinstance(level, Real):
        raise TypeError(f"{caller}(level={level!r}): level must be a number in (0, 1), such as 0.95")
    if not 0 < level < 1:
        remedy = f" ({level} percent is written {level / 100:g})" if 1 < level < 100 else ""
        raise ValueError(f"{caller}(level={level}): level must be in (0, 1){remedy}")
    return float(level)


def two_sided_z(level: float) -> float:
    """The z with P(|Z| ≤ z) = level for a standard normal Z.

    >>> from learnable.evaluation.interval import two_sided_z
    >>> round(two_sided_z(0.95), 4)
    1.96
    """
    # From the tail, so that levels close to 1 keep their digits.
    return float(-ndtri((1 - level) / 2))
