"""Altered formulas: does the test that shows a row of the syllabus notice?

`python docs/syllabus.py --alter ROW ...` breaks what the row names, in one way after the other, and runs the test of
the row; it must fail each time. What is broken: the functions under `formula` in `syllabus.toml`, or else the object of
the row. A function then gives changed numbers; an estimator changed fitted attributes; another class changed results of
its methods. Numbers in tuples, dictionaries and result objects are changed too, and verdicts are turned round.
"""

import copy
import functools
import inspect
import signal
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

ROOT = Path(__file__).parents[1]
BREAKS: dict[str, Callable[[Any], Any]] = {
    "halved": lambda x: 0.5 * x,
    "negated": lambda x: -x,
    "shifted": lambda x: x + 1.0,
}
# Seconds a test may take with a broken formula; one that never ends has noticed.
PATIENCE = 60
DEEP = 4


class Trial(NamedTuple):
    """One row, its formula broken in one way.

    Attributes
    ----------
    outcome : "noticed", "survived", "untouched" where the test never came by a number of the formula, or
        "fails unaltered".
    """

    row: str
    how: str
    outcome: str


def alter(entries: dict[str, dict[str, Any]], rows: list[str]) -> list[Trial]:
    """Try every break on every row; the tests run one after the other in this process."""
    import pytest

    trials = _Trials({row: entries[row] for row in rows})
    # Whole files: a test that is not there must not keep the others from running.
    tests = sorted({entry["test"].partition("::")[0] for entry in trials.entries.values()})
    options = [
        "-q",
        "--continue-on-collection-errors",
        "-p",
        "no:cacheprovider",
        "--no-header",
        "--no-summary",
        "--tb=no",
    ]
    pytest.main([*options, f"--rootdir={ROOT}", *(str(ROOT / test) for test in tests)], plugins=[trials])
    return trials.found


class _Trials:
    """A plugin of pytest that runs each test as it is and once a break."""

    def __init__(self, entries: dict[str, dict[str, Any]]):
        self.entries, self.found = entries, []
        self.seen: set[str] = set()

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        wanted = {entry["test"] for entry in self.entries.values()}
        items[:] = [item for item in items if _node(item) in wanted]

    def pytest_runtest_protocol(self, item: Any, nextitem: Any) -> bool:
        rows = [row for row, entry in self.entries.items() if entry["test"] == _node(item)]
        sound = not rows or not _fails(item)
        for row in rows:
            for how in BREAKS:
                if sound:
                    self._try(item, row, how)
                else:
                    self.found.append(Trial(row, how, "fails unaltered"))
        return True

    def _try(self, item: Any, row: str, how: str) -> None:
        touched, entry = [0], self.entries[row]
        names = entry.get("formula", entry["object"])
        targets = [_resolved(name) for name in ([names] if isinstance(names, str) else names)]
        for change in (BREAKS[how], _garbled):
            # What holds no number, a record in words for instance, is garbled instead.
            with _replaced(targets, change, touched), _hurried():
                noticed = _fails(item)
            if noticed or touched[0]:
                break
        outcome = "noticed" if noticed else "survived" if touched[0] else "untouched"
        # A test with parameters notices if one of its items does.
        old = next((k for k, trial in enumerate(self.found) if trial[:2] == (row, how)), None)
        if old is None:
            self.found.append(Trial(row, how, outcome))
        elif self.found[old].outcome != "noticed" and outcome != "untouched":
            self.found[old] = Trial(row, how, outcome)


def _node(item: Any) -> str:
    return f"{item.path.relative_to(ROOT)}::{getattr(item, 'originalname', item.name)}"


def _fails(item: Any) -> bool:
    from _pytest.runner import runtestprotocol

    item._initrequest()
    return any(report.failed for report in runtestprotocol(item, log=False, nextitem=None))


def _resolved(name: str) -> Any:
    """The object of this name, a function before the module that is called like it; (class, name) of a method."""
    home, _, last = name.rpartition(".")
    owner = resolve_name(home)
    return (owner, last) if inspect.isclass(owner) else getattr(owner, last)


@contextmanager
def _hurried() -> Iterator[None]:
    def late(*_: Any) -> None:
        raise TimeoutError(f"altered, the test went on for more than {PATIENCE} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _replaced(targets: list[Any], change: Callable[[Any], Any], touched: list[int]) -> Iterator[None]:
    """Broken targets under every name that a module of this checkout knows them by."""
    undo: list[tuple[Any, str, Any]] = []
    for target in targets:
        if isinstance(target, tuple):
            owner, name = target
            undo.append((owner, name, vars(owner).get(name, _ABSENT)))
            setattr(owner, name, _broken(getattr(owner, name), change, touched))
            continue
        if inspect.isclass(target):
            undo += _broken_class(target, change, touched)
            continue
        routine = inspect.isroutine(target) or hasattr(target, "py_func") or hasattr(target, "bodies")
        broken = _broken(target, change, touched) if routine else _Proxy(target, change, touched)
        for module in list(sys.modules.values()):
            if not str(getattr(module, "__file__", None) or "").startswith(str(ROOT)):
                continue
            if module.__name__.startswith("learnable._jit"):
                continue  # a kernel calls kernels, compiled with it
            for name, thing in list(vars(module).items()):
                if thing is target:
                    undo.append((module, name, thing))
                    setattr(module, name, broken)
                elif isinstance(thing, dict) and not name.startswith("__"):
                    for key, value in list(thing.items()):
                        if value is target:
                            undo.append((thing, key, value))
                            thing[key] = broken
    try:
        yield
    finally:
        for owner, name, thing in reversed(undo):
            if isinstance(owner, dict):
                owner[name] = thing
            elif thing is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, thing)


