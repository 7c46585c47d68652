"""Which learner to keep: the best, or a simpler one whose price is small and printed."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from learnable.app.judging.metrics import Metric
from learnable.app.options import Prefer
from learnable.app.report.words import difference_words
from learnable.app.result import ComparisonResult, Interval, LearnerResult
from learnable.app.trials.candidates import BLEND

TOLERANCE: dict[str, float] = {"accuracy": 0.0025, "simple": 0.05, "fast": 0.05, "interpretable": 0.05}
"""What may be given up: so large a share of the best learner's loss, and of its gain over guessing.

Small where accuracy is asked for: of learners that say nearly the same, held-out rows show a hundredth to be a loss.
"""


class Traits(NamedTuple):
    """What makes a model simple: columns of the table it uses, numbers it holds, whether it has weights to read."""

    columns: int
    size: int
    readable: bool


class Choice(NamedTuple):
    """The learner to keep, why, and what the user should be warned of."""

    label: str
    reason: str
    warnings: list[str]


def choose(
    learners: Sequence[LearnerResult],
    comparison: ComparisonResult,
    traits: dict[str, Traits],
    metric: Metric,
    prefer: Prefer = "accuracy",
    folds: int | None = None,
) -> Choice:
    """The learner with the smallest cross-validated loss, or a simpler one that costs little.

    The least of many losses is the least by luck too, so beside the blend a single learner's loss counts as that of
    picking one (`picking`), as far as the blend is within one standard error of the best and better than guessing.

    A simpler one is taken only when its loss is within one standard error of the difference *and* within a share
    (`TOLERANCE`) of both the best loss and its gain over guessing: where little is left to lose, a hundredth of a large
    gain would be much. Simpler is what `prefer` says: fewer columns, fewer numbers, or weights that can be read. A
    learner whose certificate fails, or the baseline, is kept only when there is no other. Times play no part, so that
    the same seed gives the same choice. `folds` are those of one round; None: all splits are one round.
    """
    rank = {label: place for place, label in enumerate(comparison.labels)}
    ranked = sorted(learners, key=lambda learner: rank[learner.label])
    eligible = [learner for learner in ranked if not learner.reference and learner.certified is not False]
    eligible = eligible or [learner for learner in ranked if not learner.reference] or ranked
    smallest = eligible[0]
    base = next((one for one in ranked if one.reference), None)
    luck = _luck(eligible, base, comparison, folds)

    def loss(learner: LearnerResult) -> float:
        return _mean(learner) + (0.0 if learner.label == BLEND else luck)

    best = min(eligible, key=lambda one: (loss(one), rank[one.label]))
    gain = _mean(base) - _mean(best) if base is not None else 0.0
    tolerance = TOLERANCE[prefer] * max(min(gain, _mean(best)), 0.0)

    def affordable(learner: LearnerResult) -> bool:
        if learner is best:
            return True
        lost = loss(learner) - loss(best)
        error = _error_of_difference(learner, best, comparison)
        return lost <= tolerance and lost <= error

    kept = min(
        (one for one in eligible if affordable(one)), key=lambda one: (_burden(one, traits, prefer), rank[one.label])
    )
    if _burden(kept, traits, prefer) >= _burden(best, traits, prefer):
        kept = best
    aside = _aside(ranked[: ranked.index(smallest)])
    if kept is best and best is not smallest:
        reason = _instead_of(smallest, best, comparison, metric, luck, len(eligible) - 1, aside)
    elif kept is smallest:
        reason = _reason(kept, kept, comparison, traits, metric, prefer, aside)
    else:
        how = aside if best is smallest else f", the luck of picking allowed for{aside}"
        reason = _reason(kept, best, comparison, traits, metric, prefer, how)
    return Choice(kept.label, reason, _warnings(kept, comparison, metric))


def picking(scores: np.ndarray, folds: int) -> float:
    """The loss of picking one learner: on every split, that of the learner which the other folds of its round pick.

    Parameters
    ----------
    scores : (splits, learners), round by round; folds : splits of a round.

    >>> picking(np.array([[0.1, 0.3], [0.3, 0.1], [0.3, 0.2]]), 3)  # the second, the second, the first
    0.3
    """
    lost = []
    for first in range(0, len(scores), folds):
        round_ = scores[first : first + folds]
        others = (round_.sum(axis=0) - round_) / max(len(round_) - 1, 1)
        lost.append(round_[np.arange(len(round_)), np.argmin(others, axis=1)])
    return float(np.mean(np.concatenate(lost)))


def _luck(
    eligible: Sequence[LearnerResult], base: LearnerResult | None, comparison: ComparisonResult, folds: int | None
) -> float:
    """By how much the least loss of a single learner is too small; 0 without a blend within one standard error that is
    better than guessing."""
    blend = next((one for one in eligible if one.label == BLEND), None)
    singles = [one for one in eligible if one.label != BLEND]
    if blend is None or len(singles) < 2 or (base is not None and _mean(blend) >= _mean(base)):
        return 0.0
    if blend is not eligible[0]:
        lost = _mean(blend) - _mean(eligible[0])
        if lost > _error_of_difference(blend, eligible[0], comparison):
            return 0.0
    scores = np.column_stack([one.cv_scores for one in singles])
    return max(picking(scores, folds or len(scores)) - min(map(_mean, singles)), 0.0)


def _instead_of(
    smallest: LearnerResult,
    blend: LearnerResult,
    comparison: ComparisonResult,
    metric: Metric,
    luck: float,
    singles: int,
    aside: str,
) -> str:
    """Why the blend is chosen although a single learner has the smallest loss."""
    difference = _difference(blend, smallest, comparison)
    by = "" if difference is None else f", by {difference_words(difference, metric, _mean(blend))}"
    ends = [metric.show(Interval(end, end, end)).estimate for end in (_mean(smallest) + luck, _mean(blend))]
    return (
        f"{blend.label} is chosen: the cross-validated {metric.shown} of {smallest.label} is the smallest{aside}{by}, "
        f"but the smallest of {singles} is partly luck: picking one by the other folds costs {ends[0]:.4g}, the blend "
        f"{ends[1]:.4g}."
    )


def _mean(learner: LearnerResult) -> float:
    return sum(learner.cv_scores) / len(learner.cv_scores)


def _burden(learner: LearnerResult, traits: dict[str, Traits], prefer: Prefer) -> tuple[int, ...]:
    """What simplicity is measured by, smaller is simpler."""
    found = traits.get(learner.label, Traits(0, 0, False))
    blend = int(learner.label == BLEND)
    if prefer == "fast":
        return (found.size,)
    if prefer == "interpretable":
        return (blend, int(not found.readable), found.columns)
    return (blend, found.columns)


def _error_of_difference(one: LearnerResult, other: LearnerResult, comparison: ComparisonResult) -> float:
    pair = next((p for p in comparison.pairs if {p.first, p.second} == {one.label, other.label}), None)
    if pair is None or pair.difference.high <= pair.difference.low:
        return 0.0
    found = comparison.with_best(one.label)
    if found is not None and found.other == other.label:
        return found.standard_error
    from scipy.special import stdtrit

    quantile = -float(stdtrit(len(one.cv_scores) - 1, (1 - pair.difference.level) / 2))
    return (pair.difference.high - pair.difference.low) / 2 / quantile


def _reason(
    kept: LearnerResult,
    best: LearnerResult,
    comparison: ComparisonResult,
    traits: dict[str, Traits],
    metric: Metric,
    prefer: Prefer,
    aside: str,
) -> str:
    smallest = f"cross-validated {metric.shown} is the smallest{aside}"
    if kept is best:
        open_ = [
            one.label
            for one in comparison.best
            if not one.different and one.label != best.label and not _is_reference(one.label, comparison)
        ]
        open_.sort(key=comparison.labels.index)
        lead = f"{best.label} is chosen: its {smallest}."
        if not open_:
            return lead
        shown = ", ".join(open_[:3]) + (f" and {len(open_) - 3} more" if len(open_) > 3 else "")
        return f"{lead} Not shown to be worse, all comparisons allowed for: {shown}."
    mine, theirs = traits.get(kept.label), traits.get(best.label)
    saved = "it is simpler"
    if mine is not None and theirs is not None:
        fewer = theirs.columns - mine.columns
        if prefer == "fast":
            saved = f"it holds {mine.size} numbers instead of {theirs.size}"
        elif fewer > 0:
            columns = "column" if fewer == 1 else "columns"
            saved = f"it needs {fewer} {columns} fewer ({mine.columns} instead of {theirs.columns})"
        elif best.label == BLEND:
            saved = "it is one model instead of a blend"
        elif mine.readable and not theirs.readable:
            saved = "its weights can be read"
    difference = _difference(kept, best, comparison)
    cost = "" if difference is None else f", which costs {difference_words(difference, metric, _mean(kept))}"
    share = TOLERANCE[prefer]
    return (
        f"{kept.label} is chosen instead of {best.label}, whose {smallest}: {saved}{cost}. That is within one standard "
        f"error of the difference and within {100 * share:g}% of the best one's and of the gain over guessing."
    )


def _is_reference(label: str, comparison: ComparisonResult) -> bool:
    return any(one.other == label for one in comparison.baseline)


def _difference(kept: LearnerResult, best: LearnerResult, comparison: ComparisonResult) -> Interval | None:
    """Loss of the one kept minus that of the best."""
    for pair in comparison.pairs:
        if (pair.first, pair.second) == (kept.label, best.label):
            return pair.difference
        if (pair.second, pair.first) == (kept.label, best.label):
            found = pair.difference
            return replace(found, estimate=-found.estimate, low=-found.high, high=-found.low)
    return None


def _aside(passed: list[LearnerResult]) -> str:
    """Those that are ahead of the best but may not be chosen."""
    names = [f"the baseline {one.label}" if one.reference else f"{one.label} (its certificate fails)" for one in passed]
    return f" ({' and '.join(names)} aside)" if names else ""


def _warnings(kept: LearnerResult, comparison: ComparisonResult, metric: Metric) -> list[str]:
    warnings = []
    found = comparison.with_baseline(kept.label)
    if found is not None and found.difference.high >= 0:
        words = difference_words(found.difference, metric, _mean(kept))
        if found.difference.low > 0:
            warnings.append(
                f"{kept.label} is worse than the baseline '{found.other}': {metric.shown} differs by {words}"
            )
        else:
            warnings.append(
                f"{kept.label} is not shown to beat the baseline '{found.other}': {metric.shown} differs by {words}; "
                "with more rows or other columns it may"
            )
    if kept.reference:
        warnings.append("no learner but the baseline finished")
    if kept.certified is False:
        warnings.append(f"the certificate of {kept.label} fails: see its claims")
    return warnings
