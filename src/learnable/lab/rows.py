"""The rows of the syllabus as the chapter map shows them: what each is, its formula, what computes it, an example."""

import doctest
import inspect
import io
import re
import tomllib
from functools import cache
from importlib.resources import files
from pkgutil import resolve_name
from typing import Any

from learnable.lab.algorithms import estimators, rows_of
from learnable.lab.chapters import CHAPTERS, entries
from learnable.lab.limits import Refused
from learnable.theory import Bound

_SIGNS = re.compile(r"[=≤≥<>→∈∝≈]")
_MATHS = re.compile(r"[Σ‖√∑∏∂½²·|±αβγδεηθκλμρσ∞ᵢⱼₖ^/+−*]|\bmin\b|\bmax\b|\blog\b|\bexp\b|\bP\(")
_GUIDES = {"app": "app", "problems": "problems", "solvers": "trace", "checks": "checks"}


def listed() -> list[dict[str, Any]]:
    """The chapters with their rows; `film` is an algorithm that shows the row, where there is one."""
    known, made = entries(), estimators()
    films: dict[str, str] = {}
    for name in made:
        for row in rows_of(name):
            films.setdefault(row, name)
    chapters = []
    for chapter in CHAPTERS:
        rows = []
        for row in chapter.ids():
            entry = known.get(row)
            if entry is None:
                rows.append({"id": row, "shows": "not shown yet", "object": "", "film": "", "formula": ""})
                continue
            name = next((part for part in reversed(entry["object"].split(".")) if part in made), "")
            film = name or films.get(row, "")
            rows.append({"id": row, "shows": entry["shows"], "object": entry["object"], "film": film,
                         "formula": formula(row)})  # fmt: skip
        chapters.append({"letters": chapter.letters, "title": chapter.title, "rows": rows})
    return chapters


def formula(row: str) -> str:
    """The formula of a row: what a bound states, what `formulas.toml` has, else the first one in the docstring.

    >>> formula("L3")
    'min over (β, b) of Σ wᵢ (yᵢ − xᵢ·β − b)² / (2 Σ wᵢ) + α Σ fⱼ |βⱼ|'
    """
    entry = entries()[row]
    thing = _thing(entry["object"])
    if isinstance(thing, Bound):
        return thing.statement
    if row in _written():
        return _written()[row]
    named = entry.get("formula", [])
    for address in [entry["object"], *([named] if isinstance(named, str) else named)]:
        text = _text(address)
        for paragraph in text.partition("\nExamples\n")[0].split("\n\n")[:8]:
            if paragraph.lstrip().startswith((">>>", "``", "Parameters", "Attributes")):
                continue
            for sentence in re.split(r"(?<=[.;:])\s+(?=\S)", " ".join(paragraph.split())):
                if _SIGNS.search(sentence) and _MATHS.search(sentence) and len(sentence) < 240:
                    return sentence.rstrip(".;:")
    # A minimum has no sign of its own.
    first = _text(entry["object"]).split("\n\n")[0].replace("\n", " ")
    return first.partition(": ")[2].rstrip(".") if _MATHS.search(first.partition(": ")[2]) else ""


@cache
def _written() -> dict[str, str]:
    return tomllib.loads(files("learnable.lab").joinpath("formulas.toml").read_text(encoding="utf-8"))


def _thing(address: str) -> Any:
    """The object; where a module has the name of what it defines, that.

    >>> _thing("learnable.selection.erm").__name__, inspect.ismodule(_thing("learnable.selection.erm"))
    ('erm', False)
    """
    home, _, last = address.rpartition(".")
    found = getattr(resolve_name(home), last, None) if home else None
    found = resolve_name(address) if found is None else found
    return getattr(found, last, found) if inspect.ismodule(found) else found


def _text(address: str) -> str:
    return inspect.getdoc(_thing(address)) or ""


def page(row: str) -> dict[str, Any]:
    """All about one row: the docstring of its object, its signature, its guide, its test."""
    entry = entries().get(row)
    if entry is None:
        raise Refused(f"there is no row {row!r}", 404)
    thing = _thing(entry["object"])
    try:
        signature = str(inspect.signature(thing)) if callable(thing) else ""
    except (TypeError, ValueError):
        signature = ""
    room = entry["object"].split(".")[1]
    return {
        "id": row, "shows": entry["shows"], "object": entry["object"], "test": entry["test"],
        "signature": signature if len(signature) < 400 else "(…)", "text": _text(entry["object"]),
        "formula": formula(row), "guide": f"docs/guide/{_GUIDES.get(room, room)}.rst",
        "examples": len(_examples(entry["object"])),
    }  # fmt: skip


def _examples(address: str) -> list[doctest.Example]:
    """Those of the object; of a method without any, those of its class."""
    home = address.rpartition(".")[0]
    for text in (_text(address), _text(home) if inspect.isclass(_thing(home)) else ""):
        if found := doctest.DocTestParser().get_examples(text):
            return found
    return []


def run(row: str) -> dict[str, Any]:
    """Run the examples of a row's docstring, line by line, and say whether they gave what the docstring promises."""
    entry = entries().get(row)
    if entry is None:
        raise Refused(f"there is no row {row!r}", 404)
    address = entry["object"]
    thing = _thing(address)
    module = inspect.getmodule(thing)
    space = {} if module is None else dict(vars(module))
    examples = _examples(address)
    if not examples:
        return {
            "id": row,
            "lines": [],
            "as_promised": True,
            "said": f"Its docstring has no example; its law is stated by {entry['test']}.",
        }
    test = doctest.DocTest(examples, space, row, None, 0, None)
    lines: list[dict[str, Any]] = []

    class Noted(doctest.DocTestRunner):
        def report_success(self, out: Any, test: Any, example: Any, got: str) -> None:
            lines.append({"source": example.source.rstrip("\n"), "got": got.rstrip("\n"), "as_promised": True})

        def report_failure(self, out: Any, test: Any, example: Any, got: str) -> None:
            lines.append({"source": example.source.rstrip("\n"), "got": got.rstrip("\n"), "as_promised": False})

        def report_unexpected_exception(self, out: Any, test: Any, example: Any, exc_info: Any) -> None:
            lines.append({"source": example.source.rstrip("\n"), "got": f"{exc_info[0].__name__}: {exc_info[1]}",
                          "as_promised": False})  # fmt: skip

    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    Noted(verbose=False, optionflags=flags).run(test, out=io.StringIO().write)
    return {"id": row, "lines": lines, "as_promised": all(line["as_promised"] for line in lines), "said": ""}