_ABSENT = object()
FITS = ("fit", "partial_fit")


def _broken_class(kind: type, change: Callable, touched: list[int]) -> list[tuple[Any, str, Any]]:
    """Break an estimator's fitted attributes, or the results of the methods of another class."""
    undo = []
    fits = [name for name in FITS if hasattr(kind, name)]
    for name in fits or [name for name in dir(kind) if not name.startswith("_") or name == "__call__"]:
        found = inspect.getattr_static(kind, name, None)
        home = next((base for base in kind.__mro__ if name in vars(base)), None)
        if home is None or not home.__module__.startswith("learnable"):
            continue
        if isinstance(found, property | functools.cached_property):
            getter = found.fget if isinstance(found, property) else found.func
            new: Any = property(_broken(getter, change, touched))
        elif isinstance(found, staticmethod | classmethod):
            new = type(found)(_broken(found.__func__, change, touched))
        elif inspect.isfunction(found):
            new = _broken_fit(found, change, touched) if fits else _broken(found, change, touched)
        else:
            continue
        undo.append((kind, name, vars(kind).get(name, _ABSENT)))
        setattr(kind, name, new)
    return undo


def _broken_fit(fit: Callable, change: Callable, touched: list[int]) -> Callable:
    @functools.wraps(fit)
    def broken(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = fit(self, *args, **kwargs)
        for name, value in list(vars(self).items()):
            if name.endswith("_") and not name.startswith("_") and name not in ("classes_", "n_features_in_"):
                setattr(self, name, _changed(value, change, touched))
        return result

    return broken


class _Proxy:
    """An object that is called, a bound for instance, and whose methods give changed numbers too."""

    def __init__(self, target: Any, change: Callable, touched: list[int]):
        self._parts = target, change, touched

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        target, change, touched = self._parts
        return _changed(target(*args, **kwargs), change, touched)

    def __getattr__(self, name: str) -> Any:
        target, change, touched = self._parts
        found = getattr(target, name)
        return _broken(found, change, touched) if inspect.ismethod(found) else found


def _broken(function: Callable, change: Callable, touched: list[int]) -> Callable:
    @functools.wraps(function)
    def broken(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        if isinstance(result, types.GeneratorType):
            return (_changed(state, change, touched) for state in result)
        return _changed(result, change, touched)

    return broken


def _garbled(value: Any) -> Any:
    return value[::-1] if isinstance(value, str) else value


def _changed(value: Any, change: Callable, touched: list[int], depth: int = 0) -> Any:
    """Numbers and verdicts, however nested, changed; texts and foreign objects as they are."""
    if isinstance(value, str) and change is _garbled:
        touched[0] += 1
        return _garbled(value)
    if isinstance(value, bool | np.bool_):
        touched[0] += 1
        return not value
    if isinstance(value, float | np.floating):
        touched[0] += 1
        return type(value)(change(value))
    if isinstance(value, int | np.integer):
        touched[0] += 1
        other = round(change(int(value)))
        return type(value)(other if other != value else value + 1)
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub" and value.size:
        touched[0] += 1
        if value.dtype.kind == "b":
            return ~value
        if value.dtype.kind == "f":
            return change(value).astype(value.dtype)
        other = np.asarray(np.round(change(value.astype(float)))).astype(value.dtype)
        return other if not np.array_equal(other, value) else value + value.dtype.type(1)
    if sparse.issparse(value) and value.dtype.kind == "f":
        touched[0] += 1
        new = value.copy()
        new.data = change(new.data).astype(new.dtype)
        return new
    if depth >= DEEP or value is None or isinstance(value, str | bytes | type | types.FunctionType):
        return value
    deeper = functools.partial(_changed, change=change, touched=touched, depth=depth + 1)
    if isinstance(value, tuple):
        parts = [deeper(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, list):
        return [deeper(part) for part in value]
    if isinstance(value, set | frozenset):
        return value
    if isinstance(value, dict):
        return {key: deeper(part) for key, part in value.items()}
    if callable(value) and inspect.isroutine(value):
        return _broken(value, change, touched)
    if type(value).__module__.startswith("learnable") and hasattr(value, "__dict__"):
        return _changed_object(value, deeper)
    return value


def _changed_object(value: Any, deeper: Callable) -> Any:
    try:
        new = copy.copy(value)
        for name, part in list(vars(value).items()):
            object.__setattr__(new, name, deeper(part))
    except (TypeError, AttributeError):
        return value
    return new


def survivors(trials: list[Trial]) -> list[str]:
    """One line a row whose test passed with its formula altered, or never came by it."""
    lines = []
    for row in dict.fromkeys(trial.row for trial in trials):
        bad = [trial for trial in trials if trial.row == row and trial.outcome != "noticed"]
        if bad:
            lines.append(f"{row}: " + ", ".join(f"{trial.how} {trial.outcome}" for trial in bad))
    return lines
