"""Rows of a Parquet file, or of a folder of them, read in batches and never held whole."""

from collections.abc import Callable, Generator, Iterator, Sequence
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .examine import BadCell, refusing, sentence
from .partition import dense_cuts
from .source import Block
from .streamed import StreamedRows

# Bytes of a column that are read ahead: with a page and its dictionary, 2 MiB a column are held while a file is read.
READ_BUFFER = 2**16


class ParquetRows(StreamedRows):
    """The rows of a Parquet file, or of the ``*.parquet`` files of a folder in the order of their names.

    Blocks are cut as those of an array of the same shape, whatever the row groups, so a sum has the same bits
    as in memory. The next block is read while one is in use; memory holds a few blocks.

    Parameters
    ----------
    path : str or path
        A Parquet file, or a folder of Parquet files with the same columns.
    target : str or list of str, default=None
        The column that is ``y``, or the columns of a two-dimensional ``y``.
    columns : list of str, default=None
        The columns that are ``X``; None for all others. Columns are numbers or booleans without nulls; ``X``
        is float32 when all of them are, float64 otherwise.
    weight : str, default=None
        The column of sample weights.

    Examples
    --------
    >>> import pyarrow, pyarrow.parquet, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = pyarrow.table({"height": [1.0, 2.0, 3.0], "age": [5, 6, 7], "income": [10.0, 0.0, 1.0]})
    ...     pyarrow.parquet.write_table(table, folder + "/people.parquet")
    ...     rows = ParquetRows(folder + "/people.parquet", target="income")
    ...     rows.columns, rows.reduce(lambda block: block.X.T @ block.y)
    (['height', 'age'], array([13., 57.]))
    """

    def __init__(
        self,
        path: str | PathLike[str],
        target: str | Sequence[str] | None = None,
        columns: Sequence[str] | None = None,
        weight: str | None = None,
    ) -> None:
        from pyarrow import parquet

        if isinstance(columns, str):
            raise TypeError(f"columns={columns!r}: give a list of names, [{columns!r}]")
        self._files = _parquet_files(Path(path))
        self._seen = [_looks(file) for file in self._files]
        self._target = target
        self._weight = weight
        targets = [] if target is None else [target] if isinstance(target, str) else list(target)
        others = {*targets, weight}
        schema = _described(self._files[0], parquet.read_schema)
        self.columns = [name for name in schema.names if name not in others] if columns is None else list(columns)
        if not self.columns:
            raise ValueError(f"{self._files[0]}: no column is left for X; the file has {schema.names}")
        self._wanted = [*self.columns, *targets, *([] if weight is None else [weight])]
        _check_names(self._wanted)
        for file in self._files:
            _check_columns(file, _described(file, parquet.read_schema), self._wanted)
        types = {schema.field(name).type.to_pandas_dtype() for name in self.columns}
        self.dtype = np.dtype(np.float32 if types <= {np.float16, np.float32} else np.float64)
        self.n_rows = sum(map(_n_rows, self._files))
        self.n_columns = len(self.columns)
        if self.n_rows == 0:
            raise ValueError(f"{path} has no rows")
        self.cuts = dense_cuts(self.n_rows, self.n_columns)

    def concatenate(
        self, function: Callable[[Block], np.ndarray], *, n_jobs: int | None = None, missing: bool = False
    ) -> np.ndarray:
        try:
            return super().concatenate(refusing(function, missing), n_jobs=n_jobs)
        except BadCell as found:
            raise ValueError(sentence(found.fault, self)) from None

    def place(self, row: int) -> str:
        from pyarrow import parquet

        first = 0
        for file in self._files:
            metadata = parquet.read_metadata(file)
            for group in range(metadata.num_row_groups):
                count = metadata.row_group(group).num_rows
                if row < first + count:
                    return f"row {row} (row {row - first} of row group {group} of {file.name})"
                first += count
        return f"row {row}"

    def column_name(self, column: int) -> str:
        return repr(self.columns[column])

    def read(self) -> Generator[Block, None, None]:
        """Fill block after block from the batches, which end where files and row groups end."""
        batches = self._batches()
        batch, used = self._following(batches), 0
        for start, stop in zip(self.cuts[:-1].tolist(), self.cuts[1:].tolist()):
            X = np.empty((stop - start, self.n_columns), dtype=self.dtype)
            rest: list[list[np.ndarray]] = [[] for _ in self._wanted[self.n_columns :]]
            filled = 0
            while filled < stop - start:
                if batch is None:
                    raise ValueError(f"{self._files[-1]}: it ended before the {self.n_rows} rows that it promises")
                if used == batch.num_rows:
                    batch, used = self._following(batches), 0
                    continue
                taken = batch.slice(used, stop - start - filled)
                arrays = [self._numbers(taken, name, start + filled) for name in self._wanted]
                for j in range(self.n_columns):
                    X[filled : filled + taken.num_rows, j] = arrays[j]
                for pieces, array in zip(rest, arrays[self.n_columns :]):
                    pieces.append(array)
                filled += taken.num_rows
                used += taken.num_rows
            yield self._block(X, [np.concatenate(pieces) for pieces in rest], start, stop)
        self._refuse_another_file()

    def _numbers(self, batch: Any, name: str, first: int) -> np.ndarray:
        column = batch.column(name)
        if column.null_count:
            row = first + int(np.argmin(column.is_valid().to_numpy(zero_copy_only=False)))
            raise ValueError(
                f"Input contains a missing value (null) in column {name!r}, {self.place(row)}; drop or impute it first"
            )
        return column.to_numpy(zero_copy_only=False)

    def _block(self, X: np.ndarray, rest: list[np.ndarray], start: int, stop: int) -> Block:
        weight = None if self._weight is None else rest.pop()
        if self._target is None:
            return Block(X, None, weight, start, stop)
        y = rest[0] if isinstance(self._target, str) else np.column_stack(rest)
        return Block(X, y, weight, start, stop)

    def _batches(self) -> Iterator[Any]:
        from pyarrow import ArrowException, parquet

        block_rows = int(self.cuts[1])
        for path in self._files:
            self._refuse_another_file()
            # With a read buffer and nothing read ahead, column chunks are streamed instead of loaded whole. Pages that
            # carry a checksum are held against it.
            try:
                with parquet.ParquetFile(
                    path, buffer_size=READ_BUFFER, pre_buffer=False, page_checksum_verification=True
                ) as file:
                    yield from file.iter_batches(batch_size=block_rows, columns=self._wanted, use_threads=False)
            except (OSError, KeyError, ArrowException) as error:
                self._refuse_another_file()
                raise OSError(f"{path}: the Parquet file cannot be read: {error}") from error
            self._refuse_another_file()

    def _following(self, batches: Iterator[Any]) -> Any:
        """The next batch, None after the last of the files that were seen first."""
        batch = next(batches, None)
        if batch is None:
            self._refuse_another_file()
        return batch

    def _refuse_another_file(self) -> None:
        for path, seen in zip(self._files, self._seen):
            if (now := _looks(path)) != seen:
                raise ValueError(
                    f"{path}: the file was changed while it was read ({_told(seen)}; now {_told(now)}): rows would be "
                    "lost or mixed; make `ParquetRows` anew, and fit again"
                )


