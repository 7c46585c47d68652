"""The answer in a sentence: how much better than guessing, with its interval."""

import math

from learnable.app.judging.association import BESIDE, SHUFFLES, SURE
from learnable.app.judging.figures import lead_figures
from learnable.app.judging.metrics import Metric, of_name
from learnable.app.report.words import Losses, difference_words, number
from learnable.app.result import Interval, LearnResult
from learnable.app.trials.candidates import BLEND


def verdict(result: LearnResult) -> str:
    """Plain words: the chosen learner against guessing, by the plain measure and with the interval of the difference.

    It beats guessing when the interval of the difference, by the measure that learners are ranked by, excludes zero,
    and either all learners are allowed for, or the target is tied to the columns (`association`): the best of many is
    now and then ahead of guessing by chance. It seems to where the interval reaches zero but the tie is there.
    """
    winner = result.winner
    name = f"The {winner.label}" if winner.label == BLEND else winner.label
    base = next((one for one in result.learners if one.reference and one.status == "finished"), None)
    if winner.reference or base is None:
        return f"{name} is all there is: no learner could be compared with it."
    found = result.comparison.with_baseline(winner.label) if result.comparison else None
    if found is None:
        return f"{name} was chosen."
    if found.difference.high < 0:
        if found.different or result.association is None or result.association <= BESIDE:
            return f"{name} beats guessing: {_plainly(result)}."
        asked = len(result.comparison.baseline) if result.comparison else 0
        return (
            f"{name} is ahead of guessing, but not shown to beat it: {_plainly(result)}. Of {asked} learners one may "
            f"be so far ahead by chance (adjusted p {found.p_adjusted:.2g}), and answers shuffled {_among(result)} "
            f"fit the columns as well in {number(100 * result.association)}% of {SHUFFLES + 1} orders."
        )
    if found.difference.low > 0:
        return f"{name} is worse than guessing: {_plainly(result)}."
    better = f"its {result.measure} is {_gap(result, signed=True) or 'much the same'}, an interval that reaches zero"
    if found.difference.low == found.difference.high:
        better = f"its {result.measure} is the same"
    if found.difference.estimate < 0 and result.association is not None and result.association <= SURE:
        return (
            f"{name} seems to beat guessing: {better}. But the columns do tell of {result.target!r}: answers shuffled "
            f"{_among(result)} fit them as well in {number(100 * result.association)}% of {SHUFFLES + 1} orders only."
        )
    return f"{name} is not shown to beat guessing: {better}. More rows or other columns may show it."


def _among(result: LearnResult) -> str:
    return "among the rows of each group" if result.splitting == "grouped" else "among the rows"


def _plainly(result: LearnResult) -> str:
    winner = result.winner
    base = next(one for one in result.learners if one.reference and one.status == "finished")
    assert winner.plain is not None
    assert base.plain is not None
    if result.costs is not None and of_name(result.metric) is None and winner.cv is not None and base.cv is not None:
        cost = f"{result.metric} {number(winner.cv.estimate)} against {number(base.cv.estimate)}, {_gap(result)}"
        return "; ".join([cost, *_finding(result)])
    if found := _finding(result):
        return found[0]
    if result.task == "classification":
        difference = plain_difference(result)
        rates = Losses(1 if winner.plain.estimate < 0.1 else 0, True)
        if difference is not None and difference.low > 0:
            ends = [number(100 * end, 2) for end in (difference.estimate, difference.low, difference.high)]
            points = f"{ends[0]} points [{ends[1]}, {ends[2]}]"
            return f"{rates.show(winner.plain.estimate)} against {rates.show(base.plain.estimate)} error, {points}"
        gap = _gap(result)
        assert winner.cv is not None
        assert base.cv is not None
        return (
            f"{result.measure} {number(winner.cv.estimate)} against {number(base.cv.estimate)}, {gap or 'less'}; "
            f"error {rates.show(winner.plain.estimate)} against {rates.show(base.plain.estimate)}"
        )
    explained = explained_share(result)
    share = ""
    if explained is not None and explained.low > 0:
        share = f", {_interval(explained)} of the variance explained"
    elif (gap := _gap(result)) is not None:  # a few large errors blur the share, but not the difference
        share = f", better by {gap}"
    if result.counts and winner.cv is not None and base.cv is not None:
        return f"{result.metric} {number(winner.cv.estimate)} against {number(base.cv.estimate)}{share}"
    return f"off by {number(winner.plain.estimate)} against {number(base.plain.estimate)} (root mean square){share}"


