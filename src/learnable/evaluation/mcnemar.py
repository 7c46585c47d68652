"""McNemar's test of two classifiers on one test set."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, chdtrc

from learnable.evaluation._validation import check_labels, check_number
from learnable.evaluation.interval import Interval, check_level, two_sided_z


class McNemar(NamedTuple):
    """The discordant pairs and four p-values of "both classifiers have the same error".

    Attributes
    ----------
    only_first : rows that only the first classifier gets right.
    only_second : rows that only the second one gets right.
    n : rows of the test set.
    difference : accuracy of first - accuracy of second, with Bonett and Price's adjusted Wald interval.
    p_exact : two-sided binomial; never above its level, often far below.
    p_mid : mid-p; nearly the level, the one to report for small counts.
    chi2, p_chi2 : chi-squared with continuity correction.
    chi2_uncorrected, p_uncorrected : chi-squared without it; nearer to the level where the counts are not small.
    """

    only_first: int
    only_second: int
    n: int
    difference: Interval
    p_exact: float
    p_mid: float
    chi2: float
    p_chi2: float
    chi2_uncorrected: float
    p_uncorrected: float


def mcnemar(y_true: ArrayLike, first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> McNemar:
    """Compare the predictions of two classifiers on the same rows.

    The test sees one training set: it speaks of these two fitted classifiers, not of the learners. Syllabus: E6, E7.

    Parameters
    ----------
    y_true : true labels.
    first, second : predicted labels.
    level : of the interval.

    >>> truth = [1, 1, 1, 1, 0, 0, 0, 0, 1, 0]
    >>> test = mcnemar(truth, [1, 1, 1, 1, 0, 0, 0, 0, 1, 1], [1, 0, 0, 1, 1, 0, 0, 1, 0, 0])
    >>> test.only_first, test.only_second, round(test.p_exact, 4), round(test.p_mid, 4)
    (5, 1, 0.2188, 0.125)
    """
    truth, a, b = np.asarray(y_true), np.asarray(first), np.asarray(second)
    if truth.ndim != 1 or a.shape != truth.shape or b.shape != truth.shape:
        raise ValueError(
            f"mcnemar: y_true, first and second have shapes {truth.shape}, {a.shape} and {b.shape}; "
            "give three label vectors of the same length"
        )
    for predicted in (a, b):
        check_labels(truth, predicted, "mcnemar")
    right_a, right_b = a == truth, b == truth
    return mcnemar_counts(int(np.sum(right_a & ~right_b)), int(np.sum(~right_a & right_b)), len(truth), level=level)


def mcnemar_counts(only_first: int, only_second: int, n: int, *, level: float = 0.95) -> McNemar:
    """McNemar's test from the two discordant counts b and c among n rows.

    Given b + c, b is binomial(b + c, ½) under the hypothesis. Exact: 2 P(B ≤ min(b, c)), at most 1. Mid-p:
    outcomes less likely than the observed one count fully, equally likely ones half (Fagerland, Lydersen and Laake,
    BMC Medical Research Methodology 13, 2013). Chi-squared: (|b − c| − 1)²/(b + c) with continuity correction,
    (b − c)²/(b + c) without. Without discordant rows every p is 1.

    >>> test = mcnemar_counts(1, 7, 21)
    >>> round(test.p_exact, 4), round(test.p_mid, 4), round(test.p_chi2, 4), round(test.p_uncorrected, 4)
    (0.0703, 0.0391, 0.0771, 0.0339)
    """
    level = check_level(level, "mcnemar")
    b, c = only_first, only_second
    for name, count in (("only_first", b), ("only_second", c), ("n", n)):
        if check_number(count, "mcnemar", name, 0) != int(count):
            raise ValueError(f"mcnemar({name}={count}): counts must be whole numbers >= 0")
    if n == 0 or b + c > n:
        raise ValueError(
            f"mcnemar(only_first={b}, only_second={c}, n={n}): need n >= 1 and only_first + only_second <= n"
        )
    discordant, smaller = b + c, min(b, c)
    if discordant == 0:
        p_exact = p_mid = p_chi2 = p_plain = 1.0
        chi2 = plain = 0.0
    else:
        at_most = float(bdtr(smaller, discordant, 0.5))
        below = float(bdtr(smaller - 1, discordant, 0.5)) if smaller else 0.0
        p_exact = min(1.0, 2 * at_most)
        p_mid = 1 - (at_most - below) / 2 if b == c else at_most + below
        chi2 = max(abs(b - c) - 1, 0) ** 2 / discordant
        plain = (b - c) ** 2 / discordant
        p_chi2, p_plain = float(chdtrc(1, chi2)), float(chdtrc(1, plain))
    return McNemar(b, c, n, _bonett_price(b, c, n, level), p_exact, p_mid, chi2, p_chi2, plain, p_plain)


def _bonett_price(b: int, c: int, n: int, level: float) -> Interval:
    """Wald's interval after one more row in each discordant cell (British J. Math. Stat. Psychology 65, 2012)."""
    more, less = (b + 1) / (n + 2), (c + 1) / (n + 2)
    half = two_sided_z(level) * math.sqrt((more + less - (more - less) ** 2) / (n + 2))
    centre = more - less
    return Interval((b - c) / n, max(-1.0, centre - half), min(1.0, centre + half), level, "Bonett-Price", n)
