"""Tests of every learner against one control by average ranks: Bonferroni-Dunn, Holm, Hochberg."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from learnable.evaluation.multiple import bonferroni, hochberg, holm
from learnable.evaluation.nemenyi import rank_error


class AgainstControl(NamedTuple):
    """k - 1 comparisons with a control.

    Attributes
    ----------
    control : index of the control.
    others : indices of the other learners, in the order of the arrays below.
    z, p_values : (rank of the other - rank of the control) / standard error, positive when the control is better;
        two-sided p-values, not adjusted.
    p_bonferroni, p_holm, p_hochberg : adjusted; Bonferroni's is the test of Dunn, the steps are more powerful.
    critical_difference : Bonferroni-Dunn: average ranks further from the control than this differ at level alpha.
    alpha : family-wise level.
    """

    control: int
    others: tuple[int, ...]
    z: NDArray[np.float64]
    p_values: NDArray[np.float64]
    p_bonferroni: NDArray[np.float64]
    p_holm: NDArray[np.float64]
    p_hochberg: NDArray[np.float64]
    critical_difference: float
    alpha: float


def against_control(average_ranks: ArrayLike, n: int, *, control: int = 0, alpha: float = 0.05) -> AgainstControl:
    """Compare every learner with the control.

    z = (Rⱼ − R₀) / √(k(k+1)/(6n)) against the normal law, with Rⱼ the average rank of learner j; the critical
    difference is the 1 − α/(2(k−1)) quantile of that law times the same root. The control must be chosen before
    the data are seen. (O. J. Dunn, 1961; J. Demšar, JMLR 7, 2006.) Syllabus: E7.

    Parameters
    ----------
    average_ranks : of the k learners over n data sets.
    n : number of data sets.
    control : index of the control.
    alpha : family-wise level.

    >>> test = against_control([3.143, 2.000, 2.893, 1.964], n=14)
    >>> test.p_values.round(3).tolist(), round(test.critical_difference, 2)
    ([0.019, 0.608, 0.016], 1.17)
    """
    ranks, error = rank_error("against_control", average_ranks, n, alpha)
    k = len(ranks)
    if not 0 <= control < k:
        raise ValueError(f"against_control(control={control}): control must be an index from 0 to {k - 1}")
    others = tuple(j for j in range(k) if j != control)
    z = (ranks[list(others)] - ranks[control]) / error
    p = 2 * ndtr(-np.abs(z))
    return AgainstControl(
        control=control,
        others=others,
        z=z,
        p_values=p,
        p_bonferroni=bonferroni(p),
        p_holm=holm(p),
        p_hochberg=hochberg(p),
        critical_difference=-float(ndtri(alpha / (2 * (k - 1)))) * error,
        alpha=alpha,
    )
