"""What the discriminants ask of labels, priors and covariance estimators, checked once for all of them."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from learnable.base import Data, class_indices
from learnable.plain import plain
from learnable.rows import Rows, as_rows
from learnable.rows.labels import labels
from learnable.rows.mapped import with_class_numbers
from learnable.solvers.linear.class_covariance import Estimated


class NotForThisSolver(NotImplementedError, ValueError):
    """A parameter or method that the chosen solver does not have; NotImplementedError as in scikit-learn."""


class Numbered(NamedTuple):
    """Rows whose targets are class numbers, and the labels they stand for; `numbers` is None for data in blocks."""

    rows: Rows
    classes: np.ndarray
    numbers: np.ndarray | None


def numbered(name: str, data: Data) -> Numbered:
    """The data with class numbers for labels; ValueError when a class has no weight or there is only one."""
    if data.y is None:
        rows = data.rows
        classes, _ = class_indices(labels(rows, name), name)
        return Numbered(with_class_numbers(rows, classes), classes, None)
    classes, index = class_indices(data.y, name)
    if data.sample_weight is not None:
        weight = np.bincount(index, data.sample_weight, len(classes))
        if not weight.all():
            raise ValueError(
                f"{name}: the sample weights of class {plain(classes[np.argmin(weight)])!r} are all zero; drop its rows"
            )
    return Numbered(as_rows(data.X, index, data.sample_weight), classes, index)


def checked_priors(name: str, priors: Any, classes: np.ndarray) -> np.ndarray | None:
    """The given priors as probabilities, renormalised with a warning when they do not sum to 1; None for none."""
    if priors is None:
        return None
    pi = np.array(priors, dtype=float)
    if pi.shape != (len(classes),):
        raise ValueError(
            f"{name}(priors={plain(priors)}): one prior for each of the {len(classes)} classes is needed, in the order "
            f"{classes.tolist()}"
        )
    if np.any(pi < 0.0) or not np.all(np.isfinite(pi)):
        raise ValueError(f"{name}(priors={plain(priors)}): priors must be non-negative and finite")
    if np.any(pi == 0.0):
        raise ValueError(
            f"{name}(priors={plain(priors)}): class {plain(classes[np.argmin(pi)])!r} has prior 0 and could never be "
            "predicted; drop its rows, or give it a small prior"
        )
    if abs(pi.sum() - 1.0) > 1e-5:
        warnings.warn(f"The priors do not sum to 1 but to {pi.sum():.6g}. Renormalizing", UserWarning, stacklevel=6)
    return pi / pi.sum() if abs(pi.sum() - 1.0) > 1e-15 * len(pi) else pi


def estimated_covariances(name: str, model: Any, data: Data, index: np.ndarray | None, total: bool) -> Estimated | None:
    """Covariances by `model.covariance_estimator`: of each class, and of all rows when `total`; None without one."""
    estimator = model.covariance_estimator
    if estimator is None:
        return None
    if model.shrinkage is not None and model.shrinkage != 0:
        raise ValueError("covariance_estimator and shrinkage parameters are not None. Only one of the two can be set.")
    if index is None or sparse.issparse(data.X):
        raise TypeError(f"{name}(covariance_estimator=...): an array in memory is needed; got {type(data.X).__name__}")
    if data.sample_weight is not None:
        raise ValueError(f"{name}(covariance_estimator=...): sample_weight is not passed to it; leave one of them out")

    def covariance(X: np.ndarray) -> np.ndarray:
        estimator.fit(X)
        if not hasattr(estimator, "covariance_"):
            raise ValueError(f"{type(estimator).__name__} does not have a covariance_ attribute")
        return np.atleast_2d(np.asarray(estimator.covariance_, dtype=float))

    each = np.array([covariance(data.X[index == k]) for k in range(index.max() + 1)])
    return Estimated(each, covariance(data.X) if total else each[0])
