"""Rows seen through a function of their blocks: labels as class numbers, or as indicator columns."""

from collections.abc import Callable, Generator
from functools import partial
from typing import Any

import numpy as np

from learnable.plain import plain

from .source import Block, Rows, add


class MappedRows(Rows):
    """The rows of `rows`, each block passed through `change` when it is loaded; nothing is copied beforehand.

    Parameters
    ----------
    rows : Rows
    change : callable
        Takes a `Block` and returns one with the same rows and columns; targets and weights may differ.

    Examples
    --------
    >>> from learnable.rows import as_rows
    >>> rows = MappedRows(as_rows([[1.0], [2.0]], y=["no", "yes"]), lambda block: block._replace(y=block.y == "yes"))
    >>> rows.reduce(lambda block: block.y.sum())
    np.int64(1)
    """

    def __init__(self, rows: Rows, change: Callable[[Block], Block]) -> None:
        self._rows, self._change = rows, change
        self.n_rows, self.n_columns, self.dtype = rows.n_rows, rows.n_columns, rows.dtype

    def blocks(self) -> Generator[Callable[[], Block], None, None]:
        for load in self._rows.blocks():
            yield partial(_loaded, load, self._change)

    def coarser(self, fewest: int = 32, few_at_once: bool = True) -> "MappedRows":
        return MappedRows(self._rows.coarser(fewest, few_at_once), self._change)

    def of_first(self, function: Callable[[Block], Any]) -> Any:
        return self._rows.of_first(self._of_changed(function))

    def reduce(
        self, function: Callable[[Block], Any], merge: Callable[[Any, Any], Any] = add, *, n_jobs: int | None = None
    ) -> Any:
        return self._rows.reduce(self._of_changed(function), merge, n_jobs=n_jobs)

    def briefly(self, function: Callable[[Block], Any]) -> Any:
        return self._rows.briefly(self._of_changed(function))

    def concatenate(
        self, function: Callable[[Block], np.ndarray], *, n_jobs: int | None = None, missing: bool = False
    ) -> np.ndarray:
        return self._rows.concatenate(self._of_changed(function), n_jobs=n_jobs, missing=missing)

    def _of_changed(self, function: Callable[[Block], Any]) -> Callable[[Block], Any]:
        """The function of a block after the change; found by its name where it travels, which is quick."""
        return partial(_changed, function=function, change=self._change)

    def place(self, row: int) -> str:
        return self._rows.place(row)

    def column_name(self, column: int) -> str:
        return self._rows.column_name(column)


def _changed(block: Block, function: Callable[[Block], Any], change: Callable[[Block], Block]) -> Any:
    return function(change(block))


def _loaded(load: Callable[[], Block], change: Callable[[Block], Block]) -> Block:
    return change(load())


def with_class_numbers(rows: Rows, classes: np.ndarray) -> Rows:
    """The same rows, with labels replaced by their places in `classes`, which is sorted.

    Examples
    --------
    >>> from learnable.rows import as_rows
    >>> rows = with_class_numbers(as_rows([[1.0], [2.0]], y=["yes", "no"]), np.array(["no", "yes"]))
    >>> rows.reduce(lambda block: block.y)
    array([1, 0])
    """
    return MappedRows(rows, partial(_numbered, classes=classes))


def _numbered(block: Block, classes: np.ndarray) -> Block:
    labels = np.asarray(block.y)
    index, unknown = places_among(classes, labels)
    if unknown.any():
        raise ValueError(f"label {plain(labels[unknown][0])!r} is not one of the classes {classes.tolist()}")
    return block._replace(y=index)


def places_among(classes: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(place of each label in `classes`, which is sorted; which labels are none of them, their places mean nothing).

    Examples
    --------
    >>> places_among(np.array([5, 7, 8]), np.array([8, 5, 6]))
    (array([2, 0, 1]), array([False, False,  True]))
    """
    whole = labels.dtype == classes.dtype and labels.dtype.kind in "iu" and len(labels) > 0
    reach = int(classes[-1]) - int(classes[0]) if whole else np.inf
    if reach == len(classes) - 1 and labels.min() >= classes[0] and labels.max() <= classes[-1]:
        # One after the other, all known: nothing to look up.
        places = labels.astype(np.intp, copy=False)
        return places if classes[0] == 0 else places - int(classes[0]), np.zeros(len(labels), dtype=bool)
    if len(classes) == 2:
        second = labels == classes[1]
        return second.astype(np.intp), ~second & (labels != classes[0])
    if reach < len(labels):
        # Close together, they are looked up rather than searched for. A label below the lowest, seen without its
        # sign, lies far above the highest.
        away = np.subtract(labels, classes[0], dtype=np.intp, casting="unsafe").view(np.uintp)
        places = np.full(int(reach) + 2, -1)
        places[classes.astype(np.intp) - int(classes[0])] = np.arange(len(classes))
        index = places[np.minimum(away, int(reach) + 1)]
        return index, index < 0
    index = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    return index, classes[index] != labels


def with_indicators(rows: Rows, n_classes: int) -> Rows:
    """The same rows, with class numbers replaced by rows of the identity matrix.

    Examples
    --------
    >>> from learnable.rows import as_rows
    >>> with_indicators(as_rows([[1.0], [2.0]], y=[1, 0]), 2).reduce(lambda block: block.y)
    array([[0., 1.],
           [1., 0.]])
    """
    return MappedRows(rows, partial(_indicated, classes=np.arange(n_classes)))


def _indicated(block: Block, classes: np.ndarray) -> Block:
    return block._replace(y=np.equal.outer(np.asarray(block.y), classes).astype(float))
