"""Splicing: exchange the columns that matter least inside a subset for those that promise most outside.

With β of least squares on S and d = Xᵀ(y − X_S β): taking column j out of S costs at least β_j², putting j in gains at
least d_j², all columns having length one. The s least costly and the s most promising are exchanged if that lowers the
residual sum, for s from `exchange` down to 1. Where none does, every exchange of one column for another is weighed
exactly: with M = G_SS⁻¹ and T = G_{·S} M, leaving i adds β_i²/M_ii to the residual sum, and j then takes off
(d_j + T_ji β_i/M_ii)² / (v_j + T_ji²/M_ii), v_j = 1 − T_j·G_Sj. Syllabus: L1.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from learnable._jit.sparse.splicing import forward, spliced

# Up to so many columns all correlations at once take no longer than rows of them one by one.
FEW = 100


class SplicingState(NamedTuple):
    """After an exchange (the first state is the start).

    Attributes
    ----------
    objective : RSS / ‖y‖².
    support : columns in the subset, sorted.
    coef : their coefficients, in units in which columns and y have length one.
    exchanges : made so far.
    """

    objective: float
    support: np.ndarray
    coef: np.ndarray
    exchanges: int


class Correlations:
    """Correlations of columns with each other, a row for every column that was met, and with y.

    Attributes
    ----------
    gram : (≥ met, p) the rows.
    place : (p,) where the row of a column stands, −1 where it does not yet.
    cross : (p,) correlations of the columns with y.
    met : how many rows there are.
    """

    def __init__(self, gram: np.ndarray, cross: np.ndarray) -> None:
        self.gram, self.cross = gram, cross
        self.place, self.met = np.arange(len(cross)), len(cross)

    def meet(self, columns: np.ndarray) -> None:
        """Have the rows of these columns."""


class CorrelationsOfTable(Correlations):
    """Those of a table, whose rows are found when they are needed.

    Parameters
    ----------
    X : (n, p) columns of any length.
    y : (n,) of length one, or zeros.
    length : (p,) lengths of the columns, zero where they count as constant.
    """

    def __init__(self, X: np.ndarray, y: np.ndarray, length: np.ndarray) -> None:
        self.X, self.scale = X, 1.0 / np.where(length > 0.0, length, np.inf)
        cross = (y @ X) * self.scale
        if len(cross) <= FEW:
            super().__init__(X.T @ X * (self.scale * self.scale[:, np.newaxis]), cross)
        else:
            self.gram, self.cross = np.empty((0, len(cross))), cross
            self.place, self.met = np.full(len(cross), -1), 0

    def meet(self, columns: np.ndarray) -> None:
        if self.met == len(self.place):
            return
        new = columns[self.place[columns] < 0]
        if not len(new):
            return
        if self.met + len(new) > len(self.gram):
            longer = np.empty((2 * (self.met + len(new)), len(self.place)))
            longer[: self.met] = self.gram[: self.met]
            self.gram = longer
        rows = self.gram[self.met : self.met + len(new)]
        np.matmul((self.X[:, new] * self.scale[new]).T, self.X, out=rows)
        rows *= self.scale
        self.place[new] = np.arange(self.met, self.met + len(new))
        self.met += len(new)


def iterates(columns: Correlations, k: int, exchange: int) -> Iterator[SplicingState]:
    """States of the best subset so far, from two starts: the columns most correlated with y, and forward selection.

    The second start is taken up when the first has come to its end: nothing lowers the residual sum from there.

    Parameters
    ----------
    columns : correlations between columns, which have length one, and with y.
    k : columns in the subset.
    exchange : columns spliced at once at most.
    """
    most, made = min(exchange, k, len(columns.cross) - k), 0
    best = None
    for start in (_most_correlated, _forward):
        support, last = start(columns, k), np.inf
        support.sort()
        while best is None or (support != best.support).any():
            coef, rss, following = _round(columns, support, most)
            if not _lower(rss, last):
                break
            made += last < np.inf
            if best is None or _lower(rss, best.objective):
                best = SplicingState(rss, support, coef, made)
                yield best
            support, last = following, rss
            support.sort()


def _round(columns: Correlations, support: np.ndarray, most: int) -> tuple[np.ndarray, float, np.ndarray]:
    columns.meet(support)
    found = spliced(columns.gram, columns.place, columns.cross, support, most)
    if len(found[2]) > len(support):
        columns.meet(found[2])
        found = spliced(columns.gram, columns.place, columns.cross, support, most)
    return found


def _most_correlated(columns: Correlations, k: int) -> np.ndarray:
    return np.abs(columns.cross).argsort()[len(columns.cross) - k :]


def _forward(columns: Correlations, k: int) -> np.ndarray:
    """One column after another, each the one that lowers the residual sum most."""
    p = len(columns.cross)
    pull, square, basis = columns.cross.copy(), np.ones(p), np.empty((k, p))
    chosen, count = np.full(k, -1), 0
    while True:
        count, j = forward(columns.gram, columns.place, chosen, count, basis, pull, square)
        if count == k:
            return chosen
        if j < 0:  # no other lowers it: any will do
            chosen[count:] = np.setdiff1d(np.arange(p), chosen)[: k - count]
            return chosen
        columns.meet(np.array([j]))


def _lower(trial: float, rss: float) -> bool:
    return trial < rss * (1.0 - 1e-10) - 1e-14
