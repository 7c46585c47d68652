"""What a bound answers: its value, the terms that make it up, what was assumed; and the answer to solve_for."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from learnable.theory.bound import Bound


@dataclass(frozen=True)
class BoundResult:
    """The value of a bound at given parameters.

    Attributes
    ----------
    bound, syllabus, statement : str
        Which bound this is and the sentence it proves.
    value_name, value : str, float
        What is bounded and by how much; never clipped.
    terms : dict of str to float
        The summands: they add up to `value`.
    parameters : dict
        The parameters the value was computed from, with defaults filled in.
    assumptions : tuple of str
        What must be true for the statement to hold.
    delta : float or None
        The probability with which the statement may fail; None for a statement that always holds.
    vacuous : bool
        True when the value is no better than what is known without looking (a risk bound ≥ 1, say).

    Examples
    --------
    >>> from learnable.theory import finite_consistent
    >>> result = finite_consistent(m=1000, size=81, delta=0.05)
    >>> sum(result.terms.values()) == result.value
    True
    >>> result.vacuous
    False
    """

    bound: str
    syllabus: str
    statement: str
    value_name: str
    value: float
    terms: Mapping[str, float]
    parameters: Mapping[str, Any]
    assumptions: tuple[str, ...]
    delta: float | None
    vacuous: bool

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        given = ", ".join(f"{name}={_short(value)}" for name, value in self.parameters.items())
        lines = [
            f"{self.bound}({given}) [{self.syllabus}]",
            f"  {self.value_name} = {self.value:.6g}" + ("  (vacuous)" if self.vacuous else ""),
        ]
        lines += [f"    {term}: {number:.6g}" for term, number in self.terms.items()]
        lines += [f"  {self.statement}", *(f"  assumes: {assumption}" for assumption in self.assumptions)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{escape(term)}</td><td>{number:.6g}</td></tr>" for term, number in self.terms.items())
        assumptions = "".join(f"<li>{escape(assumption)}</li>" for assumption in self.assumptions)
        vacuous = " (vacuous)" if self.vacuous else ""
        return (
            f"<table><caption>{escape(self.bound)} [{escape(self.syllabus)}]: {escape(self.statement)}</caption>"
            f"{rows}<tr><th>{escape(self.value_name)}{vacuous}</th><th>{self.value:.6g}</th></tr></table>"
            f"<ul>{assumptions}</ul>"
        )

    def to_dict(self) -> dict[str, Any]:
        """Every field as plain Python objects."""
        return {
            "bound": self.bound,
            "syllabus": self.syllabus,
            "statement": self.statement,
            "value_name": self.value_name,
            "value": self.value,
            "terms": dict(self.terms),
            "parameters": dict(self.parameters),
            "assumptions": list(self.assumptions),
            "delta": self.delta,
            "vacuous": self.vacuous,
        }

    def to_json(self) -> str:
        """`to_dict` as JSON; an infinite value is written as null."""
        fields = self.to_dict()
        fields["value"] = self.value if math.isfinite(self.value) else None
        fields["terms"] = {term: number if math.isfinite(number) else None for term, number in self.terms.items()}
        return json.dumps(fields, ensure_ascii=False, allow_nan=False)


@dataclass(frozen=True)
class Solution:
    """The missing parameter of a bound, with the bound evaluated there.

    Attributes
    ----------
    bound : Bound
        The bound that was solved.
    unknown, value : str, float or int
        The parameter and the value found: the cheapest one that keeps the bound at or below `target`
        (fewest examples, smallest δ, richest class).
    target : float
        The value the bound had to reach.
    result : BoundResult
        The bound evaluated at `value` (the plug-back).
    """

    bound: "Bound"
    unknown: str
    value: float
    target: float
    result: BoundResult

    def __float__(self) -> float:
        return float(self.value)

    def __str__(self) -> str:
        shown = _short(self.value)
        return f"{self.unknown} = {shown} makes {self.result.value_name} = {self.result.value:.6g}\n{self.result}"

    def check(self) -> bool:
        """Evaluate the bound again: it meets the target here and misses it one step further.

        A step is one unit for a whole number and one part in 10⁹ for a real one; at the end of the domain there is
        no further step to miss.
        """
        given = dict(self.result.parameters)
        again = self.bound(**given)
        if again != self.result:
            return False
        if self.unknown == self.bound.value_name:
            return again.value <= self.value and again.value == self.target
        if given[self.unknown] != self.value or not again.value <= self.target:
            return False
        parameter = self.bound.parameter(self.unknown)
        sign = 1 if parameter.grows else -1
        further = self.value + sign if parameter.integer else self.value * (1 + sign * 1e-9)
        try:
            beyond = self.bound(**{**given, self.unknown: further}).value
        except ValueError:
            return True
        return beyond > self.target or math.isclose(beyond, self.target, rel_tol=1e-12)

    def to_dict(self) -> dict[str, Any]:
        """The unknown, its value, the target and the plug-back as plain Python objects."""
        return {
            "unknown": self.unknown,
            "value": self.value,
            "target": self.target,
            "plug_back": self.result.to_dict(),
        }


def _short(value: float) -> str:
    if isinstance(value, int):
        digits = value.bit_length() * math.log10(2)
        return f"{value}" if digits < 20 else f"~10^{digits:.0f}"
    return f"{value:.6g}"
