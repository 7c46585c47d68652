"""Compiled kernels on disk: shared by processes, never stale, never trusted when damaged, never needed."""

import ast
import importlib
import io
import json
import os
import pkgutil
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.jit.conftest import TINY

import learnable
from learnable._jit.core import cache, digest

# --- one process: a kernel in a file of its own, loaded time and again -----------------------------------------------


def files(tmp_path):
    return sorted((tmp_path / "cache").rglob("*.nbc"))


def test_what_was_compiled_is_found_again_and_an_edit_starts_anew(load, tmp_path):
    assert load() == ([3.0], (0, 1), [])
    assert load() == ([3.0], (1, 0), [])
    assert load(TINY.replace("1.0", "1000.0")) == ([1002.0], (0, 1), [])
    assert load() == ([3.0], (1, 0), [])
    assert len(files(tmp_path)) == 2
    assert {path.parent.parent for path in files(tmp_path)} == {tmp_path / "cache" / "kernels"}


INNER = """
from learnable._jit.core.compile import inner_kernel, kernel

@inner_kernel
def plus(x, n):
    return x + n

@kernel
def k(x):
    return plus(x, 1) + plus(x, int(x))
"""


def test_inner_kernels_are_compiled_once_kept_in_their_callers_and_closed_to_python(load, tmp_path):
    """A number written out is no signature of its own, and the file of the caller holds all that it calls."""
    assert load(INNER) == ([7.0], (0, 1), [])
    plus = sys.modules["tiny_kernel"].plus
    assert len(plus.overloads) == 1
    with pytest.raises(TypeError, match="plus is called by kernels alone"):
        plus(2.0, 1)
    (caller,) = files(tmp_path)
    assert ".k-" in caller.name
    assert load(INNER) == ([7.0], (1, 0), [])
    assert not sys.modules["tiny_kernel"].plus.overloads


REFUSING = """
from learnable._jit.core.compile import inner_kernel, kernel

@inner_kernel
def root(x):
    if x < 0:
        raise ValueError("no root of", x)
    return x**0.5

@inner_kernel
def nested(x):
    return x if x < 1.1 else nested(root(x))

@kernel
def k(x):
    return root(x) + nested(0.5 * x)

if __name__ == "__main__":
    assert abs(k(4.0) - 2.0 - 2.0 ** (1 / 8)) < 1e-12, k(4.0)
    try:
        k(-4.0)
    except ValueError as error:
        assert error.args == ("no root of", -4.0), error
        made = [over.library.get_pointer_to_function(over.fndesc.llvm_func_name) for over in root.overloads.values()]
        print(sum(k.stats.cache_hits.values()), sum(root.stats.cache_hits.values()), made)
"""


def test_inner_kernels_have_no_machine_code_and_raise_through_their_callers(at_once, tmp_path):
    """Compiled, and read from disk with the caller: each in a process of its own."""
    file = tmp_path / "refusing.py"
    file.write_text(REFUSING)
    program = f"import runpy; runpy.run_path({str(file)!r}, run_name='__main__')"
    for expected in ("0 0 [0]\n", "1 0 []\n"):
        assert at_once((program, [], {"LEARNABLE_CACHE_DIR": str(tmp_path / "cache")})) == [[expected, ""]]


def test_who_waits_at_a_terminal_is_told_once_what_is_prepared(load, tmp_path, monkeypatch):
    for waits, lines in ((True, 1), (False, 0)):
        monkeypatch.setattr(cache, "_announced", False)
        monkeypatch.setattr(sys, "stderr", io.StringIO())
        monkeypatch.setattr(sys.stderr, "isatty", lambda waits=waits: waits, raising=False)
        load(TINY.replace("1.0", f"{waits + 2}.0"), (2.0, 2))
        load(TINY.replace("1.0", f"{waits + 4}.0"))
        said = sys.stderr.getvalue().splitlines()
        assert len(said) == lines
        assert all("preparing k " in line and str(tmp_path / "cache") in line for line in said)


