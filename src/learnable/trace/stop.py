"""Stop rules: small functions of (step number, state) that name a status, or None to go on."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from learnable.trace.status import Status

StopRule = Callable[[int, Any], Status | None]


def reached(quantity: str, tolerance: float, status: Status = Status.OPTIMAL) -> StopRule:
    """Stop once `state.<quantity>` ≤ tolerance.

    >>> from types import SimpleNamespace
    >>> rule = reached("gap", 1e-3)
    >>> rule(1, SimpleNamespace(gap=0.1)), str(rule(2, SimpleNamespace(gap=1e-4)))
    (None, 'optimal')
    """
    return lambda step, state: status if getattr(state, quantity) <= tolerance else None


def unmoved(quantity: str, tolerance: float, status: Status = Status.OPTIMAL) -> StopRule:
    """Stop once a step has moved no entry of the array `state.<quantity>` by more than tolerance times the largest.

    >>> from types import SimpleNamespace
    >>> rule = unmoved("theta", 0.1)
    >>> [rule(0, SimpleNamespace(theta=np.array(each))) is None for each in ([0.0, 4.0], [1.0, 5.0], [1.5, 5.0])]
    [True, True, False]
    """
    before = None

    def rule(step, state):
        nonlocal before
        last, before = before, np.array(getattr(state, quantity))
        still = last is not None and np.max(np.abs(before - last)) <= tolerance * np.max(np.abs(before))
        return status if still else None

    return rule


def to_the_end(step: int, state: object) -> None:
    """Never stop: for algorithms that end by themselves."""


def budget(max_steps: int) -> StopRule:
    """Stop after `max_steps` states."""
    return lambda step, state: Status.BUDGET_SPENT if step >= max_steps else None


def stalled(quantity: str | Callable[[Any], float], tolerance: float, patience: int) -> StopRule:
    """Stop when a quantity of the state has not improved on its best by more than `tolerance` for `patience` states.

    `quantity` is the name of a field, or a function of the state.
    """
    of = (lambda state: getattr(state, quantity)) if isinstance(quantity, str) else quantity
    best, waited = float("inf"), 0

    def rule(step, state):
        nonlocal best, waited
        now = of(state)
        waited = waited + 1 if now > best - tolerance else 0
        best = min(best, now)
        return Status.STOPPED if waited >= patience else None

    return rule


def out_of_time(seconds: float) -> StopRule:
    """Stop when `seconds` have passed since the rule was made."""
    end = time.perf_counter() + seconds
    return lambda step, state: Status.BUDGET_SPENT if time.perf_counter() >= end else None


def first_of(*rules: StopRule) -> StopRule:
    """The first rule, in the order given, that stops."""

    def rule(step, state):
        for each in rules:
            status = each(step, state)
            if status is not None:
                return status
        return None

    return rule


def all_of(*rules: StopRule) -> StopRule:
    """As the last rule says, once every one of them stops at the same state."""

    def rule(step, state):
        found = [each(step, state) for each in rules]
        return None if None in found else found[-1]

    return rule
