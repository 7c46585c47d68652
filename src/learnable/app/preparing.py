"""From a table to what the learners see: the target posed, rows divided, features coded on training rows only."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from learnable.app.errors import UserError
from learnable.app.reading import column_of, is_embedded, open_table, parse_ordered
from learnable.app.result import ColumnSummary, Role, TableSummary
from learnable.app.signed_numbers import signed_number
from learnable.app.splits import folds, holdout, subsample
from learnable.app.tasks import Goal, pose
from learnable.app.tuning import Fold
from learnable.datasets import Kind, Table, entry, names
from learnable.panel import Task

MOST_FOLDS = 10
ROWS_PER_FOLD = 4
TUNING_CELLS = 1_000_000
FEWEST_TUNING_ROWS = 1_000
MOST_BYTES = 2**31


@dataclass(frozen=True)
class Options:
    """What the user asked for; see `learnable learn --help`."""

    data: str | None = None
    target: str | None = None
    task: Task | None = None
    test_size: float = 0.2
    seed: int = 0
    jobs: int = 1
    time_limit: float | None = None
    ordered: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()


class Prepared(NamedTuple):
    """Everything before the first fit.

    Attributes
    ----------
    table : as it was read; summary : for people.
    features : the columns that may be used, all rows.
    train, test : row numbers in the table, rising.
    coder : the coding, learned on the training rows.
    tuning : positions among `train` of the rows that the folds are made of.
    dealt : fold of each of those.
    warnings : what was decided for the user.
    """

    table: Table
    summary: TableSummary
    target: str
    goal: Goal
    features: Table
    y_train: np.ndarray
    y_test: np.ndarray
    train: np.ndarray
    test: np.ndarray
    coder: Any
    width: int
    tuning: np.ndarray
    dealt: np.ndarray
    warnings: list[str]

    @property
    def n_folds(self) -> int:
        return int(self.dealt.max()) + 1

    @property
    def fold_sizes(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows in the training and in the validation part of each fold."""
        n_valid = np.bincount(self.dealt, minlength=self.n_folds)
        return len(self.dealt) - n_valid, n_valid


