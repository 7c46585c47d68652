"""What runs in a process of its own: fits and their films, altered answers, questions to the theory."""

import json
import warnings
from collections.abc import Callable
from typing import Any

from learnable.certificates import Certificate
from learnable.certificates.core.certify import certificate_of
from learnable.certificates.core.effort import asking
from learnable.films.frames import Frame
from learnable.films.marks import six_digits
from learnable.films.registry import Picture
from learnable.films.shooting import Shooting, shoot
from learnable.lab import algorithms, rows, tables, tampering, theory
from learnable.lab.chapters import CHAPTERS
from learnable.lab.code import python
from learnable.lab.handles import handles
from learnable.lab.limits import Limits, Refused
from learnable.trace import watch

# What a fit may say of data that it cannot learn from.
FAULTS = (ValueError, TypeError, ArithmeticError, LookupError, AttributeError, NotImplementedError, RuntimeError)


class Bench:
    """One run at a time, kept for whoever wants to tamper with it.

    Every method takes what the page asked and returns plain data or bytes.
    """

    def __init__(self, limits: Limits, seen: Callable[[int], None]):
        self.limits, self._seen = limits, seen
        self._shooting: Shooting | None = None
        self._given: tables.Given | None = None
        self._honest: Certificate | None = None

    def answer(self, name: str, asked: dict[str, Any]) -> Any:
        """The answer of a method by its name; faults of the user's making become `Refused`."""
        if name not in _METHODS:
            raise Refused(f"there is nothing called {name!r}", 404)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what matters is said by claims and statuses
            return _METHODS[name](self, asked)

    def catalogue(self, asked: dict[str, Any]) -> dict[str, Any]:
        """What the page offers: chapters, algorithms, tables."""
        listed = algorithms.catalogue()
        for each in listed:
            each["table"] = tables.shown_on(algorithms.fresh(each["name"]), each["task"])
        return {
            "chapters": [{"letters": each.letters, "title": each.title} for each in CHAPTERS],
            "algorithms": listed, "tables": tables.listed(),
            "limits": self.limits._asdict(),
        }  # fmt: skip

    def look(self, asked: dict[str, Any]) -> dict[str, Any]:
        """An uploaded table: its columns, or what is wrong with it."""
        table = tables.uploaded(asked)
        columns = [{"name": column.name, "kind": str(column.kind)} for column in table.columns]
        return {"name": str(asked["name"]), "rows": table.n_rows, "columns": columns, "notes": list(table.notes)}

    def run(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Fit, film and certify."""
        parameters = asked.get("parameters", {})
        if not isinstance(parameters, dict) or not all(isinstance(each, str) for each in parameters.values()):
            raise Refused("parameters are a mapping of names to texts")
        name = str(asked.get("algorithm", ""))
        model = algorithms.built(name, parameters)
        task = algorithms.task_of(model)
        self._shooting = None
        self._given = tables.given(model, task, asked.get("table", {}), self.limits)
        more = {} if self._given.lengths is None else {"lengths": self._given.lengths}
        frames = theory.number({"frames": asked.get("frames", 200)}, "frames", 2, self.limits.frames, whole=True)
        try:
            self._shooting = shoot(
                watch(model, self._given.X, self._given.y, **more), frames=frames, rows=self.limits.shown,
                names=self._given.names, seen=self._seen,
            )  # fmt: skip
        except FAULTS as fault:
            raise Refused(f"{name} cannot learn from this table: {fault}") from fault
        fitted = self._shooting.film.model
        self._honest = self._certified(fitted)
        last = self._shooting.film.frames[-1]
        return {
            "film": self._shooting.film.data(), "said": self._given.said, "numbers": tampering.numbers_of(fitted),
            "handles": handles(fitted, last.panels, self._shooting.camera.stage), "status": last.status,
            "verdict": str(self._honest.verdict), "why": self._why(), "rows": list(algorithms.rows_of(name)),
        }  # fmt: skip

    def tamper(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The answer with some numbers moved: which claims break, by how much, and the picture of it."""
        shooting = self._made()
        moves = asked.get("moves")
        if not isinstance(moves, list) or len(moves) > 50:
            raise Refused("moves are a list of at most 50")
        honest = shooting.film.model
        model, done = tampering.altered(honest, moves)
        certificate = self._certified(model)
        camera, last = shooting.camera, shooting.last
        before, camera.model = camera.model, model
        try:
            picture = camera.picture(last.state)
            panels, caption = list(picture.panels), picture.caption
        except FAULTS:
            # An answer that no picture can be drawn of keeps that of the honest one.
            panels, caption = shooting.film.frames[-1].panels, ""
        finally:
            camera.model = before
        claims = Frame.of(last.number, None, certificate, Picture([]), {}).claims
        ended = shooting.film.frames[-1]
        verdict = str(certificate.verdict)
        sentence = "an answer that somebody has altered" if done else ended.sentence
        frame = ended._replace(
            status="altered" if done else ended.status, sentence=sentence, verdict=verdict, claims=claims,
            panels=panels, caption=caption or ended.caption,
        )  # fmt: skip
        assert self._honest is not None
        return {
            "frame": frame._asdict(), "verdict": verdict, "done": done,
            "broken": tampering.broken(self._honest, certificate),
            "handles": _drawable(model, panels, camera.stage), "values": tampering.numbers_of(model),
        }  # fmt: skip

    def film(self, asked: dict[str, Any]) -> str:
        """The film as one HTML file."""
        return self._made().film.html()

    def code(self, asked: dict[str, Any]) -> str:
        """The run as Python."""
        assert self._given is not None
        return python(self._made().film.model, self._given)

    def certificate(self, asked: dict[str, Any]) -> str:
        """The certificate, as thorough as `certify` makes it, as JSON."""
        self._made()
        assert self._honest is not None
        return json.dumps(self._honest.to_dict(), ensure_ascii=False, indent=1)

    def rows(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The chapter map: every row of the syllabus."""
        return {"chapters": rows.listed()}

    def row(self, asked: dict[str, Any]) -> dict[str, Any]:
        """All about one row of the syllabus."""
        return rows.page(str(asked.get("id", "")))

    def example(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The examples of one row, run."""
        return rows.run(str(asked.get("id", "")))

    def theory(self, asked: dict[str, Any]) -> dict[str, Any]:
        """A question to the theory."""
        name = str(asked.get("question", ""))
        if name not in theory.QUESTIONS:
            raise Refused(f"there is no question {name!r}", 404)
        try:
            return theory.QUESTIONS[name](asked)
        except FAULTS as fault:
            raise Refused(str(fault)) from fault

    def _made(self) -> Shooting:
        if self._shooting is None:
            raise Refused("there is no run to work on; run an algorithm first", 409)
        return self._shooting

    def _certified(self, model: Any) -> Certificate:
        """As `certify` does it: thorough, from the answer and the data alone."""
        assert self._shooting is not None
        with asking(thorough=True):
            try:
                return certificate_of(model, *self._shooting.camera.data)
            except (ValueError, TypeError) as fault:
                raise Refused(f"the altered answer cannot be judged: {fault}") from fault

    def _why(self) -> str:
        """One sentence on why a run did not converge; empty where it did."""
        shooting = self._made()
        last, model = shooting.film.frames[-1], shooting.film.model
        if last.status in ("optimal", "stationary", ""):
            return ""
        name = type(model).__name__
        if "Perceptron" in name and shooting.camera.stage.inseparable:
            return (
                "The perceptron does not converge because no line separates these two clouds (that is proved: their "
                "hulls meet), so every pass makes a mistake and moves the line again."
            )
        return f"{name} did not converge: {last.sentence}."


def _drawable(model: Any, panels: list[dict[str, Any]], stage: Any) -> list[dict[str, Any]]:
    try:
        return handles(model, panels, stage)
    except FAULTS:
        return []


_METHODS: dict[str, Callable[[Bench, dict[str, Any]], Any]] = {
    name: getattr(Bench, name)
    for name in (
        "catalogue", "look", "run", "tamper", "film", "code", "certificate", "rows", "row", "example", "theory"
    )
}  # fmt: skip


def as_bytes(answer: Any) -> bytes:
    """An answer as it travels: text as it is, anything else as JSON without numbers that are none."""
    if isinstance(answer, str):
        return answer.encode()
    try:
        return json.dumps(answer, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
    except ValueError:
        return json.dumps(six_digits(answer), separators=(",", ":"), ensure_ascii=False).encode()
