"""A claim: one statement about an answer that anyone can check again from the data."""

import math
from typing import Any, Literal, NamedTuple

from learnable.certificates.core.verdict import Verdict

Kind = Literal["exact", "with probability", "approximate"]


class Claim(NamedTuple):
    """`statement`: `value` stays within `bound`.

    Attributes
    ----------
    id : syllabus row, e.g. "L3".
    statement : what is claimed, in one sentence.
    value : the number recomputed from data and answer.
    bound : what it must not exceed; None for a disclosure that asserts nothing.
    holds : whether it does.
    kind : "exact", "with probability" (1 − delta) or "approximate".
    assumptions : what must be true of the world for the statement to mean what it says.
    delta : probability of failure of a probabilistic claim.
    open : the value is not within the bound of the library, but within what the fit asked for, or what it says of
        itself that it reached: neither proved nor refuted, and a certificate with such a claim proves nothing.
    """

    id: str
    statement: str
    value: float
    bound: float | None
    holds: bool
    kind: Kind = "exact"
    assumptions: tuple[str, ...] = ()
    delta: float | None = None
    open: bool = False

    @classmethod
    def at_most(cls, id: str, statement: str, value: float, bound: float, **details: Any) -> "Claim":
        """The claim value ≤ bound; it never holds where either is not finite.

        >>> Claim.at_most("L3", "duality gap", 1e-9, 1e-6).holds
        True
        >>> Claim.at_most("L3", "duality gap", float("nan"), 1e-6).holds
        False
        >>> Claim.at_most("L3", "duality gap", 1e300, float("inf")).holds
        False
        """
        value, bound = float(value), float(bound)
        return cls(id, statement, value, bound, math.isfinite(value + bound) and value <= bound, **details)

    @classmethod
    def reached(cls, id: str, statement: str, value: float, bound: float, asked: float, **details: Any) -> "Claim":
        """The claim value ≤ bound about a fit that was only asked for value ≤ `asked`; open where it stopped between.

        >>> [str(Claim.reached("L3", "gap", value, bound=1e-6, asked=1e-2).verdict) for value in (1e-9, 1e-3, 1.0)]
        ['proved', 'nothing asserted', 'refuted']
        """
        value, bound = float(value), float(bound)
        holds = math.isfinite(value + bound) and value <= bound
        between = not holds and math.isfinite(value) and value <= asked
        return cls(id, statement, value, bound, holds, open=bool(between), **details)

    @classmethod
    def disclosure(cls, id: str, statement: str, value: float, **details: Any) -> "Claim":
        """A number the reader should know, with nothing asserted beyond its being finite."""
        return cls(id, statement, float(value), None, math.isfinite(value), **details)

    @property
    def verdict(self) -> Verdict:
        """Proved or refuted; an open claim asserts nothing, nor does a disclosure, unless its number is none."""
        if self.open:
            return Verdict.NOTHING_ASSERTED
        if not self.holds:
            return Verdict.REFUTED
        return Verdict.NOTHING_ASSERTED if self.bound is None else Verdict.PROVED

    def __str__(self) -> str:
        mark = "not proved" if self.open else self.verdict.mark
        comparison = f"{self.value:.3g}" if self.bound is None else f"{self.value:.3g} <= {self.bound:.3g}"
        return f"[{mark}] {self.id}: {self.statement}: {comparison}" + (
            "" if self.kind == "exact" else f" ({self.kind}" + (f" 1 - {self.delta:g})" if self.delta else ")")
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; non-finite numbers become strings."""
        plain = self._asdict() | {"assumptions": list(self.assumptions)}
        for key in ("value", "bound"):
            if plain[key] is not None and not math.isfinite(plain[key]):
                plain[key] = str(plain[key])
        return plain
