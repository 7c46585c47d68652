"""Intervals for the mean of any score, from its values on independent rows.

`t` and `normal` are approximate for data that are not normal; `hoeffding` and `bernstein` hold with probability at
least `level` for every law on the stated bounds, at any n.
"""

from collections.abc import Callable
from math import log, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from ._validation import check_values
from .interval import Interval, check_level, two_sided_z


def t_interval(values: ArrayLike, *, level: float = 0.95) -> Interval:
    """Student's interval x̄ ± t_{level, n−1} s/√n.

    Exact when the values are independent and normal; approximate, by the central limit theorem, otherwise. Values
    that are all equal have s = 0, and the interval is that one point.

    Parameters
    ----------
    values : at least two finite numbers, one a row.
    level : confidence level.

    Syllabus: E3, E8.

    >>> from learnable.evaluation import t_interval
    >>> print(t_interval([0.2, 0.5, 0.1, 0.4]))
    0.30 [0.01, 0.59]
    """
    values, mean, deviation = _moments(values, level, "t_interval")
    half_width = -float(stdtrit(len(values) - 1, (1 - level) / 2)) * deviation / sqrt(len(values))
    return _symmetric(mean, half_width, level, "t", len(values))


def normal_interval(values: ArrayLike, *, level: float = 0.95) -> Interval:
    """The interval of the central limit theorem, x̄ ± z s/√n.

    Approximate; shorter than `t_interval`, the more so the fewer the rows. Parameters as `t_interval`.
    Syllabus: E3, E8.

    >>> from learnable.evaluation import normal_interval
    >>> print(normal_interval([0.2, 0.5, 0.1, 0.4]))
    0.30 [0.12, 0.48]
    """
    values, mean, deviation = _moments(values, level, "normal_interval")
    half_width = two_sided_z(level) * deviation / sqrt(len(values))
    return _symmetric(mean, half_width, level, "normal", len(values))


def hoeffding_mean_interval(values: ArrayLike, bounds: tuple[float, float], *, level: float = 0.95) -> Interval:
    """Hoeffding's interval x̄ ± (b−a) √(log(2/δ)/(2n)) with δ = 1 − level, cut to the bounds.

    Holds with probability at least `level` for independent values with a ≤ x ≤ b, whatever their law, provided that
    the bounds were known beforehand and not read off the sample.

    Parameters
    ----------
    values : finite numbers, at least one.
    bounds : (a, b) with a < b and every value inside.
    level : confidence level.

    Syllabus: T9.

    >>> from learnable.evaluation import hoeffding_mean_interval
    >>> print(hoeffding_mean_interval([0.2, 0.5, 0.1, 0.4] * 25, bounds=(0, 1)))
    0.30 [0.16, 0.44]
    """
    level = check_level(level, "hoeffding_mean_interval")
    values, low, high = _bounded(values, bounds, "hoeffding_mean_interval")
    half_width = (high - low) * sqrt(log(2 / (1 - level)) / (2 * len(values)))
    return _cut(_symmetric(_mean(values), half_width, level, "hoeffding", len(values)), low, high)


def bernstein_interval(values: ArrayLike, bounds: tuple[float, float], *, level: float = 0.95) -> Interval:
    """The empirical Bernstein interval x̄ ± [√(2 s² log(4/δ)/n) + 7 (b−a) log(4/δ)/(3(n−1))], cut to the bounds.

    Holds with probability at least `level`, as `hoeffding_mean_interval` does and under the same assumptions (Maurer
    and Pontil 2009, theorem 4, once for each side); much shorter than it when the variance s² is small and n large.
    At least two values. Parameters as `hoeffding_mean_interval`. Syllabus: T9.

    >>> import numpy as np
    >>> from learnable.evaluation import bernstein_interval
    >>> losses = np.zeros(1000); losses[:10] = 1
    >>> print(bernstein_interval(losses, bounds=(0, 1)))
    0.010 [0.000, 0.030]
    """
    values, low, high = _bounded(values, bounds, "bernstein_interval")
    values, mean, deviation = _moments(values, level, "bernstein_interval")
    n, doubt = len(values), log(4 / (1 - level))
    half_width = deviation * sqrt(2 * doubt / n) + 7 * (high - low) * doubt / (3 * (n - 1))
    return _cut(_symmetric(mean, half_width, level, "bernstein", n), low, high)


MEAN_INTERVALS: dict[str, Callable[..., Interval]] = {
    "t": t_interval,
    "normal": normal_interval,
    "hoeffding": hoeffding_mean_interval,
    "bernstein": bernstein_interval,
}


def _mean(values: NDArray) -> float:
    # Scaled, since a sum of finite numbers may overflow.
    scale = float(np.abs(values).max()) or 1.0
    return float(np.mean(values / scale) * scale)


def _moments(values: ArrayLike, level: float, caller: str) -> tuple[NDArray, float, float]:
    """The checked values, their mean and their standard deviation s (with n − 1)."""
    check_level(level, caller)
    values = check_values(values, caller)
    if len(values) < 2:
        raise ValueError(f"{caller}: one value says nothing of the spread; give at least two")
    scale = float(np.abs(values).max()) or 1.0
    scaled = values / scale
    if scaled.min() == scaled.max():
        return values, float(values[0]), 0.0
    return values, float(scaled.mean() * scale), float(scaled.std(ddof=1) * scale)


def _bounded(values: ArrayLike, bounds: tuple[float, float], caller: str) -> tuple[NDArray, float, float]:
    values = check_values(values, caller)
    try:
        low, high = map(float, bounds)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{caller}(bounds={bounds!r}): give a pair of numbers (low, high)") from error
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise ValueError(f"{caller}(bounds={bounds}): bounds must be finite with low < high")
    outside = (values < low) | (values > high)
    if outside.any():
        row = int(outside.argmax())
        raise ValueError(f"{caller}: values[{row}] is {values[row]}, outside the bounds {bounds}")
    return values, low, high


def _symmetric(mean: float, half_width: float, level: float, method: str, n: int) -> Interval:
    return Interval(mean, mean - half_width, mean + half_width, float(level), method, n)


def _cut(interval: Interval, low: float, high: float) -> Interval:
    return interval._replace(low=max(interval.low, low), high=min(interval.high, high))
