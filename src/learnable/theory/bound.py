"""A bound is declared once; calling it evaluates it, `solve_for` inverts it."""

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from functools import update_wrapper
from typing import Any

from learnable.theory.bound_result import BoundResult, Solution
from learnable.theory.parameter import Parameter, Values

# Where a search for a parameter ends: the ends of double precision, with room for squares' roots.
_SMALLEST, _LARGEST = 1e-300, 1e300


class Bound:
    """An inequality of learning theory as an object.

    Made by the decorator `declare_bound` on a function that returns the terms of the right-hand side. Calling the
    bound with every parameter by name gives a `BoundResult`; `solve_for` finds one parameter from the others.

    Syllabus: T26.

    Attributes
    ----------
    name, syllabus, statement : str
        What is proved, in one sentence.
    value_name : str
        The letter of the quantity bounded: `epsilon`, `delta`, `m`, `expectation` …
    parameters : tuple of Parameter
        The arguments, their domains, the direction in which each moves the bound.
    assumptions : tuple of str
        What must be true for the statement to hold.

    Examples
    --------
    >>> from learnable.theory import finite_consistent
    >>> solution = finite_consistent.solve_for("m", epsilon=0.05, delta=0.01, size=3**10)
    >>> solution.value, solution.check()
    (312, True)
    >>> finite_consistent(m=311, delta=0.01, size=3**10).value > 0.05
    True
    """

    def __init__(
        self,
        formula: Callable[..., Mapping[str, float]],
        *,
        syllabus: str,
        value_name: str,
        statement: str,
        parameters: Iterable[Parameter],
        assumptions: Iterable[str],
        trivial: Callable[[Values], float] | None,
    ):
        self.formula = formula
        self.name = formula.__name__
        self.syllabus = syllabus
        self.value_name = value_name
        self.statement = statement
        self.parameters = tuple(parameters)
        self.assumptions = tuple(assumptions)
        self.trivial = trivial
        update_wrapper(self, formula)
        self.__signature__ = self._signature()
        self.__annotations__ = {p.name: p.annotation for p in self._callable()} | {"return": BoundResult}
        self.__doc__ = self._doc(formula.__doc__ or "")

    def __repr__(self) -> str:
        return f"<bound {self.name}({', '.join(p.name for p in self.parameters)}) -> {self.value_name}>"

    def _callable(self) -> list[inspect.Parameter]:
        """The arguments as a caller gives them: by name, some with defaults."""
        return [
            inspect.Parameter(
                parameter.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if parameter.default is None else parameter.default,
                annotation=int if parameter.integer else float,
            )
            for parameter in self.parameters
        ]

    def _signature(self) -> inspect.Signature:
        return inspect.Signature(self._callable(), return_annotation=BoundResult)

    def _doc(self, doc: str) -> str:
        """The docstring of the formula, with what is given, what comes back and what is assumed."""
        text, found, examples = inspect.cleandoc(doc).partition("Examples\n--------")
        head, _, rest = text.rstrip().partition("\n\n")
        call = f"``{self.name}(*, {', '.join(map(str, self._callable()))}) -> BoundResult``"
        lines = [head, "", call, "", rest, "", "Parameters", "----------"]
        for parameter in self.parameters:
            default = "" if parameter.default is None else f", default={parameter.default:g}"
            lines += [
                f"{parameter.name} : {'int' if parameter.integer else 'float'}{default}",
                f"    {parameter.meaning[0].upper()}{parameter.meaning[1:]}, {parameter.domain({})}.",
            ]
        lines += ["", "Returns", "-------", "BoundResult", f"    `value` is {self.value_name}: {self.statement}."]
        lines += [f"    `terms` add up to it. Solve for any parameter: `{self.name}.solve_for(name, ...)`."]
        lines += ["", "Notes", "-----", "Assumed:", "", *(f"- {assumption};" for assumption in self.assumptions)]
        lines[-1] = lines[-1][:-1] + "."
        return "\n".join([*lines, "", found + examples] if found else lines)

    def parameter(self, name: str) -> Parameter:
        """The parameter called `name`."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        known = ", ".join(p.name for p in self.parameters)
        raise TypeError(f"{self.name} has no parameter {name!r}; it takes {known}")

    def __call__(self, **values: float) -> BoundResult:
        """Evaluate the bound."""
        given = self._complete(values, missing=None)
        terms = self._terms(given)
        value = math.fsum(terms.values())
        delta = value if self.value_name == "delta" else given.get("delta")
        vacuous = self.trivial is not None and value >= self.trivial(given)
        return BoundResult(
            self.name,
            self.syllabus,
            self.statement,
            self.value_name,
            value,
            terms,
            given,
            self.assumptions,
            delta,
            vacuous,
        )

    def solve_for(self, unknown: str, **known: float) -> Solution:
        """Find `unknown` from everything else.

        The bound's own quantity (`value_name`) is the target when `unknown` is one of the parameters. The answer is
        the cheapest value that keeps the bound at or below the target: the fewest examples, the smallest δ or ε, the
        richest class. Whole numbers are exact: one step further misses the target.

        Parameters
        ----------
        unknown : str
            The quantity to find.
        **known : float
            All the others.

        Returns
        -------
        Solution
        """
        if unknown == self.value_name:
            result = self(**known)
            value = math.ceil(result.value) if unknown == "m" else result.value
            return Solution(self, unknown, value, result.value, result)
        parameter = self.parameter(unknown)
        if unknown in known:
            raise TypeError(f"{self.name}.solve_for({unknown!r}): {unknown} was given as well; leave it out")
        if self.value_name not in known:
            raise TypeError(f"{self.name}.solve_for({unknown!r}) needs {self.value_name}, the value to reach")
        target = self._check_target(known[self.value_name])
        given = self._complete({k: v for k, v in known.items() if k != self.value_name}, missing=unknown)
        if parameter.grows is None:
            raise ValueError(f"{self.name} is not monotone in {unknown}: there is no single value to solve for")
        search = _search_whole if parameter.integer else _search_real
        value = search(self, parameter, given, target)
        return Solution(self, unknown, value, target, self(**{**given, unknown: value}))

    def _meets(self, given: Values, target: float) -> bool:
        return math.fsum(self._terms(given).values()) <= target

    def _terms(self, given: Values) -> dict[str, float]:
        return dict(self.formula(**given))

    def _complete(self, values: Mapping[str, Any], missing: str | None) -> dict[str, Any]:
        """Defaults filled in and every value checked, parameters that limit others first."""
        for name in values:
            self.parameter(name)
        given: dict[str, Any] = {}
        for parameter in sorted(self.parameters, key=lambda p: bool(p.not_below or p.not_above)):
            if parameter.name == missing:
                continue
            value = values.get(parameter.name, parameter.default)
            if value is None:
                raise TypeError(f"{self.name} needs {parameter.name}: {parameter.meaning}")
            given[parameter.name] = parameter.check(self.name, value, given)
        return {p.name: given[p.name] for p in self.parameters if p.name != missing}

    def _check_target(self, target: float) -> float:
        whole = Parameter(self.value_name, "the value to reach", grows=None, open_low=True)
        if self.value_name == "delta":
            whole = whole.but(high=1.0, open_high=True)
        return whole.check(f"{self.name}.solve_for", target, {})

    def _unreachable(self, parameter: Parameter, given: Values, target: float, at: Any) -> ValueError:
        best = self(**{**given, parameter.name: at}).value
        return ValueError(
            f"{self.name}.solve_for({parameter.name!r}): no {parameter.name} {parameter.domain(given)} brings "
            f"{self.value_name} down to {target:g}; the best is {best:.6g}"
        )


def declare_bound(
    *,
    syllabus: str,
    value_name: str,
    statement: str,
    parameters: Iterable[Parameter],
    assumptions: Iterable[str],
    trivial: Callable[[Values], float] | None = lambda given: 1.0,
) -> Callable[[Callable[..., Mapping[str, float]]], Bound]:
    """Turn a function that returns the terms of a right-hand side into a `Bound`.

    `trivial` is the value from which on the bound says nothing: 1 for a risk or a probability, None where nothing
    is known beforehand.
    """

    def declare(formula: Callable[..., Mapping[str, float]]) -> Bound:
        return Bound(
            formula,
            syllabus=syllabus,
            value_name=value_name,
            statement=statement,
            parameters=parameters,
            assumptions=assumptions,
            trivial=trivial,
        )

    return declare


def _start(parameter: Parameter, given: Values, low: float) -> float:
    return max(low, parameter.monotone_from(given)) if parameter.monotone_from else low


def _search_whole(bound: Bound, parameter: Parameter, given: Values, target: float) -> int:
    """The whole number next to the place where the bound crosses the target, on the side that meets it."""
    low, high = parameter.edges(given)
    first = math.ceil(_start(parameter, given, low))
    last = parameter.search_limit if high == math.inf else int(high)

    def meets(value: int) -> bool:
        return bound._meets({**given, parameter.name: value}, target)

    cheap, dear = (last, first) if parameter.grows else (first, last)
    if first > last or not meets(dear):
        raise bound._unreachable(parameter, given, target, dear)
    if meets(cheap):
        if high == math.inf and parameter.grows:
            raise ValueError(f"{bound.name}.solve_for({parameter.name!r}): every {parameter.name} meets the target")
        return cheap
    # gallop from the small end, so that the bracket is within a factor two of the answer
    small_meets, step = meets(first), 1
    while first + step < last and meets(first + step) == small_meets:
        step *= 2
    lower, upper = first + step // 2, min(first + step, last)
    while upper - lower > 1:
        middle = (lower + upper) // 2
        if meets(middle) == small_meets:
            lower = middle
        else:
            upper = middle
    return lower if small_meets else upper


def _search_real(bound: Bound, parameter: Parameter, given: Values, target: float) -> float:
    """Bisection down to neighbouring floats; the side that meets the target is returned."""
    low, high = parameter.edges(given)
    first = _start(parameter, given, max(low, _SMALLEST) if parameter.open_low else low)
    last = min(high, _LARGEST)
    if parameter.open_high and last == high:
        last = math.nextafter(high, low)

    def meets(value: float) -> bool:
        return bound._meets({**given, parameter.name: value}, target)

    cheap, dear = (last, first) if parameter.grows else (first, last)
    if not meets(dear):
        raise bound._unreachable(parameter, given, target, dear)
    if meets(cheap):
        closed = not parameter.open_high and high < math.inf if parameter.grows else not parameter.open_low
        if not closed:
            raise ValueError(
                f"{bound.name}.solve_for({parameter.name!r}): every {parameter.name} {parameter.domain(given)} "
                f"keeps {bound.value_name} at or below {target:g}"
            )
        return cheap
    meeting, missing = dear, cheap
    while True:
        middle = _midpoint(*sorted((meeting, missing)))
        if middle in (meeting, missing):
            return meeting
        if meets(middle):
            meeting = middle
        else:
            missing = middle


def _midpoint(low: float, high: float) -> float:
    if low == 0.0 and high > _SMALLEST:
        return math.sqrt(_SMALLEST) * math.sqrt(high)
    if low > 0.0 and high > 2 * low:
        return math.sqrt(low) * math.sqrt(high)
    return low + (high - low) / 2
