"""Rows that boosting sets aside to see when it no longer gets better."""

from numbers import Integral
from typing import Any

import numpy as np

# Rows that are looked through as one.
BLOCK = 2**16


def set_aside(model: Any, target: np.ndarray, random: np.random.RandomState) -> np.ndarray:
    """The rows set aside, in order; of classes the same shares as among the others.

    They are those that scikit-learn's `train_test_split` sets aside with the same random numbers. It needs four times
    the memory of the bins of 20 columns to part the rows of two classes (`python -m benchmarks boosting-file`).
    """
    n, classes = len(target), hasattr(model, "classes_")
    share = model.validation_fraction
    wanted = int(share if isinstance(share, Integral) else np.ceil(share * n))
    counts = np.array([np.count_nonzero(target == k) for k in range(len(model.classes_))] if classes else [n])
    fault = _fault(n, wanted, counts, model.classes_ if classes else np.zeros(1))
    if fault:
        raise ValueError(
            f"{_named(model)}: {n} rows cannot be parted so ({fault}); give another share, or {_without(model)}"
        )
    number = np.int32 if n < 2**31 else np.int64
    aside = np.zeros(n, dtype=bool)
    if classes:
        learned = _in_shares(n - wanted, counts, random)
        some = _in_shares(wanted, counts - learned, random)
        for k, first in enumerate(learned):
            rows = np.flatnonzero(target == k).astype(number)
            random.shuffle(rows)
            aside[rows[first : first + some[k]]] = True
    else:
        rows = np.arange(n, dtype=number)
        random.shuffle(rows)
        aside[rows[:wanted]] = True
    return np.flatnonzero(aside).astype(number)


def all_but(rest: np.ndarray, n: int) -> np.ndarray:
    """The other rows of n, in order, and in numbers of the same kind.

    >>> all_but(np.array([1, 4]), 5)
    array([0, 2, 3])
    """
    found, here = np.empty(n - len(rest), dtype=rest.dtype), 0
    for low in range(0, n, BLOCK):  # whose places take twice the memory of their numbers
        first, last = np.searchsorted(rest, [low, low + BLOCK])
        among = np.ones(min(BLOCK, n - low), dtype=bool)
        among[rest[first:last] - low] = False
        more = np.flatnonzero(among)
        found[here : here + len(more)] = more + low
        here += len(more)
    return found


def _fault(n: int, wanted: int, counts: np.ndarray, classes: np.ndarray) -> str:
    """Why so many of n rows, in classes of these sizes, cannot be set aside; empty where they can."""
    if len(counts) > 1 and counts.min() < 2:
        few = classes[counts < 2]
        few = few.astype(float) if few.dtype.kind in "biuf" else few
        return (
            "The least populated classes in y have only 1 member, and either side needs one. Classes with too few "
            f"members are: {few.tolist()}"
        )
    if not len(counts) <= wanted <= n - len(counts):
        return f"{wanted} would be set aside, and either side needs at least {len(counts)}"
    return ""


def _in_shares(wanted: int, counts: np.ndarray, random: np.random.RandomState) -> np.ndarray:
    """How many of each class make up the number wanted: its share, rounded up where most is cut off otherwise.

    Of classes of which as much is cut off, any may be; those that scikit-learn would choose are.

    >>> _in_shares(4, np.array([6, 3, 4]), np.random.RandomState(0))
    array([2, 1, 1])
    """
    exact = counts / counts.sum() * wanted
    some = np.floor(exact)
    cut = exact - some
    for largest in np.unique(cut)[::-1]:
        if (more := int(wanted - some.sum())) <= 0:
            break
        equal = np.flatnonzero(cut == largest)
        some[random.choice(equal, size=min(more, len(equal)), replace=False)] += 1
    return some.astype(int)


def refuse_weightless(model: Any, weight: np.ndarray, rows: np.ndarray, rest: np.ndarray) -> None:
    """ValueError unless some row weighs something on either side."""
    if weight.all():
        return
    for some, what in ((rows, "left to learn from"), (rest, "set aside")):
        if not np.any(weight[some]):
            raise ValueError(
                f"{_named(model)}: all {len(some)} rows {what} have weight 0; leave rows of weight 0 out, give another "
                f"random_state, or {_without(model)}"
            )


def _named(model: Any) -> str:
    return f"{type(model).__name__}(validation_fraction={model.validation_fraction})"


def _without(model: Any) -> str:
    """How no rows are set aside."""
    return "early_stopping=False" if hasattr(model, "early_stopping") else "n_iter_no_change=None"