class _Looks(NamedTuple):
    """What tells that a file is another one than before."""

    size: int
    time: int
    node: int


def _looks(path: Path) -> _Looks | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return _Looks(found.st_size, found.st_mtime_ns, found.st_ino)


def _told(looks: _Looks | None) -> str:
    if looks is None:
        return "it is gone"
    return f"{looks.size} bytes, of {datetime.fromtimestamp(looks.time / 1e9).isoformat(' ', 'milliseconds')}"


def _parquet_files(path: Path) -> list[Path]:
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such Parquet file or folder")
    if not path.is_dir():
        return [path]
    files = sorted(path.glob("*.parquet"))
    if not files:
        raise FileNotFoundError(f"{path}: the folder holds no file named *.parquet")
    return files


def _described(file: Path, read: Callable[[Path], Any]) -> Any:
    """What the footer of a file says; OSError where it cannot be read."""
    from pyarrow import ArrowException

    try:
        return read(file)
    except (OSError, ValueError, ArrowException) as error:
        raise OSError(f"{file}: the Parquet file cannot be read: {error}") from error


def _n_rows(file: Path) -> int:
    from pyarrow import parquet

    said = _described(file, parquet.read_metadata)
    found = sum(said.row_group(group).num_rows for group in range(said.num_row_groups))
    if said.num_rows != found:
        raise OSError(f"{file}: the Parquet file is damaged: it promises {said.num_rows} rows, its row groups {found}")
    return found


def _check_names(wanted: list[str]) -> None:
    twice = sorted({name for name in wanted if wanted.count(name) > 1})
    if twice:
        raise ValueError(f"columns {twice} are asked for twice: a column is a feature, the target or the weight, once")


def _check_columns(file: Path, schema: Any, wanted: list[str]) -> None:
    from pyarrow import types

    for name in wanted:
        if schema.names.count(name) != 1:
            found = "no" if name not in schema.names else "more than one"
            raise ValueError(f"{file}: there is {found} column {name!r}; the file has {schema.names}")
        type = schema.field(name).type
        if not (types.is_integer(type) or types.is_floating(type) or types.is_boolean(type)):
            raise TypeError(
                f"{file}: column {name!r} has type {type}: numbers are needed; encode it, or choose `columns=`"
            )
