"""Scores of three or more classes: numbers added to those of all of them change no probability. Syllabus: C5, L21."""

from typing import Any

import numpy as np
from scipy import sparse

from learnable.certificates.core.claim import Claim
from learnable.certificates.core.origin import is_ours

# What sums may be of the numbers in them, in the fits of others.
AGREE = 1e-4


def sum_claim(row: str, model: Any, penalised: bool = True) -> Claim:
    """The intercepts sum to zero over the classes, and so do the coefficients of each column unless a penalty sees to
    it: of all that give the same probabilities, these are the scores. A fit of scikit-learn's that began elsewhere may
    end elsewhere."""
    ours = is_ours(model)
    told = [model.intercept_] if penalised else [model.intercept_, model.coef_]
    off = 0.0
    for values in told:
        stated = values.toarray() if sparse.issparse(values) else np.asarray(values)
        single = np.finfo(np.float32 if stated.dtype == np.float32 else float)
        rounding = 64.0 * len(stated) * float(single.eps) if ours else AGREE
        size = rounding * np.abs(stated.astype(float)).sum(axis=0)
        sums = np.abs(stated.sum(axis=0, dtype=float))
        off = max(off, float(np.max(sums / np.where(size > 0.0, size, 1.0), initial=0.0)))
    what = "the intercepts" if penalised else "intercepts and coefficients"
    statement = f"{what} sum to zero over the classes (of what rounding allows)"
    return Claim.reached(row, statement, off, 1.0, asked=0.0 if ours else np.inf)
