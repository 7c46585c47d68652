"""How a result of this room shows itself: one table, as text, as HTML, and its fields as JSON."""

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from learnable.plain import json_value
from learnable.tables import aligned, html_table


def number(value: Any) -> str:
    """Four significant digits for a float, `-` for a missing one, the thing itself otherwise."""
    if value is None:
        return "-"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float | np.floating):
        return "-" if math.isnan(value) else f"{value:.4g}"
    return str(value)


def with_error(value: float, error: float) -> str:
    """`value ± error`, the error left out when there is none."""
    return number(value) if math.isnan(error) else f"{number(value)} ± {error:.2g}"


class Table(NamedTuple):
    """A title, a header, rows of cells and notes below."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Any]]
    notes: Sequence[str] = ()

    def text(self) -> str:
        """Aligned plain text: first column to the left, the others to the right."""
        cells = [list(self.header), *([number(cell) for cell in row] for row in self.rows)]
        return "\n".join(line.rstrip() for line in [self.title, *aligned(cells), *self.notes])

    def html(self) -> str:
        """An HTML table; every name is escaped, since names come from users' data."""
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return html_table(self.header, [[number(cell) for cell in row] for row in self.rows], self.title) + notes


class Reported(ABC):
    """A result that prints as a table. Subclasses are frozen dataclasses and say only what the table holds."""

    @abstractmethod
    def table(self) -> Table:
        """The table shown by `print`, by notebooks and in reports."""

    def __str__(self) -> str:
        return self.table().text()

    def __repr__(self) -> str:
        return self.table().text()

    def _repr_html_(self) -> str:
        return self.table().html()

    def to_json(self) -> str:
        """Every field, as a JSON object."""
        return json.dumps(json_value(self), ensure_ascii=False)
