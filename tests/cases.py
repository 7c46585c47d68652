"""Many cases of one law in one test.

`@each(names, values)` reads like `pytest.mark.parametrize` and runs every case within one item, so that the suite
counts laws and not numbers. Every case is run, whatever happens to the others, and each that fails is named. Where
cases need a fixture of their own (a fresh folder, a patch undone), parametrize instead. `LEARNABLE_CASE=TEXT` runs
only the cases whose name contains TEXT.
"""

import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from itertools import product
from traceback import format_exception
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

_AS_IMPORTED: dict[tuple[str, str], dict] = {}


def each(names: str | tuple[str, ...], values: Iterable, ids: Callable[[Any], str] | Iterable[str] = repr) -> Callable:
    """Run the test for every one of `values`; several of these run it for every combination.

    >>> found = []
    >>> @each("x", [1, 2])
    ... @each(("y", "z"), [(3, 4), (5, 6)])
    ... def test_something(x, y, z):
    ...     found.append((x, y, z))
    >>> test_something()
    >>> found
    [(1, 3, 4), (1, 5, 6), (2, 3, 4), (2, 5, 6)]

    All that fail are told:

    >>> @each("x", range(4))
    ... def test_small(x):
    ...     assert x < 2
    >>> try:
    ...     test_small()
    ... except ExceptionGroup as failed:
    ...     print(failed.message, [error.__notes__ for error in failed.exceptions])
    2 of 4 cases failed [['case: x=2'], ['case: x=3']]

    A law of no cases says nothing, and is a mistake:

    >>> each("x", [])
    Traceback (most recent call last):
    ValueError: each('x'): no cases
    """
    keys = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else tuple(names)
    axis = list(_axis(keys, list(values), ids))
    if not axis:
        raise ValueError(f"each({names!r}): no cases")

    def fold(function: Callable) -> Callable:
        law, axes = getattr(function, "_cases", (function, []))
        axes = [axis, *axes]
        taken = {key for one in axes for key in one[0][1]}

        @wraps(law)
        def test(**fixtures: Any) -> None:
            _run(law, list(product(*axes)), fixtures)

        signature = inspect.signature(law)
        left = [parameter for name, parameter in signature.parameters.items() if name not in taken]
        test.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        test._cases = law, axes  # type: ignore[attr-defined]
        test.__dict__.update(vars(function) | vars(test))
        return test

    return fold


def _axis(keys: tuple[str, ...], values: list, ids: Any) -> Iterator[tuple[Any, dict[str, Any]]]:
    """(how to name it, the arguments) of every value."""
    names = [ids] * len(values) if callable(ids) else list(ids)
    for value, name in zip(values, names, strict=True):
        row = (value,) if len(keys) == 1 else tuple(value)
        yield name, dict(zip(keys, row, strict=True))


def _name(case: Iterable[tuple[Any, dict[str, Any]]]) -> str:
    shown = [
        [f"{key}={name(value)}" for key, value in part.items()] if callable(name) else [str(name)]
        for name, part in case
    ]
    return ", ".join(one.split("\n")[0][:200] for part in shown for one in part)


def _run(law: Callable, cases: list, fixtures: dict[str, Any]) -> None:
    wanted = os.environ.get("LEARNABLE_CASE")
    if wanted:
        cases = [case for case in cases if wanted in _name(case)]
    scope = inspect.unwrap(law).__globals__
    failed, skipped = [], []
    for case in cases:
        generators_as_imported(scope)
        try:
            law(**fixtures, **{key: value for _, part in case for key, value in part.items()})
        except pytest.skip.Exception as reason:
            skipped.append(reason)
        except (Exception, pytest.fail.Exception) as error:
            error.add_note(f"case: {_name(case)}")
            failed.append(error)
    if len(failed) == 1:
        raise failed[0]
    if failed:
        raise BaseExceptionGroup(f"{len(failed)} of {len(cases)} cases failed", failed)
    if len(skipped) == len(cases):
        pytest.skip(str(skipped[0]) if skipped else f"no case with {wanted!r}")


def generators_as_imported(scope: dict[str, Any]) -> None:
    """Put every random generator of a test module into the state that it had when the module was imported."""
    for name, thing in list(scope.items()):
        if isinstance(thing, np.random.Generator):
            key = (scope["__name__"], name)
            thing.bit_generator.state = _AS_IMPORTED.setdefault(key, thing.bit_generator.state)


def assert_scikit_learn_checks(estimator: Any, expected_failures: Mapping[str, str] = MappingProxyType({})) -> None:
    """Every check of scikit-learn that applies passes; those that cannot, and only those, are listed with a reason."""
    from sklearn.utils.estimator_checks import check_estimator  # not in the process that only hands out tests

    results = check_estimator(estimator, expected_failed_checks=dict(expected_failures), on_skip=None, on_fail=None)
    wrong = [
        f"{result['check_name']} passes, against: {result['expected_to_fail_reason']}"
        if result["status"] == "passed"
        else "".join(format_exception(result["exception"]))
        for result in results
        if result["status"] == ("passed" if result["expected_to_fail"] else "failed")
    ]
    assert not wrong, "\n".join(wrong)
    assert sum(result["status"] == "passed" for result in results) > 20
