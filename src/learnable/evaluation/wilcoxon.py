"""Wilcoxon's signed-rank test of two learners over many data sets."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from learnable.evaluation.paired_t import fold_scores, rounding_of

# Pairs up to which the exact law is counted.
EXACT_UP_TO = 200


class Wilcoxon(NamedTuple):
    """The rank sums and the p-value of "differences are symmetric about 0".

    Attributes
    ----------
    plus, minus : rank sums of the positive and of the negative differences; ranks of zero differences are shared
        evenly between the two.
    n : number of pairs.
    zeros : number of zero differences.
    p_value : two-sided.
    exact : True when p is the exact probability over all sign patterns, given the ranks (so ties and zeros are
        handled); False for the normal approximation, used above 200 non-zero differences.
    """

    plus: float
    minus: float
    n: int
    zeros: int
    p_value: float
    exact: bool


def wilcoxon(first: ArrayLike, second: ArrayLike) -> Wilcoxon:
    """Signed-rank test of first - second.

    R⁺ is the sum of the ranks of |d| over the positive differences d plus half of that over the zero ones, and
    likewise R⁻. Under the hypothesis each non-zero difference keeps its rank and takes either sign with
    probability ½, which gives the exact law of R⁺ by convolution. Zero differences are ranked but never flip (Pratt).
    Syllabus: E7.

    Parameters
    ----------
    first, second : scores on the same data sets.

    >>> test = wilcoxon([0.8, 0.7, 0.9, 0.6, 0.75, 0.5], [0.7, 0.65, 0.7, 0.57, 0.76, 0.5])
    >>> test.plus, test.minus, test.p_value
    (18.5, 2.5, 0.125)
    """
    from scipy.stats import rankdata

    a, b = fold_scores("wilcoxon", first, second)
    difference = a - b
    size = _merge_close(np.abs(difference), rounding_of(a, b))
    ranks = rankdata(size)
    zero = size == 0
    shared = ranks[zero].sum() / 2
    plus = float(ranks[(difference > 0) & ~zero].sum() + shared)
    minus = float(ranks[(difference < 0) & ~zero].sum() + shared)
    moving = ranks[~zero]
    exact = len(moving) <= EXACT_UP_TO
    smaller = min(plus, minus) - shared
    p_value = _exact_p(moving, smaller) if exact else _normal_p(moving, smaller)
    return Wilcoxon(plus, minus, len(a), int(zero.sum()), p_value, exact)


def _merge_close(sizes: NDArray, rounding: float) -> NDArray:
    """Sizes with those within rounding of the next smaller one set equal to it, and to 0 when within rounding of it."""
    order = np.argsort(sizes, kind="stable")
    steps = np.diff(sizes[order], prepend=0.0)
    starts = np.where(steps > rounding, sizes[order], 0.0)
    merged = np.empty_like(sizes)
    merged[order] = np.maximum.accumulate(starts)
    return merged


def _exact_p(ranks: NDArray, smaller: float) -> float:
    """2 P(sum of a random subset of the ranks <= smaller), at most 1. Doubled ranks are integers despite ties."""
    doubled = np.rint(2 * ranks).astype(int)
    law = np.zeros(doubled.sum() + 1)
    law[0] = 1.0
    for rank in doubled:
        shifted = np.zeros_like(law)
        shifted[rank:] = law[: len(law) - rank]
        law = (law + shifted) / 2
    return min(1.0, 2 * float(law[: round(2 * smaller) + 1].sum()))


def _normal_p(ranks: NDArray, smaller: float) -> float:
    z = (smaller + 0.5 - ranks.sum() / 2) / math.sqrt(float(np.sum(ranks**2)) / 4)
    return min(1.0, 2 * float(ndtr(z)))
