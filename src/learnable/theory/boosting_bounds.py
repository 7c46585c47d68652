"""What the rounds of boosting prove: margin loss, complexity of the vote."""

import math

import numpy as np
from numpy.typing import ArrayLike

from learnable.theory.bound import declare_bound
from learnable.theory.parameter import Parameter

_RHO = Parameter("rho", "normalised margin y f(x)/‖α‖₁", grows=True, high=1.0)
_ROUNDS = Parameter("rounds", "number of rounds T", grows=False, low=1, integer=True)


@declare_bound(
    syllabus="B9",
    value_name="margin_loss",
    statement="P̂(y f(x) ≤ ρ‖α‖₁) ≤ [(1−4γ²)((1+2γ)/(1−2γ))^ρ]^(T/2)",
    parameters=(
        _ROUNDS.but(grows=None),
        Parameter("edge", "γ: every round has error ≤ ½ − γ", grows=None, high=0.5, open_low=True, open_high=True),
        _RHO,
    ),
    assumptions=("AdaBoost with weights ½ log((1−ε)/ε)", "every round has weighted error at most ½ − γ"),
)
def boosting_edge(rounds: int, edge: float, rho: float) -> dict[str, float]:
    """Margin loss of AdaBoost from its edge; it falls with T only for ρ small against the edge.

    The power ρ is on the fraction alone; it does not sit on the exponent T/2.

    Syllabus: B9.

    Examples
    --------
    >>> round(boosting_edge(rounds=100, edge=0.2, rho=0.1).value, 6)
    0.01132
    """
    log_base = math.log1p(-4 * edge**2) + rho * (math.log1p(2 * edge) - math.log1p(-2 * edge))
    log_value = rounds / 2 * log_base
    return {"margin loss": math.exp(log_value) if log_value < 700 else math.inf}


def boosting_margin_loss(errors: ArrayLike, rho: float) -> float:
    """Bound on the fraction of normalised margins ≤ ρ: 2^T Π ε_t^((1−ρ)/2) (1−ε_t)^((1+ρ)/2).

    Parameters
    ----------
    errors : array-like
        The weighted errors ε_t of the rounds, in (0, 1).
    rho : float
        The margin, in [0, 1].

    Syllabus: B9.

    Examples
    --------
    >>> round(boosting_margin_loss([0.3] * 100, rho=0.1), 6)     # the edge is 0.2 in every round
    0.01132
    """
    errors = np.asarray(errors, dtype=float)
    if errors.ndim != 1 or errors.size == 0 or not np.all((errors > 0) & (errors < 1)):
        raise ValueError("boosting_margin_loss(errors): needs at least one weighted error, each in (0, 1)")
    if not 0 <= rho <= 1:
        raise ValueError(f"boosting_margin_loss(rho={rho}): rho must be in [0, 1]")
    logs = math.log(2) + (1 - rho) / 2 * np.log(errors) + (1 + rho) / 2 * np.log1p(-errors)
    log_value = float(np.sum(logs))
    return math.exp(log_value) if log_value < 700 else math.inf


@declare_bound(
    syllabus="B11",
    value_name="vc_dimension",
    statement="VC(votes of T hypotheses) ≤ 2(d+1)(T+1) log₂((T+1)e)",
    parameters=(
        _ROUNDS.but(grows=True),
        Parameter("d", "VC dimension of the base class", grows=True, low=1, integer=True),
    ),
    assumptions=("the vote is the sign of a weighted sum of T base hypotheses",),
    trivial=None,
)
def ensemble_vc(rounds: int, d: int) -> dict[str, float]:
    """VC dimension of a weighted vote; put it into `vc_bound` for a bound on the ensemble.

    Syllabus: B11.

    Examples
    --------
    >>> round(ensemble_vc(rounds=10, d=2).value, 1)
    323.5
    """
    return {"votes": 2 * (d + 1) * (rounds + 1) * math.log2((rounds + 1) * math.e)}
