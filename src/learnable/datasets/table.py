"""A table: ordered columns of equal length, and where they came from."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from learnable.datasets.column import Column, Kind


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of equal length with distinct names.

    Attributes
    ----------
    columns : tuple of Column
    n_rows : int
    source : the name used in messages (a file name, "loans", "data frame").
    notes : what the reader decided and a user may want to know (an encoding, a decimal comma).

    >>> table = Table((Column("price", Kind.NUMBER, np.array([1.0, 2.0])),), 2, "shop.csv")
    >>> table.names
    ('price',)
    >>> table.column("prcie")
    Traceback (most recent call last):
    ...
    ValueError: no column 'prcie' in shop.csv; did you mean 'price'? Columns: 'price'
    """

    columns: tuple[Column, ...]
    n_rows: int
    source: str = "table"
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for column in self.columns:
            if len(column.values) != self.n_rows:
                found = f"column {column.name!r} has {len(column.values)} values, the table {self.n_rows} rows"
                raise ValueError(f"{self.source}: {found}")
        refuse_duplicates(self.names, self.source)

    def __len__(self) -> int:
        return self.n_rows

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> Column:
        """The column of that name."""
        place = self._places.get(name)
        if place is None:
            raise ValueError(unknown_name(name, self.names, self.source))
        return self.columns[place]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    def take(self, rows: Any) -> "Table":
        """Some rows, by indices or by mask; kinds and levels stay those of the whole table."""
        rows = np.asarray(rows)
        if rows.dtype == bool and len(rows) != self.n_rows:
            raise ValueError(f"{self.source}: the mask has {len(rows)} entries, the table {self.n_rows} rows")
        n_rows = int(np.count_nonzero(rows)) if rows.dtype == bool else len(rows)
        rows = rows if rows.dtype == bool else rows.astype(np.intp)
        return Table(tuple(column.take(rows) for column in self.columns), n_rows, self.source, self.notes)

    def drop(self, names: Iterable[str] | str) -> "Table":
        """The table without these columns."""
        gone = {names} if isinstance(names, str) else set(names)
        for name in gone:
            self.column(name)
        kept = tuple(column for column in self.columns if column.name not in gone)
        return Table(kept, self.n_rows, self.source, self.notes)

    def describe(self) -> list[dict[str, Any]]:
        """One plain dict a column: name, kind, n_missing, n_distinct, summary and, by kind, quartiles or counts."""
        return [column.describe() for column in self.columns]

    def to_arrow(self) -> Any:
        """The table as a pyarrow data frame: categories as dictionaries, ordered ones as ordered dictionaries."""
        import pyarrow as pa

        arrays = {}
        for column in self.columns:
            array = pa.array(column.values, from_pandas=True)
            if column.levels:
                codes = pa.array([None if value is None else column.levels.index(value) for value in column.values])
                ordered = column.kind is Kind.ORDERED
                array = pa.DictionaryArray.from_arrays(codes.cast(pa.int32()), list(column.levels), ordered=ordered)
            arrays[column.name] = array
        return pa.table(arrays)


def unknown_name(name: str, names: Iterable[str], source: str) -> str:
    """The message for a name that is not there, with the nearest one that is."""
    names = [str(known) for known in names]
    folded = str(name).strip().casefold()
    near = [known for known in names if known.strip().casefold() == folded]
    near = near or difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
    guess = f"; did you mean {near[0]!r}?" if near else "."
    shown = ", ".join(repr(known) for known in names[:30]) + (f", ... ({len(names)} in all)" if len(names) > 30 else "")
    return f"no column {name!r} in {source}{guess} Columns: {shown}"


def refuse_duplicates(names: Iterable[str], source: str) -> None:
    """Raise when a name occurs twice, naming it and both places."""
    first: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if name in first:
            raise ValueError(
                f"{source}: columns {first[name]} and {position} are both named {name!r}; give each column its own name"
            )
        first[name] = position
