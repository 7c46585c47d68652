"""A finite class given as a table: one row a hypothesis, one column a point."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnable.theory.classes.concept_class import ConceptClass, Hypothesis, Labels, Points, Refutation


@dataclass(frozen=True)
class Row(Hypothesis):
    """Row `index` of the table; `values` are its labels on all points."""

    index: int
    values: tuple[bool, ...]

    def predict(self, points: ArrayLike) -> Labels:
        return np.array(self.values, dtype=bool)[np.asarray(points, dtype=int)]


@dataclass(frozen=True)
class NoRow(Refutation):
    """Every row differs from the labelling: `differs[i]` is the position at which row i does."""

    differs: tuple[int, ...]

    @property
    def support(self) -> frozenset[int]:
        return frozenset(self.differs)


class FiniteTable(ConceptClass):
    """Hypotheses listed one by one on a finite domain; points are column numbers.

    Parameters
    ----------
    table : array-like of bool, shape (hypotheses, points)
        The labels.

    Syllabus: T15.

    Examples
    --------
    >>> thresholds = FiniteTable([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]])
    >>> thresholds.realise([0, 2], [0, 1]).index
    1
    >>> thresholds.realise([0, 2], [1, 0])
    NoRow(differs=(0, 0, 0, 1))
    """

    def __init__(self, table: ArrayLike):
        array = np.asarray(table)
        if array.ndim != 2 or array.shape[0] == 0 or array.shape[1] == 0:
            raise ValueError(f"FiniteTable: shape {array.shape}; needs at least one hypothesis and one point")
        if not np.all((array == 0) | (array == 1)):
            raise ValueError("FiniteTable: labels must be 0 or 1")
        self.table: NDArray[np.bool_] = array.astype(bool)
        self.table.flags.writeable = False

    def __repr__(self) -> str:
        return f"FiniteTable({self.table.shape[0]} hypotheses on {self.table.shape[1]} points)"

    def as_points(self, points: ArrayLike) -> Points:
        array = np.asarray(points)
        if array.ndim != 1 or (array.size and (array.min() < 0 or array.max() >= self.table.shape[1])):
            raise ValueError(f"{self!r}: points must be column numbers in 0..{self.table.shape[1] - 1}")
        return array.astype(int)

    def domain(self) -> Points:
        """All columns."""
        return np.arange(self.table.shape[1])

    def _realise(self, points: Points, labels: Labels) -> Hypothesis | Refutation:
        wrong = self.table[:, points] != labels
        fits = np.flatnonzero(~wrong.any(axis=1))
        if fits.size:
            return Row(int(fits[0]), tuple(self.table[fits[0]].tolist()))
        return NoRow(tuple(wrong.argmax(axis=1).tolist()))