def _finding(result: LearnResult) -> list[str]:
    """How well a rare class is found; nothing where none is rare."""
    figures = result.winner.extra
    lead = lead_figures(figures)
    if "average precision" not in figures:
        return []
    recall = next((name for name in lead if name.startswith("recall")), "")
    operating = result.operating
    share = f"{100 * operating.share:.2g}%" if operating else "few"
    return [
        f"average precision {_interval(figures['average precision'])} where guessing has {share}; {recall} "
        f"{_interval(figures[recall])}; AUC {_interval(figures['AUC'])}"
    ]


def _gap(result: LearnResult, signed: bool = False) -> str | None:
    """The difference to guessing with its interval, by the measure that learners are ranked by.

    `signed`: in words, "better by" or "worse by".
    """
    metric = of_name(result.metric) or Metric("cost", result.metric, "classification", None)
    base = next(one for one in result.learners if one.reference and one.status == "finished")
    found = result.comparison.with_baseline(result.winner.label) if result.comparison else None
    if found is None or base.cv is None:
        return None
    if signed and found.difference.estimate > 0:
        assert result.winner.cv is not None
        return f"worse by {difference_words(found.difference, metric, result.winner.cv.estimate)}"
    return f"{'better by ' * signed}{difference_words(_negated(found.difference), metric, base.cv.estimate)}"


def plain_difference(result: LearnResult) -> Interval | None:
    """By how much the error rate (or the mean squared error) of guessing is larger, over all splits."""
    from learnable.evaluation import corrected_t

    winner = result.winner
    base = next((one for one in result.learners if one.reference and one.status == "finished"), None)
    if base is None or not winner.plain_scores or len(winner.plain_scores) != len(base.plain_scores):
        return None
    n_train, n_test = fold_rows(result)
    test = corrected_t(base.plain_scores, winner.plain_scores, n_train=n_train, n_test=n_test)
    found = test.difference
    return Interval(found.estimate, found.low, found.high, found.level, found.method)


def explained_share(result: LearnResult) -> Interval | None:
    """1 − mean squared error/that of guessing over all splits; the interval is of the ratio, linearised."""
    from learnable.evaluation import corrected_mean

    base = next((one for one in result.learners if one.reference and one.plain_scores), None)
    mine = result.winner.plain_scores
    if base is None or len(mine) != len(base.plain_scores) or not sum(base.plain_scores) > 0:
        return None
    whole = sum(base.plain_scores) / len(mine)
    ratio = sum(mine) / sum(base.plain_scores)
    n_train, n_test = fold_rows(result)
    shares = [1 - ratio - (one - ratio * other) / whole for one, other in zip(mine, base.plain_scores)]
    found = corrected_mean(shares, n_train=n_train, n_test=n_test)
    return Interval(found.estimate, found.low, min(found.high, 1.0), found.level, found.method)


def fold_rows(result: LearnResult) -> tuple[float, float]:
    """Rows to learn from and to be judged on in a fold, on average."""
    n, k = result.tuning_rows, result.folds
    if result.splitting == "forward in time":
        return n * (k + 1) / 2 / (k + 1), n / (k + 1)
    return n * (k - 1) / k, n / k


def _interval(found: Interval) -> str:
    ends = [100 * end for end in (found.estimate, found.low, found.high)]
    if not all(math.isfinite(end) for end in ends):
        return number(found.estimate)
    return f"{ends[0]:.0f}% [{ends[1]:.0f}, {ends[2]:.0f}]"


def _negated(found: Interval) -> Interval:
    return Interval(-found.estimate, -found.high, -found.low, found.level, found.method)
