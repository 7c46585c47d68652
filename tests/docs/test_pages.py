"""Every doctest on the pages of the documentation."""

import doctest
from itertools import pairwise
from pathlib import Path

from tests.cases import each

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted([*DOCS.glob("*.rst"), *(DOCS / "guide").glob("*.rst")])
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@each("page", PAGES, ids=lambda page: page.stem)
def test_examples_on_the_page(page):
    found = doctest.testfile(str(page), module_relative=False, optionflags=FLAGS, encoding="utf-8")
    assert found.failed == 0, f"{found.failed} of {found.attempted} examples on {page.name} fail"


def test_there_are_examples():
    parser = doctest.DocTestParser()
    assert sum(len(parser.get_examples(page.read_text(encoding="utf-8"))) for page in PAGES) > 80


def test_every_room_has_a_guide_and_a_reference():
    rooms = {path.parent.name for path in (DOCS.parent / "src" / "learnable").glob("*/__init__.py")}
    shown = rooms - {"_jit", "solvers"}
    assert {page.stem for page in (DOCS / "guide").glob("*.rst")} == shown
    assert {page.stem for page in (DOCS / "api").glob("*.rst")} == shown - {"app", "lab"} | {"index"}


def test_titles_are_underlined_in_full():
    """The build of the documentation, where warnings are errors, would fail on one that is not."""
    for page in [*PAGES, *(DOCS / "api").glob("*.rst")]:
        lines = page.read_text(encoding="utf-8").split("\n")
        for above, line in pairwise(lines):
            if len(line) > 2 and set(line) <= {"="} | {"-"} and len(set(line)) == 1 and above[:1].isalpha():
                assert len(line) >= len(above), f"{page.name}: {above}"
