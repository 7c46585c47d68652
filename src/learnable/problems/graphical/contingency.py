"""χ² and G² tests of independence of two discrete variables within strata. Syllabus: G13."""

from scipy import special

# Rows needed for each degree of freedom: with fewer, the law of the statistic is far from χ² and there is no power.
ROWS_A_DEGREE = 10


def degrees(levels, i: int, j: int, given) -> int:
    """(rows − 1)(columns − 1) · strata.

    >>> degrees([2, 3, 4], 0, 1, (2,))
    8
    """
    strata = 1
    for k in given:
        strata *= int(levels[k])
    return (int(levels[i]) - 1) * (int(levels[j]) - 1) * strata


def testable(n: int, degrees: int) -> bool:
    """Whether there are rows enough: n ≥ 10 · degrees of freedom.

    >>> testable(80, 8), testable(79, 8)
    (True, False)
    """
    return n >= ROWS_A_DEGREE * degrees


def p_value(statistic, degrees):
    """The probability of at least this statistic under independence."""
    return special.chdtrc(degrees, statistic)