def test_files_damaged_in_any_way_are_compiled_anew(load, tmp_path):
    load()
    (file,) = files(tmp_path)
    whole = file.read_bytes()
    rng = np.random.default_rng(0)
    damaged = [b"", whole[:1], whole[:16], whole[:17], whole[: len(whole) // 2], whole[:-1], whole + b"\0"]
    damaged += [rng.bytes(200), b"\0" * len(whole)]
    for place in [0, 15, 16, 17, *rng.integers(18, len(whole), 6).tolist(), len(whole) - 1]:
        flipped = bytearray(whole)
        flipped[place] ^= 1 << int(rng.integers(8))
        damaged.append(bytes(flipped))
    for content in damaged:
        file.write_bytes(content)
        found, counts, said = load()
        assert (found, counts) == ([3.0], (0, 1))
        assert len(said) == 1
        assert str(file.parent) in said[0]
        assert "damaged" in said[0]
        # The file has been written anew.
        assert load() == ([3.0], (1, 0), [])


def test_a_file_of_another_signature_is_not_run(load, tmp_path):
    load(arguments=(2.0,))
    (real,) = files(tmp_path)
    load(arguments=(np.arange(3),))
    (whole,) = set(files(tmp_path)) - {real}
    shutil.copy(whole, real)
    assert load() == ([3.0], (0, 1), [])


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), PermissionError(13, "Permission denied")])
def test_a_disk_that_takes_nothing_costs_one_line(load, monkeypatch, tmp_path, error):
    class Full:
        def write(self, content):
            raise error

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return False

    monkeypatch.setattr(cache._CheckedFiles, "_open_for_write", lambda self, path: Full())
    found, counts, said = load(arguments=(2.0, np.zeros(2)))
    assert found[0] == 3.0
    np.testing.assert_array_equal(found[1], np.ones(2))
    assert counts == (0, 2)
    assert len(said) == 1
    assert error.strerror in said[0]
    assert "LEARNABLE_CACHE_DIR" in said[0]
    assert not files(tmp_path)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_for_real(load, monkeypatch, tmp_path):
    from contextlib import contextmanager

    @contextmanager
    def always_full(self, path):
        with open("/dev/full", "wb") as file:
            yield file

    monkeypatch.setattr(cache._CheckedFiles, "_open_for_write", always_full)
    found, _, said = load()
    assert (found, len(said)) == ([3.0], 1)
    assert "No space left" in said[0]


