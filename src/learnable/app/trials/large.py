"""Tables larger than memory: everything is tried out on a random sample, and the chosen learner sees every row.

The sample is a table like any other: its columns are looked at, learners are tuned, compared and tested on it. The
chosen learner is then fitted again on all rows of the file but the test rows, block by block, if it can learn that
way; otherwise the fit on the sample stays. What was done is said in the first warning of the result.
"""

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from learnable.app.errors import UserError
from learnable.app.options import Options
from learnable.app.table.memory import memory_left
from learnable.datasets import Kind, Table
from learnable.datasets.blocks import FileBlocks, Sample, blocks_of, bytes_to_read

if TYPE_CHECKING:
    from learnable.app.learn import Run
    from learnable.app.table.file_rows import FileRows
    from learnable.app.table.reading import HowToRead
    from learnable.app.table.spool import SpooledRows
    from learnable.app.trials.rounds import Scores
    from learnable.app.trials.trying import Fitted

# What is compared in memory of a file that does not fit.
SAMPLE_CELLS = 2_000_000
FEWEST_SAMPLED = 10_000


class Whole(NamedTuple):
    """The file behind a sample.

    Attributes
    ----------
    blocks : reads it; n_rows : of it; sampled : where the rows of the sample stand in it.
    """

    blocks: FileBlocks
    n_rows: int
    sampled: np.ndarray


def too_large(source: Any, options: "Options | HowToRead") -> FileBlocks | None:
    """The file as blocks where reading it whole would take more memory than there is; None where it would not."""
    if not isinstance(source, str | Path) or str(source) == "-" or not Path(source).is_file():
        return None
    allowed = memory_left() if options.memory is None else options.memory * 2**30
    if bytes_to_read(Path(source)) <= allowed:
        return None
    return blocks_of(Path(source), options.delimiter, options.decimal)


