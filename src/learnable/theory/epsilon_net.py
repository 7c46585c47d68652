"""ε-nets on a finite domain and the double-sampling argument behind the VC sample size."""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnable.theory.dichotomies import Dichotomies


def error_regions(hypotheses: Dichotomies, concept: int) -> Dichotomies:
    """The regions c△h in which each hypothesis errs: the symmetric difference with the concept.

    They have as many dichotomies, and the same VC dimension, as the hypotheses.

    Parameters
    ----------
    hypotheses : Dichotomies
        The class on the domain.
    concept : int
        The target as a mask.

    Syllabus: T20.

    Examples
    --------
    >>> error_regions(Dichotomies(2, (0b00, 0b01, 0b11)), concept=0b10).masks
    (1, 2, 3)
    """
    if not 0 <= concept < 1 << hypotheses.n:
        raise ValueError(f"error_regions(concept={concept}): must be a mask of {hypotheses.n} bits")
    return Dichotomies(hypotheses.n, tuple(sorted(mask ^ concept for mask in hypotheses.masks)))


def missed_region(regions: Dichotomies, probabilities: ArrayLike, sample: ArrayLike, epsilon: float) -> int | None:
    """A region of probability ≥ ε that contains no sample point, or None when the sample is an ε-net.

    Parameters
    ----------
    regions : Dichotomies
        The regions as masks.
    probabilities : array-like
        Probability of each point of the domain.
    sample : array-like of int
        The points drawn.
    epsilon : float
        In (0, 1].

    Returns
    -------
    int or None
        The mask of the heaviest region missed.

    Syllabus: T20.

    Examples
    --------
    >>> regions = Dichotomies(3, (0b001, 0b010, 0b110))
    >>> missed_region(regions, [0.5, 0.2, 0.3], sample=[0], epsilon=0.4)
    6
    >>> missed_region(regions, [0.5, 0.2, 0.3], sample=[0, 1], epsilon=0.4) is None
    True
    """
    mass = _region_mass(regions, probabilities, epsilon)
    drawn = 0
    for point in np.asarray(sample).ravel().tolist():
        if point not in range(regions.n):
            raise ValueError(f"missed_region(sample): point {point} is not in 0..{regions.n - 1}")
        drawn |= 1 << int(point)
    heavy = mass >= _to_rounding(epsilon)
    missed = [(m, mask) for m, mask, h in zip(mass.tolist(), regions.masks, heavy) if h and not mask & drawn]
    return max(missed)[1] if missed else None


def net_failure_probability(regions: Dichotomies, probabilities: ArrayLike, m: int, epsilon: float) -> float:
    """Exact probability that m independent points are no ε-net, by summing over the set of points they cover.

    P(sample ⊆ T) = P(T)ᵐ for every T; inverting this over subsets gives the law of the set covered. Up to 16 points.

    Syllabus: T20.

    Examples
    --------
    >>> round(net_failure_probability(Dichotomies(2, (0b01,)), [0.5, 0.5], m=3, epsilon=0.5), 6)
    0.125
    """
    if regions.n > 16:
        raise ValueError(f"net_failure_probability: {regions.n} points; the sum over subsets is for at most 16")
    if m < 1:
        raise ValueError(f"net_failure_probability(m={m}): m must be >= 1")
    mass = _region_mass(regions, probabilities, epsilon)
    subsets = np.arange(1 << regions.n)
    membership = (subsets[:, None] >> np.arange(regions.n)) & 1
    covered = (membership @ np.asarray(probabilities, dtype=float)) ** m
    for point in range(regions.n):
        with_point = (subsets >> point) & 1 == 1
        covered[with_point] -= covered[subsets[with_point] ^ (1 << point)]
    fails = np.zeros(len(subsets), dtype=bool)
    for weight, mask in zip(mass, regions.masks):
        if weight >= _to_rounding(epsilon):
            fails |= subsets & mask == 0
    return float(np.sum(covered[fails]))


def second_half_probability(m: int, r: int) -> Fraction:
    """Claim B: of 2m points r lie in a region; the probability that a random split puts all r in the second half.

    C(m, r)/C(2m, r), hypergeometric, at most 2^(−r).

    Syllabus: T20.

    Examples
    --------
    >>> second_half_probability(5, 2)
    Fraction(2, 9)
    """
    if m < 1 or not 0 <= r <= 2 * m:
        raise ValueError(f"second_half_probability(m={m}, r={r}): needs m >= 1 and 0 <= r <= 2m")
    return Fraction(math.comb(m, r), math.comb(2 * m, r))


def many_hits_probability(m: int, epsilon: float) -> float:
    """Claim A: a region of probability ε gets at least εm/2 of m points; at least ½ once m ≥ 8/ε.

    Syllabus: T20.

    Examples
    --------
    >>> many_hits_probability(m=80, epsilon=0.1) >= 0.5
    True
    """
    from scipy.special import bdtrc

    if m < 1 or not 0 < epsilon <= 1:
        raise ValueError(f"many_hits_probability(m={m}, epsilon={epsilon}): needs m >= 1 and epsilon in (0, 1]")
    needed = math.ceil(_to_rounding(epsilon * m / 2))
    return float(bdtrc(needed - 1, m, epsilon))


def _to_rounding(threshold: float) -> float:
    """A little less: 0.7 + 0.1 reaches 0.8, and 0.14·100/2 is 7, although neither is so in floats."""
    return threshold * (1 - 1e-12)


def _region_mass(regions: Dichotomies, probabilities: ArrayLike, epsilon: float) -> NDArray[np.float64]:
    mass = np.asarray(probabilities, dtype=float)
    if mass.shape != (regions.n,) or np.any(mass < 0) or not math.isclose(float(mass.sum()), 1.0, rel_tol=1e-9):
        raise ValueError(f"probabilities: needs {regions.n} numbers >= 0 that add up to 1")
    if not 0 < epsilon <= 1:
        raise ValueError(f"epsilon={epsilon}: must be in (0, 1]")
    return regions.rows() @ mass
