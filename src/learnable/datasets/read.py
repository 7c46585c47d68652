"""One door to every table: a path, a data frame, or a `Table`."""

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from learnable.datasets.csv import read_csv
from learnable.datasets.frame import read_frame
from learnable.datasets.infer import kind_of
from learnable.datasets.jsonl import read_json_lines
from learnable.datasets.opening import Unpacked, opened
from learnable.datasets.parquet import read_arrow, read_parquet
from learnable.datasets.table import Table, unknown_name
from learnable.datasets.xlsx import read_xlsx

_READERS = {
    ".csv": read_csv,
    ".tsv": read_csv,
    ".txt": read_csv,
    ".data": read_csv,
    ".parquet": read_parquet,
    ".pq": read_parquet,
    ".feather": read_arrow,
    ".arrow": read_arrow,
    ".ipc": read_arrow,
    ".jsonl": read_json_lines,
    ".ndjson": read_json_lines,
    ".xlsx": read_xlsx,
}


def read_table(
    path_or_frame: Any,
    *,
    ordered: Mapping[str, Sequence[Any]] | None = None,
    kinds: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
) -> Table:
    """Read a table from a file (by its suffix) or from a data frame.

    Parameters
    ----------
    path_or_frame : path of a .csv, .tsv, .txt, .data, .parquet, .pq, .feather, .arrow, .ipc, .jsonl, .ndjson or .xlsx
        file, also inside .gz, .xz, .bz2, .zst or .zip; "-" for stdin; or a pandas, polars, pyarrow or other data
        frame that narwhals knows.
    ordered : column name -> its levels from lowest to highest; the column becomes an ordered category.
    kinds : column name -> kind, to overrule what would be inferred (`learnable.datasets.infer` states the rules); of
        dates also how they are written, as in "date %d/%m/%Y".
    delimiter, decimal : of a text file, instead of finding them; decimal is "." or ",".
    sheet : of a workbook, by its name; the first by default.

    Returns
    -------
    Table

    >>> import pyarrow as pa
    >>> frame = pa.table({"size": ["S", "L", "M"], "price": [1.0, 3.0, 2.0]})
    >>> read_table(frame, ordered={"size": ["S", "M", "L"]}).column("size").summary()
    'ordered, S < M < L'
    """
    for name, kind in (kinds or {}).items():
        try:
            kind_of(kind)
        except ValueError as error:
            raise ValueError(f"kinds={{{name!r}: {kind!r}}}: {error}") from error
    if isinstance(path_or_frame, str | PathLike):
        path = opened(Path(path_or_frame))
        reader = _reader(path)
        if sheet is not None and reader is not read_xlsx:
            raise ValueError(f"sheet is about workbooks (.xlsx); {path.name} is none")
        if reader is read_csv:
            table = read_csv(path, ordered=ordered, kinds=kinds, delimiter=delimiter, decimal=decimal)
        elif delimiter is not None or decimal is not None:
            raise ValueError(f"delimiter and decimal are about text files; {path.name} is none")
        elif reader is read_xlsx:
            table = read_xlsx(path, ordered=ordered, kinds=kinds, sheet=sheet)
        else:
            table = reader(path, ordered=ordered, kinds=kinds)
    else:
        table = read_frame(path_or_frame, ordered=ordered, kinds=kinds)
    for option, given in (("ordered", ordered), ("kinds", kinds)):
        for name in given or {}:
            if name not in table.names:
                raise ValueError(f"{option}: {unknown_name(name, table.names, table.source)}")
    return table


def _reader(path: Path | Unpacked) -> Any:
    if isinstance(path, Path):
        if path.is_dir():
            raise IsADirectoryError(f"{path} is a folder; give the path of one file")
        if not path.exists():
            raise FileNotFoundError(f"no file {path}")
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise ValueError(
            f"{path.name}: cannot tell a format from the suffix {path.suffix!r}; known are {', '.join(_READERS)}"
        )
    return reader
