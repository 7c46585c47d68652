"""docs/syllabus.toml: every entry names a row that exists, an object that imports, a test that is there."""

import ast
import importlib.util
from functools import cache
from pathlib import Path
from pkgutil import resolve_name

from tests.cases import each

ROOT = Path(__file__).parents[2]


def load_syllabus():
    spec = importlib.util.spec_from_file_location("syllabus", ROOT / "docs" / "syllabus.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


syllabus = load_syllabus()
ENTRIES = syllabus.read()


@cache
def test_functions(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


test_functions.__test__ = False


def test_rows_of_the_syllabus():
    ids = [row for chapter in syllabus.CHAPTERS for row in chapter.ids()]
    assert len(ids) == len(set(ids)) == syllabus.N_ROWS == 279
    assert len(syllabus.CHAPTERS) == 21
    assert set(ENTRIES) <= set(ids), f"no such rows: {sorted(set(ENTRIES) - set(ids))}"


def test_entries_stand_in_the_order_of_the_rows():
    order = {row: place for place, row in enumerate(row for chapter in syllabus.CHAPTERS for row in chapter.ids())}
    assert list(ENTRIES) == sorted(ENTRIES, key=order.__getitem__)


@each("row", ENTRIES)
def test_entry(row):
    entry = ENTRIES[row]
    assert set(entry) - {"formula"} == {"shows", "object", "test"}
    for name in [entry["formula"]] if isinstance(entry.get("formula"), str) else entry.get("formula", []):
        home, _, last = name.rpartition(".")
        assert callable(getattr(resolve_name(home), last)), f"{row}: {name}"
    assert entry["object"].startswith("learnable.")
    assert resolve_name(entry["object"]) is not None
    path, _, function = entry["test"].partition("::")
    assert path.startswith("tests/")
    assert (ROOT / path).is_file(), f"{row}: no file {path}"
    assert function.startswith("test_")
    assert function in test_functions(ROOT / path), f"{row}: {path} has no {function}"


def test_table_counts_what_is_done_and_left():
    text = syllabus.table(ENTRIES)
    assert len(text.splitlines()) == len(syllabus.CHAPTERS) + 2
    assert text.splitlines()[-1].split() == ["all", str(len(ENTRIES)), str(syllabus.N_ROWS - len(ENTRIES))]
    missing = {row: entry for row, entry in ENTRIES.items() if row != "T1"}
    assert "T1" not in text.split()
    assert "T1" in syllabus.table(missing).split()
