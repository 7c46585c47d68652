"""One column of a table: a name, a kind, its values."""

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np


class Kind(StrEnum):
    """What a column means to a learner.

    `number` is float64 with NaN for a missing cell; `date` is datetime64 with NaT; every other kind is an object array
    of `str` with None. A `boolean` is a category with two levels; an `ordered` category knows the order of its levels.
    `constant`, `identifier` and `text` columns say nothing a table learner can use, and are kept so that a report
    can name them. A `constant` column keeps the values it would have had: numbers or words.

    >>> Kind("ordered") is Kind.ORDERED
    True
    """

    NUMBER = "number"
    CATEGORY = "category"
    ORDERED = "ordered"
    BOOLEAN = "boolean"
    TEXT = "text"
    DATE = "date"
    CONSTANT = "constant"
    IDENTIFIER = "identifier"


@dataclass(frozen=True, eq=False)
class Column:
    """A named column with its kind, its values and, for categories, its levels.

    Attributes
    ----------
    name : str
    kind : Kind
    values : ndarray of shape (n_rows,), see `Kind` for its type.
    levels : the levels of a category in order; empty for other kinds.
    written : how the days of a date were written, as in strptime, where that had to be found out; else empty.

    >>> size = Column("size", Kind.ORDERED, np.array(["S", None, "L", "L"], dtype=object), ("S", "M", "L"))
    >>> size.n_missing, size.n_distinct
    (1, 2)
    >>> size.summary()
    'ordered, S < M < L, 1 missing'
    >>> size.run_lengths
    array([1, 1, 2])
    """

    name: str
    kind: Kind
    values: np.ndarray
    levels: tuple[str, ...] = ()
    written: str = ""

    @property
    def missing(self) -> np.ndarray:
        """Mask of the missing cells."""
        if self.values.dtype == object:
            return is_none(self.values)
        return np.isnan(self.values) if self.values.dtype.kind == "f" else np.isnat(self.values)

    @property
    def n_missing(self) -> int:
        return int(np.count_nonzero(self.missing))

    @property
    def n_distinct(self) -> int:
        """Number of distinct values, missing cells aside."""
        present = self.values[~self.missing]
        return len(set(present.tolist())) if present.dtype == object else len(np.unique(present))

    @property
    def run_lengths(self) -> np.ndarray:
        """How many cells in a row are equal, run by run: the lengths of sequences that lie one below the other."""
        cells = self.values
        starts = np.flatnonzero([True, *(one != other for one, other in zip(cells[1:], cells[:-1]))])
        return np.diff([*starts, len(cells)])

    def take(self, rows: Any) -> "Column":
        """The same column on some rows, given as indices or as a mask; kind and levels stay."""
        return Column(self.name, self.kind, self.values[rows], self.levels, self.written)

    def describe(self) -> dict[str, Any]:
        """Plain facts for a report: kind, counts, and the range or the levels."""
        facts: dict[str, Any] = {
            "name": self.name,
            "kind": str(self.kind),
            "n_missing": self.n_missing,
            "n_distinct": self.n_distinct,
            "summary": self.summary(),
        }
        present = self.values[~self.missing]
        if self.kind is Kind.NUMBER and len(present):
            low, quarter, median, three_quarters, high = np.quantile(present, [0, 0.25, 0.5, 0.75, 1.0]).tolist()
            facts |= {"min": low, "q1": quarter, "median": median, "q3": three_quarters, "max": high}
        if self.levels:
            counts = Counter(present.tolist())
            facts["counts"] = {level: counts[level] for level in self.levels}
        return facts

    def summary(self) -> str:
        """One line for people."""
        present = self.values[~self.missing]
        parts = [str(self.kind)]
        if self.kind is Kind.NUMBER and len(present):
            parts.append(f"{present.min():.6g} to {present.max():.6g}, median {np.median(present):.6g}")
        elif self.kind is Kind.DATE and len(present):
            parts.append(f"{present.min().astype('M8[D]')} to {present.max().astype('M8[D]')}")
        elif self.kind is Kind.CONSTANT:
            parts.append(f"always {present[0]}" if len(present) else "no value at all")
        elif self.kind is Kind.ORDERED:
            parts.append(_joined(self.levels, " < "))
        elif self.levels:
            parts.append(f"{len(self.levels)} levels: {_joined(self.levels, ', ')}")
        elif len(present):
            parts.append(f"{self.n_distinct} distinct values")
        if self.n_missing:
            parts.append(f"{self.n_missing} missing")
        return ", ".join(parts)


def is_none(values: np.ndarray) -> np.ndarray:
    """Mask of the None entries of an object array.

    >>> is_none(np.array(["a", None], dtype=object))
    array([False,  True])
    """
    return np.equal(values, np.array(None, dtype=object)).astype(bool)


def _joined(levels: tuple[str, ...], glue: str, most: int = 6) -> str:
    return glue.join(levels[:most]) + (f"{glue}..." if len(levels) > most else "")
