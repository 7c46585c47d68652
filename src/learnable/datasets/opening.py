"""Files as bytes, whatever they are wrapped in: compressed, in an archive, or coming through stdin."""

import bz2
import gzip
import io
import lzma
import sys
import zipfile
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

# Against archives that unpack without end; bytes unpacked at a time.
MOST_UNPACKED = 8 * 2**30
_BLOCK = 2**24
_MAGIC = (
    (b"\x1f\x8b", ".gz"),
    (b"\xfd7zXZ", ".xz"),
    (b"BZh", ".bz2"),
    (b"\x28\xb5\x2f\xfd", ".zst"),
    (b"PAR1", ".parquet"),
    (b"ARROW1", ".arrow"),
)
PACKED = (".gz", ".xz", ".bz2", ".zst", ".zip")


class Unpacked(NamedTuple):
    """A file in memory that can be opened and named like a path."""

    name: str
    data: bytes

    @property
    def suffix(self) -> str:
        return Path(self.name).suffix

    def open(self, mode: str = "rb") -> BinaryIO:
        return io.BytesIO(self.data)


def as_file(path: Any) -> Any:
    """A path, or a file in memory as it is."""
    return path if isinstance(path, Unpacked) else Path(path)


def opened(path: str | Path) -> Any:
    """What to read: stdin for "-", what is inside a compressed file or an archive of one file, else the path.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "plants.csv.gz"
    >>> _ = file.write_bytes(gzip.compress(b"height\\n1.5\\n"))
    >>> opened(file)
    Unpacked(name='plants.csv', data=b'height\\n1.5\\n')
    """
    if str(path) == "-":
        data = _bounded(sys.stdin.buffer, "stdin")
        suffix = next((kind for magic, kind in _MAGIC if data.startswith(magic)), None)
        if suffix is None and data.startswith(b"PK\x03\x04"):
            suffix = ".xlsx" if b"xl/" in data[:4096] or b"[Content_Types].xml" in data[:4096] else ".zip"
        if suffix is None:
            suffix = ".jsonl" if data.lstrip()[:1] == b"{" else ".csv"
        return _unpack(Unpacked(f"stdin{suffix}", data))
    path = Path(path)
    return _unpack(path) if path.suffix.lower() in PACKED and path.is_file() else path


def _unpack(file: Any) -> Any:
    suffix = file.suffix.lower()
    if suffix not in PACKED:
        return file
    inner = Path(file.name).stem
    try:
        with file.open("rb") as stream:
            if suffix == ".zip":
                return _from_zip(stream, file.name)
            data = _bounded(_decompressor(stream, suffix), file.name)
    except (OSError, EOFError, lzma.LZMAError, zipfile.BadZipFile) as fault:
        if isinstance(fault, FileNotFoundError | PermissionError):
            raise
        raise ValueError(f"{file.name} is damaged, or not what its suffix says: {fault}") from fault
    return Unpacked(inner if Path(inner).suffix else f"{inner}.csv", data)


def _decompressor(stream: BinaryIO, suffix: str) -> Any:
    if suffix == ".zst":
        import pyarrow as pa

        return pa.CompressedInputStream(pa.PythonFile(stream, mode="r"), "zstd")
    return {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}[suffix](stream)  # type: ignore[operator]


def _from_zip(stream: BinaryIO, name: str) -> Unpacked:
    with zipfile.ZipFile(stream) as archive:
        files = [
            entry for entry in archive.infolist() if not entry.is_dir() and not entry.filename.startswith("__MACOSX")
        ]
        if len(files) != 1:
            raise ValueError(f"{name} holds {len(files)} files; give an archive of one table, or unpack it first")
        with archive.open(files[0]) as inner:
            return Unpacked(Path(files[0].filename).name, _bounded(inner, name))


def _bounded(stream: Any, name: str) -> bytes:
    """All bytes, refusing more than memory should hold."""
    blocks, size = [], 0
    while block := stream.read(_BLOCK):
        size += len(block)
        if size > MOST_UNPACKED:
            raise ValueError(f"{name} unpacks to more than {MOST_UNPACKED // 2**30} GiB: refused")
        blocks.append(bytes(block))
    return b"".join(blocks)
