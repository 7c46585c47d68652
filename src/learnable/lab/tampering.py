"""Tampering: any number of a fitted answer can be moved, and the certificate is computed again on the altered copy."""

import copy
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from learnable.certificates import Certificate, Claim
from learnable.certificates.core.certify import ledger_of
from learnable.lab.limits import Refused

# What a page can show.
MOST_ATTRIBUTES, MOST_NUMBERS = 40, 120


class Number(NamedTuple):
    """Where a number of the answer stands: an attribute, perhaps a part of it, and a place in it."""

    attribute: str
    part: str | int | None
    at: tuple[int, ...]

    def said(self) -> str:
        """As Python writes it.

        >>> Number("tree_", "threshold", (3,)).said(), Number("coef_", None, (0, 2)).said()
        ('tree_.threshold[3]', 'coef_[0, 2]')
        """
        place = f"[{', '.join(map(str, self.at))}]" if self.at else ""
        part = "" if self.part is None else f"[{self.part}]" if isinstance(self.part, int) else f".{self.part}"
        return f"{self.attribute}{part}{place}"


def numbers_of(model: Any) -> list[dict[str, Any]]:
    """The numeric fitted attributes that the ledger answers for: name, shape, first numbers, verified or derived."""
    ledger = ledger_of(type(model))
    found = []
    for column, names in (("verified", ledger.verified), ("derived", ledger.derived)):
        for name in names:
            for part, values in _parts(vars(model).get(name)):
                flat = values.ravel()[:MOST_NUMBERS]
                found.append({
                    "attribute": name, "part": part, "column": column, "shape": list(values.shape),
                    "said": Number(name, part, ()).said(), "whole": values.dtype.kind in "iub",
                    "values": [float(each) if math.isfinite(each) else None for each in flat],
                })  # fmt: skip
                if len(found) == MOST_ATTRIBUTES:
                    return found
    return found


def _parts(value: Any) -> Iterator[tuple[str | int | None, np.ndarray]]:
    """The arrays of numbers in an attribute: itself, the entries of a list, the fields of a record."""
    if _numeric(value):
        yield None, np.asarray(value)
    elif isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        for place, each in enumerate(value[:6]):
            if _numeric(each):
                yield place, np.asarray(each)
    elif value is not None and not isinstance(value, str | dict | np.ndarray):
        for field in getattr(value, "_fields", None) or _fields(value):
            held: Any = getattr(value, field, None)
            if _numeric(held) and np.size(held):
                yield field, np.asarray(held)


def _fields(value: Any) -> list[str]:
    slots = getattr(type(value), "__slots__", ())
    names = [*getattr(value, "__dict__", ()), *((slots,) if isinstance(slots, str) else slots)]
    return [name for name in names if not name.startswith("_")]


def _numeric(value: Any) -> bool:
    if isinstance(value, bool | str) or value is None:
        return False
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "fiu" and value.size > 0 and value.ndim <= 3
    if isinstance(value, int | float | np.number):
        return True
    flat = isinstance(value, list) and 0 < len(value) <= 1000
    return flat and all(isinstance(each, int | float | np.number) and not isinstance(each, bool) for each in value)


def altered(model: Any, moves: list[dict[str, Any]]) -> tuple[Any, list[str]]:
    """A copy of a model with some numbers moved, and what was done, in words."""
    ledger = ledger_of(type(model))
    copied = copy.copy(model)
    done = []
    for move in moves:
        where, value = _place(move)
        if where.attribute not in {*ledger.verified, *ledger.derived}:
            raise Refused(f"{where.attribute!r} is not among the attributes that the certificate answers for")
        vars(copied)[where.attribute], before = _moved(vars(copied).get(where.attribute), where, value)
        done.append(f"{where.said()}: {before:.4g} → {value:.4g}")
    return copied, done


def _place(move: dict[str, Any]) -> tuple[Number, float]:
    try:
        part = move.get("part")
        where = Number(str(move["attribute"]), part if part is None or isinstance(part, int) else str(part),
                       tuple(int(each) for each in move.get("index", ())))  # fmt: skip
        value = float(move["value"])
    except (KeyError, TypeError, ValueError) as fault:
        raise Refused("a move is {attribute, part, index, value}") from fault
    if not math.isfinite(value):
        raise Refused("a number is moved to a finite value")
    return where, value


def _moved(value: Any, where: Number, to: float) -> tuple[Any, float]:
    """The attribute with one number changed, and what that number was; what was there is not modified."""
    if where.part is not None:
        if isinstance(value, list | tuple) and not hasattr(value, "_fields") and isinstance(where.part, int):
            if not 0 <= where.part < len(value):
                raise Refused(f"{where.said()}: there is no such part")
            part, before = _moved(value[where.part], where._replace(part=None), to)
            changed = [*value[: where.part], part, *value[where.part + 1 :]]
            return (changed if isinstance(value, list) else tuple(changed)), before
        if not isinstance(where.part, str) or where.part not in (getattr(value, "_fields", None) or _fields(value)):
            raise Refused(f"{where.said()}: there is no such part")
        part, before = _moved(getattr(value, where.part), where._replace(part=None), to)
        if hasattr(value, "_replace"):
            return value._replace(**{where.part: part}), before
        record = copy.copy(value)
        object.__setattr__(record, where.part, part)
        return record, before
    if not _numeric(value):
        raise Refused(f"{where.said()}: there is no number here")
    array = np.array(value)
    if len(where.at) != array.ndim or any(not 0 <= i < n for i, n in zip(where.at, array.shape)):
        raise Refused(f"{where.said()}: the shape is {array.shape}")
    before = float(array[where.at])
    array[where.at] = round(to) if array.dtype.kind in "iu" else to
    if isinstance(value, np.ndarray):
        return array, before
    if isinstance(value, list):
        return array.tolist(), before
    return type(value)(array[()]), before


def broken(honest: Certificate, tampered: Certificate) -> list[dict[str, Any]]:
    """The claims that fail on the altered answer: what they were, what they are, how far beyond their bounds."""
    before = {_key(claim): claim for claim in honest}
    found = []
    for claim in tampered:
        if str(claim.verdict) == "refuted":
            was = before.get(_key(claim))
            found.append({
                "id": claim.id, "statement": claim.statement, "value": _finite(claim.value),
                "bound": None if claim.bound is None else _finite(claim.bound),
                "before": None if was is None else _finite(was.value),
                "failed_before": was is not None and str(was.verdict) == "refuted",
                "sentence": _sentence(claim, was),
            })  # fmt: skip
    return found


def _key(claim: Claim) -> tuple[str, str]:
    return claim.id, "".join(sign for sign in claim.statement if not (sign.isdigit() or sign in ".-+e"))


def _sentence(claim: Claim, was: Claim | None) -> str:
    if claim.bound is None:
        return f"{claim.statement} is no number any more"
    times = claim.value / claim.bound if claim.bound > 0 and math.isfinite(claim.value) else math.inf
    beyond = f", {_times(times)} its bound" if math.isfinite(times) else ""
    came = "" if was is None else f" (it was {was.value:.3g})"
    return f"{claim.statement}: {claim.value:.3g}{came}, allowed {claim.bound:.3g}{beyond}"


def _times(ratio: float) -> str:
    return f"{ratio:.3g} times" if ratio < 1e4 else f"10^{math.floor(math.log10(ratio))} times"


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
