"""The main job: a table in; a panel tuned, compared and certified; one model chosen.

read → pose → divide → code, then tune every learner, judge them over rounds of folds, compare, choose, look closely.
"""

import platform
import time
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from learnable.app.errors import UserError, printable
from learnable.app.files import write_all
from learnable.app.judging.figures import further_figures
from learnable.app.judging.metrics import METRICS, Metric, cost_metric, metric_for
from learnable.app.options import Options
from learnable.app.progress import Progress
from learnable.app.report import text
from learnable.app.result import ClaimResult, Interval, LearnerResult, LearnResult, TableSummary, plain
from learnable.app.table.coding import Coded, code, left_out, summarise
from learnable.app.table.dividing import divide
from learnable.app.table.dividing import remarks as division_remarks
from learnable.app.table.posing import pose
from learnable.app.table.reading import read
from learnable.app.trials.candidates import BLEND, Candidate, candidates, chosen_by_name
from learnable.app.trials.fitting import Output, output_of, takes_weights
from learnable.app.trials.large import announcement
from learnable.app.trials.remote import cluster_at
from learnable.app.trials.rounds import Scores, most_rounds, run_rounds
from learnable.app.trials.trying import Fitted, limit_of, tune_all
from learnable.app.trials.tuning import Fold
from learnable.app.trials.workers import CHECKING_SHARE, Deadline

__all__ = ["Learned", "Options", "Plan", "learn", "plan"]

REPORT, MODEL = "report.html", "model.skops"
TRYING_SHARE = 0.5
"""Of a file larger than memory, the share of the time left for everything but the last fit on all rows."""
TUNING_SHARE = 0.3
"""Of the time to try in, the share of tuning where every fold of the rounds tunes anew: inner folds are three."""


@dataclass(frozen=True)
class Plan:
    """What a run would do."""

    table: TableSummary
    task: str
    task_reason: str
    target: str
    train_rows: int
    test_rows: int
    tuning_rows: int
    folds: int
    coded_columns: int
    learners: list[dict[str, Any]]
    fits: int
    warnings: list[str]
    metric: str = ""
    validation: str = "held-out rows"
    splitting: str = "random"
    most_rounds: int = 1
    alarms: list[str] | None = None

    def to_dict(self) -> dict[str, Any]:
        return {"schema": "learnable.plan/1", **plain(asdict(self))}

    def text(self) -> str:
        rows = [[one["label"], one["name"], one["settings"]] for one in self.learners]
        lines = [
            text.describe_table(self.table),
            "",
            f"{self.task} of {printable(self.target)!r}: {printable(self.task_reason)}",
            f"judged by {self.metric} on {self.validation}; up to {self.most_rounds} rounds of {self.folds} folds "
            f"({self.splitting})",
            f"{self.train_rows} training rows, {self.test_rows} test rows, {self.folds} folds, "
            f"{self.tuning_rows} rows to tune on, "
            f"{self.coded_columns} coded columns, {self.fits} fits",
            text.table(["learner", "class", "settings to try"], rows),
            *(f"ALARM: {printable(alarm, 500)}" for alarm in self.alarms or []),
            *(f"warning: {printable(warning, 500)}" for warning in self.warnings),
        ]
        return "\n".join(lines)


def outputs(folder: Path) -> dict[str, Path]:
    """Where a run writes.

    >>> outputs(Path("out"))["report"].name
    'report.html'
    """
    return {"report": folder / REPORT, "model": folder / MODEL}


class Learned(NamedTuple):
    """The result, and the fitted pipeline of the chosen learner with its card."""

    result: LearnResult
    pipeline: Any
    card: dict[str, Any]

    def write(self, folder: Path) -> dict[str, Path]:
        """Write report and model, both or neither."""
        from learnable.app.model_files.model_file import dump
        from learnable.app.report.page import render

        files = outputs(folder)
        write_all({files["report"]: render(self.result).encode(), files["model"]: dump(self.pipeline, self.card)})
        return files

    def text(self, files: dict[str, Path], replaced: Sequence[str] = (), width: int | None = None) -> str:
        return text.describe_result(self.result, files, replaced, width)


class Run(NamedTuple):
    """What the fits share."""

    coded: Coded
    summary: TableSummary
    folds: list[Fold]
    metric: Metric
    options: Options
    deadline: Deadline
    progress: Progress
    warnings: list[str]
    alarms: list[str]

    @property
    def jobs(self) -> int:
        return self.options.jobs


