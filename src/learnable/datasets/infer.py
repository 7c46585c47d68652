"""What a column of strings means: the rules that turn cells into numbers, categories, dates and the rest.

The rules, in order, for the cells that are not missing:

1. every cell is a number, also one with thousands separators, a currency or a percent sign: `number`, however few
   distinct values there are; except
   a cell with a leading zero such as 007 makes the column a category (postal codes), integers beyond 2^53, which
   float64 cannot tell apart, make it an `identifier`, and so does a leading column that counts the rows;
2. more than 95% of the cells are numbers: an error that names the first cell that is not;
3. every cell is a date, ISO or one of the forms of `spelled`, with no doubt which is the month: `date`;
4. words: two levels that are true/false, yes/no, t/f or y/n are `boolean`; at most max(20, min(1000, n/10)) levels
   are a `category`; more than that, or no value twice among 10 cells or more, is `text` when most values contain a
   space and an `identifier` otherwise.

One and the same value in every cell, or no value at all, is a `constant`.
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from learnable.datasets.column import Column, Kind
from learnable.datasets.spelled import NUMBER as SPELLED_NUMBER
from learnable.datasets.spelled import AmbiguousError, Dates, spelled_dates, spelled_numbers

# Cells that must be numbers in a column of numbers: the rest is named and left out.
NUMBER_SHARE = 0.95
LARGEST_EXACT_INTEGER = 2.0**53
INDEX_NAMES = frozenset({"", "unnamed: 0", "index", "id", "row", "rownames", "__index_level_0__"})
BOOLEAN_PAIRS = (("false", "true"), ("no", "yes"), ("f", "t"), ("n", "y"))

_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
_COMMA_NUMBER = r"^[+-]?(\d+,\d*|,\d+|\d+)([eE][+-]?\d+)?$"
_THOUSANDS = r"^[+-]?[1-9]\d{0,2},\d{3}$"
_ZERO_PADDED = r"^0\d+$"
_INTEGER = r"^[+-]?\d+$"
_ISO_DATE = r"^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$"


class Cells(NamedTuple):
    """The strings of one column, null where missing, and how to name a cell in a message.

    Attributes
    ----------
    name : the column's name.
    strings : pyarrow array of strings.
    place : row number -> "data.csv, line 12".
    leading : True for the first column of its table.
    decimal_comma : True when 3,14 may be a number.
    decimal_by : who says so: "user", "delimiter", or "" where only the cells can tell.
    """

    name: str
    strings: Any
    place: Callable[[int], str]
    leading: bool = False
    decimal_comma: bool = False
    decimal_by: Literal["user", "delimiter", ""] = "user"

    @property
    def n_present(self) -> int:
        return len(self.strings) - self.strings.null_count


def infer(cells: Cells) -> Column:
    """The column under the rules above."""
    numbers = as_numbers(cells)
    if numbers is None:
        _refuse_mixed(cells)
        return infer_words(cells)
    return _number_column(cells, numbers)


def infer_words(cells: Cells) -> Column:
    """The column when its source says that these are strings: rules 3 and 4."""
    try:
        dates = as_dates(cells) if cells.n_present else None
    except AmbiguousError:
        dates = None
    return words(cells) if dates is None else Column(cells.name, Kind.DATE, dates.values, written=dates.written)


def kind_of(given: str) -> tuple[Kind, str]:
    """A kind as it is given, with the way in which dates are written where that is said.

    >>> kind_of("date %d/%m/%Y")
    (<Kind.DATE: 'date'>, '%d/%m/%Y')
    """
    kind, _, written = str(given).partition(" ")
    if kind not in set(Kind) or (written and kind != Kind.DATE):
        raise ValueError(f"a kind is one of {', '.join(Kind)}")
    return Kind(kind), written


def force(cells: Cells, given: str) -> Column:
    """The column read as a kind the user named."""
    kind, written = kind_of(given)
    if kind is Kind.NUMBER:
        numbers = as_numbers(cells)
        if numbers is None:
            row = _first_row(cells, SPELLED_NUMBER)
            raise ValueError(f"{cells.place(row)}: column {cells.name!r}: {_cell(cells, row)!r} is not a number")
        return Column(cells.name, kind, numbers)
    if kind is Kind.DATE:
        try:
            dates = as_dates(cells, written)
        except AmbiguousError as doubt:
            row = _first_row(cells, "^$")
            raise ValueError(f"{cells.place(row)}: column {cells.name!r}: {_cell(cells, row)!r}: {doubt}") from doubt
        if dates is None:
            row = _first_row(cells, _ISO_DATE)
            fault = "some cells are not valid ISO dates" if row < 0 else f"{_cell(cells, row)!r} is not an ISO date"
            raise ValueError(f"{cells.place(max(row, 0))}: column {cells.name!r}: {fault}")
        return Column(cells.name, kind, dates.values, written=dates.written)
    if kind is Kind.ORDERED:
        raise ValueError(f"column {cells.name!r}: give the order of its levels with ordered={{{cells.name!r}: [...]}}")
    values, levels = encode(cells)
    if kind is Kind.BOOLEAN and len(levels) > 2:
        raise ValueError(f"column {cells.name!r}: a boolean has two levels, found {len(levels)}: {levels[:5]}")
    return Column(cells.name, kind, values, levels if kind in (Kind.CATEGORY, Kind.BOOLEAN) else ())


def order(cells: Cells, levels: Sequence[Any]) -> Column:
    """The column as an ordered category with the levels the user listed."""
    names = tuple(str(level) for level in levels)
    if not names or len(set(names)) != len(names):
        raise ValueError(f"ordered={{{cells.name!r}: {list(levels)!r}}}: list each level once, lowest first")
    values, found = encode(cells)
    stray = [level for level in found if level not in set(names)]
    if stray:
        row = values.tolist().index(stray[0])
        raise ValueError(
            f"{cells.place(row)}: column {cells.name!r}: {stray[0]!r} is not among the ordered levels {list(names)}"
        )
    return Column(cells.name, Kind.ORDERED, values, names)


def as_numbers(cells: Cells) -> np.ndarray | None:
    """Float64 values with NaN for missing cells, or None when some cell is not a number; an infinity is an error."""
    import pyarrow as pa

    try:
        floats = cells.strings.cast(pa.float64())
        values = floats.to_numpy().astype(np.float64, copy=True)
    except pa.ArrowInvalid:
        values = _spelled_numbers(cells)
    if values is None:
        return None
    refuse_infinite(cells, values)
    return values


def _spelled_numbers(cells: Cells) -> np.ndarray | None:
    import pyarrow as pa
    import pyarrow.compute as pc

    strings = cells.strings.combine_chunks() if isinstance(cells.strings, pa.ChunkedArray) else cells.strings
    if cells.decimal_comma and pc.all(pc.match_substring_regex(strings, _COMMA_NUMBER)).as_py():
        if not (cells.decimal_by or _shows_decimals(strings)):
            row = _first_row(cells, _NUMBER)
            raise ValueError(
                f"{cells.place(row)}: column {cells.name!r}: {_cell(cells, row)!r} may be thousands or have a decimal "
                "comma; say which with decimal='.' or decimal=','"
            )
        return pc.replace_substring(strings, ",", ".").cast(pa.float64()).to_numpy(zero_copy_only=False).copy()
    try:
        return spelled_numbers(strings, cells.decimal_comma, stated=cells.decimal_by == "user")
    except AmbiguousError as doubt:
        row = _first_row(cells, _NUMBER)
        raise ValueError(f"{cells.place(row)}: column {cells.name!r}: {_cell(cells, row)!r}: {doubt}") from doubt


def _shows_decimals(strings: Any) -> bool:
    """Whether some cell has a comma that cannot part thousands."""
    import pyarrow.compute as pc

    commas = pc.match_substring(strings, ",")
    return pc.any(pc.and_(commas, pc.invert(pc.match_substring_regex(strings, _THOUSANDS)))).as_py()


def refuse_infinite(cells: Cells, values: np.ndarray) -> None:
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        row = int(infinite[0])
        raise ValueError(
            f"{cells.place(row)}: column {cells.name!r}: {_cell(cells, row)} is not a finite 64-bit number; "
            "correct the cell or leave it empty"
        )


def as_dates(cells: Cells, written: str = "") -> Dates | None:
    """datetime64 values with NaT for missing cells, or None when some cell is not a date."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pc.all(pc.match_substring_regex(cells.strings, _ISO_DATE)).as_py():
        strings = cells.strings.combine_chunks() if isinstance(cells.strings, pa.ChunkedArray) else cells.strings
        return spelled_dates(strings, written)
    try:
        # Offsets are brought to UTC, and dates without one are taken as they stand.
        zoned = pc.any(pc.match_substring_regex(cells.strings, r"(Z|:\d{2}[+-]\d{2}:?\d{2})$")).as_py()
        stamps = cells.strings.cast(pa.timestamp("us", tz="UTC" if zoned else None))
    except pa.ArrowInvalid:  # 2024-02-31, or some cells with an offset and some without
        return None
    return Dates(stamps.cast(pa.timestamp("us")).to_numpy().astype("M8[us]"), "")


