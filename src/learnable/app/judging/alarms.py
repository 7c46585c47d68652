"""What may make an answer worthless: leaks, duplicates, drift, scores too good to be true."""

import numpy as np

from learnable.app.result import LearnerResult
from learnable.app.table.coding import Coded
from learnable.app.table.roles import names_things
from learnable.datasets import Column, Kind

ALONE = 0.97
"""Share of the loss of guessing that one column removes, from which on it is suspected of being the answer itself."""
MOST_COPIES = 4
"""How often a whole table may stand there, for the room in it to be judged by the rows that differ."""
# Bins of a column that predicts alone; an error that is too good to be true, in how many rows; repeated rows; drift.
BINS = 20
TOO_GOOD = 0.005
LEAST_SHARE = 0.01
FEWEST_TOO_GOOD = 100
DUPLICATES = 0.01
DRIFT_DISTANCE, DRIFT_P = 0.15, 1e-4
TOGETHER = 0.3
"""Share of the target's variance between the values of an identifier, from which on rows of one value hang together."""


def table_alarms(coded: Coded) -> list[str]:
    """Alarms that need no fit."""
    question, division = coded.question, coded.division
    features, y = question.features.take(division.train), division.y_train
    used = [column for column in features.columns if column.name not in coded.coder.dropped_]
    said = []
    functions = [column.name for column in used if determines(column, y)]
    for name in functions:
        said.append(f"{question.target!r} is a function of column {name!r}: it may be the answer itself; see --drop")
    for column in used:
        share = alone(column, y)
        if column.name not in functions and share > ALONE:
            said.append(
                f"column {column.name!r} alone predicts {question.target!r} almost perfectly (it removes "
                f"{100 * share:.0f}% of the loss of guessing): was it known before the outcome? See --drop"
            )
    said += [_hanging(column, question.target) for column in features.columns if hangs_together(column, y, coded)]
    said += duplicates(coded)
    said += drift(coded)
    return said


def determines(column: Column, y: np.ndarray) -> bool:
    """Whether equal cells always have equal targets, and cells repeat often enough for that to mean something.

    Of two numbers: whether the target is a line in the column.

    >>> code = Column("code", Kind.CATEGORY, np.array(["x", "y"] * 30, dtype=object), ("x", "y"))
    >>> determines(code, np.array(["no", "yes"] * 30)), determines(code, np.array(["no", "yes", "no"] * 20))
    (True, False)
    """
    there = ~column.missing
    values, targets = column.values[there], y[there]
    if len(values) < 20 or there.mean() < 0.5:
        return False
    if column.kind is Kind.NUMBER and targets.dtype.kind == "f" and np.std(values) > 0 and np.std(targets) > 0:
        line = abs(np.corrcoef(values, targets)[0, 1]) > 1 - 1e-9
        if line:
            return True
    if column.kind is Kind.DATE:
        return False
    _, cell = np.unique(values.astype(str), return_inverse=True)
    _, target = np.unique(targets, return_inverse=True)
    cells, targets_found = int(cell.max()) + 1, int(target.max()) + 1
    if cells > len(values) / 3 or targets_found < 2 or cells < 2:
        return False
    pairs = np.unique(np.stack([cell, target]), axis=1).shape[1]
    return pairs == cells


def alone(column: Column, y: np.ndarray) -> float:
    """Share of the loss of guessing (errors, or squares) that cells or bins of this column alone remove, cross-fitted.

    Half of the rows say what each cell means, the other half judge.
    """
    if column.kind in (Kind.TEXT, Kind.IDENTIFIER, Kind.CONSTANT):
        return 0.0
    values = column.values
    if column.kind in (Kind.NUMBER, Kind.DATE):
        numbers = values.astype(float) if column.kind is Kind.NUMBER else values.astype("M8[s]").astype(float)
        numbers = np.where(column.missing, np.nan, numbers)
        edges = np.unique(np.nanquantile(numbers, np.linspace(0, 1, BINS + 1)[1:-1])) if len(values) else np.empty(0)
        cells = np.where(np.isnan(numbers), -1, np.searchsorted(edges, numbers, side="right"))
    else:
        _, cells = np.unique(np.array(["" if v is None else v for v in values.tolist()]), return_inverse=True)
    _, cells = np.unique(cells, return_inverse=True)
    half = np.random.default_rng(0).permutation(len(y)) % 2 == 0
    whole = np.zeros_like(cells)
    lost, base = (sum(_loss(one, y, seen) for seen in (half, ~half)) for one in (cells, whole))
    return 1 - lost / base if base > 0 else 0.0


