"""Intervals for the difference of two errors: on two independent test sets, or paired on one."""

from collections.abc import Callable
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from ._validation import check_equal_length, check_labels, check_method, check_values
from .interval import Interval, check_level, two_sided_z
from .means import t_interval
from .proportion import Bounds, check_counts, effective_interval, wilson_interval


def normal_difference(
    mistakes_a: ArrayLike, n_a: ArrayLike, mistakes_b: ArrayLike, n_b: ArrayLike, level: float = 0.95
) -> Bounds:
    """d̂ ± z √(e_a(1−e_a)/n_a + e_b(1−e_b)/n_b) with d̂ = e_a − e_b, cut to [−1, 1].

    Approximate, for two independent test sets of at least about 30 rows each; too short when an error is near 0 or 1.

    Parameters
    ----------
    mistakes_a, n_a, mistakes_b, n_b : counts; arrays broadcast.
    level : confidence level.

    Returns
    -------
    low, high : arrays of the broadcast shape.

    Syllabus: E4.

    >>> from learnable.evaluation import normal_difference
    >>> low, high = normal_difference(30, 100, 20, 100)
    >>> round(float(low), 4), round(float(high), 4)
    (-0.0192, 0.2192)
    """
    level = check_level(level, "normal_difference")
    (mistakes_a, n_a), (mistakes_b, n_b) = _two_counts(mistakes_a, n_a, mistakes_b, n_b, "normal_difference")
    error_a, error_b = mistakes_a / n_a, mistakes_b / n_b
    half_width = two_sided_z(level) * np.sqrt(error_a * (1 - error_a) / n_a + error_b * (1 - error_b) / n_b)
    difference = error_a - error_b
    return np.maximum(difference - half_width, -1), np.minimum(difference + half_width, 1)


def newcombe_difference(
    mistakes_a: ArrayLike, n_a: ArrayLike, mistakes_b: ArrayLike, n_b: ArrayLike, level: float = 0.95
) -> Bounds:
    """Newcombe's hybrid score interval: the half widths of two Wilson intervals, added in squares.

    low = d̂ − √((e_a−l_a)² + (u_b−e_b)²), high = d̂ + √((u_a−e_a)² + (e_b−l_b)²). Approximate, for two independent
    test sets; keeps its level near 0 and 1. Parameters and returns as `normal_difference`. Syllabus: E4.

    >>> from learnable.evaluation import newcombe_difference
    >>> low, high = newcombe_difference(56, 70, 48, 80)
    >>> round(float(low), 4), round(float(high), 4)
    (0.0524, 0.3339)
    """
    level = check_level(level, "newcombe_difference")
    (mistakes_a, n_a), (mistakes_b, n_b) = _two_counts(mistakes_a, n_a, mistakes_b, n_b, "newcombe_difference")
    error_a, error_b = mistakes_a / n_a, mistakes_b / n_b
    low_a, high_a = wilson_interval(mistakes_a, n_a, level)
    low_b, high_b = wilson_interval(mistakes_b, n_b, level)
    difference = error_a - error_b
    return (
        difference - np.hypot(error_a - low_a, high_b - error_b),
        difference + np.hypot(high_a - error_a, error_b - low_b),
    )


DIFFERENCE_INTERVALS: dict[str, Callable[..., Bounds]] = {"normal": normal_difference, "newcombe": newcombe_difference}


def difference_interval(
    mistakes_a: int, n_a: int, mistakes_b: int, n_b: int, *, method: str = "newcombe", level: float = 0.95
) -> Interval:
    """The difference e_a − e_b of two errors measured on independent test sets.

    Parameters
    ----------
    mistakes_a, n_a, mistakes_b, n_b : whole numbers.
    method : "newcombe" or "normal".
    level : confidence level.

    Returns
    -------
    Interval whose n is the smaller of the two sizes.

    Syllabus: E4.

    >>> from learnable.evaluation import difference_interval
    >>> print(difference_interval(30, 100, 20, 100, method="normal"))
    0.10 [-0.02, 0.22]
    """
    check_method(method, DIFFERENCE_INTERVALS, "difference_interval")
    low, high = DIFFERENCE_INTERVALS[method](mistakes_a, n_a, mistakes_b, n_b, level)
    if low.ndim:
        raise ValueError(f"difference_interval: one pair of counts, please; call {method}_difference for arrays")
    difference = mistakes_a / n_a - mistakes_b / n_b
    return Interval(float(difference), float(low), float(high), float(level), method, min(int(n_a), int(n_b)))


