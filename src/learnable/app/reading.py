"""Tables for the commands: a file or an embedded name in, a `Table` or one clear line out."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from learnable.app.errors import UserError
from learnable.datasets import Table, load, names, read_table


def open_table(
    source: str, ordered: Mapping[str, Sequence[str]] | None = None, kinds: Mapping[str, str] | None = None
) -> Table:
    """The table of a file, or of an embedded name when there is no such file.

    >>> open_table("no-such.csv")
    Traceback (most recent call last):
    ...
    learnable.app.errors.UserError: there is no file no-such.csv, nor an embedded table of that name; ...
    """
    if is_embedded(source):
        return load(source)
    try:
        if not Path(source).exists():
            known = ", ".join(names())
            raise UserError(f"there is no file {source}, nor an embedded table of that name; embedded are: {known}")
        table = read_table(source, ordered=ordered, kinds=kinds)
    except OSError as error:
        raise UserError(f"cannot read {source}: {error.strerror or error}") from error
    except (ValueError, TypeError) as error:
        raise UserError(str(error)) from error
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
