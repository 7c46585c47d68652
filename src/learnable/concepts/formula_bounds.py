"""How many examples are enough to learn a formula: the bound for a finite class, with the size of these classes."""

import math

from learnable.concepts.clauses import count_clauses
from learnable.theory.bound import declare_bound
from learnable.theory.parameter import DELTA, M, Parameter

_IID = "the m examples are independent draws of one law"
_TARGET = "the labels come from a concept of the class, without noise"
_CONSISTENT = "the learner makes no error on the sample"
_VARIABLES = Parameter("n", "number of Boolean variables", grows=True, low=1, integer=True)
_WIDTH = Parameter("k", "literals in a clause or term at most", grows=True, low=1, integer=True)
_TERMS = Parameter("k", "number of terms at most", grows=True, low=1, integer=True)


@declare_bound(
    syllabus="V9",
    value_name="epsilon",
    statement="with probability ≥ 1−δ a consistent k-CNF (or k-DNF) has R ≤ (N ln 2 + ln(1/δ))/m, N = Σ C(n,i)2ⁱ",
    parameters=(M, _VARIABLES, _WIDTH, DELTA),
    assumptions=(_IID, _TARGET, _CONSISTENT),
)
def k_cnf_consistent(m: int, n: int, k: int, delta: float) -> dict[str, float]:
    """k-CNF formulas as a finite class: one for each set of the N clauses of at most k literals, so ln|H| ≤ N ln 2.

    Syllabus: V9, T7.

    Examples
    --------
    >>> k_cnf_consistent.solve_for("m", epsilon=0.1, delta=0.05, n=10, k=2).value
    1417
    """
    return {"class size": count_clauses(n, k) * math.log(2) / m, "confidence": -math.log(delta) / m}


@declare_bound(
    syllabus="V10",
    value_name="epsilon",
    statement="with probability ≥ 1−δ a consistent k-term DNF has R ≤ (k ln(3ⁿ+1) + ln(1/δ))/m",
    parameters=(M, _VARIABLES, _TERMS, DELTA),
    assumptions=(_IID, _TARGET, _CONSISTENT),
)
def term_dnf_consistent(m: int, n: int, k: int, delta: float) -> dict[str, float]:
    """k-term DNF formulas as a finite class: k times one of 3ⁿ + 1 monomials.

    Syllabus: V10, T7.

    Examples
    --------
    >>> term_dnf_consistent.solve_for("m", epsilon=0.1, delta=0.05, n=10, k=3).value
    360
    """
    return {"class size": k * (n * math.log(3) + math.log1p(3.0**-n)) / m, "confidence": -math.log(delta) / m}
