"""Friedman's test and the Iman-Davenport test: do k learners rank alike over N data sets?"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtrc, fdtrc

from learnable.evaluation._validation import as_numbers, check_number


class Friedman(NamedTuple):
    """Both rank tests of "all learners have the same average rank".

    Attributes
    ----------
    average_ranks : one per learner; rank 1 is best, ties share their mean rank.
    n : number of data sets.
    chi2, p_chi2 : Friedman's statistic, corrected for ties, on k - 1 degrees of freedom.
    f, p_f : Iman and Davenport's statistic on k - 1 and (k - 1)(N - 1) degrees; less conservative, the one to report.
        It is the F statistic of a two-way analysis of variance of the ranks.
    chi2_untied, f_untied : the same without the correction for ties, the formulas of Demšar (2006).
    """

    average_ranks: NDArray[np.float64]
    n: int
    chi2: float
    p_chi2: float
    f: float
    p_f: float
    chi2_untied: float
    f_untied: float


def friedman(scores: ArrayLike, *, greater_is_better: bool = True) -> Friedman:
    """Friedman and Iman-Davenport tests of a table of scores.

    With Rⱼ the average rank of learner j and A the sum of all squared ranks,
    χ² = N²(k−1) Σ(Rⱼ − (k+1)/2)² / (A − Nk(k+1)²/4) and F = (N−1)χ² / (N(k−1) − χ²).

    Without ties the denominator is Nk(k²-1)/12. (J. Demšar, JMLR 7, 2006; Iman and Davenport, 1980.) When every data
    set ties all learners, the statistics are 0 and p is 1. Syllabus: E7.

    Parameters
    ----------
    scores : rows are data sets, columns learners; at least 2 × 2.
    greater_is_better : False for losses.

    >>> test = friedman([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.7, 0.6, 0.5]])
    >>> test.average_ranks.tolist(), round(test.chi2, 2), round(test.f, 2)
    ([1.0, 2.25, 2.75], 6.5, 13.0)
    """
    table = score_table("friedman", scores)
    ranks = rank_rows(table, greater_is_better)
    n, k = table.shape
    centred = np.sum((ranks.mean(axis=0) - (k + 1) / 2) ** 2)
    spread = float(np.sum(ranks**2) - n * k * (k + 1) ** 2 / 4)
    chi2 = float(n**2 * (k - 1) * centred / spread) if spread > 0 else 0.0
    chi2_untied = friedman_chi2(ranks.mean(axis=0), n)
    f = iman_davenport(chi2, n, k)
    return Friedman(
        average_ranks=ranks.mean(axis=0),
        n=n,
        chi2=chi2,
        p_chi2=float(chdtrc(k - 1, chi2)),
        f=f,
        p_f=0.0 if math.isinf(f) else float(fdtrc(k - 1, (k - 1) * (n - 1), f)),
        chi2_untied=chi2_untied,
        f_untied=iman_davenport(chi2_untied, n, k),
    )


def friedman_chi2(average_ranks: ArrayLike, n: int) -> float:
    """Friedman's statistic from average ranks alone: 12n/(k(k+1)) Σ(Rⱼ − (k+1)/2)².

    >>> round(friedman_chi2([3.143, 2.000, 2.893, 1.964], n=14), 2)
    9.28
    """
    ranks = as_numbers(average_ranks, "friedman_chi2", "average_ranks")
    if ranks.ndim != 1 or len(ranks) < 2 or not np.isfinite(ranks).all():
        raise ValueError(f"friedman_chi2: average_ranks must be at least 2 finite numbers, got {average_ranks!r}")
    k = len(ranks)
    return float(12 * check_number(n, "friedman_chi2", "n", 1) / (k * (k + 1)) * np.sum((ranks - (k + 1) / 2) ** 2))


def iman_davenport(chi2: float, n: int, k: int) -> float:
    """F from Friedman's statistic; infinite when all data sets rank the learners alike.

    >>> round(iman_davenport(9.28, n=14, k=4), 2)
    3.69
    """
    for name, given, least in (("chi2", chi2, 0), ("n", n, 1), ("k", k, 2)):
        check_number(given, "iman_davenport", name, least)
    room = n * (k - 1) - chi2
    return (n - 1) * chi2 / room if room > 1e-12 * n * (k - 1) else math.inf


def rank_rows(table: NDArray, greater_is_better: bool) -> NDArray[np.float64]:
    """Ranks within each row, 1 for the best, mean ranks for ties."""
    from scipy.stats import rankdata

    return rankdata(-table if greater_is_better else table, axis=1)


def score_table(caller: str, scores: ArrayLike) -> NDArray[np.float64]:
    """A finite table of at least two data sets and two learners."""
    table = as_numbers(scores, caller, "scores")
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 2:
        raise ValueError(
            f"{caller}: the table has shape {table.shape}; give at least 2 data sets (rows) and 2 learners (columns)"
        )
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0]
        raise ValueError(
            f"{caller}: the score in row {row}, column {column} is {table[row, column]}; "
            "leave out the data set or the learner, or run it again"
        )
    return table