def _loss(cells: np.ndarray, y: np.ndarray, seen: np.ndarray) -> float:
    """Errors or squares on the other rows, when each cell says what it meant in the rows seen, an unseen one what all
    of them did."""
    n = np.bincount(cells[seen], minlength=cells.max() + 1)
    if y.dtype.kind == "f":
        sums = np.bincount(cells[seen], y[seen], minlength=len(n))
        meaning = np.where(n > 0, sums / np.maximum(n, 1), y[seen].mean())
        return float(np.sum((y - meaning[cells])[~seen] ** 2))
    levels, code = np.unique(y, return_inverse=True)
    counts = np.zeros((len(n), len(levels)), dtype=int)
    np.add.at(counts, (cells[seen], code[seen]), 1)
    counts[n == 0] = counts.sum(axis=0)
    return float(np.sum((code != counts.argmax(axis=1)[cells])[~seen]))


def hangs_together(column: Column, y: np.ndarray, coded: Coded) -> bool:
    """Whether rows with the same identifier have much the same target, and folds do not keep them together."""
    there = ~column.missing
    if not names_things(column) or coded.division.groups is not None or there.sum() < 20:
        return False
    values, group = np.unique(column.values[there].astype(str), return_inverse=True)
    if 2 * len(values) > there.sum():
        return False
    return between_groups(group, y[there]) > TOGETHER


def between_groups(group: np.ndarray, y: np.ndarray) -> float:
    """Share of the variance of the target between groups, allowing for chance; of classes, of their indicators.

    >>> groups = np.repeat(np.arange(10), 5)
    >>> between_groups(groups, np.where(groups % 2, "a", "b")), between_groups(groups, np.tile(np.arange(5.0), 10)) < 0
    (1.0, True)
    """
    Y = y[:, None] if y.dtype.kind == "f" else (y[:, None] == np.unique(y)).astype(float)
    Y = Y - Y.mean(axis=0)
    counts = np.bincount(group)
    means = np.column_stack([np.bincount(group, column) for column in Y.T]) / counts[:, None]
    within = float(((Y - means[group]) ** 2).sum()) / (len(y) - len(counts))
    return 1 - within / (float((Y**2).sum()) / (len(y) - 1))


def _hanging(column: Column, target: str) -> str:
    return (
        f"rows with the same {column.name!r} have much the same {target!r}: if rows to come have others, scores "
        f"flatter; keep them together with --group {column.name!r}"
    )


def duplicates(coded: Coded) -> list[str]:
    """Rows that are the same in every cell, where so many would not be alike by chance."""
    question, division = coded.question, coded.division
    table = question.table
    known = np.concatenate([division.train, division.test])
    columns = [c for c in question.features.columns if c.kind is not Kind.CONSTANT] + [table.column(question.target)]
    room, least = 1.0, len(known) / MOST_COPIES
    for column in columns:
        room = min(room * max(column.n_distinct, 1), 1e18)
    if room < 100.0 * least**2:
        return []
    codes = np.column_stack([np.unique(_cells(column)[known], return_inverse=True)[1] for column in columns])
    _, first, inverse = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    if room < 100.0 * max(len(first), least) ** 2:  # rows that differ needed room, their copies none
        return []
    again = len(known) - len(first)
    if again < max(3, DUPLICATES * len(known)):
        return []
    is_test = np.arange(len(known)) >= len(division.train)
    trained = np.zeros(len(first), dtype=bool)
    trained[inverse[~is_test]] = True
    leaked = int(trained[inverse[is_test]].sum())
    across = f", and {leaked} of the {int(is_test.sum())} test rows are among the training rows too" if leaked else ""
    return [
        f"{again} rows repeat another row in every cell{across}: scores flatter; remove them, or keep them together "
        "with --group"
    ]


