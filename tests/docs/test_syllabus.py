"""docs/syllabus.toml: every entry names a row that exists, an object that imports, a test that is there."""

import ast
import importlib.util
from functools import cache
from pathlib import Path
from pkgutil import resolve_name

from tests.cases import each

ROOT = Path(__file__).parents[2]


def load(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


syllabus, altered = load("syllabus"), load("altered")
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


def test_alterations_change_what_is_named_and_are_undone():
    from learnable import features, theory

    entry = {"T18": ENTRIES["T18"], "T7": ENTRIES["T7"]}
    assert syllabus.chosen(entry, ["T"]) == syllabus.chosen(entry, ["all"]) == ["T18", "T7"]
    honest = theory.vc_bound(m=100, d=2, delta=0.1).value
    for how, change in altered.BREAKS.items():
        touched = [0]
        names = ("learnable.theory.vc_bound", "learnable.theory.sauer_sum", "learnable.features.polynomial_dimension",
                 "learnable.theory.DiscreteLaw.risk", "learnable.features.Standardizer")  # fmt: skip
        with altered._replaced([altered._resolved(name) for name in names], change, touched):
            assert theory.vc_bound(m=100, d=2, delta=0.1).value != honest, how
            assert theory.sauer_sum(7, 2) != 29
            assert features.polynomial_dimension(2, 3) != 10
            assert theory.DiscreteLaw([[0.5, 0.5]]).risk([0]) != 0.5
            assert features.Standardizer().fit([[1.0], [3.0]]).mean_[0] != 2.0
        assert touched[0] >= 5
        assert theory.vc_bound(m=100, d=2, delta=0.1).value == honest
        assert (theory.sauer_sum(7, 2), features.polynomial_dimension(2, 3)) == (29, 10)
        assert theory.DiscreteLaw([[0.5, 0.5]]).risk([0]) == 0.5
        assert features.Standardizer().fit([[1.0], [3.0]]).mean_[0] == 2.0
    trials = [altered.Trial("T7", "halved", "noticed"), altered.Trial("T9", "halved", "survived")]
    assert altered.survivors(trials) == ["T9: halved survived"]
