"""The main job: a table in; a panel tuned, compared and certified; one model chosen."""

import platform
import time
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from learnable.app import diagnostics, text
from learnable.app.candidates import Candidate, candidates
from learnable.app.card import make_card
from learnable.app.certify import recompute
from learnable.app.comparing import METRICS, Metric, choose, compare
from learnable.app.errors import TimeUp, UserError, printable
from learnable.app.figures import held_out_figures
from learnable.app.files import write_all
from learnable.app.preparing import Options, Prepared, coded_folds, coded_owners, prepare
from learnable.app.progress import Progress, duration
from learnable.app.result import LearnerResult, LearningCurve, LearnResult, TableSummary, plain
from learnable.app.tuning import EveryFitFailed, Fold, Tuned, tune
from learnable.app.workers import Deadline, run_tasks

__all__ = ["Options", "Outcome", "Plan", "learn", "plan"]

REPORT, MODEL = "report.html", "model.skops"


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

    def to_dict(self) -> dict[str, Any]:
        return {"schema": "learnable.plan/1", **plain(asdict(self))}

    def text(self) -> str:
        rows = [[one["label"], one["name"], one["settings"]] for one in self.learners]
        lines = [
            text.describe_table(self.table),
            "",
            f"{self.task} of {printable(self.target)!r}: {printable(self.task_reason)}",
            f"{self.train_rows} training rows, {self.test_rows} test rows, {self.folds} folds, "
            f"{self.tuning_rows} rows to tune on, "
            f"{self.coded_columns} coded columns, {self.fits} fits",
            text.table(["learner", "class", "settings to try"], rows),
            *(f"warning: {printable(warning, 500)}" for warning in self.warnings),
        ]
        return "\n".join(lines)


def outputs(folder: Path) -> dict[str, Path]:
    """Where a run writes.

    >>> outputs(Path("out"))["report"].name
    'report.html'
    """
    return {"report": folder / REPORT, "model": folder / MODEL}


class Outcome(NamedTuple):
    """The result, and the fitted pipeline of the chosen learner with its card."""

    result: LearnResult
    pipeline: Any
    card: dict[str, Any]

    def write(self, folder: Path) -> dict[str, Path]:
        """Write report and model, both or neither."""
        from learnable.app.model_file import dump
        from learnable.app.report import render

        files = outputs(folder)
        write_all({files["report"]: render(self.result).encode(), files["model"]: dump(self.pipeline, self.card)})
        return files

    def text(self, files: dict[str, Path], replaced: Sequence[str] = ()) -> str:
        return text.describe_result(self.result, files, replaced)


class Run(NamedTuple):
    """What the fits share."""

    prepared: Prepared
    folds: list[Fold]
    X_train: np.ndarray
    X_test: np.ndarray
    metric: Metric
    jobs: int
    deadline: Deadline
    progress: Progress


class Fitted(NamedTuple):
    """A learner with its final model; None for one that did not finish."""

    result: LearnerResult
    model: Any


def plan(options: Options) -> Plan:
    """Everything short of fitting."""
    prepared = prepare(options)
    panel = candidates(prepared.goal.task, options.seed)
    return Plan(
        prepared.summary,
        prepared.goal.task,
        prepared.goal.reason,
        prepared.target,
        len(prepared.train),
        len(prepared.test),
        len(prepared.tuning),
        prepared.n_folds,
        prepared.width,
        [{"name": one.name, "label": one.label, "settings": len(one.settings)} for one in panel],
        _fits(panel, prepared.n_folds),
        prepared.warnings,
    )


