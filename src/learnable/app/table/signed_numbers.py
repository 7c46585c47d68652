"""Numbers written with a percent sign, a currency or thousands separators, which are words to the reader."""

import re

from learnable.datasets import Column, Kind

MOST_CELLS = 1000
_CURRENCY = "$€£¥"
_SIGNED = re.compile(
    rf"[-+]?[{_CURRENCY}]\s?[-+]?\d[\d.,]*|[-+]?\d[\d.,]*\s?[%{_CURRENCY}]|[-+]?\d{{1,3}}(,\d{{3}})+(\.\d+)?"
)


def signed_number(column: Column) -> str | None:
    """The first cell of a column of words that are all such numbers; None for any other column.

    >>> import numpy as np
    >>> cells = np.array(["3.5%", None, "12%"], dtype=object)
    >>> signed_number(Column("rate", Kind.CATEGORY, cells, ("3.5%", "12%")))
    '3.5%'
    >>> signed_number(Column("size", Kind.NUMBER, np.array([1.0, 2.0]))) is None
    True
    """
    if column.kind is Kind.NUMBER or column.values.dtype.kind == "f":
        return None
    cells = [str(cell) for cell in column.values[~column.missing][:MOST_CELLS].tolist()]
    return cells[0] if cells and all(_SIGNED.fullmatch(cell) for cell in cells) else None
