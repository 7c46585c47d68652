"""What the arguments of this room must be; every refusal names the caller, the value and the remedy."""

from collections.abc import Collection, Hashable
from numbers import Real
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


def as_numbers(given: ArrayLike, caller: str, name: str) -> NDArray[np.float64]:
    """An array of float64; words, dictionaries and rows of different lengths are refused by name.

    >>> as_numbers(["a"], "holm", "p_values")
    Traceback (most recent call last):
    TypeError: holm: p_values must be numbers, not <U1
    """
    try:
        array = np.asarray(given)
        if array.dtype.kind in "biuf" or (array.dtype.kind == "O" and not isinstance(given, dict)):
            return array.astype(float, copy=False)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{caller}: {name} must be numbers ({error})") from error
    raise TypeError(f"{caller}: {name} must be numbers, not {type(given).__name__ if array.ndim == 0 else array.dtype}")


def check_number(value: float, caller: str, name: str, least: float) -> float:
    """A finite number from `least` on.

    >>> check_number("x", "nemenyi", "n", 2)
    Traceback (most recent call last):
    TypeError: nemenyi(n='x'): n must be a number
    """
    if not isinstance(value, Real):
        raise TypeError(f"{caller}({name}={value!r}): {name} must be a number")
    if not least <= value < np.inf:
        raise ValueError(f"{caller}({name}={value}): {name} must be finite and at least {least:g}")
    return float(value)


class Weights(NamedTuple):
    """Weights of the rows and what they amount to: Σw, and Kish's effective size (Σw)²/Σw²."""

    values: NDArray[np.float64]
    total: float
    effective_n: float


def check_weights(sample_weight: ArrayLike, n: int, caller: str) -> Weights:
    """Finite non-negative weights, one a row, that do not all vanish."""
    values = as_numbers(sample_weight, caller, "sample_weight")
    if values.shape != (n,):
        raise ValueError(f"{caller}: sample_weight has shape {values.shape}, but there are {n} rows")
    bad = ~(np.isfinite(values) & (values >= 0))
    if bad.any():
        row = int(bad.argmax())
        raise ValueError(f"{caller}: sample_weight[{row}] is {values[row]}; weights must be finite and >= 0")
    if not values.any():
        raise ValueError(f"{caller}: sample_weight is zero everywhere; give some row a positive weight")
    with np.errstate(over="ignore"):
        total = float(values.sum())
    if not np.isfinite(total):
        raise ValueError(f"{caller}: sample_weight adds up to more than a number can hold; divide by the largest")
    return Weights(values, total, effective_size(values))


def effective_size(weights: NDArray[np.float64]) -> float:
    """Kish's (Σw)²/Σw² of weights that do not all vanish; scaled, since a square may overflow or vanish."""
    scaled = weights / weights.max()
    return float(scaled.sum() ** 2 / (scaled @ scaled))


def check_labels(y_true: ArrayLike, y_pred: ArrayLike, caller: str) -> tuple[NDArray, NDArray]:
    """Two columns of labels, of equal length ≥ 1, without missing values."""
    columns = []
    for name, column in (("y_true", y_true), ("y_pred", y_pred)):
        if np.ma.isMaskedArray(column):
            raise TypeError(f"{caller}: {name} is a masked array; give .compressed() or .filled() values")
        labels = np.asarray(column)
        if labels.ndim != 1:
            raise ValueError(f"{caller}: {name} must have one dimension, not shape {labels.shape}")
        missing = labels != labels
        if missing.any():
            row = int(np.argmax(missing))
            raise ValueError(f"{caller}: {name}[{row}] is missing ({labels[row]}); drop or fill that row")
        columns.append(labels)
    y_true, y_pred = columns
    if "O" in (y_true.dtype.kind, y_pred.dtype.kind):
        try:
            np.unique(np.concatenate(columns))
        except TypeError as error:
            raise TypeError(f"{caller}: the labels have no common order ({error}); use one kind of label") from error
    if len(y_true) != len(y_pred):
        raise ValueError(f"{caller}: y_true has {len(y_true)} rows, y_pred has {len(y_pred)}")
    if not len(y_true):
        raise ValueError(f"{caller}: no rows; give at least one")
    if (y_true.dtype.kind in "US") != (y_pred.dtype.kind in "US") and "O" not in (y_true.dtype.kind, y_pred.dtype.kind):
        raise TypeError(f"{caller}: y_true holds {y_true.dtype}, y_pred holds {y_pred.dtype}; use one kind of label")
    return y_true, y_pred


def check_method(method: object, table: Collection, caller: str, argument: str = "method") -> None:
    """Refuse a name that is not in the table, and list those that are."""
    if not isinstance(method, Hashable) or method not in table:
        raise ValueError(f"{caller}({argument}={method!r}): choose one of {', '.join(map(repr, table))}")


def check_values(values: ArrayLike, caller: str, name: str = "values") -> NDArray[np.float64]:
    """One column of finite numbers, at least one."""
    if np.ma.isMaskedArray(values):
        raise TypeError(f"{caller}: {name} is a masked array; give .compressed() or .filled() values")
    column = as_numbers(values, caller, name)
    if column.ndim != 1:
        raise ValueError(f"{caller}: {name} must have one dimension, not shape {column.shape}")
    if not column.size:
        raise ValueError(f"{caller}: {name} is empty; give at least one number")
    bad = ~np.isfinite(column)
    if bad.any():
        row = int(bad.argmax())
        raise ValueError(f"{caller}: {name}[{row}] is {column[row]}; {name} must be finite")
    return column


def check_equal_length(caller: str, **columns: NDArray) -> None:
    """Refuse columns of different lengths, by name."""
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"{caller}: " + ", ".join(f"{name} has {n} rows" for name, n in lengths.items()))
