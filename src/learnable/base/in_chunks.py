"""Predictions and features of tables that do not come as an array: chunk by chunk, whatever the estimator."""

from collections.abc import Callable
from functools import partial, wraps
from inspect import getattr_static
from types import FunctionType
from typing import Any

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils._available_if import _AvailableIfDescriptor

from learnable.rows import Rows, is_dask_table, lazily

# Methods that give an entry, or a row, for each row of X, and look at no other row for it.
ROW_BY_ROW = (
    "predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba", "decision_function", "transform",
    "inverse_transform", "score_samples", "apply",
)  # fmt: skip


def wrap_methods(kind: type) -> None:
    """Let the row-by-row methods of a class take dask arrays and data frames, lazily, and `Rows`, block by block: its
    own, those of its mixins, and those that are there under a condition."""
    for name in ROW_BY_ROW:
        method = getattr_static(kind, name, None)
        if isinstance(method, FunctionType) and not hasattr(method, "_in_chunks"):
            setattr(kind, name, _in_chunks(method))
        elif isinstance(method, _AvailableIfDescriptor) and not hasattr(method.fn, "_in_chunks"):
            setattr(kind, name, _AvailableIfDescriptor(_in_chunks(method.fn), method.check, method.attribute_name))


class InChunks:
    """Mixin of transformers that are no learners, and treat every row by itself."""

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        wrap_methods(cls)


def _in_chunks(method: Callable) -> Callable:
    @wraps(method)
    def either(self, X, *args: Any, **named: Any):
        lazy = is_dask_table(X)
        row_by_row = getattr(self, "_row_by_row", True)
        if args or named or not row_by_row or not (lazy or isinstance(X, Rows)):
            return method(self, X, *args, **named)
        missing = bool(get_tags(self).input_tags.allow_nan)
        if lazy:
            return lazily(X, partial(method, self), missing=missing)
        if getattr(self, "n_outputs_", 1) > 1:
            told = method(self, np.ones((1, X.n_columns), dtype=X.dtype))
            if isinstance(told, list):  # an array for each output
                return [X.concatenate(partial(_output, method, self, k), missing=missing) for k in range(len(told))]
        return X.concatenate(lambda block: method(self, block.X), missing=missing)

    either._in_chunks = True  # type: ignore[attr-defined]
    return either


def _output(method: Callable, model: Any, output: int, block: Any) -> Any:
    return method(model, block.X)[output]
