"""Rows that are no numbers: words, graphs, whatever somebody's function compares. Syllabus: K1."""

from collections.abc import Callable
from numbers import Number
from typing import Any

import numpy as np
from scipy import sparse

from learnable.problems.kernels.kernel import Kernel


def as_objects(kernel: Any, X: Any) -> np.ndarray | None:
    """(n, 1) the objects, where X is a sequence of such and the kernel somebody's function; None where X is a table.

    >>> as_objects(len, ["one", "two"]).tolist(), as_objects(len, [[1.0], [2.0]]), as_objects("rbf", ["one"])
    ([['one'], ['two']], None, None)
    """
    if isinstance(kernel, Kernel) or not callable(kernel):
        return None
    if is_objects(X):
        return X
    if hasattr(X, "to_numpy") and getattr(X, "ndim", 2) == 1:  # a column of a data frame
        X = X.to_numpy()
    if not isinstance(X, list | tuple) and not (isinstance(X, np.ndarray) and X.ndim == 1 and X.dtype.kind in "OU"):
        return None
    X = X.tolist() if isinstance(X, np.ndarray) else X
    if not len(X) or _is_cell_or_row(X[0]):
        return None
    column = np.empty((len(X), 1), dtype=object)
    for i, each in enumerate(X):
        column[i, 0] = each
    return column


def is_objects(X: Any) -> bool:
    """Whether X is a column of objects, as `as_objects` makes it."""
    column = isinstance(X, np.ndarray) and X.dtype == object and X.ndim == 2 and X.shape[1] == 1
    return bool(column and len(X) and not _is_cell_or_row(X[0, 0]))


def _is_cell_or_row(first: Any) -> bool:
    return isinstance(first, Number | list | tuple) or first is None or hasattr(first, "__array__")


def values_between(function: Callable, one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """(n, m) values of the function between two columns of objects, each given to it as a whole, in a list."""
    found = function(one[:, 0].tolist(), two[:, 0].tolist())
    found = np.asarray(found.toarray() if sparse.issparse(found) else found, dtype=float)
    if found.shape != (len(one), len(two)) or not np.isfinite(found).all():
        name = getattr(function, "__name__", function)
        undefined = "" if np.isfinite(found).all() else " with entries that are no numbers"
        raise ValueError(
            f"kernel={name}: for {len(one)} and {len(two)} objects it returned shape {found.shape}{undefined}; it must "
            "give a number for each pair"
        )
    return found
