"""Numbers and dates as people write them: $1,234.50, (7.20), 12 %, 1.234,50 €, 31.12.2024, 12/31/2024, 3 Mar 2024."""

import re
from typing import Any, NamedTuple

import numpy as np

CURRENCIES = "$€£¥"
_HARD = "\u00a0\u202f"  # blanks that do not break
_GROUPS = f"' {_HARD}"
# A sign, a currency, digits with whatever separates them, a unit; bookkeepers put negative numbers in brackets.
NUMBER = (
    rf"^(?P<sign>[+-]?|\()(?P<front>[{CURRENCIES}]?) ?(?P<minus>-?)"
    rf"(?P<digits>[\d.,{_GROUPS}]*\d[.,]?)[ {_HARD}]?(?P<back>[%{CURRENCIES}]?)(?P<end>\)?)$"
)
_PLAIN = r"\d+"
_DIGITS = {
    point: rf"^({_PLAIN}|[1-9]\d{{0,2}}([{comma}{_GROUPS}]\d{{3}})+)?(\{point}\d*)?$"
    for point, comma in ((".", ","), (",", r"\."))
}
_SHOWN = r"[.,].*[.,]"
_CLOCK = r"([T ]\d{1,2}:\d{2}(:\d{2})?)?"
_MONTH = r"[A-Za-z]{3,9}"
# Form of the day -> the ways to read it; where several fit every cell, day and month cannot be told apart.
_DATES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"\d{1,2}\.\d{1,2}\.\d{4}", ("%d.%m.%Y",)),
    (r"\d{4}/\d{1,2}/\d{1,2}", ("%Y/%m/%d",)),
    (r"\d{1,2}/\d{1,2}/\d{4}", ("%d/%m/%Y", "%m/%d/%Y")),
    (r"\d{1,2}/\d{1,2}/\d{2}", ("%d/%m/%y", "%m/%d/%y")),
    (r"\d{1,2}-\d{1,2}-\d{4}", ("%d-%m-%Y", "%m-%d-%Y")),
    (rf"\d{{1,2}} {_MONTH} \d{{4}}", ("%d %b %Y",)),
    (rf"\d{{1,2}}-{_MONTH}-\d{{4}}", ("%d-%b-%Y",)),
    (rf"\d{{1,2}}-{_MONTH}-\d{{2}}", ("%d-%b-%y",)),
    (rf"{_MONTH} \d{{1,2}}, \d{{4}}", ("%b %d, %Y",)),
    (rf"{_MONTH} \d{{4}}", ("%b %Y",)),
)


class AmbiguousError(ValueError):
    """Cells that can be read in two ways with different results."""


