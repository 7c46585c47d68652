"""Rows of a CSR matrix in memory, in few large blocks that are views of its arrays."""

from collections.abc import Callable, Generator
from functools import partial
from typing import Any

import numpy as np

from .arrays import canonical_csr, checked_table, checked_targets, checked_weight, entries, rows_of_csr
from .local import LocalRows
from .source import Block

# Each block has a sum of its own, as large as the result: few, and only for much work.
MOST_BLOCKS = 8
FEWEST_ENTRIES = 2**20


class SparseViewRows(LocalRows):
    """The rows of a sparse matrix, for functions that read each entry once.

    `ArrayRows` cuts sparse rows into blocks that fit in the cache. A function that goes through the entries once gains
    nothing from that, and one whose result is as large as the table of all columns would pay for adding the results up.

    Parameters
    ----------
    X : sparse matrix of shape (n_rows, n_columns)
    y, weight : array, default=None
    result_size : int, default=0
        How many numbers the function gives for a block: a block has twice as many entries at least.

    Examples
    --------
    >>> import scipy.sparse
    >>> rows = SparseViewRows(scipy.sparse.csr_array([[0.0, 1.0], [2.0, 0.0]]), result_size=2)
    >>> rows.reduce(lambda block: block.X.sum(axis=0))
    array([2., 1.])
    """

    def __init__(self, X: Any, y: Any = None, weight: Any = None, result_size: int = 0) -> None:
        self._X = checked_table(canonical_csr(X))
        self.n_rows, self.n_columns = X.shape
        self.dtype = X.dtype
        self._y, self._weight = checked_targets(y, self.n_rows), checked_weight(weight, self.n_rows)
        n_blocks = min(self._X.nnz // max(2 * result_size, FEWEST_ENTRIES), MOST_BLOCKS)
        ends = np.searchsorted(self._X.indptr, [self._X.nnz * b / n_blocks for b in range(1, n_blocks)])
        self.cuts = np.array(sorted({0, *ends.tolist(), self.n_rows}))

    def blocks(self) -> Generator[Callable[[], Block], None, None]:
        for start, stop in zip(self.cuts[:-1].tolist(), self.cuts[1:].tolist()):
            yield partial(self._load, start, stop)

    def _load(self, start: int, stop: int) -> Block:
        X = rows_of_csr(self._X, start, stop)
        return Block(X, entries(self._y, start, stop), entries(self._weight, start, stop), start, stop)
