"""Coefficients in the precision of the data, and the intercept that makes up for their rounding."""

from typing import Any

import numpy as np

from learnable.rows import Rows
from learnable.solvers.linear.column_spread import column_spread


def kept_as_data(coef: np.ndarray, intercept: Any, rows: Rows, free: bool) -> tuple[np.ndarray, Any]:
    """(coefficients as they are kept, intercept in double precision).

    The rounding of the coefficients to single precision adds to every score what it makes of a mean row, much where
    columns lie far from zero: the intercept takes it off again, and needs the digits of double precision for it.

    Parameters
    ----------
    coef : (p,) or (p, q).
    intercept : a number or (q,), for the columns of the rows as they are.
    free : whether there is an intercept.

    Examples
    --------
    >>> from learnable.rows import as_rows
    >>> X = np.array([[1e6], [1e6 + 2.0]], dtype=np.float32)
    >>> coef, intercept = kept_as_data(np.array([[0.1]]), np.array([1.0 - 1e5]), as_rows(X), True)
    >>> coef.dtype, intercept.dtype, (X @ coef.astype(float) + intercept).round(6).ravel().tolist()
    (dtype('float32'), dtype('float64'), [1.0, 1.2])
    """
    if rows.dtype != np.float32:
        return coef, intercept
    kept = coef.astype(np.float32)
    return kept, intercept + column_spread(rows, True)[0] @ (coef - kept) if free else intercept
