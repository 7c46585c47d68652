"""Intervals for an error rate, from the number of mistakes among n independent test rows.

Each function takes counts (numbers or arrays that broadcast) and returns the arrays `(low, high)`; the table
`PROPORTION_INTERVALS` names them, and `proportion_interval`, `error_interval` give one `Interval`. How often each
one really covers the truth is computed in `coverage`.
"""

from collections.abc import Callable
from functools import wraps

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnable.problems.core.exact_proportion import beta_interval, clopper_pearson

from ._validation import check_labels, check_method, check_weights
from .interval import Interval, check_level, two_sided_z

Bounds = tuple[NDArray[np.float64], NDArray[np.float64]]
Formula = Callable[[NDArray[np.float64], NDArray[np.float64], float], Bounds]

PROPORTION_INTERVALS: dict[str, Callable[..., Bounds]] = {}
# The same formulas without the check of counts: weighted rows give counts that are not whole.
_FORMULAS: dict[str, Formula] = {}


def _interval_named(name: str) -> Callable[[Formula], Callable[..., Bounds]]:
    """Enter a formula in the table, behind a check of its counts."""

    def enter(formula: Formula) -> Callable[..., Bounds]:
        caller = getattr(formula, "__name__", name)

        @wraps(formula)
        def checked(mistakes: ArrayLike, n: ArrayLike, level: float = 0.95) -> Bounds:
            level = check_level(level, caller)
            return formula(*check_counts(mistakes, n, caller), level)

        PROPORTION_INTERVALS[name] = checked
        _FORMULAS[name] = formula
        return checked

    return enter


def check_counts(mistakes: ArrayLike, n: ArrayLike, caller: str) -> Bounds:
    """Both counts as float arrays, or an error that names the first count that cannot be."""
    mistakes, n = np.asarray(mistakes), np.asarray(n)
    for name, count in (("mistakes", mistakes), ("n", n)):
        if count.dtype.kind not in "iuf":
            raise TypeError(f"{caller}: {name} must be whole numbers, not {count.dtype}")
        whole = np.isfinite(count) & (count == np.floor(count))
        if not whole.all():
            value = count[~whole].flat[0]
            raise ValueError(f"{caller}({name}={value}): {name} must be whole numbers (counts, not rates)")
    mistakes, n = np.broadcast_arrays(mistakes.astype(float), n.astype(float))
    rules = {"n must be at least 1": n < 1, "0 <= mistakes <= n must hold": (mistakes < 0) | (mistakes > n)}
    for rule, bad in rules.items():
        if bad.any():
            raise ValueError(f"{caller}(mistakes={mistakes[bad].flat[0]:g}, n={n[bad].flat[0]:g}): {rule}")
    return mistakes, n


@_interval_named("wald")
def wald_interval(mistakes: NDArray, n: NDArray, level: float = 0.95) -> Bounds:
    """The normal interval e ± z √(e(1−e)/n) with e = mistakes/n, cut to [0, 1].

    Approximate. It collapses to a point at e = 0 and e = 1, and covers far less than `level` near there, whatever
    n: see `least_coverage`. Syllabus: E3.

    Parameters
    ----------
    mistakes, n : counts, 0 ≤ mistakes ≤ n; arrays broadcast.
    level : confidence level.

    Returns
    -------
    low, high : arrays of the broadcast shape.

    >>> from learnable.evaluation import wald_interval
    >>> low, high = wald_interval(12, 40)
    >>> round(float(low), 4), round(float(high), 4)
    (0.158, 0.442)
    """
    error = mistakes / n
    half_width = two_sided_z(level) * np.sqrt(error * (1 - error) / n)
    return np.maximum(error - half_width, 0), np.minimum(error + half_width, 1)


@_interval_named("wilson")
def wilson_interval(mistakes: NDArray, n: NDArray, level: float = 0.95) -> Bounds:
    """The score interval: every p with |e − p| ≤ z √(p(1−p)/n).

    Approximate, but close to `level` for every n; the default of the library. Parameters and returns as
    `wald_interval`. Syllabus: E3.

    >>> from learnable.evaluation import wilson_interval
    >>> low, high = wilson_interval([0, 12], 40)
    >>> high.round(4).tolist()
    [0.0876, 0.4543]
    """
    error = mistakes / n
    z2 = two_sided_z(level) ** 2 / n
    centre = (error + z2 / 2) / (1 + z2)
    half_width = np.sqrt(z2 * (error * (1 - error) + z2 / 4)) / (1 + z2)
    # At the ends the roots are 0 and 1 exactly; rounding must not exclude them.
    low = np.where(mistakes == 0, 0, np.maximum(centre - half_width, 0))
    high = np.where(mistakes == n, 1, np.minimum(centre + half_width, 1))
    return low, high


@_interval_named("clopper_pearson")
def clopper_pearson_interval(mistakes: NDArray, n: NDArray, level: float = 0.95) -> Bounds:
    """The exact interval: every p that neither binomial tail of size (1−level)/2 rejects.

    Covers with probability at least `level`, for every n and p. Parameters and returns as `wald_interval`.
    Syllabus: E3, T9.

    >>> from learnable.evaluation import clopper_pearson_interval
    >>> low, high = clopper_pearson_interval(0, 10)
    >>> float(low), round(float(high), 4)  # 1 − 0.025^(1/10)
    (0.0, 0.3085)
    """
    return clopper_pearson(mistakes, n, level)


