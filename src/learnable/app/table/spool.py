"""Coded rows on disk: written block by block, read block by block, never in memory together."""

from collections.abc import Generator, Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from learnable.rows import Block
from learnable.rows.partition import dense_cuts
from learnable.rows.streamed import StreamedRows


class CodedBlock(NamedTuple):
    """Consecutive coded rows, their target (numbers, or places among the classes) and their weights."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None = None


class SpooledRows(StreamedRows):
    """Coded rows in a file of plain float64.

    Parameters
    ----------
    path : of the file; y : the target of every row, numbers or places among `classes`; n_columns : of a row.
    weight : of every row, or None.
    """

    def __init__(
        self,
        path: Path,
        y: np.ndarray,
        n_columns: int,
        classes: np.ndarray | None = None,
        weight: np.ndarray | None = None,
    ):
        self.path, self.y, self.classes, self.weight = path, y, classes, weight
        self.n_rows, self.n_columns = len(y), n_columns
        self.dtype = np.dtype(np.float64)
        self.cuts = dense_cuts(self.n_rows, n_columns)

    def read(self) -> Generator[Block, None, None]:
        with self.path.open("rb") as file:
            for start, stop in zip(self.cuts[:-1].tolist(), self.cuts[1:].tolist()):
                X = np.fromfile(file, np.float64, (stop - start) * self.n_columns).reshape(-1, self.n_columns)
                weight = None if self.weight is None else self.weight[start:stop]
                yield Block(X, self.target(start, stop), weight, start, stop)

    def target(self, start: int, stop: int) -> np.ndarray:
        """The target of some rows: numbers, or the names of classes."""
        y = self.y[start:stop]
        return y if self.classes is None else self.classes[y]

    def unweighted(self) -> "SpooledRows":
        """The same rows without their weights, for a learner that knows none."""
        return SpooledRows(self.path, self.y, self.n_columns, self.classes)

    def in_memory(self) -> tuple[np.ndarray, np.ndarray]:
        """All rows and their target at once."""
        X = np.fromfile(self.path, np.float64).reshape(-1, self.n_columns)
        return X, self.target(0, self.n_rows)


def spool(blocks: Iterable[CodedBlock], path: Path, classes: np.ndarray | None = None) -> SpooledRows:
    """Write blocks of coded rows to a file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = spool([CodedBlock(np.eye(2), np.array([1.0, 2.0]))], Path(folder) / "rows")
    ...     rows.reduce(lambda block: block.X.T @ block.y)
    array([1., 2.])
    """
    targets, weights, width = [], [], 0
    with path.open("wb") as file:
        for block in blocks:
            width = block.X.shape[1]
            np.ascontiguousarray(block.X, dtype=np.float64).tofile(file)
            targets.append(block.y)
            weights += [] if block.weight is None else [block.weight]
    y = np.concatenate(targets) if targets else np.empty(0)
    return SpooledRows(path, y, width, classes, np.concatenate(weights) if weights else None)
