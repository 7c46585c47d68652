"""Bounds that depend on the margin: for support vector machines, boosting and kernel methods."""

import math

import numpy as np
from numpy.typing import ArrayLike

from learnable.theory.bound import declare_bound
from learnable.theory.bound_result import BoundResult
from learnable.theory.parameter import COMPLEXITY, DELTA, EMPIRICAL_RISK, M, Parameter

_IID = "the m examples are independent draws of one law"
_REAL_CLASS = "complexity is that of the real-valued functions h, not of their signs"
_EXPECTED = "complexity is expected over samples of size m"
_MARGIN_RISK = EMPIRICAL_RISK.but(name="margin_risk", meaning="empirical ρ-margin loss R̂ρ, see `margin_risk`")
_RHO = Parameter("rho", "margin ρ", grows=False, open_low=True)
_NORM = Parameter("norm", "largest Euclidean norm ‖w‖ allowed", grows=True, open_low=True)
_RADIUS = Parameter("radius", "largest norm of an input (of its feature map)", grows=True, open_low=True)


@declare_bound(
    syllabus="S12",
    value_name="points",
    statement="a set shattered with half-width margin γ has at most min((R/γ)², k) + 1 points",
    parameters=(
        _RADIUS,
        Parameter("gamma", "half width of the margin, 1/‖w‖", grows=False, open_low=True),
        Parameter("k", "dimension of the space", grows=True, low=1, integer=True),
    ),
    assumptions=("the points lie in a ball of radius R", "γ is the half width: the full width 2/‖w‖ would be false"),
    trivial=lambda given: given["k"] + 1,
)
def margin_shattering(radius: float, gamma: float, k: int) -> dict[str, float]:
    """Capacity of hyperplanes with margin γ on a ball of radius R.

    Syllabus: S12.

    Examples
    --------
    >>> margin_shattering(radius=1, gamma=0.5, k=100).value
    5.0
    """
    ratio = radius / gamma
    return {"margin or dimension": min(ratio * ratio, float(k)), "one more": 1.0}


@declare_bound(
    syllabus="S13",
    value_name="epsilon",
    statement="with probability ≥ 1−δ, for all h: R(h) ≤ R̂ρ(h) + (2/ρ)Rad + √(ln(1/δ)/2m)",
    parameters=(_MARGIN_RISK, COMPLEXITY, _RHO, M, DELTA),
    assumptions=(_IID, _REAL_CLASS, _EXPECTED, "ρ is fixed before the sample is seen"),
)
def margin_bound(margin_risk: float, complexity: float, rho: float, m: int, delta: float) -> dict[str, float]:
    """Margin bound for a margin chosen beforehand.

    Syllabus: S13.

    Examples
    --------
    >>> result = margin_bound(margin_risk=0.1, complexity=0.01, rho=0.5, m=1000, delta=0.05)
    >>> round(result.value, 4)
    0.1787
    """
    return {
        "margin loss": margin_risk,
        "complexity": 2 / rho * complexity,
        "confidence": math.sqrt(-math.log(delta) / (2 * m)),
    }


@declare_bound(
    syllabus="S13",
    value_name="epsilon",
    statement="with probability ≥ 1−δ, for all h: R(h) ≤ R̂ρ(h) + (2/ρ)R̂ad + 3√(ln(2/δ)/2m)",
    parameters=(_MARGIN_RISK, COMPLEXITY, _RHO, M, DELTA),
    assumptions=(_IID, _REAL_CLASS, "ρ is fixed before the sample is seen", "complexity is measured on the sample"),
)
def margin_bound_empirical(margin_risk: float, complexity: float, rho: float, m: int, delta: float) -> dict[str, float]:
    """Margin bound with the complexity measured on the sample.

    Syllabus: S13.

    Examples
    --------
    >>> given = dict(complexity=0.01, rho=0.5, m=1000, delta=0.05)
    >>> margin_bound_empirical(**given).value > margin_bound(**given).value
    True
    """
    return {
        "margin loss": margin_risk,
        "complexity": 2 / rho * complexity,
        "confidence": 3 * math.sqrt((math.log(2) - math.log(delta)) / (2 * m)),
    }


