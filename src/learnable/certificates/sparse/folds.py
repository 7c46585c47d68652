"""The folds of a cross-validation, made again by who verifies it. Syllabus: MS7."""

import copy
from numbers import Integral
from typing import Any

import numpy as np


def folds_again(cv: Any, X: Any, y: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]] | None:
    """The folds that `cv` makes, as (rows to fit, rows to judge); None where they cannot be had again.

    So with splitters that draw at random without a seed, with splits that a generator gave once, and with splitters
    that need more than the data.

    >>> from sklearn.model_selection import ShuffleSplit
    >>> X, y = np.zeros((6, 1)), np.zeros(6)
    >>> len(folds_again(3, X, y)), folds_again(ShuffleSplit(), X, y), folds_again(iter([]), X, y)
    (3, None, None)
    """
    from sklearn.model_selection import check_cv

    drawn = hasattr(cv, "random_state") and not isinstance(cv.random_state, Integral) and getattr(cv, "shuffle", True)
    if drawn:
        return None
    try:
        splitter = check_cv(copy.deepcopy(cv))
        once, again = ([(np.arange(len(y))[a], np.arange(len(y))[b]) for a, b in splitter.split(X, y)] for _ in "12")
    except (TypeError, ValueError, IndexError):
        return None
    same = len(once) == len(again) and all(
        np.array_equal(a, c) and np.array_equal(b, d) for (a, b), (c, d) in zip(once, again)
    )
    return once if once and same else None
