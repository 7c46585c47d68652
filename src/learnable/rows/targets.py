"""The targets that a fit asks for, of rows that come in blocks: the same shapes and types as in memory."""

import warnings
from typing import Any, NamedTuple

import numpy as np

from .coerce import as_rows
from .source import Rows


class Target(NamedTuple):
    """What a fit asks of its targets.

    Attributes
    ----------
    numbers : numbers to be predicted; else classes.
    several : whether there may be several a row.
    """

    numbers: bool
    several: bool = False


def with_target(X: Any, y: Any, sample_weight: Any, name: str, target: Target) -> Rows:
    """`as_rows`, after a look at the shape and the type of the targets.

    A column, of shape (n, 1), is taken as a vector where there may not be several targets, with scikit-learn's warning.

    Parameters
    ----------
    X, y, sample_weight : as for `as_rows`.
    name : of the estimator, with which sentences begin.
    target : what it asks for.

    Examples
    --------
    >>> with_target(as_rows([[1.0]]), None, None, "Ridge", Target(numbers=True))
    Traceback (most recent call last):
        ...
    ValueError: This Ridge estimator requires y to be passed, but the target y is None: give y, or name the target ...
    """
    if not target.several and np.ndim(y) == 2 and y.shape[1] == 1:
        from sklearn.exceptions import DataConversionWarning

        warnings.warn(
            f"{name}: A column-vector y was passed when a 1d array was expected; give `y[:, 0]`",
            DataConversionWarning,
            stacklevel=6,
        )
        y = y[y.columns[0]] if hasattr(y, "columns") else y[:, 0]
    rows = as_rows(X, y, sample_weight)
    like = rows.targets_like()
    if like is None:
        raise ValueError(
            f"This {name} estimator requires y to be passed, but the target y is None: give y, or name the target of "
            "`ParquetRows`"
        )
    if like.ndim == 2 and not target.several:
        shape = (rows.n_rows, like.shape[1])
        raise ValueError(f"{name}: y should be a 1d array, got an array of shape {shape} instead.")
    if target.numbers:
        check_numbers(like, name)
    return rows


def check_numbers(y: np.ndarray, name: str) -> None:
    """Refuse targets whose type is not one of numbers."""
    if y.dtype.kind in "SU":
        raise ValueError(f"{name}: y holds strings ({y.dtype}); a regression target must be numbers")
    if y.dtype.kind not in "buif":
        raise TypeError(
            f"{name}: y has dtype {y.dtype}: real numbers are needed; convert it, e.g. with `.astype(float)`"
        )
