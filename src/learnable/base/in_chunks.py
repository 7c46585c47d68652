"""Predictions and features of tables that do not come as an array: chunk by chunk, whatever the estimator."""

from collections.abc import Callable
from functools import partial, wraps
from types import FunctionType
from typing import Any

from sklearn.utils import get_tags

from learnable.rows import Rows, is_dask_table, lazily

# Methods that give an entry, or a row, for each row of X, and look at no other row for it.
ROW_BY_ROW = ("predict", "predict_proba", "predict_log_proba", "decision_function", "transform", "score_samples")


def wrap_methods(kind: type) -> None:
    """Let the row-by-row methods of a class take dask arrays and data frames, lazily, and `Rows`, block by block."""
    for name in ROW_BY_ROW:
        method = vars(kind).get(name)
        if isinstance(method, FunctionType) and not hasattr(method, "_in_chunks"):
            setattr(kind, name, _in_chunks(method))


def _in_chunks(method: Callable) -> Callable:
    @wraps(method)
    def either(self, X, *args: Any, **named: Any):
        lazy = is_dask_table(X)
        if args or named or not self._row_by_row or not (lazy or isinstance(X, Rows)):
            return method(self, X, *args, **named)
        missing = bool(get_tags(self).input_tags.allow_nan)
        if lazy:
            return lazily(X, partial(method, self), missing=missing)
        return X.concatenate(lambda block: method(self, block.X), missing=missing)

    either._in_chunks = True  # type: ignore[attr-defined]
    return either
