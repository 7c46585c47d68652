"""Why one class rather than another: log odds, column by column."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Explanation:
    """The log odds between two classes as a sum over the columns.

    Attributes
    ----------
    label, other : the classes compared, the likelier first.
    prior : log P(label)/P(other).
    columns : column -> log P(cell | label)/P(cell | other); 0 for a missing cell.

    >>> print(Explanation("spam", "ham", 0.5, {"links": 2.0, "sender": -0.25}))
    spam rather than ham: log odds 2.25
      links   +2.00
      prior   +0.50
      sender  -0.25
    """

    label: Any
    other: Any
    prior: float
    columns: dict[str, float]

    @property
    def log_odds(self) -> float:
        """log P(label | x)/P(other | x)."""
        return self.prior + sum(self.columns.values())

    def __str__(self) -> str:
        parts = {"prior": self.prior} | self.columns
        ranked = sorted(parts.items(), key=lambda part: -abs(part[1]))
        numbers = [f"{value:+.2f}" for _, value in ranked]
        width, digits = max(map(len, parts)), max(map(len, numbers))
        lines = [f"  {name:<{width}}  {number:>{digits}}" for (name, _), number in zip(ranked, numbers)]
        return "\n".join([f"{self.label} rather than {self.other}: log odds {self.log_odds:.2f}", *lines])
