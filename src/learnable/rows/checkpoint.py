"""Results of passes kept on disk: a fit that was cut short goes on where it was."""

import hashlib
import os
import pickle
import tempfile
import warnings
from collections.abc import Callable, Generator
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from .coerce import as_rows
from .fingerprint import Unknown, fingerprint
from .source import Block, Rows, add

DIGEST_BYTES = 24


def checkpointed(X: Any, y: Any = None, sample_weight: Any = None, *, path: str | PathLike[str]) -> Rows:
    """The same rows, each of whose sums is written to a folder and found there when it is asked for again.

    A fit by sums over rows is a chain: the state it has reached decides which sum it asks for next. Fitted again on the
    same rows, after Ctrl-C, a lost cluster or a dead machine, it finds every sum it had finished, in no time and with
    the same bits, and goes on from there. A sum is known by its function with the state it carries, and the folder by a
    digest of every row, for which the rows are read once more: another table is refused, another model or another
    setting has sums of its own.

    Parameters
    ----------
    X, y, sample_weight : any
        As for `as_rows`: arrays, dask arrays, `ParquetRows`, and so on.
    path : str or path
        The folder; made if there is none. Nothing in it is deleted. It is read with `pickle`: open none that others
        have written to.

    Returns
    -------
    Rows

    Notes
    -----
    Where the disk is full, there is a warning, and the fit goes on without.

    Examples
    --------
    >>> import tempfile
    >>> X = np.arange(6.0).reshape(3, 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first = checkpointed(X, path=folder)
    ...     total = first.reduce(lambda block: block.X.sum(axis=0))
    ...     again = checkpointed(X, path=folder)
    ...     total, again.reduce(lambda block: block.X.sum(axis=0)), again.found
    (array([6., 9.]), array([6., 9.]), 1)
    """
    return CheckpointedRows(as_rows(X, y, sample_weight), Path(path))


class CheckpointedRows(Rows):
    """Rows whose sums are kept in a folder; see `checkpointed`.

    Attributes
    ----------
    found : int
        How many sums were found in the folder so far.
    """

    def __init__(self, rows: Rows, path: Path) -> None:
        self._rows, self._path = rows, path
        self.n_rows, self.n_columns, self.dtype = rows.n_rows, rows.n_columns, rows.dtype
        self.found = 0
        here, known = digest_of(rows), path / "rows"
        if not known.exists():
            write_whole(known, here.encode())
        elif known.read_text() != here:
            raise ValueError(
                f"{path}: the checkpoint was begun with other rows than these ({rows.n_rows} × {rows.n_columns}): give "
                "the rows it was begun with, or another folder"
            )

    def reduce(
        self, function: Callable[[Block], Any], merge: Callable[[Any, Any], Any] = add, *, n_jobs: int | None = None
    ) -> Any:
        return self._kept((function, merge), lambda: self._rows.reduce(function, merge, n_jobs=n_jobs))

    def fold(self, function: Callable[[Any, Block], Any], state: Any) -> Any:
        return self._kept((function, "fold", state), lambda: self._rows.fold(function, state))

    def _kept(self, asked: tuple, compute: Callable[[], Any]) -> Any:
        """What was kept of this, which is known by its function with all that it carries; computed where there is
        nothing."""
        name = _name_of(asked)
        kept = None if name is None else self._path / f"{name}.sum"
        written = None if kept is None else _read_whole(kept)
        if written is not None:
            self.found += 1
            return pickle.loads(written)
        result = compute()
        if kept is not None:
            written = pickle.dumps(result)
            write_whole(kept, digest(written) + written)
        return result

    def blocks(self) -> Generator[Callable[[], Block], None, None]:
        return self._rows.blocks()

    def of_first(self, function: Callable[[Block], Any]) -> Any:
        return self._rows.of_first(function)

    def concatenate(
        self, function: Callable[[Block], np.ndarray], *, n_jobs: int | None = None, missing: bool = False
    ) -> np.ndarray:
        return self._rows.concatenate(function, n_jobs=n_jobs, missing=missing)

    def reading(self) -> str:
        return f"{self._rows.reading()}; sums kept in {self._path}"

    def place(self, row: int) -> str:
        return self._rows.place(row)

    def column_name(self, column: int) -> str:
        return self._rows.column_name(column)

    def __getstate__(self) -> dict:
        """Within a function that works on its blocks it is a shape without rows: its folder knows which rows."""
        return {"n_rows": self.n_rows, "n_columns": self.n_columns, "dtype": self.dtype}


def write_whole(target: Path, content: bytes) -> None:
    """All of it or nothing: a process that dies halfway leaves no half under this name. A full disk is a warning."""
    beside = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=target.parent, suffix=".part", delete=False) as file:
            beside = file.name
            file.write(content)
        os.replace(beside, target)
    except OSError as error:
        if beside is not None:
            Path(beside).unlink(missing_ok=True)
        warnings.warn(
            f"{target.parent}: the checkpoint could not be written ({error.strerror}); the fit goes on without it",
            RuntimeWarning,
            stacklevel=2,
        )


def _read_whole(kept: Path) -> bytes | None:
    """What was written after its digest; None where it was written in part, has changed or cannot be read."""
    try:
        content = kept.read_bytes()
    except OSError:
        return None
    written = content[DIGEST_BYTES:]
    return written if content[:DIGEST_BYTES] == digest(written) else None


def digest(written: bytes) -> bytes:
    """By which a file is known to be whole."""
    return hashlib.blake2b(written, digest_size=DIGEST_BYTES).digest()


def _name_of(asked: tuple) -> str | None:
    """A digest of a sum, its function with all that it carries, or of a fold. None for what cannot be told."""
    from learnable import __version__

    try:
        return fingerprint(__version__, *asked)
    except Unknown:
        return None


def digest_of(rows: Rows) -> str:
    """A digest of every row; one pass."""
    shape = f"{rows.n_rows} {rows.n_columns} {rows.dtype}".encode()
    return hashlib.blake2b(shape + rows.reduce(_block_digest, _joined), digest_size=DIGEST_BYTES).hexdigest()


def _joined(one: bytes, two: bytes) -> bytes:
    return one + two


def _block_digest(block: Block) -> bytes:
    found = hashlib.blake2b(f"{block.start} {block.stop}".encode(), digest_size=DIGEST_BYTES)
    X = block.X
    parts = (X.data, X.indices, X.indptr) if scipy.sparse.issparse(X) else (X,)
    for part in (*parts, block.y, block.weight):
        if part is None:
            found.update(b"none")
        else:
            values = np.ascontiguousarray(part)
            found.update(f"{values.dtype}{values.shape}".encode())
            found.update(pickle.dumps(values.tolist()) if values.dtype.hasobject else values.tobytes())
    return found.digest()
