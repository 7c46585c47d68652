"""Numbers of an answer, before any claim about them: real, kept as numbers, defined."""

import math
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator

from learnable.certificates.core.claim import Claim
from learnable.certificates.core.ledger import Ledger
from learnable.rows.numbers import surely_finite

# Words of the data, which may look like numbers.
_WORDS = frozenset({"categories_", "objects_"})
# Others may answer otherwise to whoever asks.
_ARRAYS = (np.ndarray, np.memmap)
_FLOATS = (float, np.float64, np.float32)
# Whose classes are what they seem, and what makes a number or an array of an object of another.
_KNOWN = ("builtins", "numpy", "scipy", "learnable", "sklearn")
_NUMERIC = ("__array__", "__array_interface__", "__array_struct__", "__float__", "__index__", "__getitem__")
# The flag of classes that a program makes while it runs; others are compiled into Python or its extensions.
_MADE_IN_PYTHON = 1 << 9
# How deep arrays of an answer stand in its parts.
_DEPTH = 6


def unsound(model: Any, ledger: Ledger) -> list[Claim]:
    """One failing claim for each way in which the fitted attributes are no numbers; none for a sound answer.

    Members of an ensemble may be of any class, which may keep logs, words and undefined numbers.
    """
    attributes, undefined, disguised = vars(model), 0, 0
    verified, judged, counts = _names(ledger)
    for name in judged.intersection(attributes):
        value = attributes[name]
        if _is_plain(value) or (name == "members_" and value is not None):
            continue
        disguised += (name in verified and value is None) or _plain_list(value) or _is_strange(value)
        for array, in_record in _arrays(value):
            disguised += array.dtype.kind in "cOU" and name not in _WORDS and _in_disguise(array)
            if array.dtype.kind == "f" and name in verified and not surely_finite(array):
                # In a record infinity may be an answer: a threshold that no cell is above.
                undefined += int(np.count_nonzero(np.isnan(array) if in_record else ~np.isfinite(array)))
    labels = attributes.get("labels_")
    disguised += isinstance(labels, np.ndarray) and labels.dtype.kind not in "iu"
    disguised += _is_strange(attributes.get("classes_"))
    for name in counts:
        disguised += isinstance(attributes.get(name), float)
    found = []
    if undefined:
        found.append(_fault("every number of the answer is finite (how many are not)", undefined))
    if disguised:
        found.append(_fault("real numbers are kept as such (attributes that hold others, objects or words)", disguised))
    return found


def _fault(statement: str, how_many: float) -> Claim:
    return Claim.at_most("O7", statement, how_many, 0.0)


@cache
def _names(ledger: Ledger) -> tuple[frozenset[str], ...]:
    """The attributes that are the answer, those with what is derived from it, and the counts among these."""
    verified = frozenset({"coef_", "intercept_", *ledger.verified})
    judged = verified.union(ledger.derived)
    return verified, judged, frozenset(name for name in {*judged, "n_features_in_"} if name.startswith("n_"))


def _is_plain(value: Any) -> bool:
    """Whether a value needs no closer look, as most: an integer, a finite number, an array or several of these."""
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    if type(value) is list:  # of arrays or records alone: numbers belong into an array
        return all(type(each) is np.ndarray and _is_plain(each) for each in value) or _are_plain_records(value)
    if type(value) is not np.ndarray:
        return type(value) is int or (type(value) in _FLOATS and math.isfinite(value))
    return value.dtype.kind in "biu" or (value.dtype.kind == "f" and surely_finite(value))


def _are_plain_records(values: list) -> bool:
    """Whether a list holds named tuples of integers and arrays of numbers, trees say, none of which is undefined."""
    for kind in set(map(type, values)):
        if not (_is_known(kind) and issubclass(kind, tuple) and hasattr(kind, "_fields")):
            return False
    floats = []
    for record in values:
        for part in record:
            if type(part) is not np.ndarray:
                if type(part) is not int:
                    return False
            elif part.dtype.kind == "f":
                floats.append(part)
            elif part.dtype.kind not in "biu":
                return False
    return not floats or not np.isnan(np.concatenate(floats, axis=None)).any()


