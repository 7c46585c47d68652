"""Scores with intervals, which learners can be told apart, and which one to keep."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from learnable.app.result import ComparisonResult, Interval, LearnerResult, PairResult
from learnable.panel import Task

LEVEL = 0.95


class Metric(NamedTuple):
    """How a prediction is judged: a loss for every row, smaller is better."""

    name: str
    task: Task

    def losses(self, y: np.ndarray, predicted: np.ndarray) -> np.ndarray:
        """1 for a wrong class, or the squared error."""
        from learnable.evaluation import LOSSES

        return LOSSES["zero_one" if self.task == "classification" else "squared"].per_row(y, predicted, None)

    def interval(self, losses: np.ndarray) -> Interval:
        """Mean loss on rows never seen, with Wilson's interval for an error rate and Student's for a mean.

        >>> METRICS["classification"].interval(np.array([0.0, 0.0, 1.0, 0.0])).method
        'wilson'
        """
        from learnable.evaluation import proportion_interval, t_interval

        if self.task == "classification":
            return plain_interval(proportion_interval(int(losses.sum()), len(losses), level=LEVEL))
        return self._within(t_interval(losses, level=LEVEL))

    def over_folds(self, means: Sequence[float], n_train: np.ndarray, n_valid: np.ndarray) -> Interval:
        """Mean of the folds with the interval that allows for their common training rows (Nadeau and Bengio).

        Error rates that are the same in every fold have no spread to build it on: they get Wilson's, over all rows.

        >>> found = METRICS["classification"].over_folds([0.0, 0.0], np.array([20, 20]), np.array([20, 20]))
        >>> found.method, round(found.high, 3)
        ('wilson', 0.088)
        """
        from learnable.evaluation import proportion_interval
        from learnable.evaluation.corrected_t import corrected_mean

        if self.task == "classification" and min(means) == max(means):
            rows = int(np.sum(n_valid))
            return plain_interval(proportion_interval(round(means[0] * rows), rows, level=LEVEL))
        return self._within(corrected_mean(means, n_train=n_train, n_test=n_valid, level=LEVEL))

    def _within(self, found: Any) -> Interval:
        """Cut to the values that a mean loss can take."""
        most = 1.0 if self.task == "classification" else np.inf
        return replace(plain_interval(found), low=max(float(found.low), 0.0), high=min(float(found.high), most))


METRICS = {
    "classification": Metric("error rate", "classification"),
    "regression": Metric("mean squared error", "regression"),
}


def plain_interval(found: Any) -> Interval:
    """An interval of `learnable.evaluation` as a record of the result."""
    return Interval(float(found.estimate), float(found.low), float(found.high), float(found.level), found.method)


def compare(
    learners: Sequence[LearnerResult], metric: str, n_train: np.ndarray, n_valid: np.ndarray
) -> ComparisonResult:
    """Every pair by the corrected paired t-test with Holm's correction, and the groups that cannot be told apart."""
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
    return ComparisonResult([label[name] for name in found.ranking], pairs, groups, LEVEL)


class Choice(NamedTuple):
    """The learner to keep, why, and what the user should be warned of."""

    label: str
    reason: str
    warnings: list[str]


def choose(learners: Sequence[LearnerResult], comparison: ComparisonResult, columns: dict[str, int | None]) -> Choice:
    """Among the learners that cannot be told apart from the best one, that which uses the fewest columns of the table.

    The best is that with the smallest cross-validated loss. A learner whose certificate fails, or the baseline, is
    kept only when there is no other. A learner without weights to count is taken to use more than any; ties go to those
    that give probabilities, then to the smaller loss. Times play no part, so that the same seed gives the same choice.
    """
    rank = {label: place for place, label in enumerate(comparison.labels)}
    ranked = sorted(learners, key=lambda learner: rank[learner.label])
    eligible = [learner for learner in ranked if not learner.reference and learner.certified is not False]
    eligible = eligible or [learner for learner in ranked if not learner.reference] or ranked
    best = eligible[0]
    apart = {frozenset((pair.first, pair.second)) for pair in comparison.pairs if pair.different}
    rivals = [learner for learner in eligible if frozenset((best.label, learner.label)) not in apart]

    def simplicity(learner: LearnerResult) -> tuple[float, bool, int]:
        count = columns.get(learner.label)
        silent = "log loss" not in learner.extra
        return (float("inf") if count is None else count, silent, rank[learner.label])

    kept = min(rivals, key=simplicity)
    smallest = f"cross-validated error is the smallest{_aside(ranked[: ranked.index(best)])}"
    reason = _leads(best, rivals, smallest) if kept is best else _simpler(kept, best, rivals, columns, smallest)
    return Choice(kept.label, reason, _warnings(kept, ranked, apart))


def _leads(best: LearnerResult, rivals: list[LearnerResult], smallest: str) -> str:
    others = [learner.label for learner in rivals if learner is not best]
    lead = f"{best.label} is chosen: its {smallest}."
    return f"{lead} It cannot be told apart from {', '.join(others)}." if others else lead


def _simpler(
    kept: LearnerResult,
    best: LearnerResult,
    rivals: list[LearnerResult],
    columns: dict[str, int | None],
    smallest: str,
) -> str:
    fewest = columns.get(kept.label)
    if fewest is None:
        return (
            f"{kept.label} is chosen: it gives probabilities and cannot be told apart from {best.label}, "
            f"whose {smallest}."
        )
    equal = [one for one in rivals if one is not kept and columns.get(one.label) == fewest]
    names = " and ".join(one.label for one in equal) if len(equal) < 3 else f"{len(equal)} others"
    as_many = f", as many as {names}" if equal else ""
    silent = "log loss" in kept.extra and any("log loss" not in one.extra for one in equal)
    tie = "those that give probabilities come first, then the smaller error" if silent else "the smaller error decides"
    return (
        f"{kept.label} is chosen: it uses the fewest columns ({fewest}{as_many}) of those that cannot be told apart "
        f"from {best.label}, whose {smallest}.{f' Among equals {tie}.' if equal else ''}"
    )


def _aside(passed: list[LearnerResult]) -> str:
    """Those that are ahead of the best but may not be chosen."""
    names = [f"the baseline {one.label}" if one.reference else f"{one.label} (its certificate fails)" for one in passed]
    return f" ({' and '.join(names)} aside)" if names else ""


def _warnings(kept: LearnerResult, ranked: list[LearnerResult], apart: set[frozenset[str]]) -> list[str]:
    warnings = []
    for baseline in (learner for learner in ranked if learner.reference and learner is not kept):
        if frozenset((kept.label, baseline.label)) not in apart:
            warnings.append(
                f"{kept.label} cannot be told apart from the baseline '{baseline.label}': "
                "the columns may say nothing about the target, or the rows are too few to show it"
            )
    if kept.reference:
        warnings.append("no learner but the baseline finished")
    if kept.certified is False:
        warnings.append(f"the certificate of {kept.label} fails: see its claims")
    return warnings
