"""Every learner of the panel, tuned and fitted on all training rows, each within its share of the time.

With a time limit one setting of every learner comes first, then those of the learners that their share was too short
for, the quickest first, then the other settings, those of the best learner first: what the time leaves out is the
fine tuning of learners that fall short. Where folds are nested, most of the time is theirs, and what is tuned here are
the settings that they choose among: a learner then takes as many as its share has time for. Without a limit all is
tried and the order does not matter.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from learnable.app.errors import TimeUp, printable
from learnable.app.progress import duration
from learnable.app.result import LearnerResult, plain
from learnable.app.trials.candidates import Candidate
from learnable.app.trials.fitting import fit
from learnable.app.trials.rounds import Entrant
from learnable.app.trials.tuning import EveryFitFailed, Fold, Slow, Tuned, tune
from learnable.app.trials.workers import Deadline, run_tasks

if TYPE_CHECKING:
    from learnable.app.learn import Run


class Fitted(NamedTuple):
    """A learner with its tuned setting and its final model; None for one that did not finish.

    `needed` are the seconds of one setting of a learner that was put off, since its share was too short for it.
    """

    result: LearnerResult
    model: Any = None
    entrant: Entrant | None = None
    needed: float | None = None


def tune_all(panel: Sequence[Candidate], run: "Run") -> list[Fitted]:
    """Every learner tuned and fitted, as far as the time goes; at least one beside the baseline."""
    first = None if run.deadline.left is None or run.coded.division.nested else 1
    units = [0 if one.reference else len(one.settings) * len(run.folds) + 1 for one in panel]

    def attempt(place: int, share: Deadline, most: int | None = None, begun: Fitted | None = None) -> Fitted:
        def finished() -> None:
            if units[place]:
                units[place] -= 1
                run.progress.advance()

        deadline = Deadline(None) if panel[place].reference else share
        return _learner(panel[place], run, deadline, finished, most, begun)

    fitted = []
    for place in range(len(panel)):
        fitted.append(attempt(place, run.deadline.for_one_of(len(panel) - place), first))
    slow = [place for place, one in enumerate(fitted) if one.needed is not None]
    for place in sorted(slow, key=lambda place: fitted[place].needed or 0.0):
        fitted[place] = attempt(place, run.deadline.part(1.0), first)
    further = [place for place, one in enumerate(fitted) if one.entrant is not None and one.result.reason]
    further.sort(key=lambda place: float(np.mean(_tuned(fitted[place]).scores)))
    for number, place in enumerate(further):
        fitted[place] = attempt(place, run.deadline.for_one_of(len(further) - number), None, fitted[place])
    if not any(one.model is not None and not one.result.reference for one in fitted):
        _late(panel, run, fitted)
    run.progress.advance(sum(units))
    return fitted


def _late(panel: Sequence[Candidate], run: "Run", fitted: list[Fitted]) -> None:
    """A good model late is better than the mean in time: the quickest learner with its middle setting."""
    for place, candidate in enumerate(panel):
        if not candidate.reference and fitted[place].result.status == "not run":
            middle = candidate.settings[len(candidate.settings) // 2]
            again = _learner(candidate._replace(settings=[middle]), run, Deadline(None))
            if again.model is not None:
                reason = "fitted after the time limit, with one setting, since nothing else had finished"
                fitted[place] = again._replace(result=replace(again.result, reason=reason))
                return


def _learner(
    candidate: Candidate,
    run: "Run",
    deadline: Deadline,
    finished: Callable[[], None] = lambda: None,
    most: int | None = None,
    begun: Fitted | None = None,
) -> Fitted:
    """Tune one learner and fit it on all training rows.

    `most` settings that can be fitted are enough, all by default; `begun` has some of them already.
    """
    start = time.monotonic()
    run.progress.stage(f"tuning {candidate.label}")
    when, needed = "before its first setting was tried", None
    try:
        earlier = None if begun is None else _tuned(begun)
        tuned = tune(candidate, run.folds, run.metric, run.jobs, deadline, finished, earlier, most)
        when = "in its fit on all training rows"
        if begun is not None and tuned.params == _tuned(begun).params:
            fitted = begun._replace(
                result=replace(begun.result, tuning=_tried(tuned, run)), entrant=Entrant(candidate, tuned)
            )
        else:
            (fitted,) = run_tasks([partial(_final, candidate, tuned, run)], 1, Deadline(deadline.seconds), finished)
        reason = ""
        if len(tuned.tried) < (every := len(candidate.settings)):
            reason = f"stopped at its share of the time after {len(tuned.tried)} of {every} settings"
        seconds = time.monotonic() - start + (0.0 if begun is None else begun.result.seconds or 0.0)
        shown = run.metric.show(run.metric.over_folds(tuned.scores, *sizes(run.folds)))
        stopped = f" ({reason})" if tuned.stopped else ""
        run.progress.note(f"{candidate.label}: {run.metric.shown} {shown} on the folds{stopped}")
        return fitted._replace(result=replace(fitted.result, seconds=seconds, reason=reason))
    except Slow as slow:
        needed = slow.needed
        share = f"its share of the time limit of {limit_of(run)}"
        reason = f"stopped at {share}: one setting takes about {duration(needed)}"
        result = LearnerResult(candidate.name, candidate.label, "not run", reason)
    except TimeUp:
        if begun is not None:
            return begun
        reason = f"the time limit of {limit_of(run)} came first"
        if not run.deadline.expired:
            reason = f"stopped at its share of the time limit of {limit_of(run)} {when}"
        result = LearnerResult(candidate.name, candidate.label, "not run", reason, reference=candidate.reference)
    except EveryFitFailed as error:
        if begun is not None:
            return begun
        result = LearnerResult(candidate.name, candidate.label, "failed", str(error), reference=candidate.reference)
    run.progress.note(f"{candidate.label}: {result.status}: {result.reason}")
    return Fitted(result, needed=needed)


def _tuned(fitted: Fitted) -> Tuned:
    assert fitted.entrant is not None
    return fitted.entrant.tuned


def _final(candidate: Candidate, tuned: Tuned, run: "Run") -> Fitted:
    """The fit on all training rows with the chosen setting."""
    from learnable.app.trials.calibrated import Calibrated

    coded = run.coded
    start = time.monotonic()
    y = coded.division.y_train
    try:
        model = fit(candidate.estimator, tuned.params, coded.X_train, y, coded.w_train)
        seconds = time.monotonic() - start
    except Exception as error:
        # Whatever a learner raises is a finding about that learner; the others go on.
        raise EveryFitFailed(f"{type(error).__name__}: {printable(error)}") from error
    inner = getattr(model, "estimator_", model)
    result = LearnerResult(
        candidate.name,
        candidate.label,
        "finished",
        params={**_fixed(candidate), **tuned.params},
        tuning=_tried(tuned, run),
        fit_seconds=seconds,
        solver=str(getattr(inner, "status_", "")),
        reference=candidate.reference,
        calibrated=isinstance(model, Calibrated),
    )
    return Fitted(result, model, Entrant(candidate, tuned))


def sizes(folds: Sequence[Fold]) -> tuple[np.ndarray, np.ndarray]:
    """Rows that were learned from, and rows that judged."""
    return np.array([len(fold.y) for fold in folds]), np.array([len(fold.y_valid) for fold in folds])


def _tried(tuned: Tuned, run: "Run") -> list[dict[str, Any]]:
    """Every setting with its cross-validated loss."""
    made = []
    for params, scores in tuned.tried:
        found = run.metric.over_folds(scores, *sizes(run.folds)) if scores else None
        interval = None if found is None else asdict(found)
        made.append(plain({"params": params, "mean": None if found is None else found.estimate, "interval": interval}))
    return made


def _fixed(candidate: Candidate) -> dict[str, Any]:
    """The parameters that the panel set away from their defaults, the seed aside."""
    from learnable.app.trials.calibrated import Calibrated

    estimator = candidate.estimator.estimator if isinstance(candidate.estimator, Calibrated) else candidate.estimator
    default = type(estimator)().get_params()
    given = estimator.get_params()
    return plain({key: value for key, value in given.items() if value != default[key] and key != "random_state"})


def limit_of(run: "Run") -> str:
    """The time limit in words."""
    seconds = run.options.time_limit or 0.0
    return duration(seconds) if seconds >= 1 else f"{seconds:g} s"