def plan(options: Options) -> Plan:
    """Everything short of fitting."""
    run = _ready(options, None)
    coded, goal, division = run.coded, run.coded.question.goal, run.coded.division
    panel = _panel(run)
    rounds = most_rounds(coded, len(panel))
    return Plan(
        run.summary,
        goal.task,
        goal.reason,
        coded.question.target,
        len(division.train),
        len(division.test),
        len(division.tuning),
        division.n_folds,
        coded.width,
        [{"name": one.name, "label": one.label, "settings": len(one.settings)} for one in panel],
        _fits(panel, division.n_folds) + _round_fits(panel, coded),
        [*announcement(coded.question.whole, coded.question.table), *run.warnings],
        run.metric.shown,
        _validation(coded),
        division.how,
        rounds,
        run.alarms,
    )


def learn(options: Options, progress: Progress) -> Learned:
    """Fit and tune the panel, compare, certify, choose."""
    start = time.monotonic()
    # How each fit ended stands in its status and its certificate.
    with warnings.catch_warnings(), cluster_at(options.dask):
        warnings.simplefilter("ignore")
        run = _ready(options, progress)
        with _one_thread_each():
            return _learned(run, progress, start)


def _one_thread_each() -> Any:
    """One BLAS thread per task: the tasks themselves fill the processors, and sums keep their order."""
    import scipy.linalg  # noqa: F401  (only a BLAS that is there already can be held)
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1)


def _learned(run: Run, progress: Progress, start: float) -> Learned:
    panel = _panel(run)
    progress.begin(_fits(panel, run.coded.division.n_folds) + _round_fits(panel, run.coded), run.deadline.left)
    trying = run._replace(deadline=_for_trying(run))
    nested = run.coded.division.nested
    fitted = tune_all(panel, trying._replace(deadline=trying.deadline.part(TUNING_SHARE)) if nested else trying)
    entrants = [one.entrant for one in fitted if one.entrant is not None]
    if not entrants:
        causes = "; ".join(f"{one.result.label}: {one.result.reason}" for one in fitted)
        raise UserError(f"no learner could be fitted to {run.coded.question.table.source}: {causes}")
    progress.stage("judging over rounds of folds")
    scores = run_rounds(entrants, run.coded, run.folds, run.metric, run.jobs, trying.deadline, progress.advance)
    progress.note(
        f"{scores.rounds} {'round' if scores.rounds == 1 else 'rounds'} of {run.coded.division.n_folds} folds"
        + (": every question is settled" if scores.settled else "")
    )
    judged = [_judged(one, scores, run) for one in fitted]
    from learnable.app.judging.concluding import conclude  # what only a result needs is imported when there is one

    return conclude(run, [*judged, *_blended(judged, scores, run)], scores, start)


def _for_trying(run: Run) -> Deadline:
    """The time to tune and compare in: what the certificate of the chosen learner leaves, or a fit on every row of a
    large file."""
    return run.deadline.part(1 - CHECKING_SHARE if run.coded.question.whole is None else TRYING_SHARE)


def _ready(options: Options, progress: Progress | None) -> Run:
    """Read, pose, divide, code."""
    from learnable.app.judging.alarms import table_alarms
    from learnable.app.progress import Silent

    progress = progress or Silent()
    deadline = Deadline(options.time_limit)
    progress.stage("reading the table")
    question = pose(read(options), options)
    goal = question.goal
    metric = metric_for(goal.task, goal.counts, options.metric)
    if question.costs is not None and options.metric is None:
        metric = cost_metric(question.costs)
    progress.note(
        f"{question.table.n_rows} rows, {len(question.table.columns)} columns; {goal.task} of "
        f"{question.target!r} ({goal.reason})"
    )
    for told in announcement(question.whole, question.table):
        progress.note(told)
    division = divide(question, options)
    progress.stage("coding the features")
    coded = code(question, division)
    said = [*question.warnings, *division_remarks(division), *left_out(coded.coder.dropped_)]
    with _one_thread_each():
        alarms = table_alarms(coded)
    return Run(coded, summarise(coded), coded.folds(0), metric, options, deadline, progress, said, alarms)


def _panel(run: Run) -> list[Candidate]:
    goal = run.coded.question.goal
    found = candidates(goal.task, run.options.seed, goal.counts, len(run.coded.division.train))
    found = chosen_by_name(found, run.options.learner)
    return [one.for_target(run.coded.division.y_train) if goal.task == "regression" else one for one in found]


def _validation(coded: Coded) -> str:
    return "nested cross-validation" if coded.division.nested else "held-out rows"


def _fits(panel: Sequence[Candidate], folds: int) -> int:
    """Fits of tuning in all: every setting on every fold, and the final ones.

    The baseline costs nothing and is not counted, lest the estimate of the time left take its fits for typical.
    """
    return sum(len(candidate.settings) * folds + 1 for candidate in panel if not candidate.reference)


