"""Fisher's z test of a partial correlation. Syllabus: G12.

Reject X_i ⊥ X_j | X_K at level α when √(n − |K| − 3) · |Z| > Φ⁻¹(1 − α/2), Z = artanh of the partial correlation.
"""

import numpy as np
from scipy import special


def statistic(correlation, n: int, size):
    """√(n − |K| − 3) · artanh |r|, infinite where |r| = 1.

    >>> round(float(statistic(0.5, 28, 0)), 4)
    2.7465
    """
    with np.errstate(divide="ignore"):
        return np.sqrt(n - np.asarray(size, dtype=float) - 3.0) * np.arctanh(np.minimum(np.abs(correlation), 1.0))


def p_value(z):
    """2 (1 − Φ(z))."""
    return 2.0 * special.ndtr(-np.abs(z))


def critical_correlation(alpha: float, n: int, size: int) -> float:
    """The |r| beyond which the test rejects: tanh(Φ⁻¹(1 − α/2) / √(n − |K| − 3)); 1 where there is no power at all.

    >>> round(critical_correlation(0.05, 28, 0), 4)
    0.3731
    """
    if not testable(n, size):
        return 1.0
    return float(np.tanh(-special.ndtri(0.5 * alpha) / np.sqrt(n - size - 3.0)))


def testable(n: int, size: int) -> bool:
    """Whether there are rows enough for a set of this size: n > |K| + 3."""
    return n > size + 3


def recursion(with_i, with_j, between):
    """r(i, j | K ∪ {k}) from r(i, k | K), r(j, k | K), r(i, j | K)."""
    return (between - with_i * with_j) / np.sqrt((1.0 - with_i**2) * (1.0 - with_j**2))
