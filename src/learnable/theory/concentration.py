"""Tail bounds for sums and functions of independent variables, and bounds on expected maxima."""

import math
from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnable.seeds import generator_from
from learnable.theory.bound import declare_bound
from learnable.theory.parameter import EPSILON, SIZE, M, Parameter

_INDEPENDENT = "the variables are independent"
_WIDTH = Parameter("width", "root mean square of the ranges b_i − a_i", grows=True, open_low=True, default=1.0)
_DEVIATION = EPSILON.but(high=math.inf, meaning="deviation of the mean from its expectation")
_MU = Parameter("mu", "expectation of the sum of variables with values in [0, 1]", grows=False, open_low=True)
_ALPHA = Parameter("alpha", "relative deviation", grows=False, open_low=True)


@declare_bound(
    syllabus="T1",
    value_name="delta",
    statement="P(mean − E mean ≥ ε) ≤ exp(−2mε²/width²), and the same below",
    parameters=(M, _DEVIATION, _WIDTH),
    assumptions=(_INDEPENDENT, "variable i stays in an interval of length b_i − a_i"),
)
def hoeffding(m: int, epsilon: float, width: float) -> dict[str, float]:
    """One-sided Hoeffding tail of a mean: exp(−2m²ε²/Σ(b_i−a_i)²).

    With unequal ranges `width` is their root mean square, see `rms_width`.

    Syllabus: T1.

    Examples
    --------
    >>> round(hoeffding(m=100, epsilon=0.1).value, 4)
    0.1353
    >>> hoeffding.solve_for("m", epsilon=0.1, delta=0.05).value
    150
    """
    ratio = epsilon / width
    return {"tail": math.exp(-2 * m * (ratio * ratio))}


@declare_bound(
    syllabus="T1",
    value_name="delta",
    statement="P(|mean − E mean| ≥ ε) ≤ 2 exp(−2mε²/width²)",
    parameters=(M, _DEVIATION, _WIDTH),
    assumptions=(_INDEPENDENT, "variable i stays in an interval of length b_i − a_i"),
)
def hoeffding_two_sided(m: int, epsilon: float, width: float) -> dict[str, float]:
    """Two-sided Hoeffding tail of a mean: one tail above, one below.

    Syllabus: T1.

    Examples
    --------
    >>> hoeffding_two_sided.solve_for("m", epsilon=0.1, delta=0.05).value
    185
    """
    ratio = epsilon / width
    tail = math.exp(-2 * m * (ratio * ratio))
    return {"upper tail": tail, "lower tail": tail}


@declare_bound(
    syllabus="T2",
    value_name="delta",
    statement="P(sum ≥ (1+α)μ) ≤ exp(−μα²/(2+α)) for every α > 0",
    parameters=(_MU, _ALPHA),
    assumptions=(_INDEPENDENT, "every variable stays in [0, 1]"),
)
def chernoff_upper(mu: float, alpha: float) -> dict[str, float]:
    """Multiplicative Chernoff bound, upper tail, any relative deviation.

    The exponent −μα²/2 that is true of the lower tail is false here.

    Syllabus: T2.

    Examples
    --------
    >>> round(chernoff_upper(mu=100, alpha=0.5).value, 6)
    4.5e-05
    """
    return {"tail": math.exp(-mu * alpha * (alpha / (2 + alpha)))}


@declare_bound(
    syllabus="T2",
    value_name="delta",
    statement="P(sum ≥ (1+α)μ) ≤ exp(−μα²/3) for 0 < α ≤ 1",
    parameters=(_MU, _ALPHA.but(high=1.0)),
    assumptions=(_INDEPENDENT, "every variable stays in [0, 1]"),
)
def chernoff_upper_small(mu: float, alpha: float) -> dict[str, float]:
    """Multiplicative Chernoff bound, upper tail, relative deviation at most 1.

    Syllabus: T2.

    Examples
    --------
    >>> chernoff_upper_small.solve_for("mu", alpha=0.5, delta=0.05).check()
    True
    """
    return {"tail": math.exp(-mu * alpha**2 / 3)}


@declare_bound(
    syllabus="T2",
    value_name="delta",
    statement="P(sum ≤ (1−α)μ) ≤ exp(−μα²/2) for 0 < α ≤ 1",
    parameters=(_MU, _ALPHA.but(high=1.0)),
    assumptions=(_INDEPENDENT, "every variable stays in [0, 1]"),
)
def chernoff_lower(mu: float, alpha: float) -> dict[str, float]:
    """Multiplicative Chernoff bound, lower tail.

    Syllabus: T2.

    Examples
    --------
    >>> chernoff_lower(mu=100, alpha=0.5).value < chernoff_upper(mu=100, alpha=0.5).value
    True
    """
    return {"tail": math.exp(-mu * alpha**2 / 2)}


@declare_bound(
    syllabus="T3",
    value_name="delta",
    statement="P(f − E f ≥ ε) ≤ exp(−2ε²/Σc_i²)",
    parameters=(
        Parameter("epsilon", "deviation of f from its expectation", grows=False, open_low=True),
        Parameter("sum_squared_differences", "Σ c_i²", grows=True, open_low=True),
    ),
    assumptions=(_INDEPENDENT, "changing variable i alone changes f by at most c_i"),
)
def mcdiarmid(epsilon: float, sum_squared_differences: float) -> dict[str, float]:
    """McDiarmid's bounded differences inequality, one side.

    Syllabus: T3.

    Examples
    --------
    >>> c = bounded_differences(lambda x: sum(x) / 4, [(0, 1)] * 4)
    >>> c.tolist()
    [0.25, 0.25, 0.25, 0.25]
    >>> round(mcdiarmid(epsilon=0.5, sum_squared_differences=sum(c**2)).value, 4)
    0.1353
    """
    return {"tail": math.exp(-2 * epsilon * (epsilon / sum_squared_differences))}


