"""From the bytes of a file to clean UTF-8: encodings, NUL bytes, endless lines, files that are not text at all."""

import codecs
from pathlib import Path
from typing import NamedTuple

from learnable.datasets.opening import Unpacked

# A file without line ends is no table; bytes read at a time.
LONGEST_LINE = 64 * 2**20
_BLOCK = 8 * 2**20

_BINARY = (
    (b"PK\x03\x04", "a zip archive or an Excel workbook; name it .zip or .xlsx"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook; save the sheet as CSV"),
    (b"PAR1", "a Parquet file; name it .parquet"),
    (b"ARROW1", "an Arrow/Feather file; name it .feather"),
    (b"\x1f\x8b", "a gzip archive; name it .csv.gz"),
    (b"BZh", "a bzip2 archive; name it .csv.bz2"),
    (b"\xfd7zXZ", "an xz archive; name it .csv.xz"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a PNG picture"),
    (b"\x89HDF", "an HDF5 file"),
    (b"SQLite format 3", "an SQLite database"),
)
_MARKS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class Text(NamedTuple):
    """UTF-8 bytes without a mark, without blank lines at the top, and with an end to the last line.

    Attributes
    ----------
    data : bytes
    first_line : line number in the file of the first line of `data`.
    notes : what was decided about the encoding.
    """

    data: bytes
    first_line: int
    notes: tuple[str, ...]


def read_text(path: Path | Unpacked) -> Text:
    """Read a file as text, or say where and why it is not."""
    data = _read_bounded(path)
    for magic, what in _BINARY:
        if data.startswith(magic):
            raise ValueError(f"{path.name} is not a CSV file but {what}")
    data, notes = _to_utf8(data, path.name)
    nul = data.find(b"\0")
    if nul >= 0:
        raise ValueError(
            f"{path.name}, line {_line_of(data, nul)}: NUL byte; the file is binary, damaged, or UTF-16 without its "
            "byte order mark: save it as UTF-8"
        )
    body = data.lstrip(b"\r\n")
    if not body.strip():
        raise ValueError(f"{path.name} is empty; a table needs a header line and at least one row")
    first_line = _line_of(data, len(data) - len(body))
    return Text(body if body.endswith((b"\n", b"\r")) else body + b"\n", first_line, notes)


def _read_bounded(path: Path | Unpacked) -> bytes:
    """All bytes, refusing a line over `LONGEST_LINE` before the whole of it is in memory."""
    blocks, open_line, line = [], 0, 1
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            first = block.find(b"\n")
            open_line += len(block) if first < 0 else first
            if open_line > LONGEST_LINE:
                raise ValueError(
                    f"{path.name}, line {line}: longer than {LONGEST_LINE // 2**20} MB; this is not a table, or its "
                    "line ends are missing"
                )
            if first >= 0:
                open_line = len(block) - block.rfind(b"\n") - 1
                line += block.count(b"\n")
            blocks.append(block)
    return b"".join(blocks)


def _to_utf8(data: bytes, name: str) -> tuple[bytes, tuple[str, ...]]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            if encoding == "utf-8-sig":
                data = data[len(mark) :]
                break
            try:
                return data.decode(encoding).encode(), (f"read as {encoding.upper()}",)
            except UnicodeDecodeError as fault:
                raise ValueError(
                    f"{name} begins with a {encoding.upper()} mark but is not {encoding.upper()}"
                ) from fault
    try:
        data.decode()
    except UnicodeDecodeError as fault:
        line = _line_of(data, fault.start)
        note = f"not UTF-8 (byte 0x{data[fault.start]:02x} in line {line}): read as Latin-1; check accented letters"
        return data.decode("latin-1").encode(), (note,)
    return data, ()


def _line_of(data: bytes, position: int) -> int:
    head = data[:position].replace(b"\r\n", b"\n")
    return 1 + head.count(b"\n") + head.count(b"\r")
