"""Two families of comparisons over the same folds: every learner with a reference, and every learner with the best."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnable.evaluation._validation import as_numbers

from .corrected_t import corrected_t
from .interval import Interval
from .multiple import holm


class WithReference(NamedTuple):
    """One learner against the reference.

    Attributes
    ----------
    difference : mean loss of the learner minus that of the reference, with its own interval.
    p_value : of the corrected t-test, two-sided.
    p_adjusted : after Holm's correction over the family.
    standard_error : of the difference.
    """

    difference: Interval
    p_value: float
    p_adjusted: float
    standard_error: float


class WithBest(NamedTuple):
    """One learner against the best of the others.

    Attributes
    ----------
    difference : mean loss minus that of the learner with the smallest mean; 0 for that learner itself.
    p_value : for "this learner is the best one", adjusted for its comparisons with all others.
    may_be_best : whether that is not refuted.
    standard_error : of the difference.
    """

    difference: Interval
    p_value: float
    may_be_best: bool
    standard_error: float


def with_reference(
    losses: ArrayLike, reference: ArrayLike, *, n_train: ArrayLike, n_test: ArrayLike, level: float = 0.95
) -> list[WithReference]:
    """Every learner against one reference, by the corrected resampled t-test with Holm's correction.

    A family of m tests instead of the m(m + 1)/2 of all pairs, so that the question "does anything beat guessing?" is
    not drowned by questions nobody asked. Syllabus: E7.

    Parameters
    ----------
    losses : (splits, learners), smaller is better; repeated folds are stacked.
    reference : (splits,), on the same splits.
    n_train, n_test : rows of each split, or one number.
    level : of the intervals.

    >>> found = with_reference([[0.20], [0.25], [0.22]], [0.4, 0.4, 0.5], n_train=90, n_test=10)
    >>> round(found[0].difference.estimate, 4), found[0].p_adjusted < 0.05
    (-0.21, True)
    """
    table, base = _table(losses), as_numbers(reference, "with_reference", "reference")
    tests = [corrected_t(column, base, n_train=n_train, n_test=n_test, level=level) for column in table.T]
    adjusted = holm([test.p_value for test in tests])
    return [
        WithReference(test.difference, test.p_value, float(p), test.standard_error) for test, p in zip(tests, adjusted)
    ]


def with_best(losses: ArrayLike, *, n_train: ArrayLike, n_test: ArrayLike, level: float = 0.95) -> list[WithBest]:
    """Which learners may be the best: multiple comparisons with the best (Hsu, 1981).

    Learner i is refuted when some j has a smaller loss by a one-sided corrected t-test at level (1 − level)/(m − 1).
    For the true best one each of these m − 1 hypotheses is true, so it is refuted with probability at most 1 − level,
    as far as the test is right about each pair: the learners that are left are a confidence set for the best.
    Syllabus: E7.

    Parameters
    ----------
    losses : (splits, learners), smaller is better.
    n_train, n_test, level : as for `with_reference`.

    >>> found = with_best([[0.20, 0.4], [0.25, 0.4], [0.22, 0.5]], n_train=90, n_test=10)
    >>> [one.may_be_best for one in found]
    [True, False]
    """
    table = _table(losses)
    count = table.shape[1]
    best = int(np.argmin(table.mean(axis=0)))
    found = []
    for i in range(count):
        tests = [
            corrected_t(table[:, i], table[:, j], n_train=n_train, n_test=n_test, level=level)
            for j in range(count)
            if j != i
        ]
        one_sided = [t.p_value / 2 if t.difference.estimate > 0 else 1 - t.p_value / 2 for t in tests]
        p = min(1.0, (count - 1) * min(one_sided)) if tests else 1.0
        own = corrected_t(table[:, i], table[:, best], n_train=n_train, n_test=n_test, level=level)
        found.append(WithBest(own.difference, p, p > 1 - level, own.standard_error))
    return found


def _table(losses: ArrayLike) -> NDArray:
    table = as_numbers(losses, "with_reference", "losses")
    if table.ndim != 2:
        raise ValueError(f"losses have shape {table.shape}; give one row a split and one column a learner")
    return table