@declare_bound(
    syllabus="T4",
    value_name="expectation",
    statement="E max_i X_i ≤ r√(2 ln n)",
    parameters=(
        Parameter("n", "number of variables", grows=True, low=1, integer=True),
        Parameter("r", "sub-Gaussian parameter: E exp(tX_i) ≤ exp(t²r²/2)", grows=True),
    ),
    assumptions=("every X_i has mean 0 and is sub-Gaussian with parameter r; they may depend on each other",),
    trivial=None,
)
def subgaussian_maximum(n: int, r: float) -> dict[str, float]:
    """Maximal inequality for sub-Gaussian variables.

    Syllabus: T4.

    Examples
    --------
    >>> round(subgaussian_maximum(n=100, r=1).value, 3)
    3.035
    """
    return {"maximum": r * math.sqrt(2 * math.log(n))}


@declare_bound(
    syllabus="T4",
    value_name="expectation",
    statement="E max_{a∈A} (1/m) Σ σ_i a_i ≤ r√(2 ln|A|)/m",
    parameters=(M, SIZE, Parameter("r", "largest Euclidean norm in A", grows=True)),
    assumptions=("the signs σ_i are independent and fair", "A ⊂ Rᵐ is finite with norms at most r"),
    # by Cauchy–Schwarz the average is never above r√m/m
    trivial=lambda given: given["r"] / math.sqrt(given["m"]),
)
def massart(m: int, size: int, r: float) -> dict[str, float]:
    """Massart's lemma: the Rademacher average of a finite set of vectors.

    Syllabus: T4.

    Examples
    --------
    >>> round(massart(m=100, size=50, r=10).value, 4)
    0.2797
    """
    return {"average": r * math.sqrt(2 * math.log(size)) / m}


def rms_width(low: ArrayLike, high: ArrayLike) -> float:
    """Root mean square of the ranges, the `width` Hoeffding's inequality needs when they differ.

    Syllabus: T1.

    Examples
    --------
    >>> rms_width([0, 0], [1, 7])
    5.0
    """
    widths = np.atleast_1d(np.asarray(high, dtype=float) - np.asarray(low, dtype=float))
    if widths.size == 0 or not np.all(np.isfinite(widths)) or np.any(widths < 0):
        raise ValueError("rms_width: every range needs finite ends with low <= high, and there must be at least one")
    return float(np.sqrt(np.mean(widths**2)))


def bounded_differences(function: Callable[[tuple], float], supports: Sequence[Sequence]) -> NDArray[np.float64]:
    """The constants c_i of McDiarmid's inequality, exactly, by trying every substitution.

    Parameters
    ----------
    function : callable
        f of a tuple with one entry for each variable.
    supports : sequence of sequences
        The finitely many values each variable takes.

    Returns
    -------
    array
        c_i = sup |f(x) − f(x with x_i replaced)|.

    Syllabus: T3.

    Examples
    --------
    >>> bounded_differences(max, [(0, 1), (0, 3)]).tolist()
    [1.0, 3.0]
    """
    if not supports or any(len(support) == 0 for support in supports):
        raise ValueError("bounded_differences(supports): needs at least one variable, each with at least one value")
    values = np.array([float(function(point)) for point in product(*supports)])
    table = values.reshape([len(support) for support in supports])
    return np.array([np.max(np.ptp(table, axis=axis)) for axis in range(table.ndim)])


def estimate_bounded_differences(
    function: Callable[[tuple], float],
    draw: Callable[[np.random.Generator], Sequence],
    *,
    repeats: int = 1000,
    random_state: int | None = 0,
) -> NDArray[np.float64]:
    """The largest |f(x) − f(x with x_i redrawn)| met in random substitutions.

    The estimate is from below: it can refute a claimed c_i, and it suggests one; it does not prove one.

    Parameters
    ----------
    function : callable
        f of a tuple.
    draw : callable
        Draws one tuple of independent variables from the generator it is given.
    repeats : int
        Number of draws, each substituted in every position.
    random_state : int or None
        Seed.

    Syllabus: T3.

    Examples
    --------
    >>> c = estimate_bounded_differences(lambda x: sum(x) / 3, lambda rng: rng.integers(0, 2, 3))
    >>> c.round(6).tolist()
    [0.333333, 0.333333, 0.333333]
    """
    if repeats < 1:
        raise ValueError(f"estimate_bounded_differences(repeats={repeats}): repeats must be >= 1")
    rng = generator_from(random_state, "estimate_bounded_differences")
    largest = np.zeros(len(draw(rng)))
    for _ in range(repeats):
        point, fresh = list(draw(rng)), list(draw(rng))
        here = float(function(tuple(point)))
        for i, kept in enumerate(point):
            point[i] = fresh[i]
            largest[i] = max(largest[i], abs(float(function(tuple(point))) - here))
            point[i] = kept
    return largest