def paired_error_difference(
    y_true: ArrayLike, predictions_a: ArrayLike, predictions_b: ArrayLike, *, level: float = 0.95
) -> Interval:
    """The difference of the errors of two classifiers on the same test rows.

    The two errors are correlated by φ, that of the two columns of mistakes. Newcombe's paired hybrid score interval
    takes the Wilson half widths of the two errors and adds them as correlated ones:
    low = d̂ − √(x² − 2φxy + y²) with x = e_a − l_a, y = u_b − e_b, and the mirror image for `high` (Newcombe 1998,
    method 10, with its shrinking of φ > 0). Approximate.

    Parameters
    ----------
    y_true : labels.
    predictions_a, predictions_b : labels predicted by the two classifiers.
    level : confidence level.

    Returns
    -------
    Interval of e_a − e_b: negative when the first classifier errs less.

    Syllabus: E4.

    >>> from learnable.evaluation import paired_error_difference
    >>> y = [0, 1] * 50
    >>> a = [1 - v for v in y[:30]] + y[30:]
    >>> b = [1 - v for v in y[:20]] + y[20:]
    >>> print(paired_error_difference(y, a, b))
    0.10 [0.04, 0.16]
    """
    caller = "paired_error_difference"
    level = check_level(level, caller)
    y_true, predictions_a = check_labels(y_true, predictions_a, caller)
    _, predictions_b = check_labels(y_true, predictions_b, caller)
    wrong_a, wrong_b = y_true != predictions_a, y_true != predictions_b
    n = len(y_true)
    both, only_a = int((wrong_a & wrong_b).sum()), int((wrong_a & ~wrong_b).sum())
    only_b = int((~wrong_a & wrong_b).sum())
    return _paired_newcombe(both, only_a, only_b, n, level)


def _paired_newcombe(both: int, only_a: int, only_b: int, n: int, level: float) -> Interval:
    neither = n - both - only_a - only_b
    a = effective_interval((both + only_a) / n, n, level=level)
    b = effective_interval((both + only_b) / n, n, level=level)
    margins = (both + only_a) * (only_b + neither) * (both + only_b) * (only_a + neither)
    cross = both * neither - only_a * only_b
    # Newcombe shrinks a positive numerator by n/2, as a continuity correction, but not below zero.
    phi = (max(cross - n / 2, 0) if cross > 0 else cross) / sqrt(margins) if margins else 0.0
    below = _correlated_length(a.estimate - a.low, b.high - b.estimate, phi)
    above = _correlated_length(a.high - a.estimate, b.estimate - b.low, phi)
    difference = (only_a - only_b) / n
    return Interval(difference, difference - below, difference + above, level, "newcombe_paired", n)


def paired_mean_difference(losses_a: ArrayLike, losses_b: ArrayLike, *, level: float = 0.95) -> Interval:
    """The difference of two mean losses on the same test rows: Student's interval of the row-wise differences.

    Parameters
    ----------
    losses_a, losses_b : losses of the two learners, row by row; at least two rows.
    level : confidence level.

    Syllabus: E4.

    >>> from learnable.evaluation import paired_mean_difference
    >>> print(paired_mean_difference([0.3, 0.5, 0.9, 0.4], [0.2, 0.4, 0.6, 0.4]))
    0.12 [-0.08, 0.33]
    """
    losses_a = check_values(losses_a, "paired_mean_difference", "losses_a")
    losses_b = check_values(losses_b, "paired_mean_difference", "losses_b")
    check_equal_length("paired_mean_difference", losses_a=losses_a, losses_b=losses_b)
    return t_interval(losses_a - losses_b, level=level)._replace(method="t_paired")


def _correlated_length(x: float, y: float, phi: float) -> float:
    # x² − 2φxy + y² ≥ (|x| − |y|)² ≥ 0; rounding may still leave a tiny negative number.
    return float(np.sqrt(max(x * x - 2 * phi * x * y + y * y, 0.0)))


def _two_counts(mistakes_a, n_a, mistakes_b, n_b, caller: str) -> tuple[Bounds, Bounds]:
    return check_counts(mistakes_a, n_a, caller), check_counts(mistakes_b, n_b, caller)
