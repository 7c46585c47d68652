"""The sign test of two learners over many data sets: wins against losses."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr

from learnable.evaluation.interval import Interval, check_level
from learnable.evaluation.paired_t import fold_scores, rounding_of
from learnable.evaluation.proportion import proportion_interval


class SignTest(NamedTuple):
    """Wins, losses and ties of the first learner.

    Attributes
    ----------
    wins, losses, ties : counts over the data sets.
    win_rate : wins / (wins + losses) with its Clopper-Pearson interval; ½ with [0, 1] when there are only ties.
    p_value : two-sided binomial, given the number of data sets without a tie.
    """

    wins: int
    losses: int
    ties: int
    win_rate: Interval
    p_value: float


def sign_test(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> SignTest:
    """Exact test of "a win is as likely as a loss"; ties say nothing and are left out. Syllabus: E7.

    Parameters
    ----------
    first, second : scores on the same data sets; greater wins.
    level : of the interval.

    >>> test = sign_test([0.9, 0.8, 0.7, 0.9, 0.6, 0.8], [0.8, 0.7, 0.6, 0.8, 0.5, 0.8])
    >>> test.wins, test.losses, test.ties, test.p_value
    (5, 0, 1, 0.0625)
    """
    level = check_level(level, "sign_test")
    a, b = fold_scores("sign_test", first, second)
    rounding = rounding_of(a, b)
    wins, losses = int(np.sum(a - b > rounding)), int(np.sum(b - a > rounding))
    ties = len(a) - wins - losses
    if wins + losses == 0:
        return SignTest(0, 0, ties, Interval(0.5, 0.0, 1.0, level, "clopper_pearson", 0), 1.0)
    rate = proportion_interval(wins, wins + losses, method="clopper_pearson", level=level)
    p_value = min(1.0, 2 * float(bdtr(min(wins, losses), wins + losses, 0.5)))
    return SignTest(wins, losses, ties, rate, p_value)
