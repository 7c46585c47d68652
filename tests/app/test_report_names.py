"""Names from the user cannot change the page: they are text, whatever they spell."""

import dataclasses
from functools import cache
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import each

from learnable.app.report.page import render
from learnable.app.result import LearnResult

from .conftest import example_result
from .test_report import Page

ATTACKS = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</title></style></svg></text><script>",
    "<!-- ]]><![CDATA[",
    "{{ 7 * 7 }}{% raw %}",
    "$\\frac$ and $y_",
    "&lt;b&gt;&amp;url(#x);fill:red",
    "\x00\x08\x1b[31m\ud800\n\r\t\u202egnp.exe",
    "עמודה 列名 😀 é",
    "_hidden",
    " ",
    "x" * 5000,
]
OURS = {"task", "metric", "status", "role"}


def poison(value: Any, attack: str) -> Any:
    """Every text of a result with the attack in front, the keys of dictionaries too."""
    if dataclasses.is_dataclass(value):
        changes = {
            field.name: poison(getattr(value, field.name), attack)
            for field in dataclasses.fields(value)
            if field.name not in OURS
        }
        return dataclasses.replace(value, **changes)
    if isinstance(value, list):
        return [poison(item, attack) for item in value]
    if isinstance(value, dict):
        return {poison(key, attack): poison(item, attack) for key, item in value.items()}
    return attack + value if isinstance(value, str) else value


def shape(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """The elements of a page with the names of their attributes; the title of a name that was cut is left out."""
    return [(tag, tuple(sorted(set(attributes) - {"title"}))) for tag, attributes in Page(text).elements]


@cache
def harmless_shape(task: str, pictures: str) -> list[tuple[str, tuple[str, ...]]]:
    # Empty texts (no reason, no class) leave their element out, so the harmless twin has none either.
    return shape(render(poison(example_result(task), "z")))


@each("attack", ATTACKS, ids=[ascii(attack[:20]) for attack in ATTACKS])
def test_no_name_changes_the_page(result: LearnResult, undrawn, attack: str):
    text = render(poison(result, attack))
    assert shape(text) == harmless_shape(result.task, "undrawn")
    assert text.encode("utf-8")


# One for what each of these takes apart: SVG and its attributes, formulas, spelling, the legend, and what is cut.
@each(
    "attack", ["</text></svg><script a=\"b'&lt;", "$\\frac$ and $y_", ATTACKS[8], "_hidden", " ", "x" * 5000], ids=ascii
)
def test_no_name_changes_the_pictures(result: LearnResult, attack: str):
    assert shape(render(poison(result, attack))) == harmless_shape(result.task, "drawn")


@each("name", ["$\\frac$", "<b>&amp;", "עמודה", "列名 😀"])
def test_a_name_reads_as_it_was_written(name: str, drawn_alone):
    drawn_alone("predicted.predicted", "residuals.residuals")
    result = example_result("regression")
    words = Page(render(dataclasses.replace(result, target=name))).text
    assert f"predicted {name}" in "".join(words)  # in the picture
    assert name in words  # on the page


@each("name", ["", "  ", "\n"])
def test_a_name_that_cannot_be_seen_is_said_to_be_missing(name: str, undrawn):
    assert "Predicting (no name)" in Page(render(dataclasses.replace(example_result(), target=name))).words


def test_a_long_name_is_cut_and_kept_as_title(result: LearnResult):
    long = "very " * 50 + "long"
    page = Page(render(dataclasses.replace(result, target=long)))
    assert long in page.values("title")
    assert long not in page.words


@settings(max_examples=6, deadline=None, derandomize=True)
@given(st.text(max_size=60))
def test_any_text_may_be_a_name(name: str):
    text = render(poison(example_result(), f"z{name}"))
    assert shape(text) == harmless_shape("classification", "drawn")
    assert text.encode("utf-8")
