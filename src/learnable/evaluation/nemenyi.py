"""Nemenyi's test: all pairs of learners by their average ranks."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnable.evaluation._validation import as_numbers, check_number


class Nemenyi(NamedTuple):
    """All pairs at once.

    Attributes
    ----------
    critical_difference : average ranks further apart than this differ at level alpha.
    p_values : symmetric matrix, already adjusted for all pairs; 1 on the diagonal.
    alpha : family-wise level.
    """

    critical_difference: float
    p_values: NDArray[np.float64]
    alpha: float


def nemenyi(average_ranks: ArrayLike, n: int, *, alpha: float = 0.05) -> Nemenyi:
    """Critical difference q √(k(k+1)/(6n)) and adjusted p-values.

    q is the 1 − α quantile of the studentised range of k normal variables divided by √2. The approximation is
    for many data sets. (P. Nemenyi, 1963; J. Demšar, JMLR 7, 2006.) Syllabus: E7.

    Parameters
    ----------
    average_ranks : of the k learners over n data sets.
    n : number of data sets.
    alpha : family-wise level.

    >>> round(nemenyi([3.143, 2.000, 2.893, 1.964], n=14).critical_difference, 2)
    1.25
    """
    from scipy.stats import studentized_range

    ranks, error = rank_error("nemenyi", average_ranks, n, alpha)
    k = len(ranks)
    critical = float(studentized_range.ppf(1 - alpha, k, np.inf)) / math.sqrt(2) * error
    p_values = np.ones((k, k))
    above = np.triu_indices(k, 1)
    ranges = math.sqrt(2) * np.abs(ranks[above[0]] - ranks[above[1]]) / error
    p_values[above] = np.clip(studentized_range.sf(ranges, k, np.inf), 0, 1)
    return Nemenyi(critical, np.minimum(p_values, p_values.T), alpha)


def rank_error(caller: str, average_ranks: ArrayLike, n: int, alpha: float) -> tuple[NDArray, float]:
    """The ranks and √(k(k+1)/(6N)), the standard error of a difference of two average ranks."""
    ranks = as_numbers(average_ranks, caller, "average_ranks")
    if ranks.ndim != 1 or len(ranks) < 2 or not np.isfinite(ranks).all():
        raise ValueError(f"{caller}: average_ranks must be at least 2 finite numbers, got {average_ranks!r}")
    if check_number(n, caller, "n", 0) < 2:
        raise ValueError(f"{caller}(n={n}): ranks must come from at least 2 data sets")
    if not 0 < check_number(alpha, caller, "alpha", -math.inf) < 1:
        raise ValueError(f"{caller}(alpha={alpha}): alpha must lie strictly between 0 and 1")
    k = len(ranks)
    return ranks, math.sqrt(k * (k + 1) / (6 * n))
