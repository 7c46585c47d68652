"""Tables from Parquet, Feather and Arrow files."""

from collections.abc import Mapping, Sequence
from typing import Any

from learnable.datasets.frame import read_frame
from learnable.datasets.opening import as_file
from learnable.datasets.table import Table


def read_parquet(
    path: Any, *, ordered: Mapping[str, Sequence[Any]] | None = None, kinds: Mapping[str, str] | None = None
) -> Table:
    """Read a Parquet file.

    >>> import tempfile, pathlib, pyarrow as pa, pyarrow.parquet
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "plants.parquet"
    >>> pa.parquet.write_table(pa.table({"height": [1.5, None]}), file)
    >>> read_parquet(file).column("height").n_missing
    1
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = as_file(path)
    try:
        # A file object, for a bare path would be taken as a data set whose folder names become columns.
        with path.open("rb") as file:
            data = pq.read_table(file)
    except (pa.ArrowInvalid, OSError) as fault:
        if isinstance(fault, FileNotFoundError | PermissionError | IsADirectoryError):
            raise
        raise ValueError(f"{path.name} is not a readable Parquet file: {fault}") from fault
    return read_frame(data, path.name, ordered=ordered, kinds=kinds)


def read_arrow(
    path: Any, *, ordered: Mapping[str, Sequence[Any]] | None = None, kinds: Mapping[str, str] | None = None
) -> Table:
    """Read an Arrow IPC file, stream, or Feather file.

    >>> import tempfile, pathlib, pyarrow as pa, pyarrow.feather
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "plants.feather"
    >>> pa.feather.write_feather(pa.table({"height": [1.5, None]}), file)
    >>> read_arrow(file).n_rows
    2
    """
    import pyarrow as pa
    from pyarrow import ipc

    path = as_file(path)
    try:
        with path.open("rb") as file:
            is_file = file.read(6) == b"ARROW1"
            file.seek(0)
            data = (ipc.open_file(file) if is_file else ipc.open_stream(file)).read_all()
    except pa.ArrowInvalid as fault:
        raise ValueError(f"{path.name} is not a readable Arrow or Feather file: {fault}") from fault
    return read_frame(data, path.name, ordered=ordered, kinds=kinds)
