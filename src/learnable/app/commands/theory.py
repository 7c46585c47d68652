"""`learnable theory`: questions to the bounds of learning theory, answered by solving them."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from learnable.app.errors import UserError
from learnable.app.report.text import table
from learnable.app.result import plain

SUFFIXES = (".svg", ".png", ".pdf")
POINTS = 60
REACH = 8.0  # a plot goes from an eighth of the given value to eight times it
CONSISTENT = "without training error"


Needed = dict[str, dict[str, Any]]  # bound -> the values it needs


class Question(NamedTuple):
    """One bound to be solved for `unknown`; `known` gives the rest."""

    bound: str
    unknown: str
    known: dict[str, float]

    def solve(self, **changed: float) -> Any:
        """The solution, with some of the known values changed; ValueError when there is none."""
        from learnable.theory import CATALOGUE

        return CATALOGUE[self.bound].solve_for(self.unknown, **{**self.known, **changed})


class Answer(NamedTuple):
    """What every bound says, and why one says nothing."""

    title: str
    questions: list[Question]
    solutions: list[Any]
    reasons: list[str]

    def to_dict(self) -> dict[str, Any]:
        answers = [
            {"bound": one.bound, "unknown": one.unknown, "known": one.known}
            | ({"value": None, "reason": why} if found is None else {**found.to_dict(), "reason": ""})
            for one, found, why in zip(self.questions, self.solutions, self.reasons)
        ]
        return {"schema": "learnable.theory/1", "title": self.title, "answers": plain(answers)}

    def text(self) -> str:
        rows, notes = [], []
        for one, found, why in zip(self.questions, self.solutions, self.reasons):
            if found is None:
                rows.append([one.bound, "–", "", ""])
                notes.append(f"{one.bound}: {why}")
                continue
            result = found.result
            who = CONSISTENT if any("no error on the sample" in text for text in result.assumptions) else "any"
            rows.append(
                [one.bound, shown(found.value) + (" (vacuous)" if result.vacuous else ""), who, result.syllabus]
            )
            notes.append(f"{one.bound}: {result.statement}")
            notes += [f"    assumes: {assumption}" for assumption in result.assumptions]
        head = ["bound", self.questions[0].unknown, "learner", "syllabus"]
        return "\n".join([self.title, table(head, rows), "", *notes])

    def picture(self, over: str, suffix: str) -> bytes:
        """Every bound's answer as the known quantity `over` moves, on logarithmic axes."""
        import io

        from matplotlib.figure import Figure

        figure = Figure(figsize=(6.4, 4.4), layout="constrained")
        axes = figure.add_subplot(xscale="log", yscale="log", xlabel=over, ylabel=self.questions[0].unknown)
        for one, found in zip(self.questions, self.solutions):
            points = list(curve(one, over))
            if not points:
                continue
            (line,) = axes.plot(*zip(*points), label=one.bound)
            if found is not None:
                axes.plot(one.known[over], found.value, "o", color=line.get_color())
        if not axes.lines:
            raise UserError(f"--plot: no bound has an answer for any {over} near the given one")
        axes.set_title(self.title, fontsize="medium", wrap=True)
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
        out = io.BytesIO()
        figure.savefig(out, format=suffix.removeprefix("."), metadata=None if suffix == ".png" else {"Date": None})
        return out.getvalue()


def shown(value: float) -> str:
    """A whole number in full while that is readable, anything else in six digits.

    >>> shown(35402), shown(0.0123456789), shown(2**200)
    ('35402', '0.0123457', '1.60694e+60')
    """
    if isinstance(value, int) and value >= 10**15:
        exponent = len(str(value)) - 1
        return f"{value // 10 ** (exponent - 5) / 10**5:g}e+{exponent}" if exponent > 300 else f"{float(value):.6g}"
    return str(value) if isinstance(value, int) else f"{value:.6g}"


def curve(question: Question, over: str) -> Iterator[tuple[float, float]]:
    """(value of `over`, answer) wherever there is one."""
    from learnable.theory import CATALOGUE

    bound = CATALOGUE[question.bound]
    whole = over == "m" or any(one.integer for one in bound.parameters if one.name == over)
    middle = float(question.known[over])
    if middle <= 0:
        raise UserError(f"--plot: {over} is {middle:g}, which has no place on a logarithmic axis")
    steps = [middle * REACH ** (2 * step / (POINTS - 1) - 1) for step in range(POINTS)]
    for value in dict.fromkeys(max(round(step), 1) for step in steps) if whole else steps:
        try:
            found = float(question.solve(**{over: value}))
        except (ValueError, OverflowError):
            # Outside the domain, or no answer there: a gap in the curve.
            continue
        if 0 < found < math.inf:
            yield value, found


