"""`learnable predict`: a saved model on new rows."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from learnable import __version__
from learnable.app.errors import UserError
from learnable.app.model_files.card_scores import costs_of
from learnable.app.model_files.model_file import Model, load
from learnable.app.result import plain
from learnable.app.table.reading import AS_FOUND, HowToRead, Needed, is_embedded, one_line, open_table
from learnable.app.table.tasks import label
from learnable.app.trials.large import too_large
from learnable.datasets import Column, Kind, Table
from learnable.datasets.table import unknown_name

_AS_READ = {str(kind): kind for kind in (Kind.NUMBER, Kind.DATE, Kind.TEXT)}
_MISSING = "the model needs a column that is missing: "
_FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")


class Predictions(NamedTuple):
    """One prediction a row, and the probability of each class where the model has them.

    `unknown` counts, column by column, the cells whose level training did not have; `stale` says when the model is of
    another version.
    """

    model: str
    data: str
    target: str
    task: str
    values: np.ndarray
    classes: list[str]
    probabilities: np.ndarray | None
    unknown: dict[str, dict[str, int]]
    stale: str = ""

    @property
    def rows(self) -> int:
        return len(self.values)

    @property
    def warnings(self) -> list[str]:
        said = [
            f"column {name!r}: {total} {'row has a level' if total == 1 else 'rows have levels'} that training did not "
            f"have, such as {next(iter(counts))!r}"
            for name, counts in self.unknown.items()
            for total in [sum(counts.values())]
        ]
        return [*said, self.stale] if self.stale else said

    def header(self) -> str:
        """The first line of the CSV."""
        names = [] if self.probabilities is None else [f"probability of {name}" for name in self.classes]
        return _lines([[harmless(f"predicted {self.target}"), *map(harmless, names)]])

    def body(self) -> str:
        """One line a row; text cells that a spreadsheet would take for a formula get a quote."""
        shares = np.empty((self.rows, 0)) if self.probabilities is None else self.probabilities
        return _lines(
            [harmless(value) if isinstance(value, str) else _digits(value), *map(_digits, row)]
            for value, row in zip(self.values.tolist(), shares.tolist())
        )

    def csv(self) -> str:
        return self.header() + self.body()

    def joined(self, other: "Predictions") -> "Predictions":
        """With the rows that follow."""
        shares = None
        if self.probabilities is not None and other.probabilities is not None:
            shares = np.concatenate([self.probabilities, other.probabilities])
        return self._replace(
            values=np.concatenate([self.values, other.values]),
            probabilities=shares,
            unknown=counted_together(self.unknown, other.unknown),
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": "learnable.predict/1",
            "model": self.model,
            "data": self.data,
            "target": self.target,
            "task": self.task,
            "rows": self.rows,
            "predictions": plain(self.values),
            "classes": self.classes,
            "probabilities": plain(self.probabilities),
            "warnings": self.warnings,
        }


class Told:
    """Predictions as they come, with what is to be said once all are there.

    Parameters
    ----------
    parts : of one block of rows after the other; keep : whether they are wanted together at the end.
    """

    def __init__(self, parts: Iterable[Predictions], keep: bool = False):
        self.parts, self.keep = parts, keep
        self.rows = 0
        self._all: Predictions | None = None

    def csv(self) -> Iterator[str]:
        """The lines, block by block."""
        for number, part in enumerate(self._counted()):
            yield part.csv() if number == 0 else part.body()

    def together(self) -> Predictions:
        """All predictions."""
        for _ in self._counted():
            pass
        assert self._all is not None
        return self._all

    @property
    def warnings(self) -> list[str]:
        return [] if self._all is None else self._all.warnings

    def _counted(self) -> Iterator[Predictions]:
        parts, self.parts = self.parts, ()
        for part in parts:
            self.rows += part.rows
            kept = part if self.keep else part._replace(values=part.values[:0], probabilities=None)
            self._all = kept if self._all is None else self._all.joined(kept)
            yield part


def counted_together(first: Mapping[str, Mapping[str, int]], second: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    """The sums of two counts of counts.

    >>> counted_together({"a": {"x": 1}}, {"a": {"x": 2, "y": 1}})
    {'a': {'x': 3, 'y': 1}}
    """
    names = dict.fromkeys([*first, *second])
    return {name: dict(Counter(first.get(name, {})) + Counter(second.get(name, {}))) for name in names}


def _lines(rows: Iterable[Sequence[str]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def harmless(cell: str) -> str:
    """The cell, with a quote before it when a spreadsheet would run it; numbers are numbers.

    >>> harmless("=1+1"), harmless("-1.5"), harmless("yes")
    ("'=1+1", '-1.5', 'yes')
    """
    if not cell.startswith(_FORMULA_SIGNS):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def predict_file(path: Path, data: str, how: HowToRead = AS_FOUND) -> Iterator[Predictions]:
    """Predict every row of a table: all at once, or block by block where the file is larger than memory."""
    saved = load(path, steps_alone=True)
    with one_line(data, ""):
        blocks = None if is_embedded(data) else too_large(data, how)
    if blocks is None:
        yield predict_table(saved, read_for(saved, data, how=how), str(path), data)
        return
    kinds = kinds_for(saved, blocks.names, blocks.source)
    with one_line(data, ""):
        for first, table in blocks.tables(kinds):
            yield predict_table(saved, _filled(saved, table), str(path), data, first)


def predict_table(saved: Model, table: Table, path: str, data: str, first: int = 0) -> Predictions:
    """Predict every row of a table that was read for the model; `first` is where its rows begin in the file."""
    X = code(saved, table)
    learner = saved.pipeline["learn"]
    values = learner.predict(X)
    classes = [str(level) for level in getattr(learner, "classes_", [])]
    probabilities = learner.predict_proba(X) if hasattr(learner, "predict_proba") else None
    costs = costs_of(saved.card)
    if costs is not None and probabilities is not None:
        values = costs.decide(probabilities)
    for found in (values, probabilities):
        if found is not None and found.dtype.kind == "f" and not np.isfinite(found).all():
            row = int(np.flatnonzero(~np.isfinite(found.reshape(len(found), -1)).all(axis=1))[0])
            raise UserError(f"{data}: the prediction for row {first + row + 1} is not finite; look at its cells")
    trained = saved.card["versions"].get("learnable")
    stale = ""
    if trained != __version__:
        stale = f"the model was trained by learnable {trained}, this is {__version__}: certify it again"
    goal = saved.card["target"], saved.card["task"]
    unknown = saved.pipeline["code"].unknown_levels(table)
    return Predictions(path, data, *goal, values, classes, probabilities, unknown, stale)


def read_for(saved: Model, data: Any, with_target: bool = False, how: HowToRead = AS_FOUND) -> Table:
    """The table, its columns read as they were in training; UserError for one that is missing.

    Columns that the model does not need cannot be at fault; the target is one of them unless it is asked for.
    """
    needed = _kinds(saved, every=with_target)
    inferred = [saved.card["target"]] if with_target else []
    inferred += [saved.card["weight"]] if with_target and saved.card["weight"] else []
    try:
        read = open_table(data, kinds=Needed(needed, inferred), how=how)
        return _filled(saved, read, with_target)
    except UserError as error:
        # The reader names the option through which it was told of the column; here that was the model.
        message = str(error)
        if not message.startswith("kinds: "):
            raise
        raise UserError(_MISSING + message.removeprefix("kinds: ")) from error


def kinds_for(saved: Model, names: Sequence[str], source: str, every: bool = False) -> dict[str, str]:
    """The kinds to read the columns of a file as; UserError for one that is missing."""
    kinds = _kinds(saved, every)
    for name in kinds:
        if name not in names:
            raise UserError(_MISSING + unknown_name(name, names, source))
    return kinds


def _kinds(saved: Model, every: bool) -> dict[str, str]:
    """The kinds of the columns that the model uses, or of every one that it was trained with.

    Booleans and ordered categories are read as plain ones, so that a level unknown to the model is no fault of the
    table; the coder knows their levels and their order. Dates are written as they were in training, so that a lone
    3/4/24 is no riddle.
    """
    used = set(saved.card["used"])
    kinds = {
        one["name"]: f"{_AS_READ.get(one['kind'], Kind.CATEGORY)} {one.get('written') or ''}".strip()
        for one in saved.card["columns"]
    }
    return {name: kind for name, kind in kinds.items() if name in used or every}


def _filled(saved: Model, table: Table, every: bool = False) -> Table:
    """With empty columns for those that the model does not use, but was trained with; where `every` column is asked
    for, only for those that are not there."""
    used, empty = set(saved.card["used"]), []
    for one in saved.card["columns"]:
        if one["name"] in (table.names if every else used):
            continue
        kind = _AS_READ.get(one["kind"], Kind.CATEGORY)
        cell = {Kind.NUMBER: np.nan, Kind.DATE: np.datetime64("NaT", "us")}.get(kind)
        values = np.full(table.n_rows, cell, dtype=None if cell is not None else object)
        empty.append(Column(one["name"], kind, values))
    unused = {column.name for column in empty}
    kept = [column for column in table.columns if column.name not in unused]
    return Table((*kept, *empty), table.n_rows, table.source, table.notes) if empty else table


def code(saved: Model, table: Table) -> np.ndarray:
    """The coded features of the rows of a table."""
    coder = saved.pipeline["code"]
    try:
        with np.errstate(over="ignore"):
            X = coder.transform(table)
    except (ValueError, TypeError) as error:
        raise UserError(f"{table.source} does not fit the model: {error}") from error
    if not np.isfinite(X).all():
        from learnable.app.table.coding import coded_owners

        row, j = np.argwhere(~np.isfinite(X))[0]
        name = coded_owners(coder)[j]
        raise UserError(
            f"{table.source} does not fit the model: column {name!r} holds {table.column(name).values[row]!s} in row "
            f"{row}, too far from what was learned from; correct or empty it"
        )
    return X


def target_of(saved: Model, table: Table) -> tuple[np.ndarray, np.ndarray]:
    """Mask of the rows whose target is known and usable, and the target on them."""
    name, task = saved.card["target"], saved.card["task"]
    try:
        column = table.column(name)
    except ValueError as error:
        raise UserError(f"certifying needs the target: {error}") from error
    known = ~column.missing
    if not known.any():
        raise UserError(f"certifying needs the target: {name!r} has no value in any row of {table.source}")
    values = column.values[known]
    if task == "regression":
        if values.dtype.kind != "f":
            raise UserError(f"{table.source}: the target {name!r} is a {column.kind}, the model predicts a number")
        return known, values
    y = np.array([label(value) for value in values.tolist()]) if values.dtype.kind == "f" else values.astype(str)
    strange = sorted(set(y.tolist()) - set(saved.card["levels"]))
    if strange:
        raise UserError(
            f"{table.source}: the target {name!r} has the class {strange[0]!r}, which the model does not know"
        )
    return known, y


def _digits(number: Any) -> str:
    """Twelve digits: beyond them a prediction depends on which rows stand beside it in a matrix product.

    >>> _digits(0.1 + 0.2), _digits(3.0)
    ('0.3', '3.0')
    """
    return repr(float(f"{number:.12g}")) if isinstance(number, float) else repr(number)
