"""A fitted attribute against the same number computed again."""

from typing import Any

import numpy as np
from scipy import sparse

from learnable.certificates.core.claim import Claim


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
    stated, again = (np.asarray(each.toarray() if sparse.issparse(each) else each) for each in (stated, again))
    if stated.shape != again.shape:
        return Claim.at_most(id, statement, np.inf, bound)
    if again.dtype.kind not in "biuf" or stated.dtype.kind not in "biuf":
        return Claim.at_most(id, statement, float(np.count_nonzero(stated != again)), 0.0)
    stated, again = stated.astype(float), again.astype(float)
    same = (stated == again) | (np.isnan(stated) & np.isnan(again))
    if np.any(~same & ~(np.isfinite(stated) & np.isfinite(again))):
        return Claim.at_most(id, statement, np.inf, bound)
    difference = float(
        np.max(np.abs(np.where(same, 0.0, stated - np.where(same, 0.0, again))), initial=0.0, where=~same)
    )
    finite = np.abs(again[np.isfinite(again)])
    size = float(finite.max(initial=0.0)) if scale is None else scale
    # Plain numbers: against zero every difference is infinite, without a warning.
    return Claim.at_most(id, statement, difference / max(float(size), float(np.finfo(float).tiny)), bound)
