"""Rooms that import a name when it is first used behave like rooms that import everything at once."""

import importlib
import pkgutil
import subprocess
import sys
from types import ModuleType

import pytest
from tests.cases import each

import learnable
from learnable.lazy import LazyRoom

ROOMS = [
    room
    for found in pkgutil.iter_modules(learnable.__path__, "learnable.")
    if found.ispkg and isinstance(room := importlib.import_module(found.name), LazyRoom)
]


def python(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_rooms_where_it_pays_are_lazy():
    assert {room.__name__ for room in ROOMS} >= {"learnable.sparse", "learnable.linear", "learnable.bayes"}


@each("room", ROOMS, ids=lambda room: room.__name__)
def test_every_public_name_has_a_home_and_nothing_else_does(room):
    assert sorted(room._homes) == sorted(room.__all__)
    assert set(room.__all__) <= set(dir(room))
    for name, home in room._homes.items():
        thing = getattr(room, name)
        assert thing is getattr(importlib.import_module(home), name)
        assert not isinstance(thing, ModuleType)
        assert vars(room)[name] is thing  # asked once


FIRST = ["learnable.sparse.lars_path", "learnable.sparse.lars", "learnable.sparse"]
# Every order of imports begins with a package of which nothing is loaded; what it builds on stays.
ORDERS = """
import importlib, sys

def anew():
    for name in [name for name in sys.modules if name.partition(".")[0] == "learnable"]:
        del sys.modules[name]
    import learnable
    return learnable

for first in {first}:
    package = anew()
    importlib.import_module(first)
    from learnable.sparse import lars_path
    print(lars_path.__module__, package.sparse.lars_path is lars_path)
print(anew().sparse.lasso.Lasso.__name__)
anew()
for room in {rooms}:
    found = {{}}
    exec(f"from {{room}} import *", found)
    print(set(importlib.import_module(room).__all__) <= set(found))
"""


def test_names_are_found_in_whatever_order_things_are_imported(said):
    """A function is not hidden by the module of its name, a module needs no import of its own, a star brings all."""
    hidden = "learnable.sparse.lars_path True\n" * len(FIRST)
    told = said(ORDERS.format(first=FIRST, rooms=[room.__name__ for room in ROOMS]))
    assert told == hidden + "Lasso\n" + "True\n" * len(ROOMS)


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"module 'learnable\.sparse' has no attribute 'Laso'"):
        _ = learnable.sparse.Laso
    with pytest.raises(ImportError, match="cannot import name 'Laso'"):
        from learnable.sparse import Laso  # noqa: F401


def test_importing_a_lazy_room_imports_none_of_its_modules():
    loaded = python("import sys, learnable.sparse; print(*[m for m in sys.modules if m.startswith('learnable')])")
    assert set(loaded.split()) == {"learnable", "learnable.sparse", "learnable.lazy"}
