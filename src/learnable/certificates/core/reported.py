"""A fitted attribute against the same number computed again."""

import math
from typing import Any

import numpy as np
from scipy import sparse

from learnable.certificates.core.claim import Claim

_TINY = float(np.finfo(float).tiny)


def reported(id: str, name: str, stated: Any, again: Any, bound: float = 1e-9, scale: float | None = None) -> Claim:
    """The claim that an attribute is what the certifier computes for it: same shape, same numbers to `bound`.

    Differences are relative to the largest number computed, or to `scale`. Undefined numbers must be undefined in the
    same places, infinite ones equal.

    >>> reported("MS7", "errors_", [1.0, 2.0], [1.0, 2.0 + 1e-12]).holds
    True
    >>> reported("MS7", "errors_", [1.0, 2.0, 3.0], [1.0, 2.0]).holds
    False
    >>> reported("MS7", "errors_", 1e5, 0.0).holds
    False
    """
    statement = f"{name} is what the data and the answer give (largest difference, relative)"
    if type(stated) is float and isinstance(again, float) and math.isfinite(stated - again):
        size = abs(float(again)) if scale is None else float(scale)
        return Claim.at_most(id, statement, abs(stated - float(again)) / max(size, _TINY), bound)
    stated, again = _array(stated), _array(again)
    if stated.shape != again.shape:
        return Claim.at_most(id, statement, np.inf, bound)
    if again.dtype.kind not in "biuf" or stated.dtype.kind not in "biuf":
        return Claim.at_most(id, statement, float(np.count_nonzero(stated != again)), 0.0)
    if stated.dtype.kind == again.dtype.kind == "i" and (stated == again).all():
        return Claim.at_most(id, statement, 0.0, bound)
    stated, again = stated.astype(float), again.astype(float)
    with np.errstate(all="ignore"):
        apart = np.abs(stated - again)
    difference = float(apart.max(initial=0.0))
    if not math.isfinite(difference):
        same = (stated == again) | (np.isnan(stated) & np.isnan(again))
        if not (same | (np.isfinite(stated) & np.isfinite(again))).all():
            return Claim.at_most(id, statement, np.inf, bound)
        difference = float(apart.max(initial=0.0, where=~same))
        again = again[np.isfinite(again)]
    size = float(np.abs(again).max(initial=0.0)) if scale is None else float(scale)
    # Plain numbers: against zero every difference is infinite, without a warning.
    return Claim.at_most(id, statement, difference / max(size, _TINY), bound)


def _array(values: Any) -> np.ndarray:
    return np.asarray(values.toarray() if sparse.issparse(values) else values)
