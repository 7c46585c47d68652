"""Files read in blocks of rows: a random sample of them, or every block as a table, without holding the whole."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from learnable.datasets.column import Column, Kind
from learnable.datasets.csv import _column, _present, decimals
from learnable.datasets.csv_records import header, sniff
from learnable.datasets.csv_text import Text, _to_utf8
from learnable.datasets.frame import read_frame
from learnable.datasets.infer import Cells
from learnable.datasets.opening import _decompressor
from learnable.datasets.table import Table, refuse_duplicates

_TEXT = (".csv", ".tsv", ".txt", ".data")
_COMPRESSED = (".gz", ".xz", ".bz2", ".zst")
# Bytes from which kinds of columns are guessed; bytes and rows of a block, and how small a cell may be in memory.
_HEAD = 2**20
BLOCK_BYTES = 2**23
BLOCK_ROWS = 2**16
FEWEST_BYTES_OF_A_CELL = 8
COPIES = 12
"""A table is in memory about so many times at the peak of a run: text, cells, values, coded rows, the learners' own."""
PACKED = 5
"""A compressed text unpacks to about so many times its bytes."""


class Sample(NamedTuple):
    """Random rows of a file as a table.

    Attributes
    ----------
    table : the rows, in the order of the file.
    rows : where they stand in the file, from 0.
    n_rows : rows of the whole file.
    """

    table: Table
    rows: np.ndarray
    n_rows: int


class FileBlocks(ABC):
    """A file whose rows are read block by block.

    Attributes
    ----------
    source : its name in messages; names : of its columns; notes : what was decided about it.
    """

    source: str
    names: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @abstractmethod
    def blocks(self, names: Sequence[str] | None = None) -> Iterator[Any]:
        """Arrow tables of consecutive rows, with the cells as the file has them; of these columns only, if named."""

    @abstractmethod
    def table(
        self, cells: Any, rows: np.ndarray, kinds: Mapping[str, str], ordered: Mapping[str, Sequence[Any]]
    ) -> Table:
        """Cells as a table; `rows` says where they stand in the file, and columns in `kinds` are read as such."""

    def sample(
        self,
        most: int,
        rng: np.random.Generator,
        kinds: Mapping[str, str] | None = None,
        ordered: Mapping[str, Sequence[Any]] | None = None,
    ) -> Sample:
        """At most `most` rows, each set of that size as likely as any other, in one pass.

        Every row draws a random number, and the rows with the smallest ones stay.
        """
        import pyarrow as pa

        kept: list[Any] = []
        keys, rows = np.empty(0), np.empty(0, dtype=np.int64)
        bar, n_rows = 1.0, 0
        for block in self.blocks():
            drawn = rng.random(block.num_rows)
            below = np.flatnonzero(drawn < bar)
            kept.append(block.take(pa.array(below)))
            keys, rows = np.concatenate([keys, drawn[below]]), np.concatenate([rows, n_rows + below])
            n_rows += block.num_rows
            if len(keys) > 2 * most:
                stay = np.sort(np.argpartition(keys, most)[:most])
                kept = [pa.concat_tables(kept).take(pa.array(stay))]
                keys, rows = keys[stay], rows[stay]
                bar = float(keys.max())
        if not n_rows:
            raise ValueError(f"{self.source} has a header but no rows")
        stay = np.sort(np.argsort(keys)[:most])
        rows = rows[stay]
        cells = pa.concat_tables(kept).take(pa.array(stay))
        table = self.table(cells, rows, kinds or {}, ordered or {})
        columns = tuple(_counting(column, rows) for column in table.columns)
        return Sample(Table(columns, table.n_rows, table.source, (*self.notes, *table.notes)), rows, n_rows)

    def tables(
        self, kinds: Mapping[str, str], ordered: Mapping[str, Sequence[Any]] | None = None
    ) -> Iterator[tuple[int, Table]]:
        """(place of its first row, table) of every block: the columns of `kinds`, read as it says."""
        first = 0
        for block in self.blocks([name for name in self.names if name in kinds]):
            yield first, self.table(block, np.arange(first, first + block.num_rows), kinds, ordered or {})
            first += block.num_rows


