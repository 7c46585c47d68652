"""Tables from Arrow columns: what types say, and the rules of `infer` where they say only "string"."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from learnable.datasets.column import Column, Kind
from learnable.datasets.infer import (
    LARGEST_EXACT_INTEGER,
    Cells,
    force,
    infer_words,
    is_boolean,
    number_kind,
    order,
    refuse_infinite,
)
from learnable.datasets.table import Table


def table_from_arrow(
    names: Sequence[str],
    arrays: Sequence[Any],
    source: str,
    *,
    ordered: Mapping[str, Sequence[Any]],
    kinds: Mapping[str, str],
    enums: Mapping[str, Sequence[str]],
) -> Table:
    """A table of Arrow arrays.

    Parameters
    ----------
    names, arrays : the columns; chunked arrays of numbers, booleans, strings, dictionaries, dates or times.
    source : name for messages.
    ordered, kinds : see `learnable.datasets.read_table`.
    enums : column -> levels in order, for types whose order Arrow does not carry.

    >>> import pyarrow as pa
    >>> table = table_from_arrow(["x"], [pa.chunked_array([[1, None, 3]])], "frame", ordered={}, kinds={}, enums={})
    >>> table.column("x").values
    array([ 1., nan,  3.])
    """
    n_rows = len(arrays[0]) if arrays else 0
    if n_rows == 0:
        raise ValueError(f"{source} has no rows" if arrays else f"{source} has no columns")
    columns = []
    for position, (name, array) in enumerate(zip(names, arrays)):
        cells = Cells(name, array, lambda row: f"{source}, row {row}", position == 0)
        columns.append(_column(cells, ordered, kinds, enums))
    return Table(tuple(columns), n_rows, source)


def _column(
    cells: Cells,
    ordered: Mapping[str, Sequence[Any]],
    kinds: Mapping[str, str],
    enums: Mapping[str, Sequence[str]],
) -> Column:
    import pyarrow as pa

    name, array = cells.name, cells.strings
    if name in ordered:
        return order(_as_strings(cells), ordered[name])
    if name in kinds:
        return force((_spelled if kinds[name] == Kind.TEXT else _as_strings)(cells), kinds[name])
    if name in enums:
        return order(_as_strings(cells), enums[name])
    kind = array.type
    if pa.types.is_dictionary(kind):
        return _dictionary_column(cells)
    if pa.types.is_boolean(kind):
        return infer_words(_as_strings(cells))
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind) or pa.types.is_null(kind):
        return _number_column(cells)
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return Column(name, Kind.DATE, array.cast(pa.timestamp("us"), safe=False).to_numpy().astype("M8[us]"))
    if _is_string(kind):
        return infer_words(_as_strings(cells))
    raise TypeError(_unreadable(cells))


def _unreadable(cells: Cells) -> str:
    import pyarrow as pa

    kind = cells.strings.type
    if pa.types.is_nested(kind):
        cause, remedy = "several values in one cell", "flatten it to columns of one value each"
    else:
        cause, remedy = "no number, word or date", "convert it"
    said = str(kind) if len(str(kind)) <= 60 else f"{str(kind)[:57]}…"  # a struct spells out all of its fields
    return f"column {cells.name!r} has type {said}, which is {cause}; {remedy}, or leave it out of the table"


def _is_string(kind: Any) -> bool:
    import pyarrow as pa

    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def _number_column(cells: Cells) -> Column:
    import pyarrow as pa

    array = cells.strings
    values = array.cast(pa.float64(), safe=False).to_numpy().astype(np.float64, copy=True)
    refuse_infinite(cells, values)
    if pa.types.is_integer(array.type) and np.fmax.reduce(np.abs(values), initial=0.0) > LARGEST_EXACT_INTEGER:
        return force(_as_strings(cells), Kind.IDENTIFIER)
    return Column(cells.name, number_kind(cells.name, values, cells.leading), values)


def _dictionary_column(cells: Cells) -> Column:
    """Categories in their declared order; an ordered type keeps its unused levels, another one loses them."""
    array = cells.strings.unify_dictionaries()
    levels = [str(level) for level in array.chunk(0).dictionary.to_pylist()]
    plain = _as_strings(cells._replace(strings=array.cast(array.type.value_type)))
    if array.type.ordered:
        return order(plain, levels)
    column = force(plain, Kind.CATEGORY)
    if (len(column.levels) == 1 and not column.n_missing) or not column.levels:
        return Column(column.name, Kind.CONSTANT, column.values)
    kind = Kind.BOOLEAN if is_boolean(column.levels) else Kind.CATEGORY
    return Column(column.name, kind, column.values, tuple(level for level in levels if level in column.levels))


def _as_strings(cells: Cells) -> Cells:
    """Cells as strings; whole floats are spelled as integers, so that 3.0 and 3 are the same level."""
    import pyarrow as pa

    array = cells.strings
    if pa.types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    if pa.types.is_floating(array.type):
        spelled = [None if v is None or v != v else f"{v:.0f}" if v == round(v) else repr(v) for v in array.to_pylist()]
        return cells._replace(strings=pa.chunked_array([pa.array(spelled, pa.string())]))
    try:
        return cells._replace(strings=array.cast(pa.string()))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as fault:
        raise TypeError(_unreadable(cells)) from fault


def _spelled(cells: Cells) -> Cells:
    """Cells as strings whatever they hold: a text that nobody looks into contradicts nothing."""
    import pyarrow as pa

    try:
        return _as_strings(cells)
    except TypeError:
        spelled = [None if cell is None else str(cell) for cell in cells.strings.to_pylist()]
        return cells._replace(strings=pa.chunked_array([pa.array(spelled, pa.string())]))