def learn(options: Options, progress: Progress) -> Outcome:
    """Fit and tune the panel, compare, certify, choose."""
    from threadpoolctl import threadpool_limits

    start, deadline = time.monotonic(), Deadline(options.time_limit)
    progress.stage("reading the table")
    prepared = prepare(options)
    progress.note(
        f"{prepared.summary.rows} rows, {len(prepared.summary.columns)} columns; {prepared.goal.task} of "
        f"{prepared.target!r} ({prepared.goal.reason})"
    )
    panel = candidates(prepared.goal.task, options.seed)
    split_stream, sample_stream = np.random.default_rng([options.seed, 1]).spawn(2)
    # One BLAS thread per task: the tasks themselves fill the processors, and sums keep their order.
    with threadpool_limits(1), warnings.catch_warnings():
        # How each fit ended stands in its status and its certificate.
        warnings.simplefilter("ignore")
        progress.stage("coding the features")
        run = Run(
            prepared,
            coded_folds(prepared, split_stream),
            prepared.coder.transform(prepared.features.take(prepared.train)),
            prepared.coder.transform(prepared.features.take(prepared.test)),
            METRICS[prepared.goal.task],
            options.jobs,
            deadline,
            progress,
        )
        progress.begin(_fits(panel, prepared.n_folds))
        fitted = [_learner(candidate, run) for candidate in panel]
        return _conclude(run, fitted, options, start, sample_stream)


def _fits(panel: Sequence[Candidate], folds: int) -> int:
    """Fits in all: every setting on every fold, the final ones, and the learning curve of the chosen.

    The baseline costs nothing and is not counted, lest the estimate of the time left take its fits for typical.
    """
    tuning = sum(len(candidate.settings) * folds + 1 for candidate in panel if not candidate.reference)
    return tuning + len(diagnostics.CURVE_SHARES) * folds


def _learner(candidate: Candidate, run: Run) -> Fitted:
    """Tune, fit on all training rows, test and certify one learner; the baseline is exempt from the time limit."""
    start = time.monotonic()
    deadline = Deadline(None) if candidate.reference else run.deadline
    units = 0 if candidate.reference else len(candidate.settings) * len(run.folds) + 1
    done = 0

    def finished() -> None:
        nonlocal done
        if done < units:
            done += 1
            run.progress.advance()

    run.progress.stage(f"tuning {candidate.label}")
    try:
        tuned = tune(candidate, run.folds, run.metric.losses, run.jobs, deadline, finished)
        work = partial(_final, candidate, tuned, run)
        (fitted,) = run_tasks([work], 1, deadline, finished)
        result = replace(fitted.result, seconds=time.monotonic() - start)
        run.progress.note(f"{candidate.label}: {run.metric.name} {result.test} on the test rows")
        return Fitted(result, fitted.model)
    except TimeUp:
        reason = f"the time limit of {_limit(run)} came first"
        result = LearnerResult(candidate.name, candidate.label, "not run", reason, reference=candidate.reference)
    except EveryFitFailed as error:
        result = LearnerResult(candidate.name, candidate.label, "failed", str(error), reference=candidate.reference)
    finally:
        run.progress.advance(units - done)
    run.progress.note(f"{candidate.label}: {result.status}: {result.reason}")
    return Fitted(result, None)


def _final(candidate: Candidate, tuned: Tuned, run: Run) -> Fitted:
    """The fit on all training rows with the chosen setting, judged on the test rows."""
    from sklearn.base import clone

    prepared = run.prepared
    model = clone(candidate.estimator).set_params(**tuned.params)
    start = time.monotonic()
    try:
        model.fit(run.X_train, prepared.y_train)
        seconds = time.monotonic() - start
        test, extra = held_out_figures(model, run.X_test, prepared.y_test, prepared.goal.task)
        certificate = recompute(model, run.X_train, prepared.y_train)
    except Exception as error:
        # Whatever a learner raises is a finding about that learner; the others go on.
        raise EveryFitFailed(f"{type(error).__name__}: {printable(error)}") from error
    result = LearnerResult(
        candidate.name,
        candidate.label,
        "finished",
        params={**_fixed(candidate), **tuned.params},
        tuning=[_tried(*one, run) for one in tuned.tried],
        cv_scores=tuned.scores,
        cv=run.metric.over_folds(tuned.scores, *prepared.fold_sizes),
        test=test,
        extra=extra,
        fit_seconds=seconds,
        solver=str(getattr(model, "status_", "")),
        certificate=certificate,
        reference=candidate.reference,
    )
    return Fitted(result, model)


