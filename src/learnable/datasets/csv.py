"""Tables from CSV files: Arrow parses, the rules of `infer` decide, Python's reader explains faults by line."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from learnable.datasets.column import Column, Kind
from learnable.datasets.csv_records import header, line_of_row, refuse_fault, sniff
from learnable.datasets.csv_text import Text, read_text
from learnable.datasets.infer import Cells, counts_rows, doubtful_dates, force, infer, not_plain, order
from learnable.datasets.opening import as_file
from learnable.datasets.table import Table

MISSING = tuple(
    dict.fromkeys(
        spelling
        for word in ("", "NA", "N/A", "#N/A", "<NA>", "NaN", "null", "None", "?", "-", ".")
        for spelling in (word, word.lower(), word.upper(), word.capitalize())
    )
)
# Bytes that pyarrow parses at a time.
_BLOCK = 2**24
# Cells of a column that are looked through for a spelling that users should be told of.
_LOOKED_AT = 1000
FEWEST_NAMED = 10
"""Rows of a table whose first column, without a name, is taken for the names of its rows."""


def read_csv(
    path: Any,
    *,
    ordered: Mapping[str, Sequence[Any]] | None = None,
    kinds: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
) -> Table:
    """Read a CSV file with a header line.

    UTF-8, UTF-16 and UTF-32 marks are honoured, Latin-1 is the fallback with a note; the delimiter is found among
    comma, semicolon, tab and bar; decimal commas are read when the comma is not the delimiter; cells are trimmed, blank
    lines skipped; "", NA, N/A, NaN, null, None, ?, - and . are missing in any case. What is wrong is an error with
    its line. The kinds follow the rules in `learnable.datasets.infer`.

    Parameters
    ----------
    path : file to read.
    ordered : column name -> its levels from lowest to highest.
    kinds : column name -> kind, to overrule what would be inferred.
    delimiter : one sign between the cells, instead of finding it.
    decimal : "." or ",", instead of finding it.

    Returns
    -------
    Table

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "plants.csv"
    >>> _ = file.write_text("height;leaf;zip\\n1,5;oval;007\\n2;round;123\\nNA;oval;123\\n")
    >>> for column in read_csv(file).columns:
    ...     print(column.name, column.values, column.summary())
    height [1.5 2.  nan] number, 1.5 to 2, median 1.75, 1 missing
    leaf ['oval' 'round' 'oval'] category, 2 levels: oval, round
    zip ['007' '123' '123'] category, 2 levels: 007, 123
    """
    path = as_file(path)
    source = path.name
    delimiter = {"tab": "\t", "\\t": "\t"}.get(delimiter or "", delimiter)
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise ValueError(f"delimiter={delimiter!r}: give one sign, such as ';', or 'tab'")
    if decimal not in (None, ".", ","):
        raise ValueError(f"decimal={decimal!r}: give '.' or ','")
    text = read_text(path)
    delimiter = sniff(text) if delimiter is None else delimiter
    commas, stated = decimals(decimal, delimiter)
    names = header(text, delimiter, source)
    arrays = _parse(text, delimiter, len(names), source)
    n_rows = len(arrays[0])
    if n_rows == 0:
        raise ValueError(f"{source} has a header but no rows")

    def place(row: int) -> str:
        return f"{source}, line {line_of_row(text, delimiter, row)}"

    columns, notes = [], list(text.notes)
    for position, name in enumerate(names):
        cells = Cells(name, _present(arrays[position]), place, position == 0, commas, stated)
        column = _column(cells, ordered or {}, kinds or {})
        columns.append(_named_index(column, names, source) if not name else column)
        notes += _remarks(cells, column)
        arrays[position] = None  # the strings of a column are not needed once its values are there
    return Table(tuple(columns), n_rows, source, tuple(notes))


def _parse(text: Text, delimiter: str, n_fields: int, source: str) -> list[Any]:
    """One Arrow array of strings a column."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv as arrow_csv

    names = [str(position) for position in range(n_fields)]
    quoted = b'"' in text.data

    def parse(block_size: int) -> pa.Table:
        return arrow_csv.read_csv(
            pa.py_buffer(text.data),
            read_options=arrow_csv.ReadOptions(column_names=names, skip_rows_after_names=1, block_size=block_size),
            parse_options=arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=quoted),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False, check_utf8=False
            ),
        )

    try:
        table = parse(_BLOCK)
    except pa.ArrowInvalid:
        refuse_fault(text, delimiter, n_fields, source)
        table = parse(min(len(text.data) + 1, 2**31 - 1))  # a sound record that is longer than a block
    # Arrow forgives a quote that never ends and text after a closing quote; both leave a line end or a quote in a cell.
    if quoted and any(pc.any(pc.match_substring_regex(column, '["\r\n]')).as_py() for column in table.columns):
        refuse_fault(text, delimiter, n_fields, source)
    return table.columns


