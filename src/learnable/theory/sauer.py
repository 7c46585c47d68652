"""Sauer's lemma: how many dichotomies a class of VC dimension d can have on m points."""

import math

from learnable.theory.bound import declare_bound
from learnable.theory.parameter import VC, M

_GROWING_M = M.but(grows=True)
_LEMMA = ("the class has VC dimension at most d",)


def sauer_sum(m: int, d: int) -> int:
    """Σ_{i≤d} C(m, i), exactly; 2ᵐ when d ≥ m.

    Syllabus: T17.

    Examples
    --------
    >>> sauer_sum(10, 3), sauer_sum(3, 5) == 2**3
    (176, True)
    """
    if m < 0 or d < 0:
        raise ValueError(f"sauer_sum(m={m}, d={d}): m and d must be >= 0")
    return sum(math.comb(m, i) for i in range(min(m, d) + 1))


@declare_bound(
    syllabus="T17",
    value_name="growth",
    statement="Π(m) ≤ Σ_{i≤d} C(m, i) ≤ (em/d)^d for m ≥ d ≥ 1",
    parameters=(_GROWING_M.but(not_below="d"), VC),
    assumptions=_LEMMA,
    trivial=lambda given: _power(2.0, given["m"]),
)
def sauer_power(m: int, d: int) -> dict[str, float]:
    """The growth function at most (em/d)^d; the fraction is not to be turned over.

    Syllabus: T17.

    Examples
    --------
    >>> sauer_power(m=10, d=3).value >= sauer_sum(10, 3)
    True
    """
    return {"power": _power(math.e * m / d, d)}


@declare_bound(
    syllabus="T17",
    value_name="growth",
    statement="Π(m) ≤ Σ_{i≤d} C(m, i) ≤ (m+1)^d",
    parameters=(_GROWING_M, VC.but(not_above="")),
    assumptions=_LEMMA,
    trivial=lambda given: _power(2.0, given["m"]),
)
def sauer_polynomial(m: int, d: int) -> dict[str, float]:
    """The growth function at most (m+1)^d, for every m and d.

    Syllabus: T17.

    Examples
    --------
    >>> sauer_polynomial(m=10, d=3).value
    1331.0
    """
    return {"power": _power(m + 1, d)}


def _power(base: float, exponent: int) -> float:
    try:
        return float(base) ** exponent
    except OverflowError:
        return math.inf
