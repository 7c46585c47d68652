"""Tables larger than memory: everything is tried out on a random sample, and the chosen learner sees every row.

The sample is a table like any other: its columns are looked at, learners are tuned, compared and tested on it. The
chosen learner is then fitted again on all rows of the file but the test rows, block by block, if it can learn that
way; otherwise the fit on the sample stays. What was done is said in the first warning of the result.
"""

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from learnable.app.errors import UserError
from learnable.app.memory import memory_left
from learnable.app.options import Options
from learnable.app.tasks import label
from learnable.datasets import Kind, Table
from learnable.datasets.blocks import FileBlocks, Sample, blocks_of, bytes_to_read

if TYPE_CHECKING:
    from learnable.app.learn import Fitted, Run
    from learnable.app.rounds import Scores
    from learnable.app.spool import CodedBlock, SpooledRows

# What is compared in memory of a file that does not fit.
SAMPLE_CELLS = 2_000_000
FEWEST_SAMPLED = 10_000
_READ_AS = {Kind.NUMBER: Kind.NUMBER, Kind.DATE: Kind.DATE, Kind.TEXT: Kind.TEXT}


class Whole(NamedTuple):
    """The file behind a sample.

    Attributes
    ----------
    blocks : reads it; n_rows : of it; sampled : where the rows of the sample stand in it.
    """

    blocks: FileBlocks
    n_rows: int
    sampled: np.ndarray


def too_large(source: Any, options: Options) -> FileBlocks | None:
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
        rows = _spooled(run, whole, Path(folder))
        run.progress.stage(f"fitting {', '.join(names)} on all rows")
        done = _put_together(chosen, [_fitted_again(one, rows) for one in members])
        training = _training(run, whole, rows)
    result = with_scores(done.result, scores, run, unseen(done.model, done.result.label, scores, run))
    said = f"{_told(run)}; the chosen model was then fitted on all {rows.n_rows} other rows, read in blocks"
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
    return [
        f"{table.source} has {whole.n_rows} rows, more than fit into memory: columns are looked at, and learners "
        f"tuned, compared and tested, on {table.n_rows} random rows"
    ]


def _told(run: "Run") -> str:
    question = run.coded.question
    return announcement(question.whole, question.table)[0]


def _cause(run: "Run", members: list["Fitted"]) -> str:
    """Why the fit on the sample stays; empty when nothing is in the way."""
    given = run.options
    asked = {
        "--time": given.time, "--group": given.group, "--weight": given.weight, "--class-weight": given.class_weight
    }  # fmt: skip
    named = [option for option, value in asked.items() if value is not None]
    if named:
        return f"{' and '.join(named)} need all rows in memory"
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


def _spooled(run: "Run", whole: Whole, folder: Path) -> "SpooledRows":
    from learnable.app.spool import spool

    levels = run.coded.question.goal.levels
    classes = np.array(sorted(levels)) if levels else None
    return spool(coded_blocks(run, whole, classes), folder / "rows", classes)


def coded_blocks(run: "Run", whole: Whole, classes: np.ndarray | None) -> Iterator["CodedBlock"]:
    """All rows whose target is known, but the test rows, coded as the sample was."""
    from learnable.app.spool import CodedBlock

    question, coder = run.coded.question, run.coded.coder
    test = set(whole.sampled[run.coded.division.test].tolist())
    kinds = {name: str(_READ_AS.get(Kind(kind), Kind.CATEGORY)) for name, kind in coder.kinds_.items()}
    target = question.table.column(question.target)
    kinds[question.target] = str(Kind.NUMBER if target.kind is Kind.NUMBER else Kind.CATEGORY)
    try:
        for first, table in whole.blocks.tables(kinds):
            known, y = _targets(table, question.target, classes)
            mine = np.array([first + row not in test for row in range(table.n_rows)]) & known
            if mine.any():
                yield CodedBlock(coder.transform(table.drop(question.target).take(mine)), y[mine])
            if (first + table.n_rows) * 10 // whole.n_rows > first * 10 // whole.n_rows:
                run.progress.stage(f"coding row {first + table.n_rows} of {whole.n_rows}")
    except (ValueError, TypeError) as error:
        raise UserError(f"{error}; the random sample of the table had no such cell") from error


def _targets(table: Table, name: str, classes: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Mask of the rows whose target is known, and the target: numbers, or places among the classes."""
    column = table.column(name)
    known = ~column.missing
    if classes is None:
        return known, column.values.astype(float)
    place = {level: number for number, level in enumerate(classes.tolist())}
    cells = column.values.tolist()
    words = [
        None if gone else label(cell) if isinstance(cell, float) else str(cell) for cell, gone in zip(cells, ~known)
    ]
    y = np.array([place.get(word, -1) for word in words], dtype=np.int32)
    strange = np.flatnonzero(known & (y < 0))
    if len(strange):
        raise ValueError(f"the target {name!r} has the class {words[strange[0]]!r}")
    return known, y


def _fitted_again(fitted: "Fitted", rows: "SpooledRows") -> "Fitted":
    from sklearn.base import clone

    from learnable.app.certify import claims_of
    from learnable.certificates import certify

    assert fitted.entrant is not None
    entrant = fitted.entrant
    model = clone(entrant.candidate.estimator).set_params(**entrant.tuned.params).fit(rows)
    result = replace(fitted.result, certificate=claims_of(certify(model, rows)), solver=str(model.status_))
    return fitted._replace(model=model, result=result)


def _put_together(chosen: "Fitted", members: list["Fitted"]) -> "Fitted":
    """The learner itself, or the blend of several."""
    if not chosen.result.weights:
        return members[0]
    from learnable.app.blend import blend_of

    weights = chosen.result.weights
    own = [claim for claim in chosen.result.certificate or [] if claim.id == "blend"]
    claims = [claim for one in members for claim in one.result.certificate or []]
    model = blend_of([one.model for one in members], list(weights), list(weights.values()))
    return chosen._replace(model=model, result=replace(chosen.result, certificate=[*claims, *own]))


def _training(run: "Run", whole: Whole, rows: "SpooledRows | None" = None) -> dict[str, Any]:
    """What the card says of the rows trained on, by their places in the file: all others than the test rows, or those
    of the sample."""
    from learnable.app.card import digest, digest_of_rows, pack

    division = run.coded.division
    test = whole.sampled[division.test]
    trained = whole.sampled[division.train] if rows is None else np.delete(np.arange(whole.n_rows), test)
    return {
        "table_rows": whole.n_rows,
        "rows": len(division.train) if rows is None else rows.n_rows,
        "mask": pack(trained, whole.n_rows),
        "held_out": pack(test, whole.n_rows),
        "digest": digest(run.coded.X_train, division.y_train) if rows is None else digest_of_rows(rows),
    }
