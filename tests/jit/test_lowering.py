"""The short forms that kernels are compiled to do what Python does."""

import numba
import numpy as np
import pytest
from numba.core.codegen import CPUCodeLibrary
from numba.core.runtime import _nrt_python, rtsys
from tests.cases import each

from learnable._jit.core.compile import kernel


def swap(a, i, j):
    """Entries by places of any sign, read and written."""
    kept = a[i]
    a[i] = a[j]
    a[j] = kept
    return kept


def transposed(a, out):
    for i in range(a.shape[0]):
        for j in range(-1, a.shape[1] - 1):
            out[j, -i] = a[-i, j]


def fill(a, value):
    for i in range(a.shape[0]):
        a[i] = value


def visited(start, stop, step):
    """The numbers of three ranges, and how often each loop is entered."""
    total, last = 0, -1
    for i in range(stop):
        for j in range(start, stop):
            total += 100 * i + j
        for k in range(start, stop, step):
            total, last = (3 * total + k) % 10007, k
    return total, last


def last_of(n):
    i = -7
    for i in range(n):
        if i == 4:
            break
    return i


def arithmetic(i, u, x, flag):
    total = i
    total *= 3
    total -= u
    total //= 2
    return total, i / 3, -i % 5, x**2, x**-1, i**3, (i > u) == flag, i << 2, u & 6, x * flag


def newest(n):
    """Arrays that one variable holds after the other."""
    held = np.zeros(n)
    for _ in range(n):
        held = held + np.ones(n)
        other = held
    return other


@each("kind", [np.int8, np.int64, np.uint32, np.uint64])
def test_entries_are_read_and_written_where_python_finds_them(kind):
    places = [(0, 4), (2, 2)] if kind in (np.uint32, np.uint64) else [(0, 4), (-1, 1), (-5, -3)]
    swapped, tables = kernel(swap), [np.arange(5.0)]
    if kind is np.int64:  # where an entry lies and what it is are read by code of their own
        tables += [np.arange(5), np.arange(5) > 2, np.arange(5, dtype=np.uint8), 1j * np.arange(5)]
    for entries in tables:
        for i, j in places:
            for stride in (1, -1):
                ours, theirs = entries.copy(), entries.copy()
                found = swapped(ours[::stride], kind(i), kind(j))
                assert found == swap(theirs[::stride], kind(i), kind(j))
                np.testing.assert_array_equal(ours, theirs)


@each("order", ["C", "F", "A"])
def test_tables_are_read_in_any_layout(order):
    table = np.arange(24.0).reshape(4, 6)
    given = np.repeat(table, 2, axis=1)[:, ::2] if order == "A" else np.asarray(table, order=order)
    ours, theirs = np.zeros((6, 4)), np.zeros((6, 4))
    kernel(transposed)(given, ours)
    transposed(given, theirs)
    np.testing.assert_array_equal(ours, theirs)


def test_what_is_written_takes_the_kind_of_the_array():
    for kind in (np.float32, np.int16, np.bool_, np.float64):
        ours, theirs = np.empty(3, kind), np.empty(3, kind)
        filled = kernel(fill)
        for value in (2.75, 300, True):
            filled(ours, value)
            fill(theirs, value)
            np.testing.assert_array_equal(ours, theirs)


@each("start", [-3, 0, 2])
@each("step", [-2, 1, 3])
def test_loops_visit_what_python_visits(start, step):
    compiled = kernel(visited)
    for stop in (-4, 0, 1, 5):
        assert compiled(start, stop, step) == visited(start, stop, step)


def test_a_step_of_zero_is_refused():
    with pytest.raises(ValueError, match="must not be zero"):
        kernel(visited)(0, 3, 0)


@each("n", [0, 3, 9])
def test_a_variable_of_a_loop_keeps_its_last_value(n):
    assert kernel(last_of)(n) == last_of(n)


def test_numbers_are_reckoned_with_as_in_python():
    compiled = kernel(arithmetic)
    for i, u, x, flag in [(7, 3, 2.5, True), (-7, 3, -0.5, False), (0, 9, 4.0, True)]:
        assert compiled(i, u, x, flag) == arithmetic(i, u, x, flag)


def test_arrays_are_given_back():
    compiled = kernel(newest)
    np.testing.assert_array_equal(compiled(4), np.full(4, 4.0))
    _nrt_python.memsys_enable_stats()
    try:
        before = rtsys.get_allocation_stats()
        for _ in range(10):
            compiled(4)
        after = rtsys.get_allocation_stats()
    finally:
        _nrt_python.memsys_disable_stats()
    assert after.alloc - before.alloc == after.free - before.free > 0


def test_the_compiler_is_given_a_third_less(monkeypatch, tmp_path):
    monkeypatch.setenv("LEARNABLE_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("LEARNABLE_READY_DIR", "")
    lengths = []
    add = CPUCodeLibrary.add_ir_module

    def noting(library, module):
        functions = [function for function in module.functions if "transposed" in function.name]
        lengths.append(sum(len(block.instructions) for function in functions[:1] for block in function.blocks))
        add(library, module)

    monkeypatch.setattr(CPUCodeLibrary, "add_ir_module", noting)
    given = np.zeros((2, 3)), np.zeros((3, 2))
    numba.njit(transposed)(*given)
    theirs = max(lengths)
    lengths.clear()
    kernel(transposed)(*given)
    assert 0 < 3 * max(lengths) < 2 * theirs
