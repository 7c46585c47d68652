"""Adjusted p-values for many tests at once."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnable.evaluation._validation import as_numbers


def bonferroni(p_values: ArrayLike) -> NDArray[np.float64]:
    """m·p, at most 1: family-wise error under any dependence.

    Reject where the adjusted value is at most alpha. Syllabus: E7.

    >>> bonferroni([0.01, 0.04, 0.5]).round(3).tolist()
    [0.03, 0.12, 1.0]
    """
    p = _checked("bonferroni", p_values)
    return np.minimum(1.0, len(p) * p)


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Step-down: the i-th smallest p times m - i + 1, made monotone from below. Never weaker than Bonferroni.

    Family-wise error under any dependence. Syllabus: E7.

    >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    p = _checked("holm", p_values)
    order = np.argsort(p, kind="stable")
    steps = p[order] * np.arange(len(p), 0, -1)
    return _in_given_order(np.maximum.accumulate(steps), order)


def hochberg(p_values: ArrayLike) -> NDArray[np.float64]:
    """Step-up with Holm's factors: at least as powerful, valid for independent or positively dependent tests.

    Syllabus: E7.

    >>> hochberg([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    p = _checked("hochberg", p_values)
    order = np.argsort(p, kind="stable")
    steps = p[order] * np.arange(len(p), 0, -1)
    return _in_given_order(_running_minimum_from_the_top(steps), order)


def benjamini_hochberg(p_values: ArrayLike) -> NDArray[np.float64]:
    """Step-up with factors m/i: controls the expected share of false rejections, not their mere presence.

    Valid for independent or positively dependent tests. Syllabus: E7.

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    p = _checked("benjamini_hochberg", p_values)
    order = np.argsort(p, kind="stable")
    steps = p[order] * len(p) / np.arange(1, len(p) + 1)
    return _in_given_order(_running_minimum_from_the_top(steps), order)


def _running_minimum_from_the_top(steps: NDArray) -> NDArray:
    return np.minimum.accumulate(steps[::-1])[::-1]


def _in_given_order(sorted_values: NDArray, order: NDArray) -> NDArray[np.float64]:
    adjusted = np.empty_like(sorted_values)
    adjusted[order] = np.minimum(1.0, sorted_values)
    return adjusted


def _checked(caller: str, p_values: ArrayLike) -> NDArray[np.float64]:
    p = as_numbers(p_values, caller, "p_values")
    if p.ndim != 1:
        raise ValueError(f"{caller}: p_values has shape {p.shape}; give a vector of p-values")
    bad = np.flatnonzero(~((p >= 0) & (p <= 1)))
    if len(bad):
        raise ValueError(f"{caller}: p_values[{bad[0]}] is {p[bad[0]]}; a p-value lies between 0 and 1")
    return p
