"""What kernels call gets no machine code of its own, and serves kernels of other packages as Numba made it."""

import io
import operator
import re

import numba
import numpy as np
import pytest
from llvmlite import binding as llvm
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompilerBase
from numba.core.typing.context import BaseContext

from learnable._jit.core import cache
from learnable._jit.core.compile import kernel, long_kernel


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LEARNABLE_CACHE_DIR", str(tmp_path))


def numbers(n):
    """Functions of Numba's library that no other kernel calls with these types, one of which raises."""
    room = np.zeros((n, n, n), np.uint16)
    return np.uint16(max(len(room), np.int8(3))) + np.prod(room.T)


def test_functions_of_numba_get_machine_code_when_another_package_asks_for_it(own_cache, monkeypatch):
    made = []
    emit = JITCodeLibrary._finalize_specific
    monkeypatch.setattr(JITCodeLibrary, "_finalize_specific", lambda self: (made.append(self.name), emit(self)))
    ours = kernel(numbers)
    assert ours(4) == 4
    assert [name for name in made if name != "nrt"] == ["numbers"]  # and the runtime of a first kernel
    assert Compiler.compile_extra is CompilerBase.compile_extra
    theirs = numba.njit(lambda n: numbers_of_others(n) + 1)
    assert theirs(4) == 5
    assert len(made) > 3
    for one in (ours, theirs):
        with pytest.raises(ValueError, match="negative dimensions"):
            one(-1)


numbers_of_others = numba.njit(numbers)


def test_a_sum_of_two_types_is_looked_up_once(own_cache, monkeypatch):
    asked = []
    resolve = BaseContext.resolve_function_type

    def counted(self, function, given, named):
        if getattr(function, "typing_key", function) is operator.add:
            asked.append(tuple(map(str, given)))
        return resolve(self, function, given, named)

    monkeypatch.setattr(BaseContext, "resolve_function_type", counted)

    @kernel
    def k(x, i):
        total = x
        for _ in range(3):
            total = total + x
            i = i + i
            total = total + x
            total = x + total
        return total, i

    assert k(np.float32(0.5), np.int8(1)) == (5.0, 8)
    assert len(asked) == len(set(asked)), asked


def test_machine_code_is_kept_on_disk_and_no_bitcode_that_nobody_reads(load, tmp_path):
    load()
    (file,) = (tmp_path / "cache").rglob("*.nbc")
    _, ((_, kind, (code, bitcode)), *_) = cache._Unpickler(io.BytesIO(file.read_bytes()[16:])).load()
    assert kind == "object"
    assert code
    assert not list(llvm.parse_bitcode(bitcode).functions)


def falling(x):
    """A loop that no vector takes up: each number waits for the one before."""
    for i in range(1, len(x)):
        x[i] = 0.5 * x[i - 1] + np.sqrt(x[i])
    return x


def test_loops_of_long_code_are_not_unrolled(tmp_path, monkeypatch):
    made, roots = [], []
    for decorator in (kernel, long_kernel):
        monkeypatch.setenv("LEARNABLE_CACHE_DIR", str(tmp_path / decorator.__name__))
        compiled = decorator(falling)
        made.append(compiled(np.arange(20.0)))
        code = compiled.inspect_llvm(compiled.signatures[0])
        roots.append(len(re.findall(r"call .*sqrt", code)))
    np.testing.assert_array_equal(*made)
    assert roots[1] < roots[0]
