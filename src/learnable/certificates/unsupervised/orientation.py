"""Which way principal axes point. Syllabus: U10."""

from typing import Any

import numpy as np

from learnable.certificates.core import Claim

# Entries this near to the largest of an axis may be the one that decides.
AS_LARGE = 1e-4


def orientation_claims(id: str, model: Any, axes: np.ndarray) -> list[Claim]:
    """An axis and its opposite span the same line; of this library's fits the largest entry of each is positive.

    So it is in scikit-learn's of today, but not in all it ever made: axes that point back are left open there.

    Parameters
    ----------
    axes : (q, p), one a row.

    >>> from learnable.unsupervised import PCA
    >>> [orientation_claims("U10", PCA(), np.array([row]))[0].holds for row in ([0.1, -0.9], [-0.1, 0.9])]
    [False, True]
    """
    ours = type(model).__module__.startswith("learnable.")
    # Forwards where a positive entry is among those that may be the largest.
    largest, positive = np.abs(axes).max(axis=1, initial=0.0), axes.max(axis=1, initial=0.0)
    backwards = float(np.count_nonzero(positive < (1.0 - AS_LARGE) * largest))
    asked = 0.0 if ours else np.inf
    return [Claim.reached(id, "axes whose largest entry is negative (how many)", backwards, 0.0, asked=asked)]
