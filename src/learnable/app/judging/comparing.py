"""Which learners differ: three questions, each a family of tests with a correction of its own."""

from collections.abc import Sequence

import numpy as np

from learnable.app.judging.metrics import LEVEL, plain_interval
from learnable.app.result import AgainstResult, ComparisonResult, Interval, LearnerResult, PairResult


def compare(
    learners: Sequence[LearnerResult],
    metric: str,
    n_train: np.ndarray,
    n_valid: np.ndarray,
    row_losses: dict[str, np.ndarray] | None = None,
) -> ComparisonResult:
    """Every learner with the baseline, every learner with the best, and all pairs, by the corrected t-test."""
    from learnable.evaluation.comparison import Comparison

    scores = np.column_stack([learner.cv_scores for learner in learners])
    # The labels are ours to keep as they are, so the comparison runs on numbers.
    names = [str(position) for position in range(len(learners))]
    found = Comparison.from_scores(
        scores, n_train, n_valid, names=names, alpha=1 - LEVEL, metric=metric, greater_is_better=False
    )
    label = {name: learner.label for name, learner in zip(names, learners)}
    pairs = [
        PairResult(
            label[pair.first],
            label[pair.second],
            plain_interval(pair.difference),
            float(pair.tests.corrected.p_value),
            float(pair.p_adjusted),
            bool(pair.different),
        )
        for pair in found.pairs
    ]
    groups = [[label[name] for name in group] for group in found.groups]
    sizes = (n_train, n_valid)
    return ComparisonResult(
        [label[name] for name in found.ranking],
        pairs,
        groups,
        LEVEL,
        _with_baseline(learners, scores, *sizes, row_losses or {}),
        _with_best(learners, scores, *sizes, row_losses or {}),
    )


def _with_baseline(
    learners: Sequence[LearnerResult],
    scores: np.ndarray,
    n_train: np.ndarray,
    n_valid: np.ndarray,
    rows: dict[str, np.ndarray],
) -> list[AgainstResult]:
    from learnable.evaluation import with_reference

    places = [place for place, one in enumerate(learners) if one.reference]
    others = [place for place, one in enumerate(learners) if not one.reference]
    if not places or not others:
        return []
    base = learners[places[0]].label
    found = with_reference(scores[:, others], scores[:, places[0]], n_train=n_train, n_test=n_valid, level=LEVEL)
    return [
        AgainstResult(
            learners[place].label,
            base,
            plain_interval(one.difference),
            one.p_value,
            one.p_adjusted,
            one.p_adjusted < 1 - LEVEL,
            *pooled(rows.get(learners[place].label), rows.get(base)),
            standard_error=one.standard_error,
        )
        for place, one in zip(others, found)
    ]


def _with_best(
    learners: Sequence[LearnerResult],
    scores: np.ndarray,
    n_train: np.ndarray,
    n_valid: np.ndarray,
    rows: dict[str, np.ndarray],
) -> list[AgainstResult]:
    from learnable.evaluation import with_best

    if len(learners) < 2:
        return []
    best = learners[int(np.argmin(scores.mean(axis=0)))].label
    return [
        AgainstResult(
            one.label,
            best,
            plain_interval(found.difference),
            found.p_value,
            found.p_value,
            not found.may_be_best,
            *pooled(rows.get(one.label), rows.get(best)),
            standard_error=found.standard_error,
        )
        for one, found in zip(learners, with_best(scores, n_train=n_train, n_test=n_valid, level=LEVEL))
    ]


def pooled(first: np.ndarray | None, second: np.ndarray | None) -> tuple[Interval | None, float | None]:
    """The paired t-test on the losses of the rows held out, given the fits: no account of other training rows.

    >>> pooled(np.array([0.1, 0.2, 0.3]), np.array([0.4, 0.6, 0.5]))[1] < 0.05
    True
    """
    if first is None or second is None or first is second or len(first) < 2:
        return None, None
    from learnable.evaluation import paired_t

    found = paired_t(first, second, level=LEVEL)
    return plain_interval(found.difference), found.p_value
