"""Sample sizes of two classical concept learners: tightest rectangles and conjunctions."""

import math

from learnable.theory.bound import declare_bound
from learnable.theory.parameter import DELTA, M, Parameter

_IID = "the m examples are independent draws of one law"
_TARGET = "the labels come from a concept of the class, without noise"
_VARIABLES = Parameter("n", "number of Boolean variables", grows=True, low=1, integer=True)


@declare_bound(
    syllabus="T10",
    value_name="epsilon",
    statement="with probability ≥ 1−δ the tightest rectangle has R ≤ (2k/m) ln(2k/δ), k the dimension",
    parameters=(M, DELTA, Parameter("k", "dimension of the space", grows=True, low=1, integer=True, default=2)),
    assumptions=(_IID, _TARGET, "the learner returns the bounding box of the positive examples"),
)
def rectangle_learner(m: int, delta: float, k: int) -> dict[str, float]:
    """Tightest axis-parallel rectangle: m ≥ (4/ε) ln(4/δ) in the plane, by the strips along its 2k sides.

    Syllabus: T10.

    Examples
    --------
    >>> rectangle_learner.solve_for("m", epsilon=0.1, delta=0.05).value
    176
    """
    return {"sides": 2 * k * math.log(2 * k) / m, "confidence": -2 * k * math.log(delta) / m}


@declare_bound(
    syllabus="T11",
    value_name="epsilon",
    statement="with probability ≥ 1−δ a consistent conjunction has R ≤ (ln(3ⁿ+1) + ln(1/δ))/m",
    parameters=(M, _VARIABLES, DELTA),
    assumptions=(_IID, _TARGET, "the learner makes no error on the sample"),
)
def conjunction_consistent(m: int, n: int, delta: float) -> dict[str, float]:
    """Conjunctions as a finite class: every variable is asked for, ruled out or left free, and one is never true.

    Syllabus: T11.

    Examples
    --------
    >>> conjunction_consistent.solve_for("m", epsilon=0.1, delta=0.02, n=10).value
    149
    """
    return {"class size": (n * math.log(3) + math.log1p(3.0**-n)) / m, "confidence": -math.log(delta) / m}


@declare_bound(
    syllabus="T11",
    value_name="epsilon",
    statement="with probability ≥ 1−δ literal elimination has R ≤ (2n/m)(ln 2n + ln(1/δ))",
    parameters=(M, _VARIABLES, DELTA),
    assumptions=(_IID, _TARGET, "the learner keeps every literal that no positive example contradicts"),
)
def conjunction_elimination(m: int, n: int, delta: float) -> dict[str, float]:
    """Conjunctions by elimination of literals: a union over the 2n literals, each bad with probability ε/2n.

    Syllabus: T11.

    Examples
    --------
    >>> conjunction_elimination.solve_for("m", epsilon=0.1, delta=0.02, n=10).value
    1382
    """
    return {"literals": 2 * n * math.log(2 * n) / m, "confidence": -2 * n * math.log(delta) / m}