def answer(title: str, questions: Sequence[Question]) -> Answer:
    """Solve every question; one without a solution keeps its reason."""
    solutions: list[Any] = []
    reasons: list[str] = []
    for question in questions:
        try:
            found, why = question.solve(), ""
        except ValueError as error:
            found, why = None, str(error)
        solutions.append(found)
        reasons.append(why)
    return Answer(title, list(questions), solutions, reasons)


def samples(*, epsilon: float, delta: float, vc: int | None, size: int | None, training_error: float) -> Answer:
    """How many examples bring the error, or its bound from the training error, down to ε with probability 1 − δ."""
    consistent, agnostic = _bounds(vc, size, training_error)
    known = {"epsilon": epsilon, "delta": delta}
    return answer(
        f"examples needed for error {epsilon:g} with probability {1 - delta:.6g}, {_class(vc, size)}"
        + (f", training error {training_error:g}" if training_error else ""),
        [Question(name, "m", {**known, **more}) for name, more in {**consistent, **agnostic}.items()],
    )


def error(*, m: int, delta: float, vc: int | None, size: int | None, training_error: float) -> Answer:
    """Which error is guaranteed with probability 1 − δ after m examples."""
    consistent, agnostic = _bounds(vc, size, training_error)
    known = {"m": m, "delta": delta}
    return answer(
        f"error guaranteed with probability {1 - delta:.6g} by {m} examples, {_class(vc, size)}"
        + (f", training error {training_error:g}" if training_error else ""),
        [Question(name, "epsilon", {**known, **more}) for name, more in {**consistent, **agnostic}.items()],
    )


def solve(bound: str, unknown: str, known: Mapping[str, float]) -> Answer:
    """Any bound for any of its parameters; UserError for one that is not there."""
    from learnable.theory import CATALOGUE

    if bound not in CATALOGUE:
        raise UserError(f"there is no bound {bound!r}; `learnable theory bounds` lists them")
    question = Question(bound, unknown, dict(known))
    try:
        found = question.solve()
    except (TypeError, ValueError) as reason:
        raise UserError(str(reason)) from reason
    given = ", ".join(f"{name} = {shown(value)}" for name, value in known.items())
    return Answer(f"{bound} solved for {unknown}, given {given}", [question], [found], [""])


class Catalogue(NamedTuple):
    """Every bound that `solve` knows."""

    def to_dict(self) -> dict[str, Any]:
        from learnable.theory import CATALOGUE

        return {
            "schema": "learnable.theory.bounds/1",
            "bounds": [
                {
                    "bound": name,
                    "syllabus": one.syllabus,
                    "value": one.value_name,
                    "parameters": {parameter.name: parameter.meaning for parameter in one.parameters},
                    "statement": one.statement,
                    "assumptions": list(one.assumptions),
                }
                for name, one in CATALOGUE.items()
            ],
        }

    def text(self) -> str:
        from learnable.theory import CATALOGUE

        rows = [
            [name, one.syllabus, f"{one.value_name} from {', '.join(parameter.name for parameter in one.parameters)}"]
            for name, one in CATALOGUE.items()
        ]
        return table(["bound", "row", "quantities; each can be solved for"], rows)


def check_plot(path: Path | None) -> None:
    """Refuse, before any work is done, a picture of a kind that is not drawn."""
    if path is not None and path.suffix.lower() not in SUFFIXES:
        raise UserError(f"--plot {path}: give a file that ends in {', '.join(SUFFIXES)}")


def _bounds(vc: int | None, size: int | None, training_error: float) -> tuple[Needed, Needed]:
    """The bounds of a stated class with the values they need: for consistent learners, and for any learner."""
    if (vc is None) == (size is None):
        raise UserError("state the class of hypotheses by one of --vc (its VC dimension) and --size (their number)")
    seen = {"empirical_risk": training_error}
    if size is None:
        consistent: Needed = {name: {"d": vc} for name in ("double_sampling", "behw")}
        agnostic: Needed = {name: {"d": vc, **seen} for name in ("vapnik_bound", "vc_bound")}
    else:
        consistent, agnostic = {"finite_consistent": {"size": size}}, {"finite_agnostic": {"size": size, **seen}}
    return ({} if training_error else consistent), agnostic


def _class(vc: int | None, size: int | None) -> str:
    return f"class of VC dimension {vc}" if size is None else f"class of {shown(size)} hypotheses"