def _present(strings: Any) -> Any:
    """The cells trimmed, and null where they spell a missing value."""
    import pyarrow as pa
    import pyarrow.compute as pc

    trimmed = pc.utf8_trim_whitespace(strings)
    return pc.if_else(pc.is_in(trimmed, value_set=pa.array(MISSING)), None, trimmed)


def _column(cells: Cells, ordered: Mapping[str, Sequence[Any]], kinds: Mapping[str, str]) -> Column:
    if cells.name in ordered:
        return order(cells, ordered[cells.name])
    if cells.name in kinds:
        return force(cells, kinds[cells.name])
    return infer(cells)


def _named_index(column: Column, names: Sequence[str], source: str) -> Column:
    """A first column without a name counts, names or dates the rows, as R and pandas write it; pandas names it so."""
    counts = column.values.dtype == float and counts_rows("", column.values)
    if not counts and column.kind is not Kind.DATE and not _names_rows(column):
        raise ValueError(
            f"{source}: column 1 has no name and does not count the rows, nor name or date each; name it or remove it"
        )
    name = "Unnamed: 0"
    while name in names:
        name += "'"
    return Column(
        name, Kind.DATE if column.kind is Kind.DATE else Kind.IDENTIFIER, column.values, written=column.written
    )


def _names_rows(column: Column) -> bool:
    """Whether words or whole numbers differ in every row, of which there are enough that this is no chance."""
    whole = column.values.dtype != float or np.array_equal(column.values, np.round(column.values))
    return whole and len(column.values) >= FEWEST_NAMED and column.n_distinct == len(column.values)


def decimals(decimal: str | None, delimiter: str) -> tuple[bool, Literal["user", "delimiter", ""]]:
    """Whether a comma may be decimal, and who says so: semicolons part cells where commas are decimal.

    >>> decimals(None, ";"), decimals(None, "\\t"), decimals(".", "\\t")
    ((True, 'delimiter'), (True, ''), (False, 'user'))
    """
    if decimal is not None:
        return decimal == ",", "user"
    return delimiter != ",", "delimiter" if delimiter in ",;" else ""


def _remarks(cells: Cells, column: Column) -> list[str]:
    """What a user should know of how a column was read, by the first of its cells that is not spelled plainly."""
    head = cells._replace(strings=cells.strings.slice(0, _LOOKED_AT))
    odd = not_plain(head, column.kind)
    name = f"column {cells.name!r}"
    if odd is None:
        return [f"{name}: {doubt}"] if column.kind is not Kind.NUMBER and (doubt := doubtful_dates(cells)) else []
    if column.kind is Kind.DATE:
        return [f"{name}: dates such as {odd.cell!r}, read as {str(column.values[odd.row])[:10]}"]
    if cells.decimal_comma and re.fullmatch(r"[+-]?\d*,\d*", odd.cell):
        return [f"{name}: decimal commas read as numbers"]
    return [f"{name}: numbers such as {odd.cell!r}, read as {column.values[odd.row]:.15g}"]
