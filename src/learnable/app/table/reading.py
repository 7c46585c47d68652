"""Tables for the commands: a file or an embedded name in, a `Table` or one clear line out."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from learnable.app.errors import UserError
from learnable.app.options import Options
from learnable.app.trials.large import Whole, sampled, too_large
from learnable.datasets import Kind, Table, entry, load, names, read_table
from learnable.datasets.table import unknown_name

_PYTHON_REMEDY = re.compile(r", or (read the column as words with kinds=\{.*\}|leave it out of the table)$")
_DECIMALS = "decimal='.' or decimal=','", "--decimal . or --decimal ,"  # in Python, and on the command line


class HowToRead(NamedTuple):
    """Of a text file its delimiter and decimal sign, of a workbook its sheet, and how much memory a table may take.

    A file that needs more GiB than `memory` is read in blocks. None each: found, the first, or what is free.
    """

    delimiter: str | None = None
    decimal: str | None = None
    sheet: str | None = None
    memory: float | None = None


AS_FOUND = HowToRead()
UNRECOGNISED = "if the file has more columns, its delimiter was not recognised (see --delimiter)"


class Source(NamedTuple):
    """A table, the name of its target, and the file it is a sample of where that is larger than memory."""

    table: Table
    target: str
    whole: Whole | None = None


def read(options: Options) -> Source:
    """The table that the user named, and the column to predict."""
    source = options.data if options.data is not None else names()[0]
    table, whole = _open(source, options)
    if options.target is None and is_embedded(source):
        return Source(table, entry(source).target, whole)
    if options.target is None:
        known = ", ".join(repr(name) for name in table.names[:20])
        raise UserError(f"say which column to predict with --target; {table.source} has {known}")
    return Source(table, options.target, whole)


def _open(source: Any, options: Options) -> tuple[Table, Whole | None]:
    # What is left out is read as text, so that no cell of it can be at fault.
    kinds = dict.fromkeys((name for name in options.drop if name != options.target), Kind.TEXT)
    remedy = ", or leave the column out with --drop"
    ordered = parse_ordered(options.ordered)
    try:
        if (found := _sample(source, options, ordered, kinds, remedy)) is not None:
            return found
        how = HowToRead(options.delimiter, options.decimal, options.sheet)
        return open_table(source, ordered, kinds, remedy, how), None
    except UserError as error:
        message = str(error)
        if message.startswith(f"column {options.target!r} ") and message.endswith(remedy):
            other = ", or choose another column with --target"
            raise UserError(f"{message.removesuffix(remedy)}{other}") from error
        if not message.startswith("kinds: "):
            raise
        raise UserError(f"--drop: {message.removeprefix('kinds: ')}") from error


def _sample(
    source: Any, options: Options, ordered: dict[str, list[str]], kinds: dict[str, Any], remedy: str
) -> tuple[Table, Whole] | None:
    """A sample of a file that is larger than memory, and the file; None for one that is not."""
    if is_embedded(source):
        return None
    with one_line(source, remedy):
        blocks = too_large(source, options)
        if blocks is None:
            return None
        for option, given in (("ordered", ordered), ("kinds", kinds)):
            for name in given:
                if name not in blocks.names:
                    raise ValueError(f"{option}: {unknown_name(name, blocks.names, blocks.source)}")
        sample = sampled(blocks, options, kinds, ordered)
        return sample.table, Whole(blocks, sample.n_rows, sample.rows)


@contextmanager
def one_line(source: Any, remedy: str) -> Iterator[None]:
    """Faults of a file, as one line that names the remedy of the command."""
    try:
        yield
    except OSError as error:
        raise UserError(f"cannot read {source}: {error.strerror or error}") from error
    except (ValueError, TypeError) as error:
        message = _PYTHON_REMEDY.sub(remedy, str(error)).replace(*_DECIMALS)
        message = re.sub(r"^(delimiter|decimal)=", r"--\1 ", message)
        raise UserError(f"--{message}" if message.startswith(("ordered: ", "sheet")) else message) from error


class Needed(dict[str, str]):
    """Kinds of the columns that are needed; those in `inferred` are as they look, and every other one is plain text.

    No cell of a text contradicts it, so a column that nobody needs is never a fault of the table.

    >>> kinds = Needed({"x": "number"}, inferred=["y"])
    >>> kinds["x"], "y" in kinds, str(kinds["anything"])
    ('number', False, 'text')
    """

    def __init__(self, kinds: Mapping[str, str], inferred: Sequence[str] = ()):
        super().__init__(kinds)
        self.inferred = {"", *inferred}  # a first column without a name must count the rows

    def __contains__(self, name: object) -> bool:
        return name not in self.inferred

    def __missing__(self, name: str) -> str:
        return Kind.TEXT


def open_table(
    source: Any,
    ordered: Mapping[str, Sequence[str]] | None = None,
    kinds: Mapping[str, str] | None = None,
    remedy: str = "",
    how: HowToRead = AS_FOUND,
) -> Table:
    """The table of a file, of stdin ("-"), of a data frame, or of an embedded name when there is no such file.

    `remedy` is what the command offers for a column that cannot be read.

    >>> open_table("no-such.csv")
    Traceback (most recent call last):
    ...
    learnable.app.errors.UserError: there is no file no-such.csv, nor an embedded table of that name; ...
    """
    if isinstance(source, Table):
        return source
    if is_embedded(source):
        if ordered:
            raise UserError(f"--ordered: the embedded table {source} has its levels already; leave the option out")
        return load(source)
    if isinstance(source, str) and source != "-" and not Path(source).exists():
        known = ", ".join(names())
        raise UserError(f"there is no file {source}, nor an embedded table of that name; embedded are: {known}")
    with one_line(source, remedy):
        table = read_table(
            source, ordered=ordered, kinds=kinds, delimiter=how.delimiter, decimal=how.decimal, sheet=how.sheet
        )
    if not table.n_rows:
        raise UserError(f"{source} has column names but no rows; give a table with data")
    return table


def is_embedded(source: Any) -> bool:
    """Whether the name is that of an embedded table, and not of a file.

    >>> is_embedded("loans")
    True
    """
    return isinstance(source, str) and source in names() and not Path(source).exists()


def parse_ordered(texts: Sequence[str]) -> dict[str, list[str]]:
    """The option --ordered, as column -> levels from lowest to highest.

    >>> parse_ordered(["size=S<M<L"])
    {'size': ['S', 'M', 'L']}
    """
    parsed: dict[str, list[str]] = {}
    for text in texts:
        name, sign, order = text.partition("=")
        levels = [level.strip() for level in order.split("<")]
        if not sign or len(levels) < 2 or not all(levels):
            raise UserError(f"--ordered {text}: write COL=lowest<next<highest")
        parsed[name.strip()] = levels
    return parsed


def column_of(table: Table, name: str, option: str) -> Any:
    """The column of that name, or an error that names the option and the nearest name."""
    try:
        return table.column(name)
    except ValueError as error:
        alone = f"; {UNRECOGNISED}" if len(table.names) == 1 else ""
        raise UserError(f"{option}: {error}{alone}") from error