class Odd(NamedTuple):
    """A cell that is not spelled plainly, and its row."""

    row: int
    cell: str


def not_plain(cells: Cells, kind: Kind) -> Odd | None:
    """The first cell of a number or a date that is neither a plain number nor an ISO date."""
    if kind not in (Kind.NUMBER, Kind.DATE):
        return None
    row = _first_row(cells, _NUMBER if kind is Kind.NUMBER else _ISO_DATE)
    return None if row < 0 else Odd(row, _cell(cells, row))


def doubtful_dates(cells: Cells) -> str:
    """Why words that look like dates are none; empty where they do not."""
    try:
        as_dates(cells)
    except AmbiguousError as doubt:
        return f"{doubt}; it is read as words"
    return ""


def words(cells: Cells) -> Column:
    """Rule 4: boolean, category, identifier or text."""
    import pyarrow.compute as pc

    values, levels = encode(cells)
    n = cells.n_present
    if n == 0 or (len(levels) == 1 and n == len(values)):
        return Column(cells.name, Kind.CONSTANT, values)
    if is_boolean(levels):
        return Column(cells.name, Kind.BOOLEAN, values, tuple(sorted(levels, key=str.casefold)))
    unique = len(levels) == n and n >= 10
    if not unique and len(levels) <= max(20, min(1000, n / 10)):
        return Column(cells.name, Kind.CATEGORY, values, levels)
    spaced = pc.mean(pc.match_substring(cells.strings, " ").cast("int8")).as_py()
    return Column(cells.name, Kind.TEXT if spaced > 0.5 else Kind.IDENTIFIER, values)


