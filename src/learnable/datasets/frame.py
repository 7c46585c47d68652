"""Tables from data frames of any library that narwhals knows: pandas, polars, pyarrow and others."""

from collections.abc import Mapping, Sequence
from typing import Any

from learnable.datasets.arrow import table_from_arrow
from learnable.datasets.table import Table, refuse_duplicates


def read_frame(
    frame: Any,
    source: str = "the data frame",
    *,
    ordered: Mapping[str, Sequence[Any]] | None = None,
    kinds: Mapping[str, str] | None = None,
) -> Table:
    """A table from a data frame; its types are trusted, and only strings are looked into.

    Nulls and NaN are missing, nothing else is. Ordered categoricals (pandas) and enums (polars) keep their order.

    >>> import pyarrow as pa
    >>> read_frame(pa.table({"x": [1.5, 2.5], "colour": ["red", "blue"]})).column("colour").levels
    ('blue', 'red')
    """
    import narwhals as nw
    import pyarrow as pa
    from narwhals.dependencies import is_pandas_dataframe

    if is_pandas_dataframe(frame):
        if frame.columns.nlevels > 1:
            raise ValueError(f"{source} has {frame.columns.nlevels} levels of column names; flatten them to one")
        frame = frame.set_axis([str(label) for label in frame.columns], axis="columns")
        refuse_duplicates(frame.columns, source)
    elif isinstance(frame, pa.Table):
        refuse_duplicates(frame.column_names, source)
    try:
        given = nw.from_native(frame)
    except TypeError as fault:
        raise TypeError(
            f"a table must be a path or a pandas, polars or pyarrow data frame, not {type(frame).__name__}"
        ) from fault
    data = given.collect() if isinstance(given, nw.LazyFrame) else given
    enums = {
        name: tuple(str(level) for level in kind.categories)
        for name, kind in data.schema.items()
        if isinstance(kind, nw.Enum)
    }
    arrays = [_to_arrow(data[name], source) for name in data.columns]
    return table_from_arrow(data.columns, arrays, source, ordered=ordered or {}, kinds=kinds or {}, enums=enums)


def _to_arrow(series: Any, source: str) -> Any:
    import pyarrow as pa

    try:
        array = series.to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as fault:
        raise TypeError(
            f"{source}: column {series.name!r} mixes types ({fault}); make it all numbers or all strings"
        ) from fault
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
