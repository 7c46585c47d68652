"""From divided rows to matrices: the coding is learned on the rows that are learned from, and on no others."""

from typing import Any, NamedTuple

import numpy as np

from learnable.app.errors import UserError
from learnable.app.result import ColumnSummary, Role, TableSummary
from learnable.app.table.dividing import Division
from learnable.app.table.posing import Question, disguised
from learnable.app.trials.tuning import Fold
from learnable.datasets import Table

MOST_BYTES = 2**31


class Coded(NamedTuple):
    """What the learners see.

    Attributes
    ----------
    coder : learned on the training rows; owners : the column of the table behind each coded feature.
    X_train, X_test : coded rows; w_train, w_test : their weights, or None.
    """

    question: Question
    division: Division
    coder: Any
    owners: list[str]
    X_train: np.ndarray
    X_test: np.ndarray
    w_train: np.ndarray | None
    w_test: np.ndarray | None

    @property
    def width(self) -> int:
        return len(self.owners)

    def folds(self, number: int) -> list[Fold]:
        """The folds of a round as matrices; each coding is learned on the rows of its own fold to learn from."""
        division, features = self.division, self.question.features
        y = division.y_train[division.tuning]
        weight = None if self.w_train is None else self.w_train[division.tuning]
        numbers = division.train[division.tuning]
        levels = np.unique(self.question.goal.y) if self.question.goal.levels else None
        made = []
        for training, validation in division.deal(number):
            seen = features.take(numbers[training])
            coder = fit_coder(seen)
            made.append(
                Fold(
                    coder.transform(seen),
                    y[training],
                    coder.transform(features.take(numbers[validation])),
                    y[validation],
                    None if weight is None else weight[training],
                    None if weight is None else weight[validation],
                    validation,
                    levels,
                    coded_owners(coder),
                )
            )
        return made


def code(question: Question, division: Division) -> Coded:
    """The coded rows; UserError when there is nothing to code, or too much."""
    features = question.features
    coder = fit_coder(features.take(division.train))
    width = len(coder.get_feature_names_out())
    rows = len(division.train) + len(division.test)
    size = 8 * width * rows
    if size > MOST_BYTES:
        raise UserError(
            f"the coded table would be {rows} rows × {width} columns, {size / 2**30:.1f} GiB; "
            "leave out columns of many categories with --drop, or give fewer rows"
        )
    weights = question.weights
    return Coded(
        question,
        division,
        coder,
        coded_owners(coder),
        coder.transform(features.take(division.train)),
        coder.transform(features.take(division.test)) if len(division.test) else np.empty((0, width)),
        None if weights is None else weights[division.train],
        None if weights is None else weights[division.test],
    )


def fit_coder(features: Table) -> Any:
    """The coding of a table, learned on its rows."""
    from learnable.features import TableCoder

    coder = TableCoder()
    try:
        return coder.fit(features)
    except (ValueError, TypeError) as error:
        if features.columns and len(getattr(coder, "dropped_", ())) == len(features.columns):
            signed = disguised(features)[:1]
            raise UserError(
                "; ".join([f"{features.source} has nothing to learn from", *left_out(coder.dropped_), *signed])
            ) from error
        raise UserError(str(error)) from error


def coded_owners(coder: Any) -> list[str]:
    """The column of the table behind each coded feature.

    >>> import pyarrow as pa
    >>> from learnable.features import TableCoder
    >>> coded_owners(TableCoder().fit(pa.table({"size": [1.0, None, 3.0], "colour": ["red", "blue", "red"]})))
    ['size', 'size', 'colour', 'colour']
    """
    return [name for name in coder.kinds_ for _ in coder.names_of(name)]


def left_out(dropped: dict[str, str]) -> list[str]:
    """One line on the columns that cannot be used."""
    if not dropped:
        return []
    shown = ", ".join(f"{name!r} ({reason})" for name, reason in list(dropped.items())[:5])
    more = f" and {len(dropped) - 5} more" if len(dropped) > 5 else ""
    return [f"{len(dropped)} column{'s' if len(dropped) > 1 else ''} cannot be used: {shown}{more}"]


def summarise(coded: Coded) -> TableSummary:
    """The columns with their roles."""
    question = coded.question
    columns = []
    for column in question.table.columns:
        reason = question.left_out.get(column.name, "") or str(coded.coder.dropped_.get(column.name, ""))
        role: Role = "target" if column.name == question.target else "dropped" if reason else "feature"
        detail = column.summary().partition(", ")[2]
        columns.append(
            ColumnSummary(column.name, str(column.kind), role, column.n_missing, column.n_distinct, detail, reason)
        )
    classes = {level: int(np.sum(question.goal.y == level)) for level in question.goal.levels}
    return TableSummary(question.table.source, question.table.n_rows, columns, classes)
