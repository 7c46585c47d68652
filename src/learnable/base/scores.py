"""The usual scores of plain arrays, without the looks that scikit-learn takes at what may be anything.

A search over parameters scores as often as it fits, and on a small table that took longer than the fit.
"""

from collections.abc import Callable
from functools import wraps
from inspect import getattr_static
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin

from learnable.rows import Block, Rows, is_streamed


class RSquaredScore:
    """Mixin that scores predictions by R²."""

    predict: Callable[[Any], np.ndarray]

    def score(self, X, y=None, sample_weight=None) -> float:
        """R², the share of the variance of y that the predictions explain.

        Parameters
        ----------
        X : rows, as for `predict`.
        y : (n,) or (n, targets); None when the rows carry it.
        sample_weight : (n,).
        """
        y, sample_weight = carried(self, X, y, sample_weight)
        return r_squared(*_in_memory(y, self.predict(X), sample_weight))


class AccuracyScore:
    """Mixin that scores predictions by the share that is right."""

    predict: Callable[[Any], np.ndarray]

    def score(self, X, y=None, sample_weight=None) -> float:
        """The share of rows whose class is predicted.

        Parameters
        ----------
        X : rows, as for `predict`.
        y : (n,); None when the rows carry it.
        sample_weight : (n,).
        """
        y, sample_weight = carried(self, X, y, sample_weight)
        return accuracy(*_in_memory(y, self.predict(X), sample_weight))


def score_what_rows_carry(kind: type) -> None:
    """Let a class that scores as scikit-learn does take rows that carry their targets, in place of X and y."""
    method = getattr_static(kind, "score", None)
    if method not in (ClassifierMixin.score, RegressorMixin.score):
        return

    @wraps(method)
    def score(self, X, y=None, sample_weight=None):
        return method(self, X, *carried(self, X, y, sample_weight))

    kind.score = score  # type: ignore[attr-defined]


def carried(model: Any, X: Any, y: Any, weight: Any) -> tuple[Any, Any]:
    """(y, weight), those of the rows where they carry them."""
    if y is not None:
        return y, weight
    like = X.targets_like() if isinstance(X, Rows) else None
    if like is None:
        raise TypeError(f"{type(model).__name__}.score: y is needed, the targets of these rows")
    y = X.concatenate(_targets, missing=True)
    weighs = weight is None and X.of_first(_weighs)
    return y, X.concatenate(_weights, missing=True) if weighs else weight


def _targets(block: Block) -> np.ndarray:
    return np.asarray(block.y)


def _weights(block: Block) -> np.ndarray:
    return np.asarray(block.weight, dtype=float)


def _weighs(block: Block) -> bool:
    return block.weight is not None


def _in_memory(*tables: Any) -> tuple[Any, ...]:
    """What dask holds, computed together."""
    if not any(map(is_streamed, tables)):
        return tables
    import dask

    arrays = [table.to_dask_array() if hasattr(table, "to_dask_array") else table for table in tables]
    return dask.compute(*arrays, traverse=False)


def r_squared(y: Any, predicted: np.ndarray, weight: Any = None) -> float:
    """1 − Σ w (y − ŷ)² / Σ w (y − ȳ)²; scikit-learn's where the arrays are not plain or the score is no number.

    >>> r_squared(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 2.0]))
    0.5
    """
    if _plain(y, "biuf", predicted, "f", weight):
        with np.errstate(all="ignore"):
            mean = y.mean(dtype=float) if weight is None else np.average(y, weights=weight)
            left, apart = np.subtract(y, predicted, dtype=float), y - mean
            w = 1.0 if weight is None else weight
            score = 1.0 - float(np.dot(w * left, left) / np.dot(w * apart, apart))
        if np.isfinite(score):
            return score
    from sklearn.metrics import r2_score

    return r2_score(y, predicted, sample_weight=weight)


def accuracy(y: Any, predicted: np.ndarray, weight: Any = None) -> float:
    """The weighted share of rows whose class is right; scikit-learn's where the arrays are not plain.

    >>> accuracy(np.array([1, 0, 1, 1]), np.array([1, 1, 1, 1]))
    0.75
    """
    kind = "SU" if getattr(predicted.dtype, "kind", "") in "SU" else "biu"
    if _plain(y, kind, predicted, kind, weight):
        right = y == predicted
        return float(np.count_nonzero(right) / len(y) if weight is None else np.average(right, weights=weight))
    from sklearn.metrics import accuracy_score

    return float(accuracy_score(y, predicted, sample_weight=weight))


def _plain(y: Any, kinds: str, predicted: np.ndarray, kinds_predicted: str, weight: Any) -> bool:
    """Whether both are arrays of one number or label a row, at least two, and weights are finite ones with a sum."""
    if type(y) is not np.ndarray or y.ndim != 1 or len(y) < 2 or y.shape != predicted.shape:
        return False
    if y.dtype.kind not in kinds or predicted.dtype.kind not in kinds_predicted:
        return False
    if weight is None:
        return True
    return type(weight) is np.ndarray and weight.shape == y.shape and bool(0.0 < float(weight.sum()) < np.inf)
