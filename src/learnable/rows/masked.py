"""Columns of pandas frames that mark missing cells by a mask."""

from typing import Any

import numpy as np


def unmasked(X: Any) -> Any:
    """A pandas frame with NaN for NA in columns of numbers and truth values; other tables as they are."""
    if not hasattr(X, "iloc") or getattr(X, "ndim", 2) != 2:
        return X
    kinds = [getattr(dtype, "kind", "O") if hasattr(dtype, "na_value") else "O" for dtype in X.dtypes]
    masked = [j for j, kind in enumerate(kinds) if kind in "biuf"]
    found = X.copy(deep=False) if masked else X
    for j in masked:
        found.isetitem(j, X.iloc[:, j].to_numpy(dtype=float, na_value=np.nan))
    return found