def sampled(blocks: FileBlocks, options: Options, kinds: dict[str, Any], ordered: dict[str, list[str]]) -> Sample:
    """A random sample of the rows, as large as the panel can be tried on."""
    most = max(FEWEST_SAMPLED, SAMPLE_CELLS // len(blocks.names))
    return blocks.sample(most, np.random.default_rng([options.seed, 3]), kinds, ordered)


def on_all_rows(
    chosen: "Fitted", fitted: dict[str, "Fitted"], run: "Run", scores: "Scores"
) -> tuple["Fitted", dict[str, Any] | None, str]:
    """The chosen learner fitted on all rows where it can be, what the card says of its training, and what was done."""
    whole = run.coded.question.whole
    if whole is None:
        return chosen, None, ""
    from learnable.app.learn import unseen, with_scores

    names = list(chosen.result.weights) or [chosen.result.label]
    members = [fitted[name] for name in names]
    if cause := _cause(run, members):
        sample = f"the {len(run.coded.division.train)} rows of the sample that are not test rows"
        return chosen, _training(run, whole), f"{_told(run)}; the chosen model is fitted on {sample}, since {cause}"
    with tempfile.TemporaryDirectory(prefix="learnable-") as folder:
        found = _rows(run, whole, Path(folder))
        run.progress.stage(f"fitting {', '.join(names)} on all rows")
        done = _put_together(chosen, [_fitted_again(one, found.rows) for one in members])
        training = _training(run, whole, found)
    result = with_scores(done.result, scores, run, unseen(done.model, done.result.label, scores, run))
    said = f"{_told(run)}; the chosen model was then fitted on all {found.rows.n_rows} {_others(run)}, read in blocks"
    return done._replace(result=result), training, said


def streams(model: Any) -> bool:
    """Whether a learner can be fitted to rows read in blocks: those carry their own target, so `fit` needs no y.

    >>> from learnable.linear import LinearRegression
    >>> from learnable.trees import DecisionTreeClassifier
    >>> streams(LinearRegression()), streams(DecisionTreeClassifier())
    (True, False)
    """
    y = signature(model.fit).parameters.get("y")
    return hasattr(model, "_pose") and y is not None and y.default is not Parameter.empty


def announcement(whole: Whole | None, table: Table) -> list[str]:
    """What a user should know before the work begins."""
    if whole is None:
        return []
    sample = f"{table.n_rows} random rows" if table.n_rows < whole.n_rows else "all of them"
    return [
        f"{table.source} has {whole.n_rows} rows, more than fit into memory: columns are looked at, and learners "
        f"tuned, compared and tested, on {sample}"
    ]


def _told(run: "Run") -> str:
    question = run.coded.question
    return announcement(question.whole, question.table)[0]


def _others(run: "Run") -> str:
    """The rows of the file that a fit on all of them learns from, in words."""
    if not len(run.coded.division.test):
        return "rows"
    if run.options.time is not None:
        return "rows before the test rows"
    return "rows of other groups than the test rows" if run.options.group is not None else "other rows"


def _cause(run: "Run", members: list["Fitted"]) -> str:
    """Why the fit on the sample stays; empty when nothing is in the way."""
    if run.deadline.expired:
        return "the time limit came first"
    unable = [one.result.label for one in members if one.entrant is None or not streams(one.model)]
    if unable:
        return f"{', '.join(unable)} cannot learn in blocks"
    whole = run.coded.question.whole
    assert whole is not None
    needed = 8 * whole.n_rows * run.coded.width
    free = shutil.disk_usage(tempfile.gettempdir()).free
    if needed > 0.9 * free:
        return f"the coded rows take {needed / 2**30:.1f} GiB and {tempfile.gettempdir()} has {free / 2**30:.1f}"
    return ""


def _rows(run: "Run", whole: Whole, folder: Path) -> "FileRows":
    """Every row of the file that may be learned from, coded as the sample was."""
    from learnable.app.table.file_rows import Reading, read_as, rows_of_file

    question, division = run.coded.question, run.coded.division
    asked = [run.options.time, run.options.group, run.options.weight]
    needed = [*run.coded.coder.kinds_, *(name for name in asked if name is not None)]
    kinds = {name: read_as(question.table.column(name)) for name in needed}
    target = question.table.column(question.target)
    kinds[question.target] = str(Kind.NUMBER if target.kind is Kind.NUMBER else Kind.CATEGORY)
    levels = question.goal.levels
    reading = Reading(
        whole.blocks, run.coded.coder, kinds, question.target, np.array(sorted(levels)) if levels else None,
        question.weighting,
    )  # fmt: skip
    test = np.zeros(whole.n_rows, dtype=bool)
    test[whole.sampled[division.test]] = True
    may = _not_held_out(run)

    def learned(first: int, table: Table) -> np.ndarray:
        last = first + table.n_rows
        if last * 10 // whole.n_rows > first * 10 // whole.n_rows:
            run.progress.stage(f"coding row {last} of {whole.n_rows}")
        return ~test[first:last] & may(table)

    try:
        return rows_of_file(reading, learned, lambda first, table: np.zeros(table.n_rows, dtype=bool), folder / "rows")
    except (ValueError, TypeError) as error:
        raise UserError(f"{error}; the random sample of the table had no such cell") from error


def _not_held_out(run: "Run") -> Callable[[Table], np.ndarray]:
    """Mask of the rows that tell nothing of the test: of none of its groups, none later than the training rows."""
    from learnable.app.table.posing import groups_of, times_of

    question, division, options = run.coded.question, run.coded.division, run.options
    latest = None if question.times is None else question.times[division.train].max()
    groups = None if question.groups is None else np.unique(question.groups[division.test])

    def may(table: Table) -> np.ndarray:
        mask = np.ones(table.n_rows, dtype=bool)
        if latest is not None and options.time is not None:
            mask &= times_of(table, options.time) <= latest
        if groups is not None and options.group is not None:
            named = groups_of(table, options.group)
            mask &= (named == "") | ~np.isin(named, groups)
        return mask

    return may


def _fitted_again(fitted: "Fitted", rows: "SpooledRows") -> "Fitted":
    from sklearn.base import clone

    from learnable.app.commands.certify import recompute
    from learnable.app.trials.fitting import takes_weights

    assert fitted.entrant is not None
    entrant = fitted.entrant
    model = clone(entrant.candidate.estimator).set_params(**entrant.tuned.params)
    model.fit(rows if takes_weights(model) else rows.unweighted())
    result = replace(fitted.result, certificate=recompute(model, rows), solver=str(model.status_))
    return fitted._replace(model=model, result=result)


def _put_together(chosen: "Fitted", members: list["Fitted"]) -> "Fitted":
    """The learner itself, or the blend of several."""
    if not chosen.result.weights:
        return members[0]
    from learnable.app.trials.blend import blend_of

    weights = chosen.result.weights
    own = [claim for claim in chosen.result.certificate or [] if claim.id == "blend"]
    claims = [claim for one in members for claim in one.result.certificate or []]
    model = blend_of([one.model for one in members], list(weights), list(weights.values()))
    return chosen._replace(model=model, result=replace(chosen.result, certificate=[*claims, *own]))


def _training(run: "Run", whole: Whole, found: "FileRows | None" = None) -> dict[str, Any]:
    """What the card says of the rows trained on, by their places in the file: all that may, or those of the sample."""
    from learnable.app.model_files.card import digest, digest_of_rows, pack

    division = run.coded.division
    trained = whole.sampled[division.train] if found is None else np.flatnonzero(found.trained)
    return {
        "table_rows": whole.n_rows,
        "rows": len(trained),
        "mask": pack(trained, whole.n_rows),
        "held_out": pack(whole.sampled[division.test], whole.n_rows),
        "digest": digest(run.coded.X_train, division.y_train) if found is None else digest_of_rows(found.rows),
    }
