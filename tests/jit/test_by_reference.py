"""Named tuples that kernels hand on as one pointer."""

import os
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest
from numba.core.errors import TypingError

from learnable._jit.core.by_reference import by_reference
from learnable._jit.core.compile import inner_kernel, kernel
from learnable._jit.core.lean import lean


@by_reference
class Limits(NamedTuple):
    steps: int
    scale: float
    whole: bool


@by_reference
class Room(NamedTuple):
    limits: Limits
    x: np.ndarray
    table: np.ndarray


@lean
@inner_kernel
def _step(room, i):
    room.x[i + 1] = room.x[i] * room.limits.scale + room.table[i, 1]


@kernel
def walk(room):
    """Reads what it has just written: fields stay what they are, the entries of arrays do not."""
    for i in range(room.limits.steps):
        _step(room, i)
    return room.x[room.limits.steps] if room.limits.whole else 0.0


@lean
@kernel
def lean_walk(room):
    """The same, without counting who uses an array."""
    for i in range(room.limits.steps):
        _step(room, i)
    return room.x[room.limits.steps] if room.limits.whole else 0.0


@kernel
def lend(room):
    return room.x


def room(steps=4, whole=True, order="C"):
    table = np.asarray(np.arange(12.0).reshape(6, 2), order=order)
    return Room(Limits(steps, 0.5, whole), np.ones(7), table)


@pytest.mark.parametrize("run", [walk, lean_walk])
def test_a_kernel_reads_fields_and_writes_entries(run):
    for case in (room(), room(5, whole=False), room(3, order="F")):
        expected = np.ones(7)
        for i in range(case.limits.steps):
            expected[i + 1] = 0.5 * expected[i] + case.table[i, 1]
        assert run(case) == (expected[case.limits.steps] if case.limits.whole else 0.0)
        np.testing.assert_array_equal(case.x, expected)


@pytest.mark.parametrize("run", [walk, lean_walk])
def test_nothing_keeps_the_arrays_alive(run):
    case = room()
    run(case)
    before = sys.getrefcount(case.x), sys.getrefcount(case.table)
    for _ in range(10):
        run(case)
    assert (sys.getrefcount(case.x), sys.getrefcount(case.table)) == before


def test_an_array_outlives_the_tuple_it_was_taken_from():
    given = lend(room())
    assert given.tolist() == [1.0] * 7


def test_what_is_no_field_or_no_number_is_refused():
    with pytest.raises(TypingError, match="missing"):
        kernel(lambda room: room.missing)(room())
    with pytest.raises(TypingError, match="pyobject"):
        walk(room()._replace(x=object()))
    with pytest.raises(TypingError, match="pyobject"):
        walk(room()._replace(limits=Limits(1, object(), True)))


ROOMS = """
from typing import NamedTuple
import numpy as np
from learnable._jit.core.by_reference import by_reference
from learnable._jit.core.compile import kernel

@by_reference
class Room(NamedTuple):
    x: np.ndarray
    n: int

@kernel
def last(room):
    return room.x[room.n - 1]
"""
CALL = """
import numpy as np
from rooms import Room, last

found = {last(Room(np.arange(5.0), 3)) for _ in range(3)}
print(*found, sum(last.stats.cache_hits.values()))
"""


def test_a_kernel_of_another_process_knows_the_tuple_again(tmp_path, said):
    """Whose hashes of names are others."""
    (tmp_path / "rooms.py").write_text(ROOMS)
    place = {"LEARNABLE_CACHE_DIR": str(tmp_path / "cache")}
    assert said(CALL, [str(tmp_path)], **place).split() == ["2.0", "0"]
    file = tmp_path / "call.py"
    file.write_text(CALL)
    env = {**os.environ, **place, "PYTHONHASHSEED": "2" if os.environ.get("PYTHONHASHSEED") != "2" else "1"}
    assert subprocess.check_output([sys.executable, file], env=env, text=True).split() == ["2.0", "1"]
