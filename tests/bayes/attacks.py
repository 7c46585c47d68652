"""Alterations of fitted models that a certificate must not prove, whatever they are made of."""

from collections.abc import Iterator
from copy import copy
from typing import Any

import numpy as np

from learnable import certify
from learnable.certificates.core.certify import ledger_of
from learnable.certificates.core.ledger import fitted


def altered(value: Any) -> Iterator[tuple[str, Any]]:
    """(what was done, another value) for numbers, arrays of numbers and lists of those."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiu" and value.size:
        numbers = value.astype(float)
        finite = np.where(np.isfinite(numbers), numbers, 0.0)
        spoiled, traded, last = numbers.copy(), numbers.copy(), numbers.copy()
        spoiled.flat[0] = np.nan
        last.flat[-1] += 0.01 * max(float(np.abs(finite).max()), 1e-6)
        yield from (("NaN", spoiled), ("cut", value[:-1]), ("a new axis", value[None]), ("nothing", None))
        yield from (("1 more", numbers + 1.0), ("twice", numbers * 2.0), ("a thousandth more", numbers * 1.001))
        yield from (("negated", -numbers), ("the last 1% off", last))
        if value.size > 1:
            traded.flat[0] += 0.05 * np.abs(finite).max()
            traded.flat[1] -= 0.05 * np.abs(finite).max()
            yield from (("two entries traded", traded), ("turned about", value[::-1].copy()))
    elif isinstance(value, float | np.floating | int | np.integer) and not isinstance(value, bool | np.bool_):
        yield from (
            ("1% more", value * 1.01 or 1e-3),
            ("NaN", float("nan")),
            ("huge", 1e9),
            ("negated", -value or -1e-3),
        )
        yield "nothing", None
    elif isinstance(value, list) and value and isinstance(value[0], np.ndarray):
        for what, other in altered(value[0]):
            yield f"{what}, in the first", [other, *value[1:]]


def unnoticed(model: Any, *data: Any, **named: Any) -> list[str]:
    """Alterations of one verified or derived attribute that the certificate still proves."""
    assert certify(model, *data, **named).holds, certify(model, *data, **named)
    ledger = ledger_of(type(model))
    assert ledger.missing_from(vars(model)) == ()
    passed = []
    for name in fitted(vars(model)):
        if name not in (*ledger.verified, *ledger.derived):
            continue
        for what, other in altered(vars(model)[name]):
            if _same(other, vars(model)[name]):
                continue
            forged = copy(model)
            setattr(forged, name, other)
            try:
                if certify(forged, *data, **named).holds:
                    passed.append(f"{name}: {what}")
            except (ValueError, TypeError):
                continue  # refused in words
    return passed


def _same(a: Any, b: Any) -> bool:
    try:
        return np.shape(a) == np.shape(b) and bool(np.array_equal(a, b))
    except (TypeError, ValueError):
        return False
