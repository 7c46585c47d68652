"""From data frames to cells: float64 with NaN for a missing number, str with None for a missing word or document."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from narwhals.dependencies import is_into_dataframe, is_polars_lazyframe, is_pyarrow_table

from learnable.datasets import Column, Kind, Table

_WORDS = (Kind.CATEGORY, Kind.ORDERED, Kind.BOOLEAN)


def has_names(X: Any) -> bool:
    """Whether X is a table with named columns rather than an array."""
    return isinstance(X, Table) or is_into_dataframe(X) or is_polars_lazyframe(X)


def as_frame(X: Any) -> Any:
    """A table with named columns as a data frame in memory."""
    if isinstance(X, Table):
        return X.to_arrow()
    return X.collect() if is_polars_lazyframe(X) else X


def decoded(X: Any) -> Any:
    """An Arrow table with its dictionaries written out: NumPy would put a wrong level where a cell of one is null."""
    if not is_pyarrow_table(X):
        return X
    for j, field in enumerate(X.schema):
        if hasattr(field.type, "value_type") and hasattr(field.type, "index_type"):
            X = X.set_column(j, field.name, X.column(j).cast(field.type.value_type))
    return X


def use(column: Column) -> tuple[str, str]:
    """("number", "category" or "text", "") or ("dropped", why).

    >>> use(Column("when", Kind.DATE, np.array(["2024-01-01"], dtype="M8[us]")))
    ('dropped', 'date')
    """
    if column.kind is Kind.TEXT:
        return "text", ""
    if column.kind in _WORDS:
        return "category", ""
    if column.kind is Kind.NUMBER or (column.kind is Kind.CONSTANT and column.values.dtype == np.float64):
        return "number", ""
    if column.kind is Kind.CONSTANT:
        return ("category", "") if not np.all(column.missing) else ("dropped", "no value in the training rows")
    return "dropped", str(column.kind)


def cells_of(table: Table, kinds: Mapping[str, str], training: bool) -> list[np.ndarray]:
    """The cells of every column that is used, in the order of `kinds`."""
    return [_cells(table.column(name), kind, training) for name, kind in kinds.items() if kind != "dropped"]


def _cells(column: Column, kind: str, training: bool) -> np.ndarray:
    holds_numbers = column.values.dtype == np.float64
    if (kind == "number") != holds_numbers:
        if not np.all(column.missing):
            raise ValueError(
                f"NaiveBayes: column {column.name!r} was a {kind} in training, but now holds "
                f"{'numbers' if holds_numbers else 'words'}; give it the same type"
            )
        return np.full(len(column.values), np.nan if kind == "number" else None)
    if holds_numbers:
        largest = float(np.max(np.abs(column.values), where=~column.missing, initial=0.0))
        if largest > 1e150 or (training and 0.0 < largest < 1e-150):
            raise ValueError(
                f"NaiveBayes: column {column.name!r} has entries of size {largest:.1e}, whose squares cannot be "
                "represented; rescale it"
            )
    return column.values
