"""Generalisation bounds from the VC dimension and the growth function."""

import math

from learnable.theory.bound import declare_bound
from learnable.theory.parameter import DELTA, EMPIRICAL_RISK, EPSILON, VC, M, Parameter

_IID = "the m examples are independent draws of one law"
_ZERO_ONE = "zero-one loss"
_M = M.but(not_below="d")


@declare_bound(
    syllabus="T18",
    value_name="epsilon",
    statement="with probability ≥ 1−δ, for all h: R(h) ≤ R̂(h) + √(2d ln(em/d)/m) + √(ln(1/δ)/2m)",
    parameters=(EMPIRICAL_RISK, _M, VC, DELTA),
    assumptions=(_IID, _ZERO_ONE, "d is the VC dimension of the hypothesis class, m ≥ d"),
)
def vc_bound(empirical_risk: float, m: int, d: int, delta: float) -> dict[str, float]:
    """VC bound through Rademacher complexity, Massart and Sauer.

    Syllabus: T18.

    Examples
    --------
    >>> vc_bound.solve_for("m", epsilon=0.05, delta=0.01, d=3).value
    35402
    """
    return {
        "empirical risk": empirical_risk,
        "capacity": math.sqrt(2 * d * math.log(math.e * m / d) / m),
        "confidence": math.sqrt(-math.log(delta) / (2 * m)),
    }


@declare_bound(
    syllabus="T18",
    value_name="epsilon",
    statement="with probability ≥ 1−δ, for all h: R(h) ≤ R̂(h) + √((d(ln(2m/d)+1) − ln(δ/4))/m)",
    parameters=(EMPIRICAL_RISK, _M, VC, DELTA),
    assumptions=(_IID, _ZERO_ONE, "d is the VC dimension of the hypothesis class, m ≥ d"),
)
def vapnik_bound(empirical_risk: float, m: int, d: int, delta: float) -> dict[str, float]:
    """Vapnik's form of the VC bound.

    Syllabus: T18.

    Examples
    --------
    >>> round(vapnik_bound(m=10000, d=3, delta=0.05).value, 4)
    0.0581
    """
    inside = d * (math.log(2 * m / d) + 1) - math.log(delta / 4)
    return {"empirical risk": empirical_risk, "capacity and confidence": math.sqrt(inside / m)}


@declare_bound(
    syllabus="T18",
    value_name="epsilon",
    statement="n = C(d + ln(1/δ))/ε² examples are of the right order; C is not known",
    parameters=(
        M,
        VC.but(not_above=""),
        DELTA,
        Parameter("constant", "the universal constant C", grows=True, open_low=True, default=1.0),
    ),
    assumptions=(_IID, _ZERO_ONE, "an order of magnitude, no guarantee: the constant C is the caller's guess"),
)
def vc_order_of_magnitude(m: int, d: int, delta: float, constant: float) -> dict[str, float]:
    """The scale of the agnostic sample size: ε ≈ √(C(d + ln(1/δ))/m).

    Syllabus: T18.

    Examples
    --------
    >>> vc_order_of_magnitude.solve_for("m", epsilon=0.05, delta=0.01, d=3).value
    3043
    """
    return {"scale": math.sqrt(constant * (d - math.log(delta)) / m)}


@declare_bound(
    syllabus="T13",
    value_name="epsilon",
    statement="with probability ≥ 1−δ, for all h: R(h) ≤ R̂(h) + √(2 ln Π(m)/m) + √(ln(1/δ)/2m)",
    parameters=(
        EMPIRICAL_RISK,
        M,
        Parameter("log_growth", "ln Π(m), the log of the growth function at m", grows=True),
        DELTA,
    ),
    assumptions=(_IID, _ZERO_ONE, "Π(m) bounds the number of dichotomies on any m points"),
)
def growth_bound(empirical_risk: float, m: int, log_growth: float, delta: float) -> dict[str, float]:
    """Bound from the growth function itself, tighter than its Sauer form where Π is known.

    Syllabus: T13, T15.

    Examples
    --------
    >>> from math import log
    >>> exact = growth_bound(m=1000, log_growth=log(1000 * 1001 / 2 + 1), delta=0.05)   # intervals
    >>> exact.value < vc_bound(m=1000, d=2, delta=0.05).value
    True
    """
    return {
        "empirical risk": empirical_risk,
        "capacity": math.sqrt(2 * log_growth / m),
        "confidence": math.sqrt(-math.log(delta) / (2 * m)),
    }


@declare_bound(
    syllabus="T19",
    value_name="m",
    statement="max((4/ε) log₂(2/δ), (8d/ε) log₂(13/ε)) examples make every consistent h have R(h) ≤ ε",
    parameters=(EPSILON, DELTA, VC.but(not_above="")),
    assumptions=(_IID, "the learner makes no error on the sample", "d is the VC dimension of the hypothesis class"),
    trivial=None,
)
def behw(epsilon: float, delta: float, d: int) -> dict[str, float]:
    """Blumer–Ehrenfeucht–Haussler–Warmuth sample size of a consistent learner.

    The terms are the capacity requirement and what the confidence requirement asks for beyond it.

    Syllabus: T19.

    Examples
    --------
    >>> behw.solve_for("m", epsilon=0.05, delta=0.01, d=3).value
    3851
    """
    confidence = 4 / epsilon * math.log2(2 / delta)
    capacity = 8 * d / epsilon * math.log2(13 / epsilon)
    return {"capacity": capacity, "confidence beyond capacity": max(confidence - capacity, 0.0)}


@declare_bound(
    syllabus="T19",
    value_name="delta",
    statement="P(some consistent h has R(h) > ε) ≤ 2(2em/d)^d 2^(−εm/2)",
    parameters=(
        M.but(not_below="d", monotone_from=lambda given: 2 * given["d"] / (given["epsilon"] * math.log(2))),
        VC,
        EPSILON,
    ),
    assumptions=(_IID, "the learner makes no error on the sample", "m ≥ 8/ε, or the bound is vacuous"),
)
def double_sampling(m: int, d: int, epsilon: float) -> dict[str, float]:
    """The double-sampling bound behind `behw`; solving it for m is sharper than the closed form.

    It first rises with m and falls from m = 2d/(ε ln 2) on; before that it is above 1.

    Syllabus: T19, T20.

    Examples
    --------
    >>> sharp = double_sampling.solve_for("m", epsilon=0.05, delta=0.01, d=3).value
    >>> sharp, sharp <= behw.solve_for("m", epsilon=0.05, delta=0.01, d=3).value
    (1697, True)
    """
    log_value = math.log(2) + d * math.log(2 * math.e * m / d) - epsilon * m / 2 * math.log(2)
    return {"failure": math.exp(log_value) if log_value < 700 else math.inf}
