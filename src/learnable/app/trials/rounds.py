"""Rounds of folds: every learner on the same splits, as many rounds as the questions need and the budget allows."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from learnable.app.errors import TimeUp
from learnable.app.judging.metrics import METRICS, Metric
from learnable.app.table.coding import Coded
from learnable.app.trials.candidates import BLEND, Candidate
from learnable.app.trials.fitting import Output
from learnable.app.trials.remote import at_once, run_anywhere
from learnable.app.trials.tuning import Fold, Tuned, judge, judge_nested
from learnable.app.trials.workers import Deadline

# Repetitions of ten folds, after which intervals shrink little: the training sets overlap.
MOST_ROUNDS = 5
FEWEST_NESTED_ROUNDS = 2  # each of their fits is a tuning of its own
NESTED_ROWS = 200
"""All nested rounds together judge about so many rows: a round of a few dozen says little."""
INNER_SHARE = 0.7
"""Of the time of a nested fold, the share of choosing a setting; the rest is for the fit that is judged."""
ROUNDS_FOR_NO = 3
"""A learner that seems better than guessing is not given up before."""
ROUND_CELLS = 300_000_000
"""Coded cells that the rounds after the first may visit: 5 rounds of 8 learners up to about 30,000 rows × 20."""
CLEAR, OPEN = 0.01, 0.3
"""A question is settled when its adjusted p is below the one or above the other, well off the level of 0.05."""


class Entrant(NamedTuple):
    """A learner with its tuned setting."""

    candidate: Candidate
    tuned: Tuned

    @property
    def as_tuned(self) -> Candidate:
        """With the settings that tuning had time for: nested folds choose among those that the model is one of."""
        tried = [one.params for one in self.tuned.tried]
        return self.candidate._replace(settings=[one for one in self.candidate.settings if one in tried])


class Scores(NamedTuple):
    """Losses of every learner on every split.

    Attributes
    ----------
    ranked : label -> losses by which learners are ranked, one a split; plain : the same by the plain measure.
    n_train, n_valid : rows of every split.
    rounds : how many were made; settled : whether they stopped because every question was settled.
    row_losses : label -> mean over the rounds of the loss of every row, where the measure has such.
    pooled : label -> what the learner said of each row when it was held out, in the first round.
    y, weight : of the rows in the order of `pooled`.
    weights : of the learners in the blend, from all rows of all rounds; gap : how far from the least loss they may be.
    """

    ranked: dict[str, list[float]]
    plain: dict[str, list[float]]
    n_train: np.ndarray
    n_valid: np.ndarray
    rounds: int
    settled: bool
    row_losses: dict[str, np.ndarray]
    pooled: dict[str, Output]
    y: np.ndarray
    weight: np.ndarray | None
    weights: dict[str, float]
    gap: float


class HeldOut(NamedTuple):
    """What every member of the blend says of the rows of one fold (for classes: the probability of what happened), the
    target where that is a quantity, and the weights of the rows."""

    said: np.ndarray
    y: np.ndarray | None
    weight: np.ndarray | None


class Tally:
    """Scores as they come in."""

    def __init__(self, metric: Metric, reference: str, unblended: str = ""):
        self.metric, self.reference, self.unblended = metric, reference, unblended
        self.plain_metric = METRICS[metric.task]
        self.ranked: dict[str, list[float]] = {}
        self.plain: dict[str, list[float]] = {}
        self.n_train: list[int] = []
        self.n_valid: list[int] = []
        self.rounds = 0
        self.sums: dict[str, np.ndarray] = {}
        self.pooled: dict[str, Output] = {}
        self.y: np.ndarray = np.empty(0)
        self.weight: np.ndarray | None = None
        self.members: list[str] = []
        self.held_out: list[HeldOut] = []

    def add(self, folds: Sequence[Fold], outputs: dict[str, list[Output]]) -> None:
        """One round: outputs of every learner on every fold, and with them those of the blend."""
        outputs = {**outputs, **self._blend(folds, outputs)}
        self.n_train += [len(fold.y) for fold in folds]
        self.n_valid += [len(fold.y_valid) for fold in folds]
        for label, found in outputs.items():
            for where, metric in ((self.ranked, self.metric), (self.plain, self.plain_metric)):
                decided = [self.metric.decided(out) for out in found]
                scores = [metric.score(f.y_valid, out, f.weight_valid) for f, out in zip(folds, decided)]
                where.setdefault(label, []).extend(scores)
            if self.metric.rows is not None and folds[0].rows is not None:
                rows = np.concatenate([fold.rows for fold in folds if fold.rows is not None])
                losses = np.concatenate([self.metric.losses(f.y_valid, out) for f, out in zip(folds, found)])
                ordered = losses[np.argsort(rows)]
                self.sums[label] = self.sums.get(label, 0.0) + ordered
        if self.rounds == 0:
            self.pooled = {label: joined(found) for label, found in outputs.items()}
            self.y = np.concatenate([fold.y_valid for fold in folds])
            if folds[0].weight_valid is not None:
                self.weight = np.concatenate([fold.weight_valid for fold in folds if fold.weight_valid is not None])
        self.rounds += 1

    def _blend(self, folds: Sequence[Fold], outputs: dict[str, list[Output]]) -> dict[str, list[Output]]:
        """The blend on every fold, its weights learned from the other folds, so that no row judges its own weights.

        The baseline is a member: where there is little to learn, its weight draws the others towards guessing.
        """
        members = [label for label in outputs if label != self.unblended]
        if len(members) - (self.reference in members) < 2:
            return {}
        classes = self.metric.task == "classification"
        round_ = []
        for number, fold in enumerate(folds):
            found = [outputs[label][number] for label in members]
            said = np.column_stack([_own(fold, one) if classes else one.predicted for one in found])
            round_.append(HeldOut(said, None if classes else fold.y_valid, fold.weight_valid))
        made = []
        for number in range(len(folds)):
            w = _weights([one for place, one in enumerate(round_) if place != number]).weights
            made.append(mixed([outputs[label][number] for label in members], w))
        self.held_out += round_
        self.members = members
        return {BLEND: made}

    def _final_blend(self) -> tuple[dict[str, float], float]:
        """Weights from the rows of every round, and how far from the least loss they may be.

        Learners that weigh next to nothing are left out one after the other, the lightest first, and the others
        weighed again: the weights kept are the best ones of the learners kept.
        """
        members = list(range(len(self.members)))
        while members:
            found = _weights([one._replace(said=one.said[:, members]) for one in self.held_out])
            lightest = int(np.argmin(found.weights))
            if found.weights[lightest] >= LEAST_WEIGHT:
                return {self.members[j]: float(w) for j, w in zip(members, found.weights)}, found.gap
            del members[lightest]
        return {}, 0.0

    def settled(self) -> bool:
        """Whether every question is well off the level: every learner with the reference, and with the best."""
        from learnable.evaluation import with_best, with_reference

        labels = [label for label in self.ranked if label != self.reference]
        if not labels:
            return True
        table = np.column_stack([self.ranked[label] for label in labels])
        sizes: dict[str, Any] = {"n_train": np.array(self.n_train), "n_test": np.array(self.n_valid)}
        first = []
        if self.reference in self.ranked:
            against = with_reference(table, self.ranked[self.reference], **sizes)
            best = min(against, key=lambda one: one.difference.estimate)
            if best.difference.estimate < 0 and best.p_adjusted >= CLEAR and self.rounds < ROUNDS_FOR_NO:
                return False
            first = [one.p_adjusted for one in against]
        second = [one.p_value for one in with_best(table, **sizes)] if len(labels) > 1 else []
        return all(p < CLEAR or p > OPEN for p in [*first, *second])

    def scores(self, settled: bool) -> Scores:
        means = {label: total / self.rounds for label, total in self.sums.items()}
        return Scores(
            self.ranked, self.plain, np.array(self.n_train), np.array(self.n_valid), self.rounds, settled, means,
            self.pooled, self.y, self.weight, *self._final_blend(),
        )  # fmt: skip


LEAST_WEIGHT = 0.02
"""Learners that weigh less in the blend are left out of it."""


def run_rounds(
    entrants: Sequence[Entrant],
    coded: Coded,
    first: list[Fold],
    metric: Metric,
    jobs: int,
    deadline: Deadline,
    finished: Callable[[int], None] = lambda units: None,
) -> Scores:
    """Judge tuned learners over rounds of folds until every question is settled or the budget is spent.

    The first round has the folds of tuning, whose outputs are there already unless cross-validation is nested. Then
    every learner has its share of the time for the first round; who is late is not among the scores.
    """
    reference = next((one.candidate.label for one in entrants if one.candidate.reference), "")
    # The baseline of a file larger than memory cannot be fitted block by block.
    tally = Tally(metric, reference, "" if coded.question.whole is None else reference)
    most = most_rounds(coded, len(entrants))
    settled = False
    for number in range(most):
        folds = first if number == 0 else coded.folds(number)
        if number == 0:
            outputs = _first_round(entrants, folds, metric, jobs, deadline, finished, coded.division.nested)
            entrants = [one for one in entrants if one.candidate.label in outputs]
        else:
            try:
                outputs = _outputs(entrants, folds, metric, jobs, deadline, coded.division.nested)
            except TimeUp:
                break
            finished(len(entrants) * len(folds))
        tally.add(folds, outputs)
        settled = tally.settled()
        if settled or deadline.expired:
            break
    return tally.scores(settled)


def most_rounds(coded: Coded, learners: int) -> int:
    """Rounds that the budget allows, which hangs on the size of the table alone; folds in time cannot be redealt."""
    if coded.division.times is not None:
        return 1
    cells = len(coded.division.tuning) * (coded.width + 5) * learners * coded.division.n_folds
    most = MOST_ROUNDS
    if coded.division.nested:
        most = min(max(FEWEST_NESTED_ROUNDS, NESTED_ROWS // len(coded.division.tuning)), MOST_ROUNDS)
    return int(min(max(ROUND_CELLS // cells, 1), most))


def _first_round(
    entrants: Sequence[Entrant], folds: Sequence[Fold], metric: Metric, jobs: int, deadline: Deadline,
    finished: Callable[[int], None], nested: bool,
) -> dict[str, list[Output]]:  # fmt: skip
    """The outputs on the folds of tuning; nested, of the learners whose share of the time suffices for one setting.

    The share is dealt to the folds, and a fold chooses among as many settings as its part has time for.

    The baseline and the first learner beside it are waited for: without them there is nothing to compare.
    """
    if not nested:
        return {one.candidate.label: one.tuned.outputs for one in entrants}
    found: dict[str, list[Output]] = {}
    for place, one in enumerate(entrants):
        needed = one.candidate.reference or all(other.candidate.reference for other in entrants[:place])
        share = Deadline(None) if needed else deadline.for_one_of(len(entrants) - place)
        seconds = None
        if share.left is not None:
            seconds = INNER_SHARE * max(share.left, 0.0) * at_once(jobs) / len(folds)
        with suppress(TimeUp):
            found |= _outputs([one], folds, metric, jobs, share, nested, seconds)
        finished(len(folds))
    return found


def _outputs(
    entrants: Sequence[Entrant], folds: Sequence[Fold], metric: Metric, jobs: int, deadline: Deadline, nested: bool,
    seconds: float | None = None,
) -> dict[str, list[Output]]:  # fmt: skip
    """What every learner says of every fold; nested, `seconds` are those for the choice of a setting in a fold."""
    tasks = [
        partial(judge_nested, one.as_tuned, fold, metric, seconds)
        if nested
        else partial(judge, one.candidate.estimator, one.tuned.params, fold, metric)
        for one in entrants
        for fold in folds
    ]
    judged = run_anywhere(tasks, jobs, deadline)
    found = {}
    for place, one in enumerate(entrants):
        mine = judged[place * len(folds) : (place + 1) * len(folds)]
        fallback = one.tuned.outputs
        found[one.candidate.label] = [
            judged_one.output if judged_one.output is not None else _constant(fold, fallback[0], metric)
            for judged_one, fold in zip(mine, folds)
        ]
    return found


def _constant(fold: Fold, like: Output, metric: Metric) -> Output:
    """What guessing says: a fit that fails on a fold is judged as a guess there."""
    n = len(fold.y_valid)
    if metric.task == "regression":
        return Output(np.full(n, float(np.mean(fold.y))))
    classes = like.classes if like.classes is not None else np.unique(fold.y)
    shares = np.array([np.mean(fold.y == level) for level in classes])
    return Output(np.full(n, classes[int(np.argmax(shares))]), np.tile(shares, (n, 1)), classes)


def _own(fold: Fold, output: Output) -> np.ndarray:
    """The probability that was given to what happened."""
    assert output.probability is not None
    assert output.classes is not None
    return output.probability[np.arange(len(fold.y_valid)), np.searchsorted(output.classes, fold.y_valid)]


def _weights(parts: Sequence[HeldOut]) -> Any:
    """The weights of least loss on the rows of several folds together."""
    from learnable.selection.super_learner import blend_weights

    y = None if parts[0].y is None else np.concatenate([one.y for one in parts if one.y is not None])
    given = [one.weight for one in parts if one.weight is not None]
    return blend_weights(
        np.vstack([one.said for one in parts]), y, sample_weight=np.concatenate(given) if given else None
    )


def mixed(outputs: Sequence[Output], weights: np.ndarray) -> Output:
    """The weighted mean of what several learners say."""
    if outputs[0].probability is None:
        return Output(np.sum([w * one.predicted for w, one in zip(weights, outputs)], axis=0))
    shares = np.sum([w * one.probability for w, one in zip(weights, outputs)], axis=0)
    shares = shares / shares.sum(axis=1, keepdims=True)  # weights add up to 1 but for rounding
    classes = outputs[0].classes
    assert classes is not None
    return Output(classes[np.argmax(shares, axis=1)], shares, classes)


def joined(outputs: Sequence[Output]) -> Output:
    """Outputs on several folds as one."""
    probability = None
    if outputs[0].probability is not None:
        probability = np.vstack([one.probability for one in outputs if one.probability is not None])
    return Output(np.concatenate([one.predicted for one in outputs]), probability, outputs[0].classes)
