"""The rows of a file larger than memory, coded block by block: those learned from go to disk, those held out stay."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from learnable.app.errors import UserError
from learnable.app.table.posing import Weighting
from learnable.app.table.spool import CodedBlock, SpooledRows, spool
from learnable.app.table.tasks import label
from learnable.datasets import Column, Kind, Table
from learnable.datasets.blocks import FileBlocks

Chosen = Callable[[int, Table], np.ndarray]
"""(place of the first row, block) -> mask of the rows of the block."""


class Reading(NamedTuple):
    """How the rows of a file become coded rows.

    Attributes
    ----------
    blocks : of the file; coder : fitted; kinds : column -> kind to read it as, for every column that is needed.
    target : its name; classes : in order, or None for a number.
    weighting : of the rows, or None.
    """

    blocks: FileBlocks
    coder: Any
    kinds: dict[str, str]
    target: str
    classes: np.ndarray | None
    weighting: Weighting | None = None


class FileRows(NamedTuple):
    """The rows of a file, divided.

    Attributes
    ----------
    rows : those to learn from, on disk, with their weights.
    trained : where in the file they stand, as a mask of all of its rows.
    X, y, weight : coded rows held out, their target and their weights.
    """

    rows: SpooledRows
    trained: np.ndarray
    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None


class _Notes:
    """What is kept of every block while the coded rows to learn from go to disk."""

    def __init__(self) -> None:
        self.trained: list[np.ndarray] = []
        self.X: list[np.ndarray] = []
        self.y: list[np.ndarray] = []
        self.weight: list[np.ndarray] = []


def rows_of_file(reading: Reading, learned: Chosen, held: Chosen, path: Path) -> FileRows:
    """One pass over the file. `path` is where the coded rows to learn from are written.

    Rows whose target is unknown are in no part.
    """
    aside = _Notes()
    rows = spool(_coded(reading, learned, held, aside), path, reading.classes)
    X = np.vstack(aside.X) if aside.X else np.empty((0, rows.n_columns))
    y = np.concatenate(aside.y) if aside.y else np.empty(0, dtype=int)
    weight = np.concatenate(aside.weight) if aside.weight else None
    return FileRows(
        rows, np.concatenate(aside.trained), X, y if reading.classes is None else reading.classes[y], weight
    )


def _coded(reading: Reading, learned: Chosen, held: Chosen, aside: _Notes) -> Iterator[CodedBlock]:
    others = [name for name in reading.kinds if name not in reading.coder.kinds_]
    for first, table in reading.blocks.tables(reading.kinds):
        known, y = targets(table, reading.target, reading.classes)
        mine, kept = learned(first, table) & known, held(first, table) & known
        aside.trained.append(mine)
        weight = None
        if reading.weighting is not None:
            named = y[known] if reading.classes is None else reading.classes[y[known]]
            weight = reading.weighting.of(table, known, named)
        features = table.drop(others)
        if kept.any():
            aside.X.append(reading.coder.transform(features.take(kept)))
            aside.y.append(y[kept])
            aside.weight += [] if weight is None else [weight[kept]]
        if mine.any():
            own = None if weight is None else weight[mine]
            yield CodedBlock(reading.coder.transform(features.take(mine)), y[mine], own)


def targets(table: Table, name: str, classes: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Mask of the rows whose target is known, and the target: numbers, or places among the classes (−1: unknown)."""
    column = table.column(name)
    known = ~column.missing
    if classes is None:
        return known, column.values.astype(float)
    place = {level: number for number, level in enumerate(classes.tolist())}
    cells = column.values.tolist()
    words = [
        None if gone else label(cell) if isinstance(cell, float) else str(cell) for cell, gone in zip(cells, ~known)
    ]
    y = np.array([place.get(word, -1) for word in words], dtype=np.int32)
    strange = np.flatnonzero(known & (y < 0))
    if len(strange):
        raise UserError(f"the target {name!r} has the class {words[strange[0]]!r}, which is not one to learn")
    return known, y


def read_as(column: Column) -> str:
    """The kind that a column of a file is read as in blocks, so that its cells are those of a sample of it."""
    if column.values.dtype.kind == "f":
        return str(Kind.NUMBER)
    if column.kind is Kind.DATE:
        return f"{column.kind} {column.written}".strip()
    return str(Kind.TEXT if column.kind is Kind.TEXT else Kind.CATEGORY)
