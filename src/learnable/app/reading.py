"""Tables for the commands: a file or an embedded name in, a `Table` or one clear line out."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from learnable.app.errors import UserError
from learnable.datasets import Kind, Table, load, names, read_table

_PYTHON_REMEDY = re.compile(r", or (read the column as words with kinds=\{.*\}|leave it out of the table)$")


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
    source: str,
    ordered: Mapping[str, Sequence[str]] | None = None,
    kinds: Mapping[str, str] | None = None,
    remedy: str = "",
) -> Table:
    """The table of a file, or of an embedded name when there is no such file.

    `remedy` is what the command offers for a column that cannot be read.

    >>> open_table("no-such.csv")
    Traceback (most recent call last):
    ...
    learnable.app.errors.UserError: there is no file no-such.csv, nor an embedded table of that name; ...
    """
    if is_embedded(source):
        if ordered:
            raise UserError(f"--ordered: the embedded table {source} has its levels already; leave the option out")
        return load(source)
    try:
        if not Path(source).exists():
            known = ", ".join(names())
            raise UserError(f"there is no file {source}, nor an embedded table of that name; embedded are: {known}")
        table = read_table(source, ordered=ordered, kinds=kinds)
    except OSError as error:
        raise UserError(f"cannot read {source}: {error.strerror or error}") from error
    except (ValueError, TypeError) as error:
        message = _PYTHON_REMEDY.sub(remedy, str(error))
        raise UserError(f"--{message}" if message.startswith("ordered: ") else message) from error
    if not table.n_rows:
        raise UserError(f"{source} has column names but no rows; give a table with data")
    return table


def is_embedded(source: str) -> bool:
    """Whether the name is that of an embedded table, and not of a file.

    >>> is_embedded("loans")
    True
    """
    return source in names() and not Path(source).exists()


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
        raise UserError(f"{option}: {error}") from error
