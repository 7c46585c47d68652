"""From a table to a question: the target, the columns that may answer it, and the roles of the others."""

from typing import NamedTuple

import numpy as np

from learnable.app.errors import UserError
from learnable.app.judging.costs import Costs, parse_costs
from learnable.app.options import Options
from learnable.app.table.reading import UNRECOGNISED, Source, column_of
from learnable.app.table.roles import bookkeeping
from learnable.app.table.signed_numbers import disguise
from learnable.app.table.tasks import Goal, goal_of
from learnable.app.trials.large import Whole
from learnable.datasets import Kind, Table


class Weighting(NamedTuple):
    """How rows are weighted: by a column, by the weights of their classes, divided by `scale`."""

    column: str | None
    scale: float
    classes: dict[str, float]

    def of(self, table: Table, known: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The weights of all rows; `y` is the target of those that `known` marks."""
        weights = np.ones(table.n_rows) if self.column is None else _weights(table, self.column)
        if self.classes:
            levels, place = np.unique(y, return_inverse=True)
            weights[known] *= np.array([self.classes.get(level, 1.0) for level in levels.tolist()])[place]
        return weights / self.scale


def _weights(table: Table, name: str) -> np.ndarray:
    column = column_of(table, name, "--weight")
    values = column.values
    if column.kind not in (Kind.NUMBER, Kind.CONSTANT) or values.dtype != float:
        raise UserError(f"--weight {name}: the column is a {column.kind}; weights are numbers")
    bad = np.flatnonzero(~(values > 0))
    if len(bad):
        raise UserError(
            f"--weight {name}: row {bad[0] + 1} has the weight {values[bad[0]]:g}; weights are above zero: leave "
            "such rows out of the table"
        )
    return values.copy()


class Question(NamedTuple):
    """What is asked of a table.

    Attributes
    ----------
    table : as it was read.
    target : name of the column to predict; goal : what it asks for.
    features : the columns that may be used, all rows.
    left_out : column -> why it is not used.
    times, groups, weights : of all rows, where the user named such a column.
    costs : of mistakes, where the user gave them.
    whole : the file that the table is a sample of, where it is larger than memory.
    weighting : what the weights come from.
    warnings : what was decided for the user.
    """

    table: Table
    target: str
    goal: Goal
    features: Table
    left_out: dict[str, str]
    times: np.ndarray | None
    groups: np.ndarray | None
    weights: np.ndarray | None
    costs: Costs | None
    warnings: list[str]
    whole: Whole | None = None
    weighting: Weighting | None = None


def pose(source: Source, options: Options) -> Question:
    """The question; UserError with column, cause and remedy for one that cannot be asked."""
    table, target, whole = source
    goal = goal_of(column_of(table, target, "--target"), options.task)
    given = {"--time": options.time, "--group": options.group, "--weight": options.weight}
    for option, name in given.items():
        if name is not None and name == target:
            raise UserError(f"{option} {name}: that is the target")
    times = None if options.time is None else times_of(table, options.time)
    groups = None if options.group is None else _groups(table, options.group)
    weighting = weighting_of(table, goal, options.weight, options.class_weight)
    weights = None if weighting is None else weighting.of(table, goal.known, goal.y)
    left_out = dict.fromkeys(options.drop, "as --drop says")
    left_out |= {
        name: f"used as {option}"
        for option, name in given.items()
        if name is not None and not (option == "--time" and table.column(name).kind is Kind.DATE)
    }
    asked = {*left_out, target}
    noted = {column.name: why for column in table.columns if column.name not in asked if (why := bookkeeping(column))}
    features = _features(table, target, options.drop, left_out | noted)
    if not features.columns:  # nothing else is there: better a suspicious column than none
        noted = {}
        features = _features(table, target, options.drop, left_out)
    warnings = [*table.notes, *_unknown(goal, target), *_alike(goal), *_noted(noted), *disguised(features)]
    costs = parse_costs(options.cost, goal) if options.cost else None
    return Question(
        table, target, goal, features, left_out | noted, times, groups, weights, costs, warnings, whole, weighting
    )


def _features(table: Table, target: str, dropped: tuple[str, ...], left_out: dict[str, str]) -> Table:
    for name in dropped:
        column_of(table, name, "--drop")
    if target in dropped:
        raise UserError(f"--drop {target}: the target cannot be left out")
    if not set(table.names) - {target, *dropped}:
        raise UserError(f"{table.source} has no column but the target {target!r} to learn from; {UNRECOGNISED}")
    return table.drop([target, *left_out])


def times_of(table: Table, name: str) -> np.ndarray:
    """The moments of the rows as numbers."""
    column = column_of(table, name, "--time")
    if column.kind not in (Kind.DATE, Kind.NUMBER, Kind.IDENTIFIER) or column.values.dtype == object:
        raise UserError(f"--time {name}: the column is a {column.kind}; a time is a date (2024-05-31) or a number")
    if column.n_missing:
        raise UserError(f"--time {name}: {column.n_missing} rows have no time; fill them in or leave these rows out")
    return column.values.astype("M8[us]").astype(float) if column.kind is Kind.DATE else column.values.astype(float)


def _groups(table: Table, name: str) -> np.ndarray:
    words = groups_of(table, name)
    groups = np.array([word or f"row {i}" for i, word in enumerate(words.tolist())])  # one without a group is its own
    if len(np.unique(groups)) < 5:
        raise UserError(f"--group {name}: {len(np.unique(groups))} groups are too few to hold some out; give 5 or more")
    return groups


def groups_of(table: Table, name: str) -> np.ndarray:
    """The names of the groups of the rows; empty for a row without one."""
    column = column_of(table, name, "--group")
    return np.array(
        ["" if gone else str(value) for value, gone in zip(column.values.tolist(), column.missing.tolist())]
    )


def weighting_of(table: Table, goal: Goal, name: str | None, by_class: str | None) -> Weighting | None:
    """How rows are weighted by a column and by classes, with mean 1 over these rows; None without either."""
    if name is None and by_class is None:
        return None
    classes = {} if by_class is None else _class_weights(goal, by_class)
    found = Weighting(name, 1.0, classes)
    return found._replace(scale=float(found.of(table, goal.known, goal.y).mean()))


def _class_weights(goal: Goal, asked: str) -> dict[str, float]:
    if goal.task != "classification":
        raise UserError("--class-weight is about classes; leave it out for a number")
    levels, counts = np.unique(goal.y, return_counts=True)
    if asked == "balanced":
        return dict(zip(levels.tolist(), (len(goal.y) / (len(levels) * counts)).tolist()))
    by_class = dict.fromkeys(levels.tolist(), 1.0)
    for part in asked.split(","):
        name, _, number = part.rpartition("=")
        try:
            by_class[name.strip()] = float(number)
        except ValueError:
            raise UserError(f"--class-weight {asked}: write balanced, or CLASS=NUMBER,...") from None
        if name.strip() not in levels.tolist() or not 0 < float(number) < np.inf:
            raise UserError(
                f"--class-weight {asked}: {name.strip()!r} is no class, or its weight is no number above zero"
            )
    return by_class


def _unknown(goal: Goal, target: str) -> list[str]:
    unknown = int((~goal.known).sum())
    return [f"{unknown} rows without a value of {target!r} were left out"] if unknown else []


def _alike(goal: Goal) -> list[str]:
    """Classes that differ only in capital letters or blanks are rarely meant as two."""
    written: dict[str, list[str]] = {}
    for level in goal.levels:
        written.setdefault("".join(level.split()).casefold(), []).append(level)
    return [
        f"{', '.join(map(repr, same))} are classes of their own; write them alike if they mean the same"
        for same in written.values()
        if len(same) > 1
    ]


def _noted(noted: dict[str, str]) -> list[str]:
    return [f"column {name!r} is not used: {why}" for name, why in noted.items()]


def disguised(features: Table) -> list[str]:
    """Numbers that a sign, or words among them, have turned into words."""
    found = [(column.name, str(column.kind), disguise(column)) for column in features.columns]
    return [f"column {name!r} is read as {kind}, but {why}" for name, kind, why in found if why is not None]
