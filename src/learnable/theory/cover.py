"""Cover's count of linearly separable dichotomies and its phase transition."""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray


def cover_count(n: int, k: int) -> int:
    """Dichotomies of n points in general position of R^k that a half-space makes: 2 Σ_{i≤k} C(n−1, i).

    Syllabus: K13.

    Examples
    --------
    >>> cover_count(4, 2), cover_count(12, 3)
    (14, 464)
    """
    if n < 1 or k < 0:
        raise ValueError(f"cover_count(n={n}, k={k}): needs n >= 1 and k >= 0")
    return 2 * sum(math.comb(n - 1, i) for i in range(min(k, n - 1) + 1))


def cover_count_homogeneous(n: int, k: int) -> int:
    """The same for half-spaces through the origin: one parameter less, so the sum stops at k−1.

    Syllabus: K13.

    Examples
    --------
    >>> cover_count_homogeneous(4, 2)
    8
    """
    if k < 1:
        raise ValueError(f"cover_count_homogeneous(k={k}): needs k >= 1")
    return cover_count(n, k - 1)


def separable_probability(n: int, k: int) -> Fraction:
    """Probability that uniformly drawn labels of n points in general position of R^k are separable: C(n, k)/2ⁿ.

    It is 1 for n ≤ k+1 and exactly ½ at n = 2(k+1).

    Syllabus: K13.

    Examples
    --------
    >>> separable_probability(3, 2), separable_probability(6, 2)
    (Fraction(1, 1), Fraction(1, 2))
    """
    return Fraction(cover_count(n, k), 2**n)


def phase_transition(k: int, ratios: ArrayLike) -> NDArray[np.float64]:
    """P(separable) at n = ratio·(k+1) points, rounded: it falls from 1 to 0 about ratio 2, the faster the larger k.

    C(n, k)/2ⁿ is the probability of at most k heads in n−1 fair tosses.

    Parameters
    ----------
    k : int
        Dimension.
    ratios : array-like
        Points per parameter, each giving at least one point.

    Syllabus: K14.

    Examples
    --------
    >>> phase_transition(1000, [1.8, 2.0, 2.2]).round(3).tolist()
    [1.0, 0.5, 0.0]
    """
    from scipy.special import bdtr

    ratios = np.asarray(ratios, dtype=float)
    n = np.rint(ratios * (k + 1))
    if k < 1 or not np.all(np.isfinite(n)) or np.any(n < 1):
        raise ValueError(f"phase_transition(k={k}): needs k >= 1 and ratios that give at least one point")
    tosses = n - 1
    return np.where(tosses <= k, 1.0, bdtr(k, np.maximum(tosses, k + 1).astype(np.int64), 0.5))
