"""`learnable predict`: a saved model on new rows."""

import csv
import io
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from learnable import __version__
from learnable.app.card_scores import costs_of
from learnable.app.errors import UserError
from learnable.app.model_file import Model, load
from learnable.app.reading import Needed, open_table
from learnable.app.result import plain
from learnable.app.tasks import label
from learnable.datasets import Column, Kind, Table

_AS_READ = {str(kind): kind for kind in (Kind.NUMBER, Kind.DATE, Kind.TEXT)}
_FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")


class Predictions(NamedTuple):
    """One prediction a row, and the probability of each class where the model has them."""

    model: str
    data: str
    target: str
    task: str
    values: np.ndarray
    classes: list[str]
    probabilities: np.ndarray | None
    warnings: list[str]

    @property
    def rows(self) -> int:
        return len(self.values)

    def csv(self) -> str:
        """A header line and one line a row; text cells that a spreadsheet would take for a formula get a quote."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        shares = np.empty((self.rows, 0)) if self.probabilities is None else self.probabilities
        names = [] if self.probabilities is None else [f"probability of {name}" for name in self.classes]
        writer.writerow([harmless(f"predicted {self.target}"), *map(harmless, names)])
        for value, row in zip(self.values.tolist(), shares.tolist()):
            writer.writerow([harmless(value) if isinstance(value, str) else _digits(value), *map(_digits, row)])
        return out.getvalue()

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


def predict_file(path: Path, data: str) -> Predictions:
    """Predict every row of a table."""
    saved = load(path)
    return predict_table(saved, read_for(saved, data), str(path), data)


def predict_table(saved: Model, table: Table, path: str, data: str) -> Predictions:
    """Predict every row of a table that was read for the model."""
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
            raise UserError(f"{data}: the prediction for row {row + 1} is not finite; look at its cells")
    unknown = saved.pipeline["code"].unknown_levels(table)
    warnings = [
        f"column {name!r}: {sum(counts.values())} rows have levels that training did not have, such as {example!r}"
        for name, counts in unknown.items()
        for example in [next(iter(counts))]
    ]
    trained = saved.card["versions"].get("learnable")
    if trained != __version__:
        warnings.append(f"the model was trained by learnable {trained}, this is {__version__}: certify it again")
    goal = saved.card["target"], saved.card["task"]
    return Predictions(path, data, *goal, values, classes, probabilities, warnings)


def read_for(saved: Model, data: Any, with_target: bool = False) -> Table:
    """The table, its columns read as they were in training; UserError for one that is missing.

    Columns that the model does not need cannot be at fault; the target is one of them unless it is asked for.
    """
    # Booleans and ordered categories are read as plain ones, so that a level unknown to the model is no fault of the
    # table; the coder knows their levels and their order.
    used = set(saved.card["used"])
    kinds = {one["name"]: _AS_READ.get(one["kind"], Kind.CATEGORY) for one in saved.card["columns"]}
    needed = {name: kind for name, kind in kinds.items() if name in used or with_target}
    inferred = [saved.card["target"]] if with_target else []
    inferred += [saved.card["weight"]] if with_target and saved.card["weight"] else []
    try:
        return _filled(saved, open_table(data, kinds=Needed(needed, inferred)))
    except UserError as error:
        # The reader names the option through which it was told of the column; here that was the model.
        message = str(error)
        if not message.startswith("kinds: "):
            raise
        raise UserError(f"the model needs a column that is missing: {message.removeprefix('kinds: ')}") from error


def _filled(saved: Model, table: Table) -> Table:
    """With empty columns for those that the model was trained with but does not use, where they are not there."""
    empty = []
    for one in saved.card["columns"]:
        if one["name"] in table.names:
            continue
        kind = _AS_READ.get(one["kind"], Kind.CATEGORY)
        cell = {Kind.NUMBER: np.nan, Kind.DATE: np.datetime64("NaT", "us")}.get(kind)
        values = np.full(table.n_rows, cell, dtype=None if cell is not None else object)
        empty.append(Column(one["name"], kind, values))
    return Table((*table.columns, *empty), table.n_rows, table.source, table.notes) if empty else table


def code(saved: Model, table: Table) -> np.ndarray:
    """The coded features of the rows of a table."""
    try:
        return saved.pipeline["code"].transform(table)
    except (ValueError, TypeError) as error:
        raise UserError(f"{table.source} does not fit the model: {error}") from error


def target_of(saved: Model, table: Table) -> tuple[np.ndarray, np.ndarray]:
    """Mask of the rows whose target is known and usable, and the target on them."""
    name, task = saved.card["target"], saved.card["task"]
    try:
        column = table.column(name)
    except ValueError as error:
        raise UserError(f"certifying needs the target: {error}") from error
    known = ~column.missing
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
