"""Tuning one learner by cross-validation, on folds that are the same for every learner.

The folds hold coded matrices: the coding of each is learned on its own training rows, so nothing leaks, and is done
once for the whole panel.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from learnable.app.errors import TimeUp, printable
from learnable.app.judging.metrics import Metric
from learnable.app.table.splits import folds as deal
from learnable.app.trials.candidates import Candidate
from learnable.app.trials.fitting import Output, fit, output_of, uncertified
from learnable.app.trials.remote import at_once, run_anywhere
from learnable.app.trials.workers import Deadline

LARGEST_LOSS = 1e150  # the spread over the folds needs squares
# Two thirds of the rows for each candidate, a third of the cost of ten folds.
INNER_FOLDS = 3


class Fold(NamedTuple):
    """One split: coded training rows and validation rows, their weights, which rows are judged, all classes, and the
    column of the table behind each coded one."""

    X: np.ndarray
    y: np.ndarray
    X_valid: np.ndarray
    y_valid: np.ndarray
    weight: np.ndarray | None = None
    weight_valid: np.ndarray | None = None
    rows: np.ndarray | None = None
    levels: np.ndarray | None = None
    owners: Sequence[str] = ()


class Tried(NamedTuple):
    """A setting and its loss on each fold; none when a fit failed."""

    params: dict[str, Any]
    scores: list[float]


class Tuned(NamedTuple):
    """The setting of least mean loss, its loss and its output on each fold, and every setting tried.

    `stopped` says that the time was up before every setting was tried.
    """

    params: dict[str, Any]
    scores: list[float]
    tried: list[Tried]
    outputs: list[Output]
    stopped: bool = False


class EveryFitFailed(Exception):
    """No setting of a learner could be fitted on all folds."""


class Slow(TimeUp):
    """One setting on all folds would take `needed` seconds, more than there are."""

    def __init__(self, needed: float):
        self.needed = needed


def tune(
    candidate: Candidate,
    folds: Sequence[Fold],
    metric: Metric,
    jobs: int,
    deadline: Deadline,
    finished: Callable[[], None] = lambda: None,
    begun: Tuned | None = None,
    most: int | None = None,
) -> Tuned:
    """Try every setting on every fold; ties go to the setting that comes first in the grid.

    A setting that fails on a fold, or gives a loss whose square is not finite, is out. When the time is up, the
    settings tried so far decide; TimeUp when there is none, and Slow as soon as that is to be foreseen. The middle of
    the grid is tried first: what is left out then is at its ends. Settings that `begun` has tried are not tried again;
    when `most` of them could be fitted, the others are left.
    """
    tried: dict[int, Tried] = {}
    causes: dict[int, str] = {}
    best: tuple[float, int, list[Output]] | None = None
    stopped = False
    if begun is not None:
        tried = {candidate.settings.index(one.params): one for one in begun.tried}
        best = float(np.mean(begun.scores)), candidate.settings.index(begun.params), begun.outputs
    for place in from_the_middle(len(candidate.settings)):
        if place in tried:
            continue
        if most is not None and sum(bool(one.scores) for one in tried.values()) >= most:
            break
        setting = candidate.settings[place]
        tasks = [partial(judge, candidate.estimator, setting, fold, metric) for fold in folds]
        try:
            known = [] if tried or deadline.left is None else _foreseen(tasks, jobs, deadline, finished)
            others = tasks[len(known) :]
            judged = [*known, *(run_anywhere(others, jobs, deadline, finished) if others else [])]
        except TimeUp:
            if best is None:
                raise
            stopped = True
            break
        mean = float(np.mean([one.loss for one in judged]))
        causes[place] = next((one.cause for one in judged if one.cause), "")
        tried[place] = Tried(setting, [one.loss for one in judged] if np.isfinite(mean) else [])
        if np.isfinite(mean) and (best is None or (mean, place) < best[:2]):
            best = mean, place, [one.output for one in judged if one.output is not None]
    if best is None:
        raise EveryFitFailed(
            next((causes[place] for place in sorted(causes) if causes[place]), "the loss is not finite")
        )
    return Tuned(*tried[best[1]], [tried[place] for place in sorted(tried)], best[2], stopped)


def _foreseen(tasks: list[Any], jobs: int, deadline: Deadline, finished: Callable[[], None]) -> list["Judged"]:
    """The results of as many tasks as run at once; Slow where at this pace the time is too short for the others."""
    many, before = at_once(jobs), deadline.left or 0.0
    judged = run_anywhere(tasks[:many], jobs, deadline, finished)
    left = deadline.left or 0.0
    needed = (before - left) * -(-len(tasks) // many)
    if needed > before:
        raise Slow(needed)
    return judged


def from_the_middle(count: int) -> list[int]:
    """The places of so many settings, the middle one first and the ends last.

    >>> from_the_middle(5), from_the_middle(4)
    ([2, 1, 3, 0, 4], [2, 1, 3, 0])
    """
    return sorted(range(count), key=lambda place: (abs(place - count // 2), place))


class Judged(NamedTuple):
    """Loss on the validation rows and what the model said there; (nan, why not) when the fit failed."""

    loss: float
    cause: str
    output: Output | None


def judge(estimator: Any, setting: dict[str, Any], fold: Fold, metric: Metric) -> Judged:
    """Fit on the training rows of a fold and judge on the others. A fit may fail in any way: a finding, not a bug."""
    try:
        with uncertified():
            model = fit(estimator, setting, fold.X, fold.y, fold.weight)
        output = output_of(model, fold.X_valid).over(fold.levels)
        found = metric.score(fold.y_valid, output, fold.weight_valid)
        if found <= LARGEST_LOSS:
            return Judged(found, "", output)
        return Judged(float("nan"), f"the loss on a fold is {found:.3g}", None)
    except Exception as error:
        return Judged(float("nan"), f"{type(error).__name__}: {printable(error)}", None)


def judge_nested(candidate: Candidate, fold: Fold, metric: Metric, seconds: float | None = None) -> Judged:
    """The same with the setting chosen anew, by cross-validation within the training rows of the fold.

    After `seconds` no further setting is tried; the middle of the grid comes first.
    """
    try:
        deadline, order = Deadline(seconds), from_the_middle(len(candidate.settings))
        best = (np.inf, order[0])
        inner = inner_folds(fold) if len(order) > 1 else []
        for place in order if inner else []:
            losses = []
            for one in inner:
                if not deadline.expired:
                    losses.append(judge(candidate.estimator, candidate.settings[place], one, metric).loss)
            if len(losses) < len(inner):
                break
            best = min(best, (float(np.mean(losses)), place)) if np.isfinite(np.mean(losses)) else best
        return judge(candidate.estimator, candidate.settings[best[1]], fold, metric)
    except Exception as error:
        return Judged(float("nan"), f"{type(error).__name__}: {printable(error)}", None)


def inner_folds(fold: Fold) -> list[Fold]:
    """Folds of the training rows of a fold."""
    strata = fold.y if fold.y.dtype.kind in "UO" else np.zeros(len(fold.y))
    dealt = deal(strata, min(INNER_FOLDS, len(fold.y) // 2), np.random.default_rng(0))
    made = []
    for part in range(int(dealt.max()) + 1):
        seen, held = dealt != part, dealt == part
        own, others = (None, None) if fold.weight is None else (fold.weight[seen], fold.weight[held])
        made.append(Fold(fold.X[seen], fold.y[seen], fold.X[held], fold.y[held], own, others, None, fold.levels))
    return made
