"""The rows behind a certificate: the training rows of a model found again in a table, and those that are new to it."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from learnable.app.commands.predict import code, kinds_for, read_for, target_of
from learnable.app.errors import UserError
from learnable.app.judging.traits import parts_of
from learnable.app.model_files.card import digest, digest_of_rows, places_of, unpack
from learnable.app.model_files.model_file import Model
from learnable.app.table.file_rows import Reading, rows_of_file
from learnable.app.table.posing import Weighting
from learnable.app.table.reading import HowToRead, is_embedded, one_line
from learnable.app.trials.large import streams, too_large
from learnable.datasets import Kind, Table
from learnable.datasets.blocks import FileBlocks


@dataclass(frozen=True)
class Evidence:
    """Coded rows.

    Attributes
    ----------
    training : (X, y, weights) of the rows to certify on, or (rows on disk,); n_rows : how many they are.
    same : whether their digest is that of the rows trained on.
    held : (X, y, weights) of the rows held out from training.
    whole : whether the table has as many rows as the one learned from.
    new : (X, y) of the rows that claims about new rows are made from.
    """

    training: tuple[Any, ...]
    n_rows: int
    same: bool
    held: tuple[np.ndarray, np.ndarray, np.ndarray | None]
    whole: bool
    new: tuple[np.ndarray, np.ndarray]

    def in_memory(self) -> tuple[np.ndarray, np.ndarray]:
        """The training rows and their target."""
        return self.training[0].in_memory() if len(self.training) == 1 else self.training[:2]


@contextmanager
def evidence_in(saved: Model, data: Any, how: HowToRead) -> Iterator[Evidence]:
    """The evidence that a table holds; a file larger than memory is read in blocks, its coded rows lie on disk."""
    with one_line(data, ""):
        blocks = None if is_embedded(data) else too_large(data, how)
    if blocks is None:
        yield _in_memory(saved, read_for(saved, data, with_target=True, how=how))
        return
    with tempfile.TemporaryDirectory(prefix="learnable-") as folder:
        yield _in_blocks(saved, blocks, Path(folder))


def _in_memory(saved: Model, table: Table) -> Evidence:
    known, y = target_of(saved, table)
    X = code(saved, table.take(known))
    rows, same = training_rows(saved, X, y, known)
    weighting = _weighting(saved)
    weights = None if weighting is None else weighting.of(table, known, y)[known]
    training = saved.card["training"]
    whole = len(known) == training["table_rows"]
    held = np.full(len(y), same)
    held[rows] = False
    if same and whole and training.get("held_out") is not None:
        held &= unpack(training["held_out"], len(known))[known]
    return Evidence(
        (X[rows], y[rows], None if weights is None else weights[rows]),
        len(rows),
        same,
        (X[held], y[held], None if weights is None else weights[held]),
        whole,
        (X[held], y[held]) if same else (X, y),
    )


def _in_blocks(saved: Model, blocks: FileBlocks, folder: Path) -> Evidence:
    """The same from a file; rows in another order than in training are not sought, and only rows held out are new."""
    card = saved.card
    training, target, weight = card["training"], card["target"], card["weight"]
    kinds = {**kinds_for(saved, blocks.names, blocks.source, every=True)}
    for name in (target, *([weight] if weight else [])):
        if name not in blocks.names:
            raise UserError(f"certifying needs the column {name!r}, which {blocks.source} does not have")
    number = card["target_kind"] == Kind.NUMBER
    kinds |= {target: str(Kind.NUMBER if number else Kind.CATEGORY), **({weight: str(Kind.NUMBER)} if weight else {})}
    classes = np.array(sorted(card["levels"])) if card["levels"] else None
    reading = Reading(blocks, saved.pipeline["code"], kinds, target, classes, _weighting(saved))
    with one_line(blocks.source, ""):
        n_rows = sum(block.num_rows for block in blocks.blocks([target]))
        whole = n_rows == training["table_rows"]
        mine = unpack(training["mask"], n_rows) if whole else np.ones(n_rows, dtype=bool)
        aside = unpack(training["held_out"], n_rows) if whole and training.get("held_out") is not None else ~mine
        found = rows_of_file(
            reading,
            lambda first, table: mine[first : first + table.n_rows],
            lambda first, table: aside[first : first + table.n_rows],
            folder / "rows",
        )
    same = digest_of_rows(found.rows) == training["digest"]
    held = (found.X, found.y, found.weight)
    in_blocks = all(streams(part) for part in parts_of(saved.pipeline["learn"]))
    rows = (found.rows,) if in_blocks else (*found.rows.in_memory(), found.rows.weight)
    return Evidence(rows, found.rows.n_rows, same, held, whole, held[:2] if same else (found.X[:0], found.y[:0]))


def _weighting(saved: Model) -> Weighting | None:
    """How the rows were weighted in training."""
    found = saved.card["weighting"]
    if found is None:
        if saved.card["weight"] or saved.card["class_weight"]:
            raise UserError("the model file says that rows were weighted but not how much; learn it again")
        return None
    if not found["scale"] > 0:
        raise UserError("the model file is damaged: the scale of its weights is not above zero")
    return Weighting(**found)


def training_rows(saved: Model, X: np.ndarray, y: np.ndarray, known: np.ndarray) -> tuple[np.ndarray, bool]:
    """Numbers, among the rows with a target, of the training rows; True when the digest proves that they are these.

    Rows in another order are put into that of training: a fit may have met them one by one.
    """
    training = saved.card["training"]
    everything = np.arange(len(X))
    if len(known) == training["table_rows"]:
        rows = np.flatnonzero(unpack(training["mask"], len(known))[known])
        if digest(X[rows], y[rows]) == training["digest"]:
            return rows, True
    if digest(X, y) == training["digest"]:
        return everything, True
    places = places_of(training.get("row_digests"), X, y)
    if places is not None and digest(X[places], y[places]) == training["digest"]:
        return places, True
    return everything, False
