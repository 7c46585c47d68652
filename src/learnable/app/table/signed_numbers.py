"""Numbers that are words to the reader: with a sign, a currency, decimal commas, or words among them."""

import re

from learnable.datasets import Column, Kind

MOST_CELLS = 1000
MOSTLY = 0.5
"""Share of the cells that are numbers, from which on the words among them are pointed out."""
_CURRENCY = "$€£¥"
_SIGNED = re.compile(
    rf"[-+]?[{_CURRENCY}]\s?[-+]?\d[\d.,]*|[-+]?\d[\d.,]*\s?[%{_CURRENCY}]|[-+]?\d{{1,3}}(,\d{{3}})+(\.\d+)?"
)
_DECIMAL_COMMA = re.compile(r"[-+]?(\d+,\d*|,\d+|\d+)([eE][-+]?\d+)?")
_PLAIN = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


def signed_number(column: Column) -> str | None:
    """The first cell of a column of words that are all numbers with a sign; None for any other column.

    >>> import numpy as np
    >>> cells = np.array(["3.5%", None, "12%"], dtype=object)
    >>> signed_number(Column("rate", Kind.CATEGORY, cells, ("3.5%", "12%")))
    '3.5%'
    >>> signed_number(Column("size", Kind.NUMBER, np.array([1.0, 2.0]))) is None
    True
    """
    cells = _words(column)
    return cells[0] if cells and all(_SIGNED.fullmatch(cell) for cell in cells) else None


def disguise(column: Column) -> str | None:
    """What makes words of a column that is, all or mostly, numbers, and the remedy; None for any other column.

    >>> import numpy as np
    >>> cells = np.array(["3,5", "0,25", "12"], dtype=object)
    >>> disguise(Column("rate", Kind.CATEGORY, cells, ("0,25", "12", "3,5")))
    "its cells are numbers with decimal commas such as '3,5'; say so with --decimal ,"
    >>> cells = np.array(["3.5", "0.25", "unknown"], dtype=object)
    >>> disguise(Column("rate", Kind.CATEGORY, cells, ("0.25", "3.5", "unknown")))
    "67% of its cells are numbers, but not 'unknown'; leave such cells empty to use the others as numbers"
    """
    if (example := signed_number(column)) is not None:
        return f"its cells are numbers with signs such as {example!r}; write plain numbers to use them as such"
    cells = _words(column)
    if not cells:
        return None
    with_comma = [cell for cell in cells if "," in cell]
    if with_comma and all(_DECIMAL_COMMA.fullmatch(cell) for cell in cells):
        return f"its cells are numbers with decimal commas such as {with_comma[0]!r}; say so with --decimal ,"
    others = [cell for cell in cells if not _PLAIN.fullmatch(cell)]
    share = 1.0 - len(others) / len(cells)
    if not others or share < MOSTLY:
        return None
    return (
        f"{100 * share:.0f}% of its cells are numbers, but not {others[0]!r}; leave such cells empty to use the others "
        "as numbers"
    )


def _words(column: Column) -> list[str]:
    """The first cells that are there, of a column that is not read as numbers or dates."""
    if column.kind in (Kind.NUMBER, Kind.DATE) or column.values.dtype.kind == "f":
        return []
    return [str(cell) for cell in column.values[~column.missing][:MOST_CELLS].tolist()]
