"""Classification or regression: what the target column asks for, and whether it can be learned at all."""

import re
from typing import Literal, NamedTuple

import numpy as np

from learnable.app.errors import UserError
from learnable.app.table.signed_numbers import disguise, signed_number
from learnable.datasets import Column, Kind
from learnable.panel import Task

# What makes numbers classes or counts, and how few rows a class may have.
MOST_NUMERIC_CLASSES = 10
FEWEST_ROWS = 10
FEWEST_ROWS_OF_A_CLASS = 3
MOST_RARE = 0.5
"""Share of the distinct numbers that have fewer rows than that, above which they are no classes."""
FEWEST_COUNTS = 4
LEAST_DISPERSION = 0.8
"""Variance over mean below which numbers are no counts: that of events is at least 1, however their rates differ."""
SCALES = frozenset({"rating", "score", "stars", "grade", "level", "scale", "rank", "satisfaction", "quality", "likert"})
"""Words that name points on a scale, which has an end where counts have none."""
THIN_END = 0.2
LARGEST_TARGET = 1e70
"""Beyond it, and below its inverse, sums of squared errors leave the range in which tests can be computed."""

_CLASSES = (Kind.BOOLEAN, Kind.CATEGORY, Kind.ORDERED)
_REMEDY = "choose another column with --target"


class Goal(NamedTuple):
    """What is to be learned.

    Attributes
    ----------
    task : "classification" or "regression".
    reason : how the task was decided.
    known : mask of the rows whose target is known.
    y : the target on those rows: float64 for regression, text for classes.
    levels : the classes in order; empty for regression.
    counts : whether the quantity is a count of events.
    """

    task: Task
    reason: str
    known: np.ndarray
    y: np.ndarray
    levels: tuple[str, ...]
    counts: bool = False

    @property
    def strata(self) -> np.ndarray:
        """What splits are balanced by: the classes, or nothing."""
        return self.y if self.task == "classification" else np.zeros(len(self.y))


def infer_task(column: Column) -> tuple[Task | Literal["counts"], str]:
    """The task and the reason.

    Text, categories and booleans are classes. Whole numbers from 0 that thin out upwards are counts, unless they are
    less spread than counts or are named as points on a scale; other numbers with at most 10 distinct values, all whole
    and most of them in 3 rows or more, are classes. Any other number is a quantity.

    >>> infer_task(Column("y", Kind.NUMBER, np.array([0.0, 1.0, 1.0])))
    ('classification', 'a number with only 2 distinct whole values')
    >>> infer_task(Column("y", Kind.NUMBER, np.array([0.5, 1.0, 1.0])))
    ('regression', 'a number with 2 distinct values')
    """
    if column.kind is not Kind.NUMBER:
        return "classification", f"a {column.kind} with {column.n_distinct} levels"
    present = column.values[~column.missing]
    distinct = column.n_distinct
    if counts_events(present) and not SCALES & set(re.split(r"[^a-z]+", column.name.lower())):
        return "counts", f"whole numbers from 0 to {present.max():.0f} that thin out upwards"
    if distinct <= MOST_NUMERIC_CLASSES and np.array_equal(present, np.round(present)):
        rare = np.unique(present, return_counts=True)[1] < FEWEST_ROWS_OF_A_CLASS
        if distinct > 2 and rare.mean() > MOST_RARE:
            return "regression", f"a number most of whose {distinct} distinct values have too few rows to be classes"
        return "classification", f"a number with only {distinct} distinct whole values"
    return "regression", f"a number with {distinct} distinct values"


def counts_events(values: np.ndarray) -> bool:
    """Whether numbers look like counts of events: whole, from 0, mostly small, with a thin upper end, and as spread as
    counts are. Points on a scale from 0 to 10 are less so.

    >>> counts_events(np.repeat([0.0, 1.0, 2.0, 3.0, 5.0], [50, 30, 12, 4, 1]))
    True
    >>> counts_events(np.repeat(np.arange(10.0), 20))
    False
    >>> counts_events(np.repeat(np.arange(11.0), [1, 6, 15, 25, 30, 22, 12, 5, 2, 1, 1]))
    False
    """
    if values.min() != 0 or not np.array_equal(values, np.round(values)):
        return False
    found, counts = np.unique(values, return_counts=True)
    if len(found) < FEWEST_COUNTS:
        return False
    commonest = found[np.argmax(counts)]
    if np.var(values) < LEAST_DISPERSION * np.mean(values):
        return False
    return bool(commonest <= np.mean(values) < np.max(values) / 2 and counts[-1] <= THIN_END * counts.max())


