"""A column of categories: one share a level in each class, by the m-estimate."""

from typing import NamedTuple

import numpy as np

from learnable.problems.bayes.naive_bayes import (
    MISSING,
    categorical_log_likelihood,
    log_probabilities,
    virtual_counts,
)


class CategoryColumn(NamedTuple):
    """Counts of the known cells by class.

    Attributes
    ----------
    levels : tuple of str, sorted.
    counts : (K, levels), weight of the rows of class c with level v.
    """

    levels: tuple[str, ...]
    counts: np.ndarray

    @classmethod
    def counted(cls, cells: np.ndarray, index: np.ndarray, weight: np.ndarray, n_classes: int) -> "CategoryColumn":
        """The counts of the cells (str, None where missing), whose rows have class `index` and this weight."""
        counts = weight > 0.0
        cells, index, weight = cells[counts], index[counts], weight[counts]
        levels = tuple(sorted(set(cells.tolist()) - {None}))
        codes = _codes(cells, levels)
        known = codes != MISSING
        flat = np.bincount(index[known] * len(levels) + codes[known], weight[known], n_classes * len(levels))
        return cls(levels, flat.reshape(n_classes, len(levels)))

    def merged(self, other: "CategoryColumn") -> "CategoryColumn":
        """The counts of the rows of both, over the levels of either."""
        levels = tuple(sorted({*self.levels, *other.levels}))
        counts = np.zeros((len(self.counts), len(levels)))
        for part in (self, other):
            counts[:, [levels.index(level) for level in part.levels]] += part.counts
        return CategoryColumn(levels, counts)

    def log_table(self, m: float | None) -> np.ndarray:
        """(K, levels): log (n_cv + m/L) / (n_c + m), L the number of levels; m = L, Laplace's rule, when it is None.

        A class without examples and without virtual ones has the same number, 0, for every level.
        """
        size = len(self.levels)
        table = log_probabilities(self.counts, virtual_counts(size, size if m is None else m))
        return np.where(np.isnan(table), 0.0, table)

    def log_likelihood(self, cells: np.ndarray, m: float | None) -> np.ndarray:
        """(n, K): log P(level | class); 0 for a missing cell, and for a level never seen, of which nothing is known."""
        if not self.levels:
            return np.zeros((len(cells), len(self.counts)))
        return categorical_log_likelihood(_codes(cells, self.levels), self.log_table(m))


def _codes(cells: np.ndarray, levels: tuple[str, ...]) -> np.ndarray:
    place = {level: code for code, level in enumerate(levels)}
    found = (place.get(cell, MISSING) for cell in cells.tolist())
    return np.fromiter(found, dtype=np.intp, count=len(cells))
