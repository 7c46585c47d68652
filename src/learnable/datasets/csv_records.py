"""The records of a CSV text by Python's own reader: the header, the delimiter, and where a fault lies.

This is the slow and exact route; `csv.py` reads the body by a fast one and comes here to explain what went wrong.
"""

import csv
import io
from collections.abc import Iterator
from itertools import pairwise

from learnable.datasets.csv_text import Text
from learnable.datasets.table import refuse_duplicates

DELIMITERS = ",;\t|"
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
# Characters from which the delimiter is guessed.
_SAMPLE = 2**18


def records(text: Text, delimiter: str, *, sample: bool = False) -> Iterator[tuple[int, list[str]]]:
    """(line where it begins, fields) of every record, blank lines left out; `sample` reads the top of the text only."""
    data = text.data
    if sample and len(data) > _SAMPLE:
        end = data.find(b"\n", _SAMPLE)
        data = data[: end if end > 0 else len(data)]
    reader = csv.reader(io.StringIO(data.decode(), newline=""), delimiter=delimiter, strict=True)
    line = text.first_line
    usual = csv.field_size_limit(2**31 - 1)  # Python's own limit of 128 KB is for the whole process: put it back
    try:
        for fields in reader:
            if fields:
                yield line, fields
            line = text.first_line + reader.line_num
    except csv.Error as fault:
        raise CsvFault(line, _meaning(str(fault))) from fault
    finally:
        csv.field_size_limit(usual)


class CsvFault(ValueError):
    """A record that cannot be read, with its line."""

    def __init__(self, line: int, what: str):
        super().__init__(line, what)
        self.line, self.what = line, what


def _meaning(message: str) -> str:
    if "unexpected end of data" in message:
        return 'a quoted field begins here and never ends; close the quote, or double it ("") inside a field'
    if "expected after" in message:
        return 'text follows a closing quote; quote the whole field and double the quotes ("") inside it'
    return message


def sniff(text: Text) -> str:
    """The delimiter that cuts the header into several fields and most of the records into as many.

    Counting against the header keeps decimal commas apart from delimiters: "a;b" over "1,5;2,5" is cut by ";".
    """
    best, best_score = ",", (0.0, 0)
    for delimiter in DELIMITERS:
        counts = []
        try:
            for _, fields in records(text, delimiter, sample=True):
                counts.append(len(fields))
        except CsvFault:  # a fault may lie below, or come from cutting the sample or from the wrong delimiter
            pass
        if counts and counts[0] > 1:
            score = (counts.count(counts[0]) / len(counts), counts[0])
            if score > best_score:
                best, best_score = delimiter, score
    return best


def header(text: Text, delimiter: str, source: str) -> list[str]:
    """The column names, trimmed, refused when blank (but the first: row numbers), doubled, or themselves data."""
    try:
        line, fields = next(records(text, delimiter, sample=True))
    except CsvFault as fault:
        raise ValueError(f"{source}, line {fault.line}: {fault.what}") from fault
    names = [field.strip() for field in fields]
    for position, name in enumerate(names, start=1):
        if not name and (position > 1 or len(names) == 1):
            raise ValueError(
                f"{source}, line {line}: column {position} of {len(names)} has no name; name it or remove it"
            )
    refuse_duplicates(names, f"{source}, line {line}")
    if _is_data(names):
        raise ValueError(
            f"{source}, line {line}: the first line looks like data ({', '.join(names[:4])}), not like column names; "
            "add a header line"
        )
    return names


def _is_data(names: list[str]) -> bool:
    """A fractional number among the names, unless all names are numbers in rising order (wavelengths, times)."""
    numbers = []
    for name in names:
        try:
            numbers.append(float(name))
        except ValueError:
            continue
    rising = len(numbers) == len(names) and all(a < b for a, b in pairwise(numbers))
    return not rising and any(number != round(number) for number in numbers if abs(number) < 1e15)


def refuse_fault(text: Text, delimiter: str, n_fields: int, source: str) -> None:
    """Raise for the first record with a broken quote or the wrong number of fields."""
    try:
        for line, fields in records(text, delimiter):
            if len(fields) != n_fields:
                expected = f"{n_fields} field{'s' if n_fields > 1 else ''}"
                found = f"expected {expected}, found {len(fields)} (delimiter: {_NAMES.get(delimiter, delimiter)})"
                raise CsvFault(line, f"{found}; {_repair(n_fields, len(fields))}")
    except CsvFault as fault:
        raise ValueError(f"{source}, line {fault.line}: {fault.what}") from fault


def _repair(expected: int, found: int) -> str:
    """What to do about a record that is shorter or longer than the header."""
    if found < expected:
        return "complete or remove the line"
    if expected == 1:
        return "if this line names the columns, remove those before it"
    return "put cells that hold the delimiter in quotes"


def line_of_row(text: Text, delimiter: str, row: int) -> int:
    """The line where data row `row` (0 is the first under the header) begins."""
    for number, (line, _) in enumerate(records(text, delimiter), start=-1):
        if number == row:
            return line
    raise IndexError(row)