class CsvBlocks(FileBlocks):
    """A text file of cells, plain or compressed. It must be UTF-8."""

    def __init__(self, path: Path, delimiter: str | None = None, decimal: str | None = None):
        self.path, self.source = path, path.name
        with self._opened() as stream:
            head = stream.read(_HEAD)
        data = _to_utf8(head if len(head) < _HEAD else head[: head.rfind(b"\n") + 1], self.source)[0].lstrip(b"\r\n")
        if not data.strip():
            raise ValueError(f"{self.source} is empty; a table needs a header line and at least one row")
        text = Text(data, 1, ())
        delimiter = {"tab": "\t", "\\t": "\t"}.get(delimiter or "", delimiter)
        self.delimiter = sniff(text) if delimiter is None else delimiter
        self.commas = decimals(decimal, self.delimiter)
        names = header(text, self.delimiter, self.source)
        self.names = tuple(name or "Unnamed: 0" for name in names)
        refuse_duplicates(self.names, self.source)

    def blocks(self, names: Sequence[str] | None = None) -> Iterator[Any]:
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        reading = arrow_csv.ReadOptions(
            column_names=self.names, skip_rows_after_names=1, block_size=BLOCK_BYTES, use_threads=False
        )
        converting = arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(self.names, pa.string()), strings_can_be_null=False, include_columns=names or ()
        )
        parsing = arrow_csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True)
        try:
            with self._opened() as stream:
                for batch in arrow_csv.open_csv(stream, reading, parsing, converting):
                    yield pa.Table.from_batches([batch])
        except pa.ArrowInvalid as fault:
            raise ValueError(f"{self.source} cannot be read in blocks: {fault}; correct the line") from fault

    def table(
        self, cells: Any, rows: np.ndarray, kinds: Mapping[str, str], ordered: Mapping[str, Sequence[Any]]
    ) -> Table:
        columns = []
        for name, array in zip(cells.column_names, cells.columns):
            found = Cells(name, _present(array), lambda row: f"{self.source}, row {rows[row] + 1}", False, *self.commas)
            columns.append(_column(found, ordered, kinds))
        return Table(tuple(columns), cells.num_rows, self.source)

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        suffix = self.path.suffix.lower()
        with self.path.open("rb") as file:
            if suffix not in _COMPRESSED:
                yield file
                return
            with _decompressor(file, suffix) as unpacked:
                yield unpacked


class ParquetBlocks(FileBlocks):
    """A Parquet file."""

    def __init__(self, path: Path):
        from pyarrow import parquet

        self.path, self.source = path, path.name
        self.names = tuple(parquet.read_schema(path).names)
        refuse_duplicates(self.names, self.source)

    def blocks(self, names: Sequence[str] | None = None) -> Iterator[Any]:
        import pyarrow as pa
        from pyarrow import parquet

        # With a read buffer and nothing read ahead, column chunks are streamed instead of loaded whole.
        with parquet.ParquetFile(self.path, buffer_size=_HEAD, pre_buffer=False) as file:
            for batch in file.iter_batches(batch_size=BLOCK_ROWS, columns=names, use_threads=False):
                yield pa.Table.from_batches([batch])

    def table(
        self, cells: Any, rows: np.ndarray, kinds: Mapping[str, str], ordered: Mapping[str, Sequence[Any]]
    ) -> Table:
        numbers = {name for name in cells.column_names if kinds.get(name) == Kind.NUMBER and _is_number(cells, name)}
        # What the types of the file call numbers need not be spelled out and read again.
        found = read_frame(
            cells, self.source, ordered=ordered, kinds={k: v for k, v in kinds.items() if k not in numbers}
        )
        columns = tuple(
            Column(column.name, Kind.NUMBER, column.values) if column.name in numbers else column
            for column in found.columns
        )
        return Table(columns, found.n_rows, found.source, found.notes)


def blocks_of(path: Path, delimiter: str | None = None, decimal: str | None = None) -> FileBlocks | None:
    """The file as blocks; None for a format that is only read whole."""
    if not path.is_file():
        return None
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes[-1:] in ([".parquet"], [".pq"]):
        return ParquetBlocks(path)
    plain = suffixes[:-1] if suffixes and suffixes[-1] in _COMPRESSED else suffixes
    return CsvBlocks(path, delimiter, decimal) if plain[-1:] and plain[-1] in _TEXT else None


def bytes_to_read(path: Path) -> int:
    """About how much memory learning from a file takes when it is read whole."""
    if path.suffix.lower() in (".parquet", ".pq"):
        from pyarrow import parquet

        found = parquet.read_metadata(path)
        return COPIES * FEWEST_BYTES_OF_A_CELL * found.num_rows * found.num_columns
    packed = PACKED if path.suffix.lower() in _COMPRESSED else 1
    return COPIES * packed * path.stat().st_size


def _is_number(cells: Any, name: str) -> bool:
    import pyarrow as pa

    kind = cells.schema.field(name).type
    return pa.types.is_integer(kind) or pa.types.is_floating(kind)


def _counting(column: Column, rows: np.ndarray) -> Column:
    """A number that counts the rows of the file is an identifier; among sampled rows it rises by leaps."""
    if column.kind is not Kind.NUMBER or len(rows) < 2 or column.n_missing:
        return column
    counts = np.array_equal(column.values - column.values[0], (rows - rows[0]).astype(float))
    return Column(column.name, Kind.IDENTIFIER, column.values) if counts else column
