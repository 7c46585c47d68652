"""A pytest plugin: puts our classes in place, keeps the tests that reach them, notes which of them each test fits."""

from collections.abc import Iterable, Iterator
from functools import wraps
from importlib import import_module
from inspect import getattr_static
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest
from sklearn._loss import HalfPoissonLoss
from sklearn.utils.metaestimators import available_if

from compat.places import PLACES, ours

# What the running test has fitted so far; one test at a time in a process.
_fitted: set[str] = set()


def pytest_configure(config: pytest.Config) -> None:
    """Before any test module is imported, so that its `from sklearn.linear_model import …` finds our classes."""
    for name, kind in ours().items():
        for method in ("fit", "partial_fit"):
            if hasattr(kind, method):
                _note_fits(kind, method)
        setattr(import_module(PLACES[name].public), name, kind)
    # The GLM tests ask a model for its loss, to compute by themselves what the minimum is.
    kind = ours()["PoissonRegressor"]
    kind._get_loss = lambda self, xp=None, device=None: HalfPoissonLoss()  # type: ignore[attr-defined]


def _note_fits(kind: type[Any], method: str) -> None:
    fit, stated = getattr(kind, method), getattr_static(kind, method)

    @wraps(fit)
    def noting(self, *args, **kwargs):
        _fitted.add(kind.__name__)
        return fit(self, *args, **kwargs)

    if isinstance(stated, FunctionType):
        setattr(kind, method, noting)
    else:  # there with some parameters only
        setattr(kind, method, available_if(lambda self: stated.__get__(self, type(self)) is not None)(noting))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests from which none of our classes can be reached."""
    classes = tuple(ours().values())
    kept = [item for item in items if _reaches(item, classes)]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    items[:] = kept


def _reaches(item: Any, classes: tuple[type, ...]) -> bool:
    given = item.callspec.params.values() if hasattr(item, "callspec") else []
    parameters = list(_flat(given))
    if any(isinstance(value, classes) or _is_one_of(value, classes) for value in parameters):
        return True
    named = {value for value in given if isinstance(value, str)}
    return any(
        _is_one_of(thing, classes) for f in (item.function, *parameters) for thing in _mentioned(f, named, set())
    )


def _is_one_of(thing: Any, classes: tuple[type, ...]) -> bool:
    return isinstance(thing, type) and issubclass(thing, classes)


def _flat(values: Iterable[Any]) -> Iterator[Any]:
    """Parameters, and those inside tuples and lists; arrays and the like, which do not compare by `in`, left out."""
    for value in values:
        if isinstance(value, tuple | list):
            yield from _flat(value)
        elif isinstance(value, type | FunctionType) or type(value).__module__.startswith("learnable"):
            yield value


def _mentioned(function: Any, named: set[str], seen: set[Any]) -> Iterator[Any]:
    """What a test function and the functions of its module that it calls refer to.

    A global `name` or `module.name`; of a global dictionary the values whose keys are parameters of the test, or all.
    """
    function = getattr(function, "__wrapped__", function)
    if not isinstance(function, FunctionType) or function in seen:
        return
    seen.add(function)
    names = list(_names(function.__code__))
    for name in names:
        thing = function.__globals__.get(name)
        if isinstance(thing, type):
            yield thing
        elif isinstance(thing, ModuleType):
            yield from (vars(thing)[attribute] for attribute in names if isinstance(vars(thing).get(attribute), type))
        elif isinstance(thing, dict):
            yield from [thing[key] for key in named & thing.keys()] or thing.values()
        elif getattr(thing, "__module__", None) == function.__module__:
            yield from _mentioned(thing, named, seen)


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
