"""A pytest plugin: puts our classes in place, keeps the tests that reach them, notes which of them each test fits."""

from collections.abc import Iterator
from functools import wraps
from importlib import import_module
from types import CodeType, FunctionType
from typing import Any

import pytest

from compat.places import PLACES, ours

# What the running test has fitted so far; one test at a time in a process.
_fitted: set[str] = set()


def pytest_configure(config: pytest.Config) -> None:
    """Before any test module is imported, so that its `from sklearn.linear_model import …` finds our classes."""
    for name, kind in ours().items():
        _note_fits(kind)
        setattr(import_module(PLACES[name].public), name, kind)


def _note_fits(kind: type[Any]) -> None:
    fit = kind.fit

    @wraps(fit)
    def noting(self, *args, **kwargs):
        _fitted.add(kind.__name__)
        return fit(self, *args, **kwargs)

    kind.fit = noting


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests from which none of our classes can be reached."""
    classes = tuple(ours().values())
    kept = [item for item in items if _reaches(item, classes)]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    items[:] = kept


def _reaches(item: Any, classes: tuple[type, ...]) -> bool:
    parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
    if any(isinstance(value, classes) or value in classes for value in map(_plain, parameters)):
        return True
    return any(thing in classes for thing in _mentioned(item.function, set()))


def _plain(value: Any) -> Any:
    """Parameters such as arrays do not compare to a class by `in`; only types and objects of ours matter."""
    return value if isinstance(value, type) or type(value).__module__.startswith("learnable") else None


def _mentioned(function: Any, seen: set[Any]) -> Iterator[Any]:
    """What a test function and the functions of its module that it calls refer to by a global name."""
    function = getattr(function, "__wrapped__", function)
    if not isinstance(function, FunctionType) or function in seen:
        return
    seen.add(function)
    for name in _names(function.__code__):
        thing = function.__globals__.get(name)
        if isinstance(thing, type):
            yield thing
        elif getattr(thing, "__module__", None) == function.__module__:
            yield from _mentioned(thing, seen)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item):
    _fitted.clear()
    try:
        return (yield)
    finally:
        # Properties travel with the report, also from a worker process.
        item.user_properties.append(("fitted", sorted(_fitted)))