def encode(cells: Cells) -> tuple[np.ndarray, tuple[str, ...]]:
    """Object array of str and None (one object a level, not one a cell), and the sorted levels."""
    import pyarrow as pa

    strings = cells.strings.combine_chunks() if isinstance(cells.strings, pa.ChunkedArray) else cells.strings
    coded = strings.dictionary_encode()
    found = coded.dictionary.to_pylist()
    codes = coded.indices.fill_null(len(found)).to_numpy(zero_copy_only=False)
    return np.array([*found, None], dtype=object)[codes], tuple(sorted(found))


def is_boolean(levels: Sequence[str]) -> bool:
    """True for two levels that are one of the `BOOLEAN_PAIRS`, in any case."""
    return len(levels) == 2 and tuple(sorted(level.casefold() for level in levels)) in BOOLEAN_PAIRS


def counts_rows(name: str, values: np.ndarray) -> bool:
    """True for 0..n-1 or 1..n under a name that row numbers go by."""
    n = len(values)
    if n < 2 or name.strip().casefold() not in INDEX_NAMES or values[0] not in (0.0, 1.0):
        return False
    return bool(np.array_equal(values, np.arange(n) + values[0]))


def number_kind(name: str, values: np.ndarray, leading: bool) -> Kind:
    """`identifier` for a leading count of the rows, `constant` for a single value everywhere, else `number`."""
    if leading and counts_rows(name, values):
        return Kind.IDENTIFIER
    missing = np.isnan(values)
    if missing.all() or (not missing.any() and (values == values[0]).all()):
        return Kind.CONSTANT
    return Kind.NUMBER


def _number_column(cells: Cells, numbers: np.ndarray) -> Column:
    import pyarrow.compute as pc

    padded = pc.starts_with(cells.strings, "0")
    if pc.any(padded).as_py() and pc.any(pc.match_substring_regex(cells.strings.filter(padded), _ZERO_PADDED)).as_py():
        return words(cells)
    if (
        np.fmax.reduce(np.abs(numbers), initial=0.0) > LARGEST_EXACT_INTEGER
        and pc.all(pc.match_substring_regex(cells.strings, _INTEGER)).as_py()
    ):
        return Column(cells.name, Kind.IDENTIFIER, encode(cells)[0])
    return Column(cells.name, number_kind(cells.name, numbers, cells.leading), numbers)


def _refuse_mixed(cells: Cells) -> None:
    forms = (_NUMBER, _COMMA_NUMBER) if cells.decimal_comma else (_NUMBER,)
    share, form = max((_share(cells, form), form) for form in forms)
    if share > NUMBER_SHARE:
        row = _first_row(cells, form)
        raise ValueError(
            f"{cells.place(row)}: column {cells.name!r} holds numbers in {100 * share:.4g}% of its cells, but "
            f"{_cell(cells, row)!r} here; correct the cell or leave it empty, or read the column as words with "
            f"kinds={{{cells.name!r}: 'category'}}"
        )


def _share(cells: Cells, pattern: str) -> float:
    import pyarrow.compute as pc

    return pc.sum(pc.match_substring_regex(cells.strings, pattern)).as_py() / cells.n_present


def _first_row(cells: Cells, pattern: str) -> int:
    """The first row whose cell is there and does not fit the pattern."""
    import pyarrow.compute as pc

    return pc.index(pc.fill_null(pc.match_substring_regex(cells.strings, pattern), True), False).as_py()


def _cell(cells: Cells, row: int) -> Any:
    return cells.strings[row].as_py()