def test_a_folder_that_cannot_be_made_is_no_cache_rather_than_a_wrong_one(load, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("LEARNABLE_CACHE_DIR", str(tmp_path / "file" / "below"))
    for text, right in [(TINY, 3.0), (TINY.replace("1.0", "1000.0"), 1002.0)]:
        found, counts, said = load(text, (2.0, np.zeros(1)))
        assert found[0] == right
        assert counts == (0, 2)
        assert len(said) == 1
        assert str(tmp_path / "file") in said[0]
        assert "Results are not affected" in said[0]
    assert not list(tmp_path.rglob("*.nb?"))


def test_a_user_without_a_home_has_no_cache(monkeypatch):
    monkeypatch.delenv("LEARNABLE_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache.cache_root() == Path.home() / ".cache" / "learnable" / "kernels"
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    assert cache.cache_root().is_relative_to(os.devnull)


def test_numba_settings_of_others_are_left_alone(load):
    import numba

    before = numba.config.CACHE_DIR
    load()
    assert before == numba.config.CACHE_DIR


def test_kernels_keep_nan_and_infinity():
    from learnable._jit.core.compile import kernel

    @kernel
    def worst(values):
        found = 0.0
        for v in values:
            if not np.isfinite(v):
                return v
            found = max(found, v)
        return found

    assert np.isnan(worst(np.array([1.0, np.nan])))
    assert worst(np.array([1.0, np.inf])) == np.inf


# --- which files a kernel's version covers ---------------------------------------------------------------------------


@pytest.fixture
def house(tmp_path):
    """A copy of the package that may be edited, with a kernel and formulas in folders of their own, at any depth."""
    copy = tmp_path / "src" / "learnable"
    copy.mkdir(parents=True)
    for path in Path(learnable.__file__).parent.iterdir():
        if path.name in ("_jit", "problems"):  # the rooms that are edited
            shutil.copytree(path, copy / path.name)
        else:
            (copy / path.name).symlink_to(path)
    for name, text in NESTED.items():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text(text)
    return copy


NESTED = {
    "problems/nested/__init__.py": '"""Formulas of the test."""\n',
    "problems/nested/deep/__init__.py": '"""Deeper."""\n',
    "problems/nested/deep/shapes.py": "from learnable.problems.core.formula import formula\n"
    "@formula\ndef area(shape, x):\n    'The area.'\n",
    "problems/nested/deep/square.py": "from typing import NamedTuple\n"
    "from learnable.problems.nested.deep import shapes\n"
    "class Square(NamedTuple):\n    scale: float\n"
    "@shapes.area.of(Square)\ndef _(shape, x):\n    return shape.scale * x + 1.0\n",
    "problems/nested/apart.py": "UNUSED = 1.0\n",
    "_jit/nested/__init__.py": '"""Kernels of the test."""\n',
    "_jit/nested/other.py": "from learnable._jit.core.compile import kernel\n"
    "@kernel\ndef twice(x):\n    return 2.0 * x\n",
    "_jit/nested/deep/__init__.py": '"""Deeper."""\n',
    "_jit/nested/deep/helper.py": "from learnable._jit.core.compile import kernel\n"
    "@kernel\ndef plus(x):\n    return x + 10.0\n",
    "_jit/nested/deep/tiny.py": "from learnable._jit.core.compile import compile_formulas, kernel\n"
    "from learnable._jit.nested.deep.helper import plus\nfrom learnable.problems.nested.deep.shapes import area\n"
    "compile_formulas()\n@kernel\ndef k(shape, x):\n    return plus(area(shape, x))\n",
}

PROGRAM = """
import json, sys, warnings
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    import learnable
    from learnable._jit.nested.deep.tiny import k
    from learnable._jit.nested.deep.helper import plus
    from learnable.problems.nested.deep.square import Square
    answer = k(Square(2.0), 3.0)
print(json.dumps({
    "house": learnable.__file__, "answer": answer, "said": [str(one.message) for one in said],
    "hits": sum(k.stats.cache_hits.values()), "misses": sum(k.stats.cache_misses.values()),
}))
"""


@pytest.fixture
def ended(at_once, house):
    """What processes that begin at once with an empty or a filled cache find."""

    def told(place, processes=1):
        program = PROGRAM, [str(house.parent)], {"LEARNABLE_CACHE_DIR": str(place)}
        found = []
        for out, err in at_once(*[program] * processes):
            assert out, err
            found.append(json.loads(out))
            assert Path(found[-1].pop("house")).parent == house
        return found

    return told


def edit(house, name, old, new):
    text = (house / name).read_text()
    assert text.count(old) == 1
    (house / name).write_text(text.replace(old, new))


def test_an_edit_reaches_a_nested_kernel_through_every_file_it_inlines_and_no_other(house, ended, tmp_path):
    """The law of the cache in whole processes: (files edited, right answer, whether the old kernel may be used)."""
    place = tmp_path / "cache"
    edits = [
        ([], 17.0, False),
        # Other files, which it does not import: the kernel stays.
        ([("problems/nested/apart.py", "1.0", "2.0"), ("_jit/nested/other.py", "2.0", "5.0")], 17.0, True),
        # A kernel that it inlines.
        ([("_jit/nested/deep/helper.py", "10.0", "20.0")], 27.0, False),
        # The body of a formula, in a file that it does not import.
        ([("problems/nested/deep/square.py", "+ 1.0", "+ 1000.0")], 1026.0, False),
    ]
    for changes, right, kept in edits:
        for change in changes:
            edit(house, *change)
        (found,) = ended(place)
        assert found == {"answer": right, "said": [], "hits": int(kept), "misses": int(not kept)}, changes


def test_without_a_folder_an_edit_in_another_file_is_seen_and_one_line_is_said(house, ended, tmp_path):
    (tmp_path / "file").write_text("in the way")
    for change, right in [(None, 17.0), (("problems/nested/deep/square.py", "+ 1.0", "+ 1000.0"), 1016.0)]:
        if change is not None:
            edit(house, *change)
        (found,) = ended(tmp_path / "file" / "cache")
        assert found["answer"] == right
        assert len(found["said"]) == 1
        assert "cache of compiled kernels" in found["said"][0]
    assert not list(house.rglob("*.nb?"))


def test_four_cold_processes_at_once_are_right_and_the_fifth_compiles_nothing(ended, tmp_path):
    place = tmp_path / "cache"
    for found in ended(place, processes=4):
        assert (found["answer"], found["said"]) == (17.0, [])
    assert ended(place) == [{"answer": 17.0, "said": [], "hits": 1, "misses": 0}]
    assert not [path for path in place.rglob("*") if ".tmp" in path.name]


def kernels():
    """Every kernel of the library, with the module it is defined in."""
    import learnable._jit

    found = {}
    for info in pkgutil.walk_packages(learnable._jit.__path__, "learnable._jit."):
        module = importlib.import_module(info.name)
        found |= {id(one): one for one in vars(module).values() if hasattr(one, "py_func")}
    return list(found.values())


def test_a_version_covers_all_that_the_kernel_calls_by_name():
    """By another route than the digest, which reads texts: the objects that a kernel's names stand for."""
    import learnable.problems
    from learnable.problems.core.formula import FORMULAS

    for info in pkgutil.walk_packages(learnable.problems.__path__, "learnable.problems."):
        importlib.import_module(info.name)
    bodies = {id(call): {body.__module__ for body in call.bodies.values()} for call in FORMULAS}
    checked = 0
    for kernel in kernels():
        function = kernel.py_func
        used = [function.__globals__[name] for name in function.__code__.co_names if name in function.__globals__]
        homes = {getattr(one, "__module__", "") or "" for one in used}
        homes = homes.union(*(bodies.get(id(one), set()) for one in used))
        homes = {home for home in homes if home.startswith(("learnable.problems.", "learnable._jit."))}
        assert homes | {function.__module__} <= digest.sources(function.__module__), function
        checked += 1
    assert checked > 50


def test_imports_read_off_the_text_are_those_of_the_parser():
    files = digest._files()
    assert "learnable.problems.sparse.penalties" in files
    for module, path in files.items():
        parsed = set()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path}: relative imports are not followed"
                parsed |= {node.module or "", *(f"{node.module}.{one.name}" for one in node.names)}
            elif isinstance(node, ast.Import):
                parsed |= {one.name for one in node.names}
        assert parsed & set(files) <= digest._imports(module), path


# --- Ctrl-C ----------------------------------------------------------------------------------------------------------

INTERRUPTED_INSIDE = """
import os, signal
from numba.extending import overload
from learnable._jit.core.compile import kernel

def asked(x): ...

@overload(asked)
def typed(x):
    os.kill(os.getpid(), signal.SIGINT)  # while the compiler is at work
    return lambda x: x

@kernel
def k(x):
    return asked(x)

try:
    k(1.0)
except KeyboardInterrupt:
    assert k.signatures and k(1.0) == 1.0
    print("interrupted")
"""

LATER = """
import os, signal, threading
interrupt = threading.Timer({delay}, os.kill, (os.getpid(), signal.SIGINT))
"""

FIRST_CALL = """
import numpy as np
from learnable._jit.core.column_squares import column_squares
X, out = np.ones((3, 2)), np.zeros(2)
try:
    interrupt.start()
    while True:
        column_squares(X, out)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""

FIRST_FIT = """
import numpy as np
from learnable.bayes import GaussianNB
X = np.random.default_rng(0).standard_normal((50, 10))
try:
    interrupt.start()
    while True:
        GaussianNB().fit(X, X[:, 0] > 0)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_an_interrupt_within_the_compiler_is_heard_when_it_has_finished(said, tmp_path):
    assert said(INTERRUPTED_INSIDE, LEARNABLE_CACHE_DIR=str(tmp_path / "cache")) == "interrupted\n"


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_ctrl_c_during_the_first_compilation_is_never_lost(at_once, tmp_path):
    trials = [(FIRST_CALL, 0.0), (FIRST_CALL, 0.2), (FIRST_CALL, 0.6), (FIRST_FIT, 0.4)]
    programs = [
        (LATER.format(delay=delay) + program, [], {"LEARNABLE_CACHE_DIR": str(tmp_path / f"cold{trial}")})
        for trial, (program, delay) in enumerate(trials)
    ]
    # One that lost the signal would go on for ever, and is ended without a word.
    assert at_once(*programs) == [["interrupted\n", ""]] * len(trials)


def test_a_kernel_from_disk_is_inlined_in_its_caller_and_a_damaged_runtime_is_made_anew(at_once, tmp_path):
    script = tmp_path / "caller.py"
    script.write_text(
        "import numpy as np\n"
        "from learnable._jit.core.compile import kernel\n"
        "from learnable._jit.core.column_squares import column_squares\n"
        "X, out = np.ones((3, 2)), np.zeros(2)\n"
        "X.flags.writeable = False\n"
        "column_squares(X, out)\n"
        "@kernel\n"
        "def twice(X, out):\n"
        "    column_squares(X, out)\n"
        "    column_squares(X, out)\n"
        "twice(X, out)\n"
        "print(out.tolist())\n"
    )
    program = f"import runpy; runpy.run_path({str(script)!r})"
    for turn in range(3):
        said = at_once((program, [], {"LEARNABLE_CACHE_DIR": str(tmp_path / "cache")}))
        assert said == [["[9.0, 9.0]\n", ""]]
        (runtime,) = (tmp_path / "cache" / "kernels").glob("runtime-*")
        if turn == 0:  # the caller must be compiled again, around the kernel that is read
            for folder in runtime.parent.iterdir():
                for file in folder.glob("*twice*") if folder.is_dir() else ():
                    file.unlink()
        whole = runtime.read_bytes()
        runtime.write_bytes(whole[:-1] + b"?" if turn == 1 else whole)