def prepare(options: Options) -> Prepared:
    """Read, describe, pose, divide and code; UserError with column, cause and remedy for what cannot be used."""
    table, target = _read(options)
    goal = pose(column_of(table, target, "--target"), options.task)
    features = _features(table, target, options.drop)
    rng = np.random.default_rng(options.seed)
    rows = np.flatnonzero(goal.known)
    held = holdout(goal.strata, options.test_size, rng)
    if held.sum() < 2 or len(rows) - held.sum() < 2 * ROWS_PER_FOLD:
        raise UserError(
            f"--test-size {options.test_size:g} divides {len(rows)} rows into {len(rows) - held.sum()} for training "
            f"and {held.sum()} for the test; at least {2 * ROWS_PER_FOLD} and 2 are needed"
        )
    train, test = rows[~held], rows[held]
    coder = fit_coder(features.take(train))
    width = len(coder.get_feature_names_out())
    size = 8 * width * len(rows)
    if size > MOST_BYTES:
        raise UserError(
            f"the coded table would be {len(rows)} rows × {width} columns, {size / 2**30:.1f} GiB; "
            "leave out columns of many categories with --drop, or give fewer rows"
        )
    strata = goal.strata[~held]
    most = max(FEWEST_TUNING_ROWS, TUNING_CELLS // max(width, 1))
    tuning = subsample(strata, most, rng)
    dealt = folds(strata[tuning], min(MOST_FOLDS, len(tuning) // ROWS_PER_FOLD), rng)
    warnings = [
        *table.notes,
        *_remarks(goal, target, len(tuning), len(train)),
        *_left_out(coder.dropped_),
        *_disguised(features),
    ]
    summary = summarise(table, target, goal, coder, options.drop)
    y_train, y_test = goal.y[~held], goal.y[held]
    return Prepared(
        table, summary, target, goal, features, y_train, y_test, train, test, coder, width, tuning, dealt, warnings
    )


def fit_coder(features: Table) -> Any:
    """The coding of a table, learned on its rows."""
    from learnable.features import TableCoder

    coder = TableCoder()
    try:
        return coder.fit(features)
    except (ValueError, TypeError) as error:
        if features.columns and len(getattr(coder, "dropped_", ())) == len(features.columns):
            signed = _disguised(features)[:1]
            raise UserError(
                "; ".join([f"{features.source} has nothing to learn from", *_left_out(coder.dropped_), *signed])
            ) from error
        raise UserError(str(error)) from error


def coded_owners(coder: Any) -> list[str]:
    """The column of the table behind each coded feature.

    >>> import pyarrow as pa
    >>> from learnable.features import TableCoder
    >>> coded_owners(TableCoder().fit(pa.table({"size": [1.0, None, 3.0], "colour": ["red", "blue", "red"]})))
    ['size', 'size', 'colour', 'colour']
    """
    owners = []
    for name in coder.kinds_:
        codes = coder.levels_.get(name, [name] if name in coder.deviations_ else [])
        owners += [name] * (len(codes) + (name in coder.indicators_))
    return owners


def coded_folds(prepared: Prepared, rng: np.random.Generator) -> list[Fold]:
    """The folds as matrices; each coding is learned on the training rows of its own fold, in random order."""
    y = prepared.y_train[prepared.tuning]
    numbers = prepared.train[prepared.tuning]
    made = []
    for fold in range(prepared.n_folds):
        training = rng.permutation(np.flatnonzero(prepared.dealt != fold))
        validation = np.flatnonzero(prepared.dealt == fold)
        seen = prepared.features.take(numbers[training])
        coder = fit_coder(seen)
        made.append(
            Fold(
                coder.transform(seen),
                y[training],
                coder.transform(prepared.features.take(numbers[validation])),
                y[validation],
            )
        )
    return made


def summarise(table: Table, target: str, goal: Goal, coder: Any, dropped_by_user: tuple[str, ...]) -> TableSummary:
    """The columns with their roles."""
    columns = []
    for column in table.columns:
        reason = "as --drop says" if column.name in dropped_by_user else str(coder.dropped_.get(column.name, ""))
        role: Role = "target" if column.name == target else "dropped" if reason else "feature"
        detail = column.summary().partition(", ")[2]
        columns.append(
            ColumnSummary(column.name, str(column.kind), role, column.n_missing, column.n_distinct, detail, reason)
        )
    classes = {level: int(np.sum(goal.y == level)) for level in goal.levels}
    return TableSummary(table.source, table.n_rows, columns, classes)


def _read(options: Options) -> tuple[Table, str]:
    source = options.data if options.data is not None else names()[0]
    table = _open(source, options)
    if options.target is None and is_embedded(source):
        return table, entry(source).target
    if options.target is None:
        known = ", ".join(repr(name) for name in table.names[:20])
        raise UserError(f"say which column to predict with --target; {table.source} has {known}")
    return table, options.target


def _open(source: str, options: Options) -> Table:
    # What is left out is read as text, so that no cell of it can be at fault.
    kinds = dict.fromkeys((name for name in options.drop if name != options.target), Kind.TEXT)
    remedy = ", or leave the column out with --drop"
    try:
        return open_table(source, parse_ordered(options.ordered), kinds, remedy)
    except UserError as error:
        message = str(error)
        if message.startswith(f"column {options.target!r} ") and message.endswith(remedy):
            other = ", or choose another column with --target"
            raise UserError(f"{message.removesuffix(remedy)}{other}") from error
        if not message.startswith("kinds: "):
            raise
        raise UserError(f"--drop: {message.removeprefix('kinds: ')}") from error


def _features(table: Table, target: str, dropped: tuple[str, ...]) -> Table:
    for name in dropped:
        column_of(table, name, "--drop")
    if target in dropped:
        raise UserError(f"--drop {target}: the target cannot be left out")
    features = table.drop([target, *dropped])
    if not features.columns:
        raise UserError(
            f"{table.source} has no column but the target {target!r} to learn from; "
            "if the file has more, its delimiter was not recognised"
        )
    return features


def _left_out(dropped: dict[str, str]) -> list[str]:
    """One line on the columns that cannot be used."""
    if not dropped:
        return []
    shown = ", ".join(f"{name!r} ({reason})" for name, reason in list(dropped.items())[:5])
    more = f" and {len(dropped) - 5} more" if len(dropped) > 5 else ""
    return [f"{len(dropped)} column{'s' if len(dropped) > 1 else ''} cannot be used: {shown}{more}"]


def _disguised(features: Table) -> list[str]:
    """Numbers that a sign has turned into words."""
    found = [(column.name, str(column.kind), signed_number(column)) for column in features.columns]
    return [
        f"column {name!r} is read as {kind}, but its cells are numbers with signs such as {example!r}; "
        "write plain numbers to use them as such"
        for name, kind, example in found
        if example is not None
    ]


def _remarks(goal: Goal, target: str, tuning: int, training: int) -> list[str]:
    remarks = []
    unknown = int((~goal.known).sum())
    if unknown:
        remarks.append(f"{unknown} rows without a value of {target!r} were left out")
    if tuning < training:
        remarks.append(
            f"tuning and comparison use {tuning} random rows of the {training} training rows "
            f"(at most {TUNING_CELLS:,} coded cells); the final fits use all of them"
        )
    return remarks
