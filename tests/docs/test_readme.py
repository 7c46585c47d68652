"""The README: its Python runs and prints what it says; its links and commands exist."""

import contextlib
import io
import re
from pathlib import Path

from tests.cases import each

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def test_python_prints_the_text_that_follows_it():
    blocks = BLOCK.findall(README)
    programs = [place for place, (language, _) in enumerate(blocks) if language == "python"]
    assert programs
    for place in programs:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(blocks[place][1], "README.md", "exec"), {})
        language, expected = blocks[place + 1]
        assert language == "text"
        assert _rounding_aside(printed.getvalue()) == _rounding_aside(expected)


def _rounding_aside(text: str) -> str:
    """Numbers of the size of rounding differ from machine to machine."""
    return re.sub(r"\d(\.\d+)?e-1[3-9]", "rounding", text)


def test_the_example_has_ten_lines():
    (program,) = [text for language, text in BLOCK.findall(README) if language == "python"]
    assert len(program.strip().splitlines()) <= 10


def test_the_two_commands_stand_first():
    language, commands = BLOCK.findall(README)[0]
    assert language == "sh"
    assert [line.split("#")[0].strip() for line in commands.strip().splitlines()] == ["make learn", "make test"]


@each("text", [README, CONTRIBUTING], ids=["README", "CONTRIBUTING"])
def test_make_targets_exist(text):
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    named = set(re.findall(r"^make (\w+)|`make (\w+)`", text, flags=re.MULTILINE))
    assert {a or b for a, b in named} <= targets


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", README + CONTRIBUTING):
        assert target.startswith("https://") or (ROOT / target).exists(), target


def test_the_picture_is_small_and_loads_nothing():
    picture = (ROOT / "docs" / "_static" / "report.svg").read_text(encoding="utf-8")
    assert len(picture) < 200_000
    assert set(re.findall(r'https?://[^"\s<]+', picture)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert "<script" not in picture


def test_the_house_is_drawn_as_it_stands():
    rooms = {path.name for path in (ROOT / "src" / "learnable").iterdir() if (path / "__init__.py").exists()}
    plan = CONTRIBUTING.split("src/learnable/\n")[1].split("\ntests/")[0]
    assert rooms == {
        name.rstrip("/") for name in re.findall(r"\b_?\w+/", "\n".join(f" {l}" for l in plan.splitlines()))
    }
