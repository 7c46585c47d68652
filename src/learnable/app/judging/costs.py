"""What mistakes cost, and the decision that costs least."""

import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np

from learnable.app.errors import UserError
from learnable.app.table.tasks import Goal


class Costs(NamedTuple):
    """matrix[i, j]: cost of calling a row of class levels[i] a levels[j]; levels in sorted order."""

    levels: tuple[str, ...]
    matrix: np.ndarray

    def decide(self, probability: np.ndarray) -> np.ndarray:
        """The class of least expected cost for every row.

        >>> costs = Costs(("no", "yes"), np.array([[0.0, 1.0], [5.0, 0.0]]))
        >>> costs.decide(np.array([[0.8, 0.2], [0.9, 0.1]])).tolist()
        ['yes', 'no']
        """
        return np.array(self.levels)[np.argmin(probability @ self.matrix, axis=1)]

    def of(self, y: np.ndarray, decided: np.ndarray) -> np.ndarray:
        """Cost of every row."""
        place = {level: position for position, level in enumerate(self.levels)}
        return self.matrix[[place[one] for one in y.tolist()], [place[one] for one in decided.tolist()]]

    @property
    def threshold(self) -> float | None:
        """Probability of the last of two classes from which calling it is cheaper.

        >>> round(Costs(("no", "yes"), np.array([[0.0, 1.0], [5.0, 0.0]])).threshold, 4)
        0.1667
        """
        if len(self.levels) != 2:
            return None
        false_alarm, miss = self.matrix[0, 1] - self.matrix[0, 0], self.matrix[1, 0] - self.matrix[1, 1]
        return float(false_alarm / (false_alarm + miss))


def parse_costs(given: tuple[str, ...], goal: Goal) -> Costs:
    """The option --cost: a:b=5 (a row of class a called b costs 5), or a CSV file with true classes in the rows."""
    if goal.task != "classification":
        raise UserError("--cost is about classes that are mistaken for each other; leave it out for a number")
    levels = tuple(sorted(goal.levels))
    matrix = 1.0 - np.eye(len(levels))
    for text in given:
        pair, sign, number = text.rpartition("=")
        if not sign and Path(text).is_file():
            matrix = _file(Path(text), levels)
            continue
        true, colon, called = pair.partition(":")
        if not (sign and colon):
            raise UserError(f"--cost {text}: write TRUE:CALLED=NUMBER, or name a CSV file")
        for name in (true, called):
            if name.strip() not in levels:
                raise UserError(f"--cost {text}: {name.strip()!r} is no class; they are {', '.join(levels[:20])}")
        matrix[levels.index(true.strip()), levels.index(called.strip())] = _number(number, f"--cost {text}")
    if (matrix.diagonal()[:, None] >= matrix + np.diag(np.full(len(levels), np.inf))).any():
        raise UserError("--cost: every mistake must cost more than the right answer")
    return Costs(levels, matrix)


def _file(path: Path, levels: tuple[str, ...]) -> np.ndarray:
    with path.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.reader(file) if row]
    head, body = [cell.strip() for cell in rows[0][1:]], rows[1:]
    if sorted(head) != sorted(levels) or sorted(row[0].strip() for row in body) != sorted(levels):
        raise UserError(f"--cost {path}: its first row and first column must be the classes {', '.join(levels[:20])}")
    matrix = np.zeros((len(levels), len(levels)))
    for row in body:
        for name, cell in zip(head, row[1:]):
            matrix[levels.index(row[0].strip()), levels.index(name)] = _number(cell, f"--cost {path}")
    return matrix


def _number(text: str, where: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = float("nan")
    if not (np.isfinite(found) and found >= 0):
        raise UserError(f"{where}: {text.strip()!r} is not a cost; costs are numbers, zero or more")
    return found
