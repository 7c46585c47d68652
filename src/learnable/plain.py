"""Values for messages, as a user writes them, and for JSON."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """NumPy's scalars as Python's, alone or in a list or tuple; anything else as it is.

    >>> f"no class {plain(np.str_('a'))!r} among {plain(tuple(np.array([1, 2])))}"
    "no class 'a' among (1, 2)"
    """
    if isinstance(value, np.generic):
        return value.item()
    if type(value) in (list, tuple):
        return type(value)(map(plain, value))
    return value


def json_value(value: Any) -> Any:
    """The value with JSON types only: records become objects; a number that JSON cannot say (nan, inf) becomes null.

    >>> json_value({"p": np.float64(0.5), "t": float("inf"), "groups": (("a", "b"),)})
    {'p': 0.5, 't': None, 'groups': [['a', 'b']]}
    """
    if isinstance(value, np.generic | np.ndarray):
        return json_value(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: json_value(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return json_value(value._asdict())
    if isinstance(value, Mapping):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [json_value(item) for item in value]
    return str(value)
