"""An answer as numbers: one coefficient a column, the precision of the data, an intercept where one is free."""

from typing import Any

import numpy as np
from scipy import sparse

from learnable.certificates.core.claim import Claim

DOUBLE, SINGLE = float(np.finfo(np.float64).eps), float(np.finfo(np.float32).eps)
# What a mean in double precision is rounded by.
SUMMED = 4.0 * DOUBLE
# A mean that outweighs the spread by this factor is taken off before anything is added up.
FAR = 100.0
# How far residuals may be from averaging to zero, of how far the targets differ; what rounding allows beyond that is
# left open.
MOST_MISSED = 1e-2
# Rows, spread over the table, that tell whether a mean is far.
LOOKED_AT = 512


def coefficients(stated: Any, n_columns: int) -> np.ndarray:
    """`coef_` as an array (q, p) of its own precision; an error that refutes it where it has no such shape.

    >>> coefficients([1.0, 2.0], 2)
    array([[1., 2.]])
    >>> coefficients([1.0, 2.0], 3)
    Traceback (most recent call last):
        ...
    IndexError: coef_ has shape (2,), X has 3 columns
    """
    coef = np.asarray(stated.toarray() if sparse.issparse(stated) else stated)
    if coef.ndim not in (1, 2) or coef.shape[-1] != n_columns or coef.dtype.kind not in "biuf":
        raise IndexError(f"coef_ has shape {coef.shape}, X has {n_columns} columns")
    return np.atleast_2d(coef if coef.dtype.kind == "f" else coef.astype(float))


def intercepts(stated: Any, n_targets: int) -> np.ndarray:
    """`intercept_` as an array (q,); one number may stand for all.

    >>> intercepts(2.0, 2)
    array([2., 2.])
    """
    return of_targets("intercept_", stated, n_targets)


def of_targets(name: str, stated: Any, n_targets: int) -> np.ndarray:
    """An attribute as an array (q,) of one number a target; one number may stand for all."""
    values = np.asarray(stated, dtype=float)
    if values.shape not in ((), (1,), (n_targets,)):
        raise IndexError(f"{name} has shape {values.shape}, there are {n_targets} targets")
    return values if values.shape == (n_targets,) else np.full(n_targets, values)


def precision(data: Any, coef: np.ndarray) -> float:
    """The rounding of one number: of single precision where data and answer have that, else of double.

    >>> precision(np.zeros((1, 1)), np.zeros(1, dtype=np.float16))
    2.220446049250313e-16
    """
    single = stored_type(data) == np.float32 and coef.dtype == np.float32
    return SINGLE if single else DOUBLE


def rounding_of(intercept: Any, unit: float) -> Any:
    """What intercepts are rounded by, relatively: by this unit, but where one has digits that single precision has not,
    by what sums in double precision are.

    >>> rounding_of([0.5, 0.1], SINGLE).tolist()
    [1.1920928955078125e-07, 8.881784197001252e-16]
    """
    if unit == DOUBLE:
        return SUMMED
    values = np.asarray(intercept, dtype=float)
    return np.where(values == values.astype(np.float32), unit, SUMMED)[()]


def middle_of(y: Any, weight: np.ndarray) -> Any:
    """Mean of targets, (n,) or (n, q), by weights that add up to one; of equal ones they themselves, as a sum is not.

    >>> [float(middle_of(np.full(n, 0.1), np.full(n, 1.0 / n))) for n in (3, 27, 29)]
    [0.1, 0.1, 0.1]
    """
    about = weight @ y
    return about + weight @ (y - about)


def borne(differ: Any, rounded: Any) -> Any:
    """How far a mean of residuals may be from zero: a share of how far the targets differ, beside what numbers of their
    size are rounded by; where they differ by no more than that, whatever is as near is as good.

    >>> borne(1.0, 1e-3), borne(1e-3, 1e-2)
    (np.float64(0.01), np.float64(0.01))
    """
    return np.where(differ > 0.5 * rounded, MOST_MISSED * differ, rounded)[()]


def stored_type(data: Any) -> Any:
    """The type of the cells: of the table itself, or of the longer one that it stands for."""
    return getattr(data, "stored", getattr(data, "dtype", None))


def gap_rounding(eps: float, mean_square: float, largest: float) -> float:
    """What rounding makes of a duality gap of squared loss: targets of this mean square about their centre and size."""
    off = 64.0 * eps * largest
    return 64.0 * eps * mean_square + off * (float(np.sqrt(mean_square)) + off)


def brought_near(X: Any, weight: np.ndarray | None, free_intercept: bool) -> tuple[Any, np.ndarray]:
    """(X, what was taken off its columns): their means, where those are far and a free intercept allows it.

    Columns far from zero lose digits in every sum.

    >>> brought_near(np.array([[1e9, 1.0], [1e9 + 2.0, 0.0]]), None, True)[0]
    array([[-1. ,  0.5],
           [ 1. , -0.5]])
    """
    if not free_intercept or sparse.issparse(X) or not X.shape[0]:
        return X, np.zeros(X.shape[1])
    every = X.shape[0] // LOOKED_AT
    if every < 2:
        mean = _means(X, weight)
    else:
        share = np.ones(len(X[::every])) if weight is None else weight[::every]
        total = float(share.sum())
        mean = np.dot(share / total, X[::every]) if total > 0.0 else _means(X, weight)
    if not (np.abs(mean) > FAR * np.abs(X[:64] - mean).max(axis=0)).any():
        return X, np.zeros(X.shape[1])
    mean = mean if every < 2 else _means(X, weight)
    return X - mean, mean


def _means(X: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    return np.dot(np.full(len(X), 1.0 / len(X)) if weight is None else weight, X)


def fixed_intercept(row: str, intercept: Any) -> Claim:
    """Where no intercept is free there is none."""
    largest = float(np.abs(np.asarray(intercept, dtype=float)).max(initial=0.0))
    return Claim.at_most(row, "no intercept is free, and intercept_ is zero (largest)", largest, 0.0)
