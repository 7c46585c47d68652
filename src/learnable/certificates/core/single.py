"""Rows in the precision that a fit read them in."""

from typing import Any

import numpy as np
from scipy.sparse import issparse


def in_its_precision(answer: list[Any], X: Any) -> Any:
    """Rows in single precision where a part of the answer is kept in it and they are the same numbers.

    The same table may be read in double precision later on: its fit has the digits that it had.

    >>> rows, coef = np.array([[0.5, 1.0]]), np.ones(2, dtype=np.float32)
    >>> in_its_precision([coef], rows).dtype, in_its_precision([coef], rows / 3.0).dtype
    (dtype('float32'), dtype('float64'))
    """
    parts = [each for part in answer for each in (part if isinstance(part, list) else [part])]
    plain = type(X) is np.ndarray or issparse(X)
    if not plain or X.dtype != np.float64 or not any(getattr(part, "dtype", None) == np.float32 for part in parts):
        return X
    with np.errstate(over="ignore"):
        single = X.astype(np.float32)
    same = (single != X).nnz == 0 if issparse(X) else np.array_equal(single, X, equal_nan=True)
    return single if same else X