def _arrays(value: Any, in_record: bool = False) -> Iterator[tuple[np.ndarray, bool]]:
    """(array, whether it stands in a named tuple or dictionary) for a fitted attribute, through lists and tuples."""
    if isinstance(value, np.ndarray):
        yield value, in_record
    elif isinstance(value, float | np.floating):
        yield np.asarray(value), in_record
    elif issparse(value):
        yield value.data, in_record
    elif isinstance(value, list | tuple):
        for item in value:
            if isinstance(item, np.ndarray | list | tuple | dict):
                yield from _arrays(item, in_record or hasattr(value, "_fields"))
    elif isinstance(value, dict):
        yield from _arrays(list(value.values()), True)


def _is_known(kind: type) -> bool:
    """Whether a class is one of Python's, NumPy's, SciPy's, scikit-learn's or ours, and does not only say so.

    >>> _is_known(np.ndarray), _is_known(type("ndarray", (np.ndarray,), {"__module__": "numpy"}))
    (True, False)
    """
    if kind.__module__.partition(".")[0] not in _KNOWN:
        return False
    if not kind.__flags__ & _MADE_IN_PYTHON:
        return True
    found = sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is kind


def _is_strange(value: Any, depth: int = _DEPTH) -> bool:
    """Whether a number, an array or what holds them is of a class of somebody's own, or something in it is.

    Members of an ensemble may be, whatever they hold.

    >>> Half = type("Half", (float,), {"__module__": "mine"})
    >>> [_is_strange(value) for value in (0.5, np.ones(2), Half(0.5), [(Half(0.5),)], np.ma.ones(2))]
    [False, False, True, True, True]
    """
    if isinstance(value, np.ndarray):
        return type(value) not in _ARRAYS
    if not _is_known(type(value)):
        member = isinstance(value, type) or (isinstance(value, BaseEstimator) and depth < _DEPTH)
        return not member and any(hasattr(value, name) for name in _NUMERIC)
    parts: Iterable[Any] = ()
    if isinstance(value, list | tuple):
        parts = value
    elif isinstance(value, dict):
        parts = value.values()
    elif issparse(value):
        parts = (value.data,)
    elif type(value).__module__.startswith("learnable.") and hasattr(value, "__dict__"):
        parts = vars(value).values()
    return depth > 0 and any(_is_strange(part, depth - 1) for part in parts)


def _plain_list(value: Any) -> bool:
    """Whether an array, or one among several, is kept as a list of Python's numbers, which no prediction multiplies.

    >>> [_plain_list(value) for value in ([[0.5, 1.0]], [np.zeros(2), [0.5]], ([0.5],), {"a": [0.5]})]
    [True, True, True, True]
    >>> [_plain_list(value) for value in ([np.zeros(2)], [3, 4], (0.5, 1.0), 0.5)]
    [False, False, False, False]
    """
    if isinstance(value, dict):
        return _plain_list(tuple(value.values()))
    if isinstance(value, list) and any(type(item) is float for item in value):
        return True
    return isinstance(value, list | tuple) and any(
        _plain_list(item) for item in value if isinstance(item, list | tuple | dict)
    )


def _in_disguise(array: np.ndarray) -> bool:
    """Whether complex numbers, or real ones kept as objects or as words, stand where real numbers belong.

    >>> [_in_disguise(np.array(values)) for values in (["0.5", "1e-3"], ["2", "3"], ["a"], [1j])]
    [True, False, False, True]
    """
    if array.dtype.kind == "c":
        return True
    if not array.size:
        return False
    if array.dtype.kind == "O":
        return all(isinstance(each, float | bool | np.floating | np.bool_) for each in array.flat)
    return all(not each.isdigit() and _is_number(each) for each in array.flat)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
