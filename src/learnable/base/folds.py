"""Folds that users give, looked at before they are used."""

from collections.abc import Iterable
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

DEFAULT = 5
"""Folds where their number is not given."""


def folds_of(caller: str, cv: Any, X: Any, y: Any = None, **params: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    """(rows to fit, rows left out) of every fold, as scikit-learn's `check_cv` gives them; `params` are the splitter's.

    >>> folds_of("LassoCV", 5, np.zeros((3, 1)))
    Traceback (most recent call last):
    ValueError: LassoCV(cv=5): 5 folds of fewer rows (n_samples=3); give as many folds at most
    """
    folds = list(check_cv(sound_cv(caller, cv, len(X) if isinstance(X, list) else X.shape[0])).split(X, y, **params))
    if not folds:
        raise ValueError(f"{caller}(cv={cv!r}): no folds; give their number, 2 or more")
    return folds


def sound_cv(caller: str, cv: Any, n_rows: int) -> Any:
    """`cv` as it is where it is a number or a splitter; of other folds the list, each a pair of rows of the table.

    >>> sound_cv("LassoCV", [([0, 1], [2])], 2)
    Traceback (most recent call last):
    ValueError: LassoCV(cv=...): fold 0 names row 2; X has the rows 0 to 1
    """
    if cv is None or isinstance(cv, Integral):
        if (number := DEFAULT if cv is None else int(cv)) > n_rows:
            raise ValueError(
                f"{caller}(cv={cv}): {number} folds of fewer rows (n_samples={n_rows}); give as many folds at most"
            )
        return cv
    if not isinstance(cv, Iterable) or hasattr(cv, "split"):
        return cv
    folds = list(cv)
    if not folds:
        raise ValueError(f"{caller}(cv={cv!r}): no folds; give their number, 2 or more")
    for k, fold in enumerate(folds):
        rows = [np.asarray(part) for part in fold] if isinstance(fold, tuple | list) and len(fold) == 2 else []
        if not rows or any(part.ndim != 1 or part.dtype.kind not in "iub" or not part.size for part in rows):
            raise ValueError(
                f"{caller}(cv=...): fold {k} is {fold!r}; give each as (numbers of the rows to fit, numbers of those "
                "left out)"
            )
        for part in rows:
            if part.dtype.kind != "b" and not (-n_rows <= part.min() and part.max() < n_rows):
                row = part.max() if part.max() >= n_rows else part.min()
                raise ValueError(f"{caller}(cv=...): fold {k} names row {row}; X has the rows 0 to {n_rows - 1}")
    return folds