def _round_fits(panel: Sequence[Candidate], coded: Coded) -> int:
    """Fits of the rounds that follow, if all of them are needed; the first is that of tuning unless it is nested."""
    rounds = most_rounds(coded, len(panel)) - (not coded.division.nested)
    return rounds * len(panel) * coded.division.n_folds


def _judged(fitted: Fitted, scores: Scores, run: Run) -> Fitted:
    """With its losses over all splits, and its figures on the rows held out, if it was judged in time."""
    label = fitted.result.label
    if fitted.entrant is None:
        return fitted
    if label not in scores.ranked:
        reason = f"its share of the time limit of {limit_of(run)} was spent before it was judged by nested folds"
        run.progress.note(f"{label}: not run: {reason}")
        return Fitted(LearnerResult(fitted.result.name, label, "not run", reason))
    return fitted._replace(result=with_scores(fitted.result, scores, run, unseen(fitted.model, label, scores, run)))


def unseen(model: Any, label: str, scores: Scores, run: Run) -> Output | None:
    """What is said of the rows that figures are about: the test rows, or all rows held out in turn."""
    if run.coded.division.nested:
        return scores.pooled[label]
    try:
        return output_of(model, run.coded.X_test)
    except Exception:
        return None


def with_scores(result: LearnerResult, scores: Scores, run: Run, said: Output | None) -> LearnerResult:
    """A learner with what the rounds and the held-out rows say about it."""
    metric, coded = run.metric, run.coded
    sizes = (scores.n_train, scores.n_valid)
    ranked, plainly = scores.ranked[result.label], scores.plain[result.label]
    measure = METRICS[metric.task]
    nested = coded.division.nested
    y, weight = (scores.y, scores.weight) if nested else (coded.division.y_test, coded.w_test)
    test: Interval | None = None
    extra: dict[str, Interval] = {}
    if said is not None:
        try:
            test = None if nested else metric.on(y, said, weight)
            extra = further_figures(y, said, metric, weight)
        except FloatingPointError:
            pass
    return replace(
        result,
        cv_scores=ranked,
        cv=metric.over_folds(ranked, *sizes),
        plain_scores=plainly,
        plain=measure.show(measure.over_folds(plainly, *sizes)),
        test=test,
        extra=extra,
    )


def _blended(fitted: Sequence[Fitted], scores: Scores, run: Run) -> list[Fitted]:
    """The blend of the learners that weigh in it, where there are two or more."""
    from learnable.app.trials.blend import blend_of

    if BLEND not in scores.ranked or len(scores.weights) < 2:
        return []
    by_label = {one.result.label: one for one in fitted}
    members = [by_label[label] for label in scores.weights]
    model = blend_of([one.model for one in members], list(scores.weights), list(scores.weights.values()))
    gap = ClaimResult(
        "blend",
        "the weights of the blend: distance of their loss from the least of these learners on rows held out in turn",
        scores.gap,
        1e-6 * max(1.0, abs(float(np.mean(scores.ranked[BLEND])))),
        scores.gap <= 1e-6 * max(1.0, abs(float(np.mean(scores.ranked[BLEND])))),
        "exact",
    )
    result = LearnerResult(
        type(model).__name__,
        BLEND,
        "finished",
        certificate=[gap],
        seconds=sum(one.result.seconds or 0.0 for one in members),
        fit_seconds=sum(one.result.fit_seconds or 0.0 for one in members),
        weights=scores.weights,
    )
    return [Fitted(with_scores(result, scores, run, unseen(model, BLEND, scores, run)), model)]


def missed(fitted: Sequence[Fitted], run: Run) -> list[str]:
    late = [one.result.label for one in fitted if one.result.status == "not run"]
    hurried = [one.result.label for one in fitted if one.result.status == "finished" and one.result.reason]
    said = [f"the time limit of {limit_of(run)} came before {', '.join(late)}"] if late else []
    return said + ([f"the time limit of {limit_of(run)} cut short {', '.join(hurried)}"] if hurried else [])


def unweighted(fitted: Sequence[Fitted], run: Run) -> list[str]:
    """Learners whose fits know no weights."""
    if run.coded.w_train is None:
        return []
    names = [one.result.label for one in fitted if one.entrant and not takes_weights(one.entrant.candidate.estimator)]
    names = [name for name in names if not any(one.result.label == name and one.result.reference for one in fitted)]
    return [f"{', '.join(names)}: fitted without the weights, judged with them"] if names else []


_version = cache(version)  # each reads a file


def versions() -> dict[str, str]:
    """Of Python and of the libraries that numbers depend on."""
    found = {"python": platform.python_version()}
    return found | {name: _version(name) for name in ("learnable", "numpy", "scipy", "scikit-learn", "numba")}
