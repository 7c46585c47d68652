"""Altered copies of a fitted model, for the tamper law."""

import copy
from collections.abc import Iterator
from dataclasses import is_dataclass
from typing import Any

import numpy as np
from scipy import sparse

from learnable.certificates.core.certify import ledger_of
from learnable.checks.registry import known_of

# Altered where neither the ledger nor the registration names the answer.
ANSWERS = (
    "coef_", "intercept_", "means_", "scalings_",
    "theta_", "var_", "class_log_prior_", "feature_log_prob_",
    "startprob_", "transmat_", "emissionprob_", "covars_", "start_counts_", "counts_",
    "consistent_", "witness_",
)  # fmt: skip


def tampered(model: Any) -> Iterator[tuple[str, Any]]:
    """(what was done, altered copy) for changes that the certificate must notice.

    Every attribute that the ledger calls verified or derived is altered, whatever it is made of: arrays, numbers,
    words, and lists, dictionaries and named tuples of those. What is made of other things alters its registration.
    """
    name = type(model).__name__
    known, ledger = known_of(name), ledger_of(type(model))
    if known.altered is not None:
        yield from known.altered(model)
    answers = dict.fromkeys((*known.answers, *ledger.verified, *ledger.derived)) or dict.fromkeys(ANSWERS)
    for attribute in answers:
        if attribute not in vars(model):
            continue
        for what, changed in changes(getattr(model, attribute)):
            if (attribute, what) not in known.harmless:
                altered = copy.deepcopy(model)
                setattr(altered, attribute, changed)
                yield f"{what} of {attribute}", altered
        if attribute in ledger.verified + ledger.derived:
            altered = copy.deepcopy(model)
            delattr(altered, attribute)
            yield f"nothing in place of {attribute}", altered


def changes(value: Any) -> Iterator[tuple[str, Any]]:
    """(what was done, changed value) for a fitted attribute.

    >>> [(what, changed) for what, changed in changes({"a": 2})]
    [('an addition of 1', {'a': 3})]
    >>> [changed for _, changed in changes("yes")]
    ['yes, altered']
    """
    if isinstance(value, bool | np.bool_):
        yield "the opposite", not value
    elif isinstance(value, int | np.integer):
        yield "an addition of 1", type(value)(value + 1)
    elif isinstance(value, float | np.floating):
        if np.isfinite(value):
            yield "a shift", type(value)(value + 0.5 * max(abs(float(value)), 1e-3))
    elif isinstance(value, str) and type(value) is str:
        yield "another word", f"{value}, altered"
    elif sparse.issparse(value):
        if value.nnz:
            changed = value.copy()
            changed.data = _at_largest(value.data, 1.0, 0.5 * max(float(np.abs(value.data).max()), 1e-3))
            yield "a shift of one entry", changed
    elif isinstance(value, np.ndarray):
        yield from _changed_arrays(value)
    elif isinstance(value, tuple | list):
        yield from _changed_items(value)
    elif isinstance(value, dict):
        for key, item in value.items():
            for what, changed in changes(item):
                yield what, value | {key: changed}
                break
    elif is_dataclass(value):
        for key, item in vars(value).items():
            for what, changed in changes(item):
                other = copy.deepcopy(value)
                object.__setattr__(other, key, changed)
                yield f"{what} of its {key}", other
                break


def _changed_items(value: Any) -> Iterator[tuple[str, Any]]:
    """One item changed, the last one left out, or one added to an empty list."""
    for place, item in enumerate(value):
        for what, changed in changes(item):
            items = [*value[:place], changed, *value[place + 1 :]]
            yield f"{what} of item {place}", value._make(items) if hasattr(value, "_make") else type(value)(items)
            break
    if not hasattr(value, "_make"):
        if value:
            yield "an item left out", value[:-1]
        else:
            yield "an item added", type(value)([0])


def _changed_arrays(value: np.ndarray) -> Iterator[tuple[str, Any]]:
    if value.ndim and value.size:
        yield "all rows taken out", value[:0]
        yield "one more dimension", value[..., np.newaxis]
        if value.dtype.kind == "f":
            yield "a list in place", value.tolist()
    if value.dtype.kind == "b" and value.size:
        flipped = value.copy()
        flipped.flat[0] = not flipped.flat[0]
        yield "the opposite of one entry", flipped
    elif value.dtype.kind in "iu" and value.size:
        raised = value.copy()
        raised.flat[0] += 1
        yield "an addition of 1 to one entry", raised
        least, largest = value.min(), value.max()
        if least != largest:
            yield "two numbers exchanged", np.where(value == least, largest, np.where(value == largest, least, value))
    elif value.dtype.kind == "f" and value.size and np.isfinite(value).any():
        answer = value.astype(float)
        size = max(float(np.abs(answer[np.isfinite(answer)]).max(initial=0.0)), 1e-3)
        changed = {
            "a shift of one entry": _at_largest(answer, 1.0, 0.5 * size),
            "a sign flip of the largest entry": _at_largest(answer, -1.0, 0.0),
            "scaling by 1.2": answer * 1.2,
        }
        if answer.shape[-1:] > (1,):
            changed["a swap of two entries"] = np.roll(answer, 1, axis=-1)
        for what, other in changed.items():
            if not np.array_equal(other, answer, equal_nan=True):
                yield what, other.astype(value.dtype).reshape(value.shape)


def _at_largest(answer: np.ndarray, factor: float, shift: float) -> np.ndarray:
    changed = answer.copy()
    index = np.unravel_index(np.argmax(np.where(np.isfinite(answer), np.abs(answer), -1.0)), answer.shape)
    changed[index] = factor * answer[index] + shift
    return changed