def goal_of(column: Column, forced: Task | Literal["counts"] | None = None) -> Goal:
    """The goal that a target column poses; UserError with the cause and the remedy when it cannot be learned."""
    name = f"target {column.name!r}"
    known = ~column.missing
    if not known.any():
        raise UserError(f"{name} has no value at all; {_REMEDY}")
    if column.n_distinct == 1:
        value = column.values[known][0]
        shown = repr(str(value)) if isinstance(value, str) else str(value)
        raise UserError(f"{name} is {shown} in every row that has a value: there is nothing to learn; {_REMEDY}")
    if (example := signed_number(column)) is not None and (
        forced in ("regression", "counts") or column.kind not in _CLASSES
    ):
        raise UserError(f"{name} holds numbers with signs such as {example!r}; write plain numbers to predict them")
    if column.kind not in (Kind.NUMBER, *_CLASSES):
        raise UserError(
            f"{name} is a column of kind {column.kind} with {column.n_distinct} distinct values in "
            f"{known.sum()} rows, which are neither classes nor a quantity; {disguise(column) or _REMEDY}"
        )
    if known.sum() < FEWEST_ROWS:
        raise UserError(f"{name} is known in {known.sum()} rows; at least {FEWEST_ROWS} are needed")
    inferred, reason = infer_task(column)
    task, reason = (forced, "as --task says") if forced else (inferred, reason)
    if task in ("regression", "counts"):
        y = _quantities(column, known, name)
        if task == "counts" and (y.min() < 0 or not np.array_equal(y, np.round(y))):
            raise UserError(f"{name} has values that are no counts (0, 1, 2, ...); use --task regression")
        return Goal("regression", reason, known, y, (), counts=task == "counts")
    y, levels = _classes(column, known, name)
    return Goal("classification", reason, known, y, levels)


def _quantities(column: Column, known: np.ndarray, name: str) -> np.ndarray:
    if column.kind is not Kind.NUMBER:
        raise UserError(f"{name} is a {column.kind}, not a number; leave out --task")
    y = column.values[known].astype(float)
    if (largest := np.abs(y).max()) > LARGEST_TARGET:
        raise UserError(f"{name} has values up to {largest:.3g}, whose squares overflow; rescale the column")
    if largest < 1.0 / LARGEST_TARGET:
        raise UserError(f"{name} has values of at most {largest:.3g}, whose squares vanish; rescale the column")
    return y


def _classes(column: Column, known: np.ndarray, name: str) -> tuple[np.ndarray, tuple[str, ...]]:
    values = column.values[known]
    if column.kind is Kind.NUMBER:
        distinct = np.unique(values)
        y = np.array([label(value) for value in distinct])[np.searchsorted(distinct, values)]
        levels = tuple(label(value) for value in distinct)
    else:
        y = values.astype(str)
        present = set(y.tolist())
        levels = tuple(level for level in column.levels if level in present)
    found, counts = np.unique(y, return_counts=True)
    rare = counts < FEWEST_ROWS_OF_A_CLASS
    if rare.any():
        shown = ", ".join(f"{level!s} ({count})" for level, count in zip(found[rare][:5], counts[rare]))
        more = f" and {rare.sum() - 5} more" if rare.sum() > 5 else ""
        hint = " or use --task regression" if column.kind is Kind.NUMBER else ""
        raise UserError(
            f"{name} has classes with fewer than {FEWEST_ROWS_OF_A_CLASS} rows: {shown}{more}; "
            f"merge or remove them{hint}"
        )
    return y, levels


def label(value: float) -> str:
    """A number as the name of a class.

    >>> label(3.0), label(0.5)
    ('3', '0.5')
    """
    return str(int(value)) if value == int(value) else repr(float(value))
