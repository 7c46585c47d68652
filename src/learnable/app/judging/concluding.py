"""The end of a run: compare the finished learners, choose one, look at it closely, say what was found."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from learnable.app.errors import TimeUp, UserError
from learnable.app.judging import diagnostics, explaining
from learnable.app.judging.alarms import score_alarms
from learnable.app.judging.association import association
from learnable.app.judging.certifying import Certificates
from learnable.app.judging.choosing import TOLERANCE, Traits, choose
from learnable.app.judging.comparing import compare
from learnable.app.judging.traits import columns_used, readable, size_of
from learnable.app.judging.verdict import verdict
from learnable.app.model_files.card import make_card
from learnable.app.report.words import Losses
from learnable.app.result import (
    Coefficient,
    ComparisonResult,
    Dependence,
    Importance,
    LearnerResult,
    LearningCurve,
    LearnResult,
)
from learnable.app.trials.blend import is_blend
from learnable.app.trials.large import on_all_rows
from learnable.app.trials.refitting import Handed, handed_over
from learnable.app.trials.rounds import Scores
from learnable.app.trials.workers import Deadline, run_tasks

if TYPE_CHECKING:
    from learnable.app.learn import Learned, Run
    from learnable.app.trials.trying import Fitted


def conclude(run: "Run", fitted: Sequence["Fitted"], scores: Scores, start: float) -> "Learned":
    """The result, the pipeline of the chosen learner, and its card."""
    from sklearn.pipeline import Pipeline

    from learnable.app.learn import Learned, missed, unseen, unweighted, versions
    from learnable.app.model_files.rebuilding import code_of

    coded, options, metric = run.coded, run.options, run.metric
    question, division = coded.question, coded.division
    goal = question.goal
    done = {one.result.label: one for one in fitted if one.result.status == "finished"}
    used = {label: columns_used(one.model, coded.owners, coded.X_train) for label, one in done.items()}
    done = {label: one._replace(result=replace(one.result, columns=len(used[label]))) for label, one in done.items()}
    finished = [one.result for one in done.values()]
    if not finished:
        causes = "; ".join(f"{one.result.label}: {one.result.reason}" for one in fitted)
        raise UserError(f"no learner could be fitted to {question.table.source}: {causes}")
    comparison = compare(finished, metric.shown, scores.n_train, scores.n_valid, scores.row_losses)
    traits = {label: Traits(len(used[label]), size_of(one.model), readable(one.model)) for label, one in done.items()}
    run.progress.stage("checking the fits")
    certificates = Certificates(run, done)
    asked = True
    while asked:  # the choice is made again where the certificate of the chosen one fails
        done = certificates.fitted
        results = [one.result for one in done.values()]
        choice = choose(results, comparison, traits, metric, options.prefer, division.n_folds)
        asked = certificates.ask(choice.label)
    finished = [one.result for one in done.values()]
    chosen, training, told = on_all_rows(done[choice.label], done, run, scores)
    model = chosen.model
    if training is not None:
        used[choice.label] = columns_used(model, coded.owners, coded.X_train)
        done[choice.label] = chosen._replace(result=replace(chosen.result, columns=len(used[choice.label])))
    handed = handed_over(done[choice.label], done, run)
    if handed.anew:
        used[choice.label] = columns_used(handed.fitted.model, handed.coded.owners, handed.coded.X_train)
        done[choice.label] = handed.fitted._replace(
            model=model, result=replace(handed.fitted.result, columns=len(used[choice.label]))
        )
    run.progress.stage(f"looking closely at {choice.label}")
    said = unseen(model, choice.label, scores, run)
    y = scores.y if division.nested else division.y_test
    curve, remarks = _curve(model, run)
    looks = _looks(model, run, used[choice.label], handed)
    remarks += looks.remarks
    classification = goal.task == "classification"
    predicted = said.predicted if said is not None else np.empty(0)
    if classification and question.costs is not None and said is not None and said.probability is not None:
        predicted = question.costs.decide(said.probability)
    rank = {label: place for place, label in enumerate(comparison.labels)}
    baseline = next((one for one in finished if one.reference), None)
    learners = [done.get(one.result.label, one).result for one in fitted]
    result = LearnResult(
        table=run.summary,
        task=goal.task,
        task_reason=goal.reason,
        target=question.target,
        metric=metric.name,
        learners=sorted(learners, key=lambda one: rank.get(one.label, len(rank))),
        comparison=comparison if len(finished) > 1 else None,
        chosen=choice.label,
        choice=choice.reason,
        train_rows=len(division.train),
        test_rows=len(division.test),
        tuning_rows=len(division.tuning),
        folds=division.n_folds,
        seed=options.seed,
        seconds=time.monotonic() - start,
        versions=versions(),
        calibration=diagnostics.calibration(y, said) if classification and said is not None else None,
        confusion=diagnostics.confusion(y, predicted, goal.levels) if classification and said is not None else None,
        residuals=None if classification else diagnostics.residuals(y, predicted, np.random.default_rng(options.seed)),
        learning_curve=curve,
        coefficients=looks.coefficients,
        warnings=[
            *([told] if told else []),
            *handed.said,
            *run.warnings,
            *missed(fitted, run),
            *unweighted(fitted, run),
            *_uncertified(done[choice.label].result, run),
            *choice.warnings,
            *remarks,
        ],
        repeats=scores.rounds,
        settled=scores.settled,
        validation="nested cross-validation" if division.nested else "held-out rows",
        splitting=division.how,
        alarms=[*run.alarms, *score_alarms(chosen.result, baseline, len(division.train))],
        prefer=options.prefer,
        tolerance=TOLERANCE[options.prefer],
        counts=goal.counts,
        importances=looks.importances,
        dependences=looks.dependences,
        operating=explaining.operating(y, said, question.costs) if classification and said is not None else None,
        costs=None if question.costs is None else question.costs.matrix.tolist(),
        code=code_of(handed.fitted.model, handed.coded, options),
        file_rows=None if question.whole is None else question.whole.n_rows,
        fitted_rows=len(handed.coded.division.train) if handed.anew else None if training is None else training["rows"],
        association=_association(choice.label, comparison, run),
    )
    result = replace(result, verdict=verdict(result), more_rows=_more_rows(result))
    result = result if options.times else result.untimed()
    pipeline = Pipeline([("code", handed.coded.coder), ("learn", handed.fitted.model)])
    return Learned(result, pipeline, make_card(handed.coded, result, used[choice.label], options, training))


def _uncertified(chosen: LearnerResult, run: "Run") -> list[str]:
    from learnable.app.trials.trying import limit_of

    if not chosen.uncertified:
        return []
    return [f"the time limit of {limit_of(run)} came before the certificate of {chosen.label}: see learnable certify"]


def _association(label: str, comparison: ComparisonResult, run: "Run") -> float | None:
    """Asked only where the losses, all learners allowed for, leave it open, and where rows can change places: all, or
    those of a group."""
    found = comparison.with_baseline(label)
    division = run.coded.division
    if found is None or found.different or division.times is not None:
        return None
    rows = division.tuning
    return association(run.coded.X_train[rows], division.y_train[rows], run.options.seed, division.groups)


class Looks:
    """A closer look at a model, as far as the time allowed."""

    def __init__(self) -> None:
        self.importances: list[Importance] = []
        self.dependences: list[Dependence] = []
        self.coefficients: list[Coefficient] = []
        self.remarks: list[str] = []


def _looks(model: Any, run: "Run", used: Sequence[str], handed: Handed) -> Looks:
    """Importances and dependences of the model that was judged, weights of the one that is handed over."""
    coded, seed = run.coded, run.options.seed
    found = Looks()
    streams = np.random.default_rng([seed, 2]).spawn(3)
    deadline, late = run.deadline, "a closer look at the model"
    final = handed.fitted.model, handed.coded

    def important() -> list[Importance]:
        models = explaining.unseen_models(coded, model, run.folds)
        return explaining.importances(models, used, run.metric, streams[0])

    try:
        (found.importances,) = run_tasks([important], 1, deadline)
        names = [one.column for one in found.importances if one.rise.estimate > 0]
        late = "a closer look at the columns"
        (found.dependences,) = run_tasks([lambda: explaining.dependences(model, coded, names, streams[1])], 1, deadline)
        late = "the intervals of the weights"
        if not is_blend(model):
            found.coefficients = explaining.effects(*final, streams[2], run.jobs, deadline)
    except TimeUp:
        # Weights cost nothing; what takes fits is left out.
        found.coefficients = explaining.effects(*final, streams[2], run.jobs, Deadline(None), bootstrap=False)
        found.remarks.append(f"the time limit came before {late}")
    return found


def _curve(model: Any, run: "Run") -> tuple[LearningCurve | None, list[str]]:
    if run.coded.division.times is not None:
        return None, []  # the folds themselves grow with time
    try:
        return diagnostics.learning_curve(model, run.folds, run.metric, run.jobs, run.deadline, lambda: None), []
    except TimeUp:
        return None, ["the time limit came before the learning curve"]


def _more_rows(result: LearnResult) -> str:
    curve = result.learning_curve
    if curve is None:
        return ""
    losses = Losses.of(result)
    means = [result.shown(one).estimate for one in curve.validation]
    return explaining.more_rows(curve.sizes, means, losses.show)