def spelled_numbers(strings: Any, decimal_comma: bool = False, stated: bool = True) -> np.ndarray | None:
    """The values of cells that are all numbers with the same currency or percent sign, or none; else None.

    Where a comma may be decimal, that is tried first. Unless that is `stated`, a point parts thousands only if some
    cell shows it, as 1.234,5 and 1.234.567 do; if the cells can be read with a decimal point too, they are ambiguous.

    >>> import pyarrow as pa
    >>> spelled_numbers(pa.array(["$1,234.50", None, "-$7"]))
    array([1234.5,    nan,   -7. ])
    >>> spelled_numbers(pa.array(["(0.75)", "(1,250)", "2"]))
    array([-7.50e-01, -1.25e+03,  2.00e+00])
    >>> spelled_numbers(pa.array(["1.234,5 €", "7 €"]), decimal_comma=True)
    array([1234.5,    7. ])
    >>> spelled_numbers(pa.array(["3 %", "7"])) is None
    True
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    parts = pc.extract_regex(strings, NUMBER)
    if parts.null_count > strings.null_count or strings.null_count == len(strings):
        return None
    sign, front, minus, digits, back, end = (
        pc.struct_field(parts, name) for name in ("sign", "front", "minus", "digits", "back", "end")
    )
    around = pc.binary_join_element_wise(sign, minus, end, "")
    if not pc.all(pc.is_in(around.drop_null(), value_set=pa.array(["", "+", "-", "()"]))).as_py():
        return None
    if len(pc.unique(pc.binary_join_element_wise(front, back, "").drop_null())) > 1:
        return None
    readings = []
    for point in (",", ".") if decimal_comma else (".",):
        if pc.all(pc.match_substring_regex(digits, _DIGITS[point])).as_py():
            cut = pc.replace_substring_regex(digits, f"[^\\d{point}]", "")
            plain = pc.replace_substring(cut, point, ".").cast("float64").to_numpy(zero_copy_only=False)
            negative = pc.is_in(around, value_set=pa.array(["-", "()"]))
            readings.append(np.where(negative.to_numpy(zero_copy_only=False), -plain, plain))
    if not readings:
        return None
    if decimal_comma and not stated and not pc.any(pc.match_substring_regex(digits, _SHOWN)).as_py():
        if any(not np.array_equal(readings[0], one, equal_nan=True) for one in readings[1:]):
            raise AmbiguousError("it may have decimals or thousands; say which with decimal='.' or decimal=','")
        if pc.any(pc.match_substring(digits, ".")).as_py() and pc.any(pc.match_substring(digits, ",")).as_py():
            return None
    return readings[0]


class Dates(NamedTuple):
    """Days, and the way in which they were written, as in strptime."""

    values: np.ndarray
    written: str


def spelled_dates(strings: Any, written: str = "") -> Dates | None:
    """The days of cells that all have one of the forms above, with the time where it is given; else None.

    Of 3/4/2024 nobody can say which is the month, unless another cell of the column shows it, or `written` says it.

    >>> import pyarrow as pa
    >>> spelled_dates(pa.array(["31.12.2024", None])).values.astype("M8[D]")
    array(['2024-12-31',        'NaT'], dtype='datetime64[D]')
    >>> spelled_dates(pa.array(["3/4/2024", "3/31/2024"])).written
    '%m/%d/%Y'
    >>> spelled_dates(pa.array(["3/4/2024"]), "%m/%d/%Y").values.astype("M8[D]")
    array(['2024-03-04'], dtype='datetime64[D]')
    """
    import pyarrow.compute as pc

    if strings.null_count == len(strings):
        return None
    for form, ways in _DATES:
        if not pc.all(pc.match_substring_regex(strings, f"^{form}{_CLOCK}$")).as_py():
            continue
        whole = [Dates(found, way) for way in ways if (found := _read_as(strings, way)) is not None]
        if as_told := [one for one in whole if one.written == written]:
            return as_told[0]
        if len(whole) > 1 and not np.array_equal(whole[0].values, whole[1].values):
            raise AmbiguousError("day and month cannot be told apart; write year-month-day")
        return whole[0] if whole else None
    return None


def _read_as(strings: Any, way: str) -> np.ndarray | None:
    """Days by one form, cell by cell with the clock time that follows; None when one is not valid."""
    import pyarrow as pa
    import pyarrow.compute as pc

    clock = pc.extract_regex(strings, r"(?P<at>\d{1,2}:\d{2}(?::\d{2})?)$")
    day = pc.replace_substring_regex(strings, r"[T ]\d{1,2}:\d{2}(:\d{2})?$", "")
    at = pc.fill_null(pc.struct_field(clock, "at"), "0:00")
    at = pc.replace_substring_regex(at, r"^(\d{1,2}:\d{2})$", r"\1:00")
    both = pc.binary_join_element_wise(day, at, " ")
    found = pc.strptime(both, format=f"{way} %H:%M:%S", unit="us", error_is_null=True)
    if found.null_count > strings.null_count or not _same_days(day, found, way):
        return None
    return found.cast(pa.timestamp("us")).to_numpy(zero_copy_only=False).astype("M8[us]")


def _same_days(day: Any, found: Any, way: str) -> bool:
    """Whether the day of the month is the one written: 31.02. is taken for 2 March."""
    import pyarrow.compute as pc

    numbers = re.findall(r"%[dmYy]", way)
    if "%d" not in numbers:
        return True
    before = r"(?:\d+\D+)" * numbers.index("%d")
    written = pc.struct_field(pc.extract_regex(day, rf"^\D*{before}(?P<day>\d{{1,2}})"), "day")
    return pc.all(pc.equal(written.cast("int64"), pc.day(found))).as_py()
