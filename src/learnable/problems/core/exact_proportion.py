"""The exact interval of a proportion, of which there is one. Syllabus: E3, T9."""

import numpy as np
from scipy.special import betaincinv


def beta_interval(low_a, low_b, high_a, high_b, successes, n, level) -> tuple[np.ndarray, np.ndarray]:
    """Quantiles of two Beta laws, with the ends 0 and 1 where a tail has no room."""
    tail = (1 - level) / 2
    inner_low, inner_high = np.greater(successes, 0), np.less(successes, n)
    low = np.where(inner_low, betaincinv(np.where(inner_low, low_a, 1), low_b, tail), 0)
    # The upper quantile by symmetry of the Beta law, so that a tiny tail keeps its digits.
    high = np.where(inner_high, 1 - betaincinv(np.where(inner_high, high_b, 1), high_a, tail), 1)
    return low, high


def clopper_pearson(successes, n, level) -> tuple[np.ndarray, np.ndarray]:
    """Every p that neither binomial tail of size (1 − level)/2 rejects.

    >>> low, high = clopper_pearson(0, 10, 0.95)
    >>> float(low), round(float(high), 4)  # 1 − 0.025^(1/10)
    (0.0, 0.3085)
    """
    return beta_interval(successes, n - successes + 1, successes + 1, n - successes, successes, n, level)
