"""Generalisation bounds from Rademacher complexity."""

import math

from learnable.theory.bound import declare_bound
from learnable.theory.parameter import COMPLEXITY, DELTA, EMPIRICAL_RISK, M

_IID = "the m examples are independent draws of one law"
_LOSS_CLASS = "complexity is that of the loss class z → ℓ(h, z) with ℓ in [0, 1]"
_SIGN_CLASS = "complexity is that of the ±1-valued hypotheses; the loss is zero-one"
_EXPECTED = COMPLEXITY.but(meaning="Rademacher complexity, expected over samples of size m")
_EMPIRICAL = COMPLEXITY.but(meaning="empirical Rademacher complexity on this sample")


@declare_bound(
    syllabus="T13",
    value_name="epsilon",
    statement="with probability ≥ 1−δ, for all h: R(h) ≤ R̂(h) + 2Rad + √(ln(1/δ)/2m)",
    parameters=(EMPIRICAL_RISK, _EXPECTED, M, DELTA),
    assumptions=(_IID, _LOSS_CLASS),
)
def rademacher_loss(empirical_risk: float, complexity: float, m: int, delta: float) -> dict[str, float]:
    """Loss class, expected complexity.

    Syllabus: T13.

    Examples
    --------
    >>> round(rademacher_loss(empirical_risk=0.1, complexity=0.02, m=1000, delta=0.05).value, 4)
    0.1787
    """
    return {"empirical risk": empirical_risk, "complexity": 2 * complexity, "confidence": _one_sided(m, delta)}


@declare_bound(
    syllabus="T13",
    value_name="epsilon",
    statement="with probability ≥ 1−δ, for all h: R(h) ≤ R̂(h) + 2R̂ad + 3√(ln(2/δ)/2m)",
    parameters=(EMPIRICAL_RISK, _EMPIRICAL, M, DELTA),
    assumptions=(_IID, _LOSS_CLASS),
)
def rademacher_loss_empirical(empirical_risk: float, complexity: float, m: int, delta: float) -> dict[str, float]:
    """Loss class, complexity measured on the sample.

    Syllabus: T13.

    Examples
    --------
    >>> rademacher_loss_empirical(complexity=0.02, m=50, delta=0.05).vacuous
    False
    """
    return {"empirical risk": empirical_risk, "complexity": 2 * complexity, "confidence": 3 * _two_sided(m, delta)}


@declare_bound(
    syllabus="T13",
    value_name="epsilon",
    statement="with probability ≥ 1−δ, for all h: R(h) ≤ R̂(h) + Rad(H) + √(ln(1/δ)/2m)",
    parameters=(EMPIRICAL_RISK, _EXPECTED, M, DELTA),
    assumptions=(_IID, _SIGN_CLASS),
)
def rademacher_sign(empirical_risk: float, complexity: float, m: int, delta: float) -> dict[str, float]:
    """±1 class, expected complexity: half of it is the complexity of the loss class.

    One-sided: for |R − R̂| use `rademacher_sign_two_sided`.

    Syllabus: T13.

    Examples
    --------
    >>> a = rademacher_sign(complexity=0.02, m=1000, delta=0.05)
    >>> b = rademacher_loss(complexity=0.01, m=1000, delta=0.05)
    >>> a.value == b.value
    True
    """
    return {"empirical risk": empirical_risk, "complexity": complexity, "confidence": _one_sided(m, delta)}


@declare_bound(
    syllabus="T13",
    value_name="epsilon",
    statement="with probability ≥ 1−δ, for all h: |R(h) − R̂(h)| ≤ Rad(H) + √(ln(2/δ)/2m)",
    parameters=(_EXPECTED, M, DELTA),
    assumptions=(_IID, _SIGN_CLASS),
)
def rademacher_sign_two_sided(complexity: float, m: int, delta: float) -> dict[str, float]:
    """±1 class, both sides at once: δ is shared between them.

    Syllabus: T13.

    Examples
    --------
    >>> rademacher_sign_two_sided.solve_for("m", epsilon=0.1, delta=0.05, complexity=0.05).value
    738
    """
    return {"complexity": complexity, "confidence": _two_sided(m, delta)}


@declare_bound(
    syllabus="T13",
    value_name="epsilon",
    statement="with probability ≥ 1−δ, for all h: R(h) ≤ R̂(h) + R̂ad(H) + 3√(ln(2/δ)/2m)",
    parameters=(EMPIRICAL_RISK, _EMPIRICAL, M, DELTA),
    assumptions=(_IID, _SIGN_CLASS),
)
def rademacher_sign_empirical(empirical_risk: float, complexity: float, m: int, delta: float) -> dict[str, float]:
    """±1 class, complexity measured on the sample.

    Syllabus: T13.

    Examples
    --------
    >>> round(rademacher_sign_empirical(complexity=0.1, m=10000, delta=0.05).value, 4)
    0.1407
    """
    return {"empirical risk": empirical_risk, "complexity": complexity, "confidence": 3 * _two_sided(m, delta)}


def _one_sided(m: int, delta: float) -> float:
    return math.sqrt(-math.log(delta) / (2 * m))


def _two_sided(m: int, delta: float) -> float:
    return math.sqrt((math.log(2) - math.log(delta)) / (2 * m))
