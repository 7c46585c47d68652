"""The paired t-test over folds, as the notes give it."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr, stdtrit

from learnable.evaluation._validation import check_number
from learnable.evaluation.interval import Interval, check_level

TOO_LARGE = 1e150  # beyond this the square of a score overflows
# The textbooks' rule for the normal approximation of a mean.
SMALL_FOLD = 30

CAVEAT = (
    "The folds share most of their training rows, so the differences are positively correlated, while this formula "
    "treats them as independent: it understates the variance and finds differences too often. It also speaks of "
    "learners trained on the rows of a fold, not on all rows."
)


class PairedTest(NamedTuple):
    """A t-test of "the two learners have the same expected score".

    Attributes
    ----------
    difference : mean of first - second with its interval.
    statistic : mean difference / standard error; 0 or ±inf in the degenerate case.
    standard_error : of the mean difference.
    df : degrees of freedom of Student's law.
    p_value : two-sided.
    degenerate : True when all differences are equal, so that the variance is 0 and the test rests on nothing:
        p is 1 when the common difference is 0, else 0.
    caveat : what the number does not say.
    """

    difference: Interval
    statistic: float
    standard_error: float
    df: int
    p_value: float
    degenerate: bool
    caveat: str


def paired_t(first: ArrayLike, second: ArrayLike, *, level: float = 0.95, n_test: int | None = None) -> PairedTest:
    """Paired t-test and interval over the k folds of one cross-validation.

    With δᵢ the difference of the scores on fold i and δ̄ their mean, the interval is δ̄ ± t s with
    s² = Σ(δᵢ − δ̄)² / (k(k − 1)) and t the quantile of Student's law with k − 1 degrees of freedom. It takes the folds
    for independent, which they are not: see `corrected_t`, and `paired_tests` for both.

    Syllabus: E6.

    Parameters
    ----------
    first, second : scores of the two learners on the same k >= 2 folds.
    level : of the interval.
    n_test : rows in a test fold, when known; below 30 the caveat says that a score is itself far from normal.

    Returns
    -------
    PairedTest

    >>> test = paired_t([0.81, 0.86, 0.79, 0.90, 0.84], [0.78, 0.84, 0.79, 0.85, 0.83])
    >>> round(test.difference.estimate, 3), round(test.statistic, 3), round(test.p_value, 4)
    (0.022, 2.557, 0.0628)
    """
    first, second = fold_scores("paired_t", first, second)
    caveat = CAVEAT
    if n_test is not None and check_number(n_test, "paired_t", "n_test", 1) < SMALL_FOLD:
        caveat += f" The test folds have only {n_test} rows; the normal approximation asks for {SMALL_FOLD} or more."
    return student_test(first, second, 1 / len(first), level, "paired t", caveat)


def student_test(
    first: NDArray, second: NDArray, variance_factor: float, level: float, method: str, caveat: str
) -> PairedTest:
    """t = mean / sqrt(variance_factor · S²), S² the sample variance (n - 1) of the differences, n - 1 degrees."""
    level = check_level(level, method)
    delta = first - second
    mean = float(delta.mean())
    df = len(delta) - 1
    rounding = rounding_of(first, second)
    degenerate = bool(np.ptp(delta) <= rounding)
    if degenerate:
        mean = 0.0 if abs(mean) <= rounding else mean
        error = 0.0
        statistic = math.copysign(math.inf, mean) if mean else 0.0
        p_value = 0.0 if mean else 1.0
    else:
        error = math.sqrt(variance_factor) * float(delta.std(ddof=1))
        statistic = mean / error
        p_value = float(2 * stdtr(df, -abs(statistic)))
    # From the tail, so that levels close to 1 keep their digits.
    half = -float(stdtrit(df, (1 - level) / 2)) * error
    interval = Interval(mean, mean - half, mean + half, level, method, len(delta))
    return PairedTest(interval, statistic, error, df, p_value, degenerate, caveat)


def rounding_of(first: NDArray, second: NDArray) -> float:
    """How far apart equal differences may come out: 0.9 - 0.8 and 0.8 - 0.7 are no variance and tie in rank."""
    return 8 * float(np.finfo(float).eps * max(np.abs(first).max(), np.abs(second).max()))


def fold_scores(caller: str, first: ArrayLike, second: ArrayLike) -> tuple[NDArray, NDArray]:
    """Both score vectors as float arrays: at least two folds, equally many, finite."""
    a, b = finite_scores(caller, "first", first), finite_scores(caller, "second", second)
    if len(a) != len(b):
        raise ValueError(
            f"{caller}: first has {len(a)} fold scores and second {len(b)}; both learners must run on the same folds"
        )
    return a, b


def finite_scores(caller: str, name: str, scores: ArrayLike) -> NDArray:
    """A vector of at least two finite scores, or an error that names the fold."""
    try:
        vector = np.asarray(scores, dtype=float)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{caller}: the scores of {name} must be numbers, one per fold") from error
    if vector.ndim != 1:
        raise ValueError(f"{caller}: the scores of {name} have shape {vector.shape}; give one number per fold")
    if len(vector) < 2:
        raise ValueError(
            f"{caller}: {name} has {len(vector)} fold score(s); a variance needs at least 2 folds, use cv >= 2"
        )
    bad = np.flatnonzero(~(np.abs(vector) <= TOO_LARGE))
    if len(bad):
        raise ValueError(
            f"{caller}: the score of {name} on fold {bad[0]} is {vector[bad[0]]}; scores must be finite and at most "
            f"{TOO_LARGE:g} in size, so repair or leave out that learner"
        )
    return vector
