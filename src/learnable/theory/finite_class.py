"""Bounds for a finite hypothesis class and for a single hypothesis."""

import math

from learnable.theory.bound import declare_bound
from learnable.theory.parameter import DELTA, EMPIRICAL_RISK, SIZE, M

_IID = "the m examples are independent draws of one law"
_FIXED = "the class is fixed before the sample is seen"


@declare_bound(
    syllabus="T7",
    value_name="epsilon",
    statement="with probability ≥ 1−δ every h in H without training error has R(h) ≤ (ln|H| + ln(1/δ))/m",
    parameters=(M, SIZE, DELTA),
    assumptions=(_IID, _FIXED, "the learner makes no error on the sample"),
)
def finite_consistent(m: int, size: int, delta: float) -> dict[str, float]:
    """Consistent learner over a finite class; m ≥ (1/ε)(ln|H| + ln(1/δ)) examples are enough.

    Syllabus: T7.

    Examples
    --------
    >>> finite_consistent.solve_for("m", epsilon=0.1, delta=0.05, size=973).value
    99
    """
    return {"class size": math.log(size) / m, "confidence": -math.log(delta) / m}


@declare_bound(
    syllabus="T8",
    value_name="epsilon",
    statement="with probability ≥ 1−δ, for all h in H: |R(h) − R̂(h)| ≤ √((ln|H| + ln(2/δ))/2m)",
    parameters=(EMPIRICAL_RISK, M, SIZE, DELTA),
    assumptions=(_IID, _FIXED, "the loss is in [0, 1]"),
)
def finite_agnostic(empirical_risk: float, m: int, size: int, delta: float) -> dict[str, float]:
    """Finite class, any learner: R ≤ R̂ + √((ln|H| + ln(2/δ))/2m).

    Syllabus: T8.

    Examples
    --------
    >>> round(finite_agnostic(empirical_risk=0.1, m=1000, size=100, delta=0.05).value, 4)
    0.1644
    """
    deviation = math.sqrt((math.log(size) + math.log(2) - math.log(delta)) / (2 * m))
    return {"empirical risk": empirical_risk, "uniform deviation": deviation}


@declare_bound(
    syllabus="T8",
    value_name="epsilon",
    statement="with probability ≥ 1−δ the empirical risk minimiser ĥ has R(ĥ) − min_H R ≤ √(2 ln(2|H|/δ)/m)",
    parameters=(M, SIZE, DELTA),
    assumptions=(_IID, _FIXED, "the loss is in [0, 1]", "ĥ minimises the empirical risk over H"),
)
def finite_excess(m: int, size: int, delta: float) -> dict[str, float]:
    """Excess risk of empirical risk minimisation: m = (2/ε²) ln(2|H|/δ) examples are enough.

    Twice the uniform deviation: once for ĥ, once for the best of the class.

    Syllabus: T8.

    Examples
    --------
    >>> finite_excess.solve_for("m", epsilon=0.1, delta=0.05, size=100).value
    1659
    """
    deviation = math.sqrt((math.log(size) + math.log(2) - math.log(delta)) / (2 * m))
    return {"deviation of the minimiser": deviation, "deviation of the best in class": deviation}


@declare_bound(
    syllabus="T9",
    value_name="epsilon",
    statement="with probability ≥ 1−δ: |R(h) − R̂(h)| ≤ √(ln(2/δ)/2m)",
    parameters=(EMPIRICAL_RISK, M, DELTA),
    assumptions=(_IID, "h was chosen without looking at these examples (a test set)", "the loss is in [0, 1]"),
)
def single_hypothesis(empirical_risk: float, m: int, delta: float) -> dict[str, float]:
    """One hypothesis on a test set: R ≤ R̂ + √(ln(2/δ)/2m).

    Syllabus: T9.

    Examples
    --------
    >>> single_hypothesis.solve_for("m", epsilon=0.01, delta=0.05).value
    18445
    """
    return {"empirical risk": empirical_risk, "deviation": math.sqrt((math.log(2) - math.log(delta)) / (2 * m))}
