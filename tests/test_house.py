"""The house itself: imports go down only, one room speaks to numba, and importing the package is quick."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import learnable

SOURCE = Path(learnable.__file__).parent
ROOT = SOURCE.parents[1]


def python(code, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_contract():
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([str(linter), "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


def imported_modules(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module


def test_only_one_room_imports_numba():
    outside = [
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if "_jit" not in path.relative_to(SOURCE).parts
        and "numba" in path.read_text(encoding="utf-8")
        and any(name.partition(".")[0] == "numba" for name in imported_modules(path))
    ]
    assert not outside


def test_problems_hold_formulas_and_never_algorithms():
    # Norms, singular values and the root of a matrix are definitions; a solved equation or a search is not.
    defined = {"norm", "svd", "eigh"}
    allowed = {"special", "sparse"}
    for path in (SOURCE / "problems").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        from_scipy = {
            (module or "").removeprefix("scipy").strip(".") or name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and (module := node.module or "").partition(".")[0] == "scipy"
            for name in (alias.name for alias in node.names)
        }
        called = {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute) and node.value.attr == "linalg"
        }
        assert from_scipy <= allowed, (path, from_scipy)
        assert called <= defined, (path, called)


def test_certificates_make_their_own_sums():
    of_solvers = {"moments", "triangular_factor", "weighted_sums"}
    for path in (SOURCE / "certificates").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "learnable.rows" not in text:
            continue
        names = {
            name.name
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("learnable.rows")
            for name in node.names
        }
        assert not names & of_solvers, path


def test_importing_the_package_imports_nothing_heavy():
    heavy = ("numba", "matplotlib", "sklearn", "scipy", "pandas", "polars", "pyarrow", "dask", "numpy")
    loaded = python(f"import sys, learnable; print(*[m for m in {heavy!r} if m in sys.modules])").split()
    assert not loaded


def test_certifying_needs_no_compiler(said):
    # A certificate shares no code with the kernels it judges.
    program = (
        "import sys, numpy as np\n"
        "for name in [name for name in sys.modules if name.partition('.')[0] == 'numba']:\n"
        "    del sys.modules[name]\n"
        "from sklearn.linear_model import Lasso\n"
        "from learnable import certify\n"
        "X = np.eye(4); y = np.arange(4.0)\n"
        "assert certify(Lasso(alpha=0.1, tol=1e-9).fit(X, y), X, y).holds\n"
        "print(*[m for m in sys.modules if m == 'numba' or m.startswith(('learnable.solvers', 'learnable._jit'))])\n"
    )
    assert not said(program).split()


def test_importing_the_package_loads_next_to_nothing():
    count = "import sys; before = set(sys.modules); import learnable; print(*sorted(set(sys.modules) - before))"
    ours = [name for name in python(count).split() if name.split(".")[0] == "learnable"]
    assert len(ours) <= 3, ours


def test_rooms_and_verbs_are_found_by_name():
    assert {"linear", "sparse", "certificates", "trace", "certify", "watch"} <= set(dir(learnable))
    assert callable(learnable.certify)
    assert learnable.linear.__name__ == "learnable.linear"
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = learnable.nonsense


def test_every_file_is_short_and_says_what_it_is():
    for path in SOURCE.rglob("*.py"):
        text = path.read_text()
        assert text.count("\n") <= 500, path
        assert text.startswith('"""'), path


def test_every_name_a_room_exports_is_there():
    import importlib

    for init in SOURCE.glob("*/__init__.py"):
        room = importlib.import_module(f"learnable.{init.parent.name}")
        for name in getattr(room, "__all__", ()):
            assert hasattr(room, name), f"{room.__name__}.{name}"


def test_nothing_is_left_for_later():
    words = ("TO" + "DO", "FIX" + "ME", "raise NotImplemented")
    for path in SOURCE.rglob("*.py"):
        assert not [word for word in words if word in path.read_text()], path


def test_no_test_reads_a_clock():
    """Machines differ and are busy: promises of speed are kept in `benchmarks/promises.py`."""
    clocks = {"time", "monotonic", "perf_counter", "process_time", "thread_time"}
    clocks |= {f"{clock}_ns" for clock in clocks}
    tests = Path(__file__).parent
    for path in tests.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if not re.search(r"\btime\b", text):
            continue
        for node in ast.walk(ast.parse(text)):
            called = isinstance(node, ast.Attribute) and node.attr in clocks and ast.unparse(node.value) == "time"
            named = isinstance(node, ast.ImportFrom) and node.module == "time" and clocks & {a.name for a in node.names}
            if called or named:
                pytest.fail(f"{path}:{node.lineno} reads a clock")