def _cells(column: Column) -> np.ndarray:
    if column.values.dtype == object:
        return np.array(["" if value is None else value for value in column.values.tolist()])
    return column.values if column.values.dtype.kind != "M" else column.values.astype("M8[us]").astype(np.int64)


def drift(coded: Coded) -> list[str]:
    """Columns whose values in the test rows are not those of the training rows."""
    question, division = coded.question, coded.division
    if len(division.test) < 20:
        return []
    seen, held = question.features.take(division.train), question.features.take(division.test)
    sizes = len(division.train), len(division.test)
    if question.groups is not None:  # rows of a group are alike: as many speak as there are groups
        sizes = len(np.unique(question.groups[division.train])), len(np.unique(question.groups[division.test]))
    found = []
    columns = [c for c in seen.columns if c.name not in coded.coder.dropped_ and c.kind is not Kind.DATE]
    for column in columns:
        distance, p = _distance(column, held.column(column.name), sizes)
        if distance > DRIFT_DISTANCE and p * len(columns) < DRIFT_P:
            found.append((distance, column.name))
    if not found:
        return []
    shown = ", ".join(repr(name) for _, name in sorted(found, reverse=True)[:3])
    return [
        f"the test rows are not like the training rows in {len(found)} "
        f"{'column' if len(found) == 1 else 'columns'} ({shown}): expect other losses on rows to come"
    ]


def _distance(first: Column, second: Column, sizes: tuple[int, int]) -> tuple[float, float]:
    """Largest distance between the two distributions, and its p: by Smirnov's limit, or Pearson's chi-squared.

    `sizes` are how many rows of either speak for themselves, at most.
    """
    from scipy.special import chdtrc, kolmogorov

    a, b = first.values[~first.missing], second.values[~second.missing]
    if len(a) < 10 or len(b) < 10:
        return 0.0, 1.0
    if first.kind is Kind.NUMBER:
        both = np.sort(np.concatenate([a, b]))
        shares = [np.searchsorted(np.sort(side), both, side="right") / len(side) for side in (a, b)]
        distance = float(np.abs(shares[0] - shares[1]).max())
        n, m = (min(len(side), size) for side, size in zip((a, b), sizes))
        return distance, float(kolmogorov(distance * np.sqrt(n * m / (n + m))))
    if not first.levels:
        return 0.0, 1.0
    counts = np.array([[np.sum(side == level) for level in first.levels] for side in (a, b)])
    counts = counts[:, counts.sum(axis=0) > 0]
    if counts.shape[1] < 2:
        return 0.0, 1.0
    shares = counts / counts.sum(axis=1, keepdims=True)
    counts = shares * np.minimum(counts.sum(axis=1), sizes)[:, None]
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / counts.sum()
    chi_squared = float(((counts - expected) ** 2 / expected).sum())
    return float(np.abs(shares[0] - shares[1]).sum() / 2), float(chdtrc(counts.shape[1] - 1, chi_squared))


def score_alarms(chosen: LearnerResult, baseline: LearnerResult | None, rows: int) -> list[str]:
    """An alarm for a loss that is next to nothing.

    >>> from learnable.app.result import Interval
    >>> best = LearnerResult("A", "a", "finished", cv=Interval(0.0001, 0.0, 0.0002))
    >>> base = LearnerResult("B", "b", "finished", cv=Interval(0.69, 0.6, 0.7))
    >>> len(score_alarms(best, base, 1000)), len(score_alarms(base, base, 1000))
    (1, 0)
    """
    if baseline is None or baseline.cv is None or chosen.cv is None or chosen.reference or rows < FEWEST_TOO_GOOD:
        return []
    if chosen.cv.estimate > TOO_GOOD * baseline.cv.estimate:
        return []
    share = 100 * chosen.cv.estimate / baseline.cv.estimate
    told = f"only {share:.2g}%" if share >= LEAST_SHARE else f"less than {LEAST_SHARE:g}%"
    return [
        f"the loss of {chosen.label} is {told} of that of guessing, which is too good to be true for most questions: "
        "look for a column that was written after the outcome"
    ]