def _tried(params: dict[str, Any], scores: list[float], run: Run) -> dict[str, Any]:
    """One setting with its cross-validated loss."""
    found = run.metric.over_folds(scores, *run.prepared.fold_sizes) if scores else None
    interval = None if found is None else asdict(found)
    return plain({"params": params, "mean": None if found is None else found.estimate, "interval": interval})


def _fixed(candidate: Candidate) -> dict[str, Any]:
    """The parameters that the panel set away from their defaults, the seed aside."""
    default = type(candidate.estimator)().get_params()
    given = candidate.estimator.get_params()
    return plain({key: value for key, value in given.items() if value != default[key] and key != "random_state"})


def _conclude(run: Run, fitted: list[Fitted], options: Options, start: float, rng: np.random.Generator) -> Outcome:
    """Compare the finished learners, choose one and look at it closely."""
    from sklearn.pipeline import Pipeline

    prepared, goal = run.prepared, run.prepared.goal
    done = {one.result.label: one for one in fitted if one.result.status == "finished"}
    if not done:
        causes = "; ".join(f"{one.result.label}: {one.result.reason}" for one in fitted)
        raise UserError(f"no learner could be fitted to {prepared.table.source}: {causes}")
    finished = [one.result for one in done.values()]
    comparison = compare(finished, run.metric.name, *prepared.fold_sizes)
    owners = coded_owners(prepared.coder)
    columns = {label: diagnostics.columns_used(one.model, owners) for label, one in done.items()}
    choice = choose(finished, comparison, columns)
    model = done[choice.label].model
    run.progress.stage(f"looking closely at {choice.label}")
    curve, remarks = _curve(model, run)
    predicted = model.predict(run.X_test)
    classification = goal.task == "classification"
    rank = {label: place for place, label in enumerate(comparison.labels)}
    result = LearnResult(
        table=prepared.summary,
        task=goal.task,
        task_reason=goal.reason,
        target=prepared.target,
        metric=run.metric.name,
        learners=sorted((one.result for one in fitted), key=lambda one: rank.get(one.label, len(rank))),
        comparison=comparison if len(finished) > 1 else None,
        chosen=choice.label,
        choice=choice.reason,
        train_rows=len(prepared.train),
        test_rows=len(prepared.test),
        tuning_rows=len(prepared.tuning),
        folds=prepared.n_folds,
        seed=options.seed,
        seconds=time.monotonic() - start,
        versions=versions(),
        calibration=diagnostics.calibration(model, run.X_test, prepared.y_test) if classification else None,
        confusion=diagnostics.confusion(prepared.y_test, predicted, goal.levels) if classification else None,
        residuals=None if classification else diagnostics.residuals(prepared.y_test, predicted, rng),
        learning_curve=curve,
        coefficients=diagnostics.coefficients(model, list(prepared.coder.get_feature_names_out())),
        warnings=[*prepared.warnings, *_missed(fitted, run), *choice.warnings, *remarks],
    )
    pipeline = Pipeline([("code", prepared.coder), ("learn", model)])
    return Outcome(result, pipeline, make_card(prepared, result, run.X_train))


def _limit(run: Run) -> str:
    seconds = run.deadline.seconds or 0.0
    return duration(seconds) if seconds >= 1 else f"{seconds:g} s"


def _missed(fitted: list[Fitted], run: Run) -> list[str]:
    late = [one.result.label for one in fitted if one.result.status == "not run"]
    if not late:
        return []
    return [f"the time limit of {_limit(run)} came before {', '.join(late)}"]


def _curve(model: Any, run: Run) -> tuple[LearningCurve | None, list[str]]:
    folds = run.folds
    try:
        return diagnostics.learning_curve(model, folds, run.metric, run.jobs, run.deadline, run.progress.advance), []
    except TimeUp:
        return None, ["the time limit came before the learning curve"]


def versions() -> dict[str, str]:
    """Of Python and of the libraries that numbers depend on."""
    found = {"python": platform.python_version()}
    return found | {name: version(name) for name in ("learnable", "numpy", "scipy", "scikit-learn", "numba")}
