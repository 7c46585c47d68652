"""The model that is handed over, fitted anew on all rows once the rows held out have judged it (`--refit`).

Scores, importances and dependences stay those of the fit that the held-out rows judged; weights and certificate are
those of the fit that is handed over. It may only be expected to be as good: no row is left to show it.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from learnable.app.errors import TimeUp, printable
from learnable.app.judging.certifying import Certificates
from learnable.app.table.coding import Coded, code
from learnable.app.trials.blend import is_blend
from learnable.app.trials.fitting import fit
from learnable.app.trials.workers import run_tasks

if TYPE_CHECKING:
    from learnable.app.learn import Run
    from learnable.app.trials.trying import Fitted


class Handed(NamedTuple):
    """What is handed over: the learner, the rows it was fitted to, what the user is told, whether that is anew."""

    fitted: "Fitted"
    coded: Coded
    said: list[str]
    anew: bool = False


def handed_over(chosen: "Fitted", fitted: dict[str, "Fitted"], run: "Run") -> Handed:
    """The chosen learner fitted on all rows where that is asked for and can be done, else as it was judged."""
    question, division = run.coded.question, run.coded.division
    if not run.options.refit or not len(division.test):
        return Handed(chosen, run.coded, [])
    if question.whole is not None:
        return _as_judged(chosen, run, "the file is larger than memory")
    known = np.flatnonzero(question.goal.known)
    none = np.empty(0, dtype=known.dtype)
    run.progress.stage(f"fitting {chosen.result.label} on all rows")

    def made() -> tuple[Coded, Any]:
        every = code(question, division._replace(train=known, test=none, y_train=question.goal.y, y_test=none))
        return every, fit(chosen.model, {}, every.X_train, every.division.y_train, every.w_train)

    try:
        ((coded, model),) = run_tasks([made], 1, run.deadline)
    except TimeUp:
        return _as_judged(chosen, run, "the time limit came first")
    except Exception as error:
        # Whatever a learner raises is a finding about that learner; the fit that was judged is there.
        return _as_judged(chosen, run, f"that fit ends in {type(error).__name__}: {printable(error)}")
    done = _certified(chosen, fitted, model, run._replace(coded=coded))
    if done.result.certified is False and chosen.result.certified is not False:
        return _as_judged(chosen, run, "the certificate of that fit fails")
    said = (
        f"the model in the file is fitted anew on all {len(known)} rows; the scores are those of the fit on the "
        f"{len(division.train)} training rows, which the {len(division.test)} test rows have judged"
    )
    return Handed(done, coded, [said], anew=True)


def _as_judged(chosen: "Fitted", run: "Run", cause: str) -> Handed:
    rows = len(run.coded.division.train)
    return Handed(chosen, run.coded, [f"the model is not fitted anew on all rows, but is that of {rows}: {cause}"])


def _certified(chosen: "Fitted", fitted: dict[str, "Fitted"], model: Any, run: "Run") -> "Fitted":
    """The learner with the new model and its certificate, that of a blend made of those of its members."""
    label = chosen.result.label
    parts = {label: _with(chosen, model)}
    if is_blend(model):
        own = [claim for claim in chosen.result.certificate or [] if claim.id == "blend"]
        parts = {label: parts[label]._replace(result=replace(chosen.result, certificate=own))}
        parts |= {name: _with(fitted[name], member) for name, member in zip(model.labels, model.members)}
    certificates = Certificates(run, parts)
    certificates.ask(label)
    return certificates.fitted[label]


def _with(one: "Fitted", model: Any) -> "Fitted":
    inner = getattr(model, "estimator_", model)
    return one._replace(model=model, result=replace(one.result, solver=str(getattr(inner, "status_", ""))))
