"""The corrected resampled t-test of Nadeau and Bengio, and both t-tests side by side."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnable.evaluation._validation import as_numbers
from learnable.evaluation.interval import Interval
from learnable.evaluation.paired_t import PairedTest, finite_scores, fold_scores, paired_t, student_test
from learnable.plain import plain

CORRECTED_CAVEAT = (
    "The factor 1/J + n_test/n_train replaces the unknown correlation of the folds by n_test/(n_test + n_train): an "
    "approximation that keeps the level well in simulations but is no theorem. The statement is about learners "
    "trained on n_train rows of this population."
)
DEGENERATE = " All differences are equal, so the variance is 0 and the p-value rests on no observed variation."


class PairedTests(NamedTuple):
    """The test of the notes and the corrected one on the same fold scores.

    Attributes
    ----------
    naive : the paired t-test that takes folds for independent (E6).
    corrected : Nadeau and Bengio's (E7); the one to report.
    caveat : why they differ, in words.
    """

    naive: PairedTest
    corrected: PairedTest
    caveat: str


def corrected_t(
    first: ArrayLike, second: ArrayLike, *, n_train: ArrayLike, n_test: ArrayLike, level: float = 0.95
) -> PairedTest:
    """Corrected resampled t-test over the J folds of a (repeated) cross-validation or of random splits.

    t = δ̄ / √((1/J + n_test/n_train) S²) with S² = Σ(δⱼ − δ̄)² / (J − 1),

    against Student's law with J - 1 degrees of freedom. Derivation: with common variance v and correlation ρ of the
    differences, Var(δ̄) = v(ρ + (1 − ρ)/J) and E S² = v(1 − ρ), so the ratio is 1/J + ρ/(1 − ρ);
    ρ = n_test/(n_test + n_train) gives the factor. The square root covers factor and variance once.
    (C. Nadeau and Y. Bengio, Inference for the generalization error, Machine Learning 52, 2003.)

    Syllabus: E7.

    Parameters
    ----------
    first, second : scores of the two learners on the same J >= 2 splits; J = k·r for k folds repeated r times.
    n_train, n_test : rows in a training and a test fold, one number or one per split (their sums are used).
    level : of the interval.

    Returns
    -------
    PairedTest

    >>> test = corrected_t([0.81, 0.86, 0.79, 0.90, 0.84], [0.78, 0.84, 0.79, 0.85, 0.83], n_train=80, n_test=20)
    >>> round(test.statistic, 3), round(test.p_value, 4)
    (1.705, 0.1634)
    """
    first, second = fold_scores("corrected_t", first, second)
    factor = variance_factor("corrected_t", len(first), n_train, n_test)
    return student_test(first, second, factor, level, "corrected resampled t", CORRECTED_CAVEAT)


def paired_tests(
    first: ArrayLike, second: ArrayLike, *, n_train: ArrayLike, n_test: ArrayLike, level: float = 0.95
) -> PairedTests:
    """The naive and the corrected paired t-test together, with the reason for the difference in words.

    Parameters as for `corrected_t`. Syllabus: E6, E7.

    >>> tests = paired_tests([0.9, 0.8, 0.9, 0.7], [0.8, 0.8, 0.7, 0.7], n_train=300, n_test=100)
    >>> tests.naive.p_value < tests.corrected.p_value
    True
    """
    corrected = corrected_t(first, second, n_train=n_train, n_test=n_test, level=level)
    smallest = int(np.min(np.asarray(n_test)))
    naive = paired_t(first, second, level=level, n_test=smallest)
    ratio = float(np.sum(n_test) / np.sum(n_train))
    caveat = (
        f"{naive.caveat} The corrected test widens the standard error by the factor "
        f"sqrt(1 + J·n_test/n_train) = {(1 + len(np.asarray(first)) * ratio) ** 0.5:.3g}. {CORRECTED_CAVEAT}"
    )
    if corrected.degenerate:
        caveat += DEGENERATE
    return PairedTests(naive, corrected, caveat)


def corrected_mean(
    scores: ArrayLike,
    *,
    n_train: ArrayLike,
    n_test: ArrayLike,
    level: float = 0.95,
    bounds: tuple[float, float] | None = None,
    name: str = "scores",
) -> Interval:
    """Mean of the fold scores of one learner with the corrected interval: the same variance, one sample.

    Parameters
    ----------
    scores : of one learner on J >= 2 splits.
    n_train, n_test, level : as for `corrected_t`.
    bounds : range of the score, such as (0, 1) for an accuracy; the interval is cut to it.
    name : of the learner, for error messages.

    >>> print(corrected_mean([0.8, 0.9, 0.85], n_train=200, n_test=100).method)
    corrected resampled t
    """
    vector = finite_scores("corrected_mean", name, scores)
    factor = variance_factor("corrected_mean", len(vector), n_train, n_test)
    mean = student_test(vector, np.zeros_like(vector), factor, level, "corrected resampled t", "").difference
    if bounds is None:
        return mean
    if not (bounds[0] <= vector.min() and vector.max() <= bounds[1]):
        raise ValueError(f"corrected_mean(bounds={bounds}): a score of {name} lies outside the bounds")
    return mean._replace(low=max(mean.low, bounds[0]), high=min(mean.high, bounds[1]))


def variance_factor(caller: str, n_splits: int, n_train: ArrayLike, n_test: ArrayLike) -> float:
    """1/J + n_test/n_train. For k folds of any sizes the sums give exactly 1/(k - 1) for the second term."""
    train = _rows(caller, "n_train", n_train, n_splits)
    test = _rows(caller, "n_test", n_test, n_splits)
    return 1 / n_splits + float(test.sum() / train.sum())


def _rows(caller: str, name: str, count: ArrayLike, n_splits: int) -> NDArray:
    rows = as_numbers(count, caller, name)
    if rows.ndim > 1 or (rows.ndim == 1 and len(rows) != n_splits):
        raise ValueError(
            f"{caller}: {name} has shape {rows.shape}; give one number, or one for each of the {n_splits} splits"
        )
    if not (np.isfinite(rows).all() and (rows >= 1).all()):
        raise ValueError(f"{caller}({name}={plain(count)!r}): {name} must be at least 1")
    return np.broadcast_to(rows, (n_splits,))