@_interval_named("agresti_coull")
def agresti_coull_interval(mistakes: NDArray, n: NDArray, level: float = 0.95) -> Bounds:
    """The normal interval after adding z²/2 mistakes and z²/2 successes, cut to [0, 1].

    Approximate; never shorter than Wilson's, with the same centre. Parameters and returns as `wald_interval`.
    Syllabus: E3.

    >>> from learnable.evaluation import agresti_coull_interval
    >>> low, high = agresti_coull_interval(12, 40)
    >>> round(float(low), 4), round(float(high), 4)
    (0.1797, 0.4553)
    """
    z = two_sided_z(level)
    size = n + z**2
    error = (mistakes + z**2 / 2) / size
    half_width = z * np.sqrt(error * (1 - error) / size)
    return np.maximum(error - half_width, 0), np.minimum(error + half_width, 1)


@_interval_named("jeffreys")
def jeffreys_interval(mistakes: NDArray, n: NDArray, level: float = 0.95) -> Bounds:
    """The equal-tailed posterior interval under the prior Beta(½, ½), opened to 0 (or 1) at mistakes = 0 (or n).

    Approximate as a confidence interval, exact as a credible one. Parameters and returns as `wald_interval`.
    Syllabus: E3.

    >>> from learnable.evaluation import jeffreys_interval
    >>> low, high = jeffreys_interval(12, 40)
    >>> round(float(low), 4), round(float(high), 4)
    (0.1756, 0.4522)
    """
    wins, losses = mistakes + 0.5, n - mistakes + 0.5
    return beta_interval(wins, losses, wins, losses, mistakes, n, level)


@_interval_named("hoeffding")
def hoeffding_interval(mistakes: NDArray, n: NDArray, level: float = 0.95) -> Bounds:
    """The bound for a single hypothesis: e ± √(log(2/δ)/(2n)) with δ = 1 − level, cut to [0, 1].

    Covers with probability at least `level` for every n and p, but is wider than the exact interval needs to be.
    Parameters and returns as `wald_interval`. Syllabus: T9.

    >>> from learnable.evaluation import hoeffding_interval
    >>> low, high = hoeffding_interval(12, 40)
    >>> round(float(low), 4), round(float(high), 4)
    (0.0853, 0.5147)
    """
    error = mistakes / n
    half_width = np.sqrt(np.log(2 / (1 - level)) / (2 * n))
    return np.maximum(error - half_width, 0), np.minimum(error + half_width, 1)


def proportion_interval(mistakes: int, n: int, *, method: str = "wilson", level: float = 0.95) -> Interval:
    """The interval of one error rate from its counts.

    Parameters
    ----------
    mistakes, n : whole numbers, 0 ≤ mistakes ≤ n, n ≥ 1.
    method : a name in `PROPORTION_INTERVALS`.
    level : confidence level.

    Syllabus: E1, E3.

    >>> from learnable.evaluation import proportion_interval
    >>> print(proportion_interval(12, 40))
    0.30 [0.18, 0.45]
    """
    check_method(method, PROPORTION_INTERVALS, "proportion_interval")
    low, high = PROPORTION_INTERVALS[method](mistakes, n, level)
    if low.ndim:
        raise ValueError(
            f"proportion_interval: counts of shape {low.shape} give many intervals; "
            f"call PROPORTION_INTERVALS[{method!r}] for arrays"
        )
    return Interval(float(mistakes) / float(n), float(low), float(high), float(level), method, int(n))


def effective_interval(rate: float, n: float, *, method: str = "wilson", level: float = 0.95) -> Interval:
    """The interval of a rate whose rows count as `n` independent ones, n > 0 not necessarily whole.

    >>> from learnable.evaluation.proportion import effective_interval
    >>> print(effective_interval(0.3, 40))
    0.30 [0.18, 0.45]
    """
    check_level(level, "effective_interval")
    # Cut, since a weighted mean may leave [0, 1] by a rounding error.
    rate = min(max(rate, 0.0), 1.0)
    low, high = _FORMULAS[method](np.asarray(rate * n), np.asarray(float(n)), level)
    return Interval(rate, float(low), float(high), level, method, float(n))


def error_interval(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    method: str = "wilson",
    level: float = 0.95,
    sample_weight: ArrayLike | None = None,
) -> Interval:
    """The error rate of predictions, P(ŷ ≠ y), with its interval.

    With weights w the rate is Σw[ŷ≠y]/Σw and n is Kish's effective size (Σw)²/Σw²; every method, also the exact
    one, is then approximate. Equal weights change nothing.

    Parameters
    ----------
    y_true, y_pred : labels, of equal length ≥ 1.
    method : a name in `PROPORTION_INTERVALS`.
    level : confidence level.
    sample_weight : non-negative weights of the rows.

    Syllabus: D1, E1, E3.

    >>> from learnable.evaluation import error_interval
    >>> print(error_interval([0, 1, 1, 0, 1], [0, 1, 0, 0, 1], method="clopper_pearson"))
    0.20 [0.01, 0.72]
    """
    check_method(method, PROPORTION_INTERVALS, "error_interval")
    y_true, y_pred = check_labels(y_true, y_pred, "error_interval")
    wrong = y_true != y_pred
    if sample_weight is None:
        return proportion_interval(int(wrong.sum()), len(wrong), method=method, level=level)
    weights = check_weights(sample_weight, len(wrong), "error_interval")
    return effective_interval(
        float(weights.values @ wrong) / weights.total, weights.effective_n, method=method, level=level
    )