@declare_bound(
    syllabus="S13, S15",
    value_name="epsilon",
    statement="with probability ≥ 1−δ, for all ‖w‖ ≤ B: R ≤ R̂ρ + 2Br/(ρ√m) + √(ln(1/δ)/2m)",
    parameters=(_MARGIN_RISK, _NORM, _RADIUS, _RHO, M, DELTA),
    assumptions=(_IID, "h(x) = w·x with ‖w‖ ≤ B and ‖x‖ ≤ r always", "ρ is fixed before the sample is seen"),
)
def linear_margin_bound(
    margin_risk: float, norm: float, radius: float, rho: float, m: int, delta: float
) -> dict[str, float]:
    """Margin bound for linear functions of bounded norm, free of the dimension.

    Syllabus: S13, S15.

    Examples
    --------
    >>> linear_margin_bound.solve_for("m", epsilon=0.2, norm=1, radius=1, rho=0.5, delta=0.05).value
    683
    """
    return {
        "margin loss": margin_risk,
        "complexity": 2 / rho * norm * radius / math.sqrt(m),
        "confidence": math.sqrt(-math.log(delta) / (2 * m)),
    }


@declare_bound(
    syllabus="S14",
    value_name="epsilon",
    statement="with probability ≥ 1−δ, for all h and all ρ in (0, r]: "
    "R(h) ≤ R̂ρ(h) + (4/ρ)Rad + √(ln log₂(2r/ρ)/m) + √(ln(2/δ)/2m)",
    parameters=(
        _MARGIN_RISK,
        COMPLEXITY,
        _RHO.but(not_above="r"),
        Parameter("r", "largest margin considered", grows=True, not_below="rho"),
        M,
        DELTA,
    ),
    assumptions=(_IID, _REAL_CLASS, _EXPECTED, "r is fixed before the sample is seen; ρ may be chosen after"),
)
def margin_bound_uniform(
    margin_risk: float, complexity: float, rho: float, r: float, m: int, delta: float
) -> dict[str, float]:
    """Margin bound that holds for all margins at once, so that the best one may be picked on the sample.

    Syllabus: S14.

    Examples
    --------
    >>> result = margin_bound_uniform(margin_risk=0.1, complexity=0.01, rho=1, r=1, m=1000, delta=0.05)
    >>> result.terms["choice of margin"]
    0.0
    """
    return {
        "margin loss": margin_risk,
        "complexity": 4 / rho * complexity,
        "choice of margin": math.sqrt(math.log(math.log2(2 * (r / rho))) / m),
        "confidence": math.sqrt((math.log(2) - math.log(delta)) / (2 * m)),
    }


def margin_risk(margins: ArrayLike, rho: float) -> float:
    """Empirical ρ-margin loss: the mean of Φρ(y h(x)), where Φρ(t) is 1 for t ≤ 0, 1 − t/ρ up to ρ, then 0.

    Parameters
    ----------
    margins : array-like
        The signed margins y_i h(x_i).
    rho : float
        The margin asked for.

    Syllabus: S13.

    Examples
    --------
    >>> margin_risk([-1.0, 0.0, 0.5, 2.0], rho=1.0)
    0.625
    """
    if not 0 < rho < math.inf:
        raise ValueError(f"margin_risk(rho={rho}): rho must be > 0 and finite")
    margins = np.asarray(margins, dtype=float)
    if margins.size == 0 or not np.all(np.isfinite(margins)):
        raise ValueError("margin_risk(margins): needs at least one margin, all finite")
    return float(np.mean(np.clip(1 - margins / rho, 0, 1)))


def best_margin_bound(margins: ArrayLike, complexity: float, r: float, delta: float) -> BoundResult:
    """The uniform margin bound at the best margin found on the sample, which the bound's uniformity allows.

    Tries every margin of the sample in (0, r], and a geometric grid between them. For a vote of base hypotheses pass
    the margins y f(x)/‖α‖₁, r = 1 and the complexity of the base class: it is that of all convex votes.

    Parameters
    ----------
    margins : array-like
        The signed margins y_i h(x_i); their number is m.
    complexity : float
        Rademacher complexity of the real-valued class, expected over samples, or a bound on it.
    r : float
        The largest margin considered, fixed beforehand.
    delta : float
        Probability of failure.

    Syllabus: S14, B10.

    Examples
    --------
    >>> result = best_margin_bound([1.0] * 400 + [-1.0] * 20, complexity=0.01, r=1.0, delta=0.05)
    >>> result.parameters["rho"]
    1.0
    """
    margins = np.asarray(margins, dtype=float)
    if margins.ndim != 1:
        raise ValueError(f"best_margin_bound(margins): shape {margins.shape}; one signed margin an example is needed")
    candidates = {float(r), *(float(r) * 2.0 ** (-k / 16) for k in range(1, 257))}
    candidates |= {float(margin) for margin in margins if 0 < margin <= r}
    results = (
        margin_bound_uniform(
            margin_risk=margin_risk(margins, rho), complexity=complexity, rho=rho, r=r, m=margins.size, delta=delta
        )
        for rho in sorted(candidates)
    )
    return min(results, key=lambda result: result.value)
