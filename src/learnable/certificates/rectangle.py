"""The tightest box round the positive examples. Syllabus: V2, T10."""

from typing import Any

import numpy as np

from learnable.certificates.certify import certifies
from learnable.certificates.claim import Claim


@certifies("RectangleLearner")
def rectangle_claims(model: Any, X: Any, y: Any, sample_weight: Any = None) -> list[Claim]:
    """V2: complete and correct. T10: every face is touched by a positive example, so that no smaller box holds them."""
    X, positive = np.asarray(X, dtype=float), np.asarray(y) == model.inside_
    low, high = np.asarray(model.low_), np.asarray(model.high_)
    outside = ((low > X) | (high < X)).any(axis=1)
    members = X[positive]
    if len(members):
        untouched = int((~(members == low).any(axis=0)).sum() + (~(members == high).any(axis=0)).sum())
        tight = Claim.at_most("T10", "faces that no positive example touches", untouched, 0)
    else:
        tight = Claim.at_most("T10", "sides of the box, which must be empty", int((low <= high).all()), 0)
    return [
        Claim.at_most("V2", "positive examples outside the box", int((outside & positive).sum()), 0),
        Claim.at_most("V2", "negative examples inside the box", int((~outside & ~positive).sum()), 0),
        tight,
    ]
