"""The form of a card, so that one from a stranger's file is judged before it is used."""

from types import NoneType
from typing import Any, NamedTuple

_NUMBER = (int, float)
_NUMBER_OR_NONE = (int, float, NoneType)


class Maybe(NamedTuple):
    """None, or a value of the form."""

    form: Any


class Later(NamedTuple):
    """A field that cards of earlier versions do not have: not there, None, or a value of the form."""

    form: Any


_INTERVAL = {"estimate": _NUMBER, "low": _NUMBER, "high": _NUMBER, "level": _NUMBER, "method": str}
_CLAIM = {
    "id": str,
    "statement": str,
    "value": _NUMBER_OR_NONE,
    "bound": _NUMBER_OR_NONE,
    "holds": bool,
    "kind": str,
    "assumptions": [str],
    "delta": _NUMBER_OR_NONE,
    "open": Later(bool),
}

# A type or tuple of types; {key: form}; {...: form} for any keys; [form] for any number of items.
FORM: dict[Any, Any] = {
    "schema": str,
    "source": str,
    "task": str,
    "target": str,
    "levels": [str],
    "columns": [{"name": str, "kind": str, "levels": [str], "written": Later(str)}],
    "training": {
        "table_rows": int,
        "rows": int,
        "mask": str,
        "digest": str,
        "row_digests": Later(str),
        "held_out": Later(str),
    },
    "test_rows": int,
    "folds": int,
    "seed": int,
    "metric": str,
    "learner": {
        "name": str,
        "label": str,
        "params": {...: object},
        "test": Maybe(_INTERVAL),
        "cv": _INTERVAL,
        "extra": {...: _INTERVAL},
        "certificate": Maybe([_CLAIM]),
    },
    "choice": str,
    "coefficients": [{"feature": str, "weight": _NUMBER, "output": str}],
    "used": Later([str]),
    "costs": Later([[_NUMBER]]),
    "weight": Later(str),
    "class_weight": Later(str),
    "weighting": Later({"column": Maybe(str), "scale": _NUMBER, "classes": {...: _NUMBER}}),
    "target_kind": Later(str),
    "refitted": Later(bool),
    "versions": {...: str},
}


def completed(card: dict[str, Any]) -> dict[str, Any]:
    """A card with the fields that an earlier version did not write."""
    every = [column["name"] for column in card["columns"]]
    later: dict[str, Any] = {"used": every, "costs": None, "weight": None, "class_weight": None, "weighting": None,
                             "target_kind": "", "refitted": False}  # fmt: skip
    return {**later, **{key: value for key, value in card.items() if key not in later or value is not None}}


def misfit(value: Any, form: Any = FORM, place: str = "card") -> str | None:
    """The first place where a value departs from its form; None when it fits.

    >>> misfit({"a": [1, "x"]}, {"a": [int]})
    'card.a[1]'
    >>> misfit({"a": [1, 2]}, {"a": [int]}) is None
    True
    """
    if isinstance(form, Later):
        return None if value is None or value is ... else misfit(value, form.form, place)
    if isinstance(form, Maybe):
        return None if value is None else misfit(value, form.form, place)
    if isinstance(form, dict):
        if not isinstance(value, dict):
            return place
        keys = value if ... in form else form
        return next(
            (
                found
                for key in keys
                if (found := misfit(value.get(key, ...), form.get(key, form.get(...)), f"{place}.{key}"))
            ),
            None,
        )
    if isinstance(form, list):
        if not isinstance(value, list):
            return place
        found_in = (misfit(item, form[0], f"{place}[{number}]") for number, item in enumerate(value))
        return next((found for found in found_in if found), None)
    return None if isinstance(value, form) else place
