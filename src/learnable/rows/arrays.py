"""Rows of NumPy arrays, SciPy sparse matrices and memory-mapped files."""

from collections.abc import Callable, Generator
from copy import copy
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse

from .local import LocalRows
from .partition import ONE_THREAD_ELEMENTS, dense_cuts, sparse_cuts
from .source import Block, add, joined
from .streamed import StreamedRows
from .threads import one_blas_thread_meanwhile

# `coarser` puts up to so many blocks together, but leaves enough of them for many threads where these pay.
LONGEST_RUN = 8


class ArrayRows(LocalRows):
    """The rows of a matrix in memory, an array of any order or CSR; blocks of an array are views.

    Parameters
    ----------
    X : ndarray or CSR of shape (n_rows, n_columns)
    y, weight : array, default=None
    first : int, default=0
        The place of the first row in the larger table of which these rows are a part.

    Examples
    --------
    >>> rows = ArrayRows(np.arange(6.0).reshape(3, 2))
    >>> rows.reduce(lambda block: block.X.sum(axis=0))
    array([6., 9.])
    >>> rows = ArrayRows(scipy.sparse.csr_array([[0.0, 1.0], [2.0, 0.0]]))
    >>> rows.reduce(lambda block: block.X.sum(axis=0))
    array([2., 1.])
    """

    def __init__(self, X: Any, y: Any = None, weight: Any = None, first: int = 0) -> None:
        compressed = type(X) is not np.ndarray and scipy.sparse.issparse(X)
        X = canonical_csr(X) if compressed else as_array(X, "X")
        self._X = checked_table(X)
        self.n_rows, self.n_columns = X.shape
        self.dtype = X.dtype
        self._y, self._weight = checked_targets(y, self.n_rows), checked_weight(weight, self.n_rows)
        self._first = first
        self.cuts = sparse_cuts(X.indptr, self.n_columns) if compressed else dense_cuts(self.n_rows, self.n_columns)

    def blocks(self) -> Generator[Callable[[], Block], None, None]:
        if len(self.cuts) == 2:
            yield self.whole
            return
        for start, stop in zip(self.cuts[:-1].tolist(), self.cuts[1:].tolist()):
            yield partial(self._load, start, stop)

    def reduce(
        self, function: Callable[[Block], Any], merge: Callable[[Any, Any], Any] = add, *, n_jobs: int | None = None
    ) -> Any:
        if len(self.cuts) > 2 or n_jobs == 0:
            return super().reduce(function, merge, n_jobs=n_jobs)
        with one_blas_thread_meanwhile():
            return function(self.whole())

    def concatenate(
        self, function: Callable[[Block], np.ndarray], *, n_jobs: int | None = None, missing: bool = False
    ) -> np.ndarray:
        if len(self.cuts) > 2 or n_jobs == 0:
            return super().concatenate(function, n_jobs=n_jobs, missing=missing)
        return joined([self.reduce(function)], self.n_rows)

    def of_first(self, function: Callable[[Block], Any]) -> Any:
        return function(self.whole() if len(self.cuts) == 2 else self._load(0, int(self.cuts[1])))

    def briefly(self, function: Callable[[Block], Any]) -> Any:
        return self.reduce(function) if len(self.cuts) == 2 else self._in_parts(function)

    def take(self, places: np.ndarray | slice) -> Any:
        """Some rows of X."""
        return self._X[places]

    def coarser(self, fewest: int = 32, few_at_once: bool = True) -> "ArrayRows":
        together = min(LONGEST_RUN, (len(self.cuts) - 1) // fewest)
        if few_at_once and self.n_rows * self.n_columns <= ONE_THREAD_ELEMENTS:
            together = len(self.cuts) - 1
        if together < 2:
            return self
        longer = copy(self)
        longer.cuts = np.append(self.cuts[:-1:together], self.n_rows)
        return longer

    def whole(self) -> Block:
        return Block(self._X, self._y, self._weight, self._first, self._first + self.n_rows)

    def _load(self, start: int, stop: int) -> Block:
        y, weight = entries(self._y, start, stop), entries(self._weight, start, stop)
        X = rows_of_csr(self._X, start, stop) if scipy.sparse.issparse(self._X) else self._X[start:stop]
        return Block(X, y, weight, self._first + start, self._first + stop)


class MemmapRows(StreamedRows):
    """The rows of a memory-mapped array: each block is copied from the file while the one before it is in use.

    Row blocks of a C-ordered file are read in one sweep; those of an F-ordered file touch every column.
    """

    def __init__(self, X: np.memmap, y: Any = None, weight: Any = None) -> None:
        self._X = checked_table(X)
        self.n_rows, self.n_columns = X.shape
        self.dtype = X.dtype
        self._y, self._weight = checked_targets(y, self.n_rows), checked_weight(weight, self.n_rows)
        self.cuts = dense_cuts(self.n_rows, self.n_columns)

    def read(self) -> Generator[Block, None, None]:
        for start, stop in zip(self.cuts[:-1].tolist(), self.cuts[1:].tolist()):
            # Without the memmap type, which results computed from the block would carry along.
            X = np.array(self._X[start:stop], copy=True, subok=False)
            yield Block(X, entries(self._y, start, stop), entries(self._weight, start, stop), start, stop)


def rows_of_csr(X: Any, start: int, stop: int) -> Any:
    """`X[start:stop]` whose entries are views of those of X, not copies; X itself when these are all its rows."""
    if stop - start == X.shape[0]:
        return X
    run = slice(X.indptr[start], X.indptr[stop])
    # The constructor would copy arrays that are views of much larger ones, and takes twenty times as long.
    rows = copy(X)
    rows._shape = stop - start, X.shape[1]
    rows.data, rows.indices = X.data[run], X.indices[run]
    rows.indptr = X.indptr[start : stop + 1] - X.indptr[start]
    return rows


def entries(values: np.ndarray | None, start: int, stop: int) -> np.ndarray | None:
    """The entries of these rows, if there are any."""
    return None if values is None else values[start:stop]


def canonical_csr(X: Any) -> Any:
    """A sparse matrix as CSR with duplicate entries summed: the stored entries are then the matrix's entries."""
    return canonical(X.tocsr()) if X.ndim == 2 else X


def canonical(X: Any) -> Any:
    """A compressed matrix with duplicate entries summed, a copy where there are any: the caller's stays as it is."""
    if X.has_canonical_format:
        return X
    # Some of SciPy's operations would do this in place.
    X = X.copy()
    X.sum_duplicates()
    return X


def as_array(values: Any, name: str) -> np.ndarray:
    """`values` as a plain array, without a copy where there is one already."""
    if type(values) is np.ndarray:
        return values
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(
            f"{name} is a masked array, whose mask would be ignored: fill it (`.filled(value)`) or drop rows"
        )
    return np.asarray(values)


def checked_table(X: Any) -> Any:
    """`X` itself, after a look at its shape and type."""
    if X.ndim != 2:
        raise ValueError(f"X has shape {X.shape}: expected rows × columns; reshape one column with `X.reshape(-1, 1)`")
    if 0 in X.shape:
        raise ValueError(f"X has shape {X.shape}: at least one row and one column are needed")
    check_numeric(X.dtype, "X")
    return X


def checked_targets(y: Any, n_rows: int) -> np.ndarray | None:
    """`y` as an array with one entry, or one row of entries, for each of `n_rows` rows. Labels may be of any type."""
    if y is None:
        return None
    y = as_array(y, "y")
    if y.ndim not in (1, 2):
        raise ValueError(f"y has shape {y.shape}: expected ({n_rows},) or ({n_rows}, n_targets)")
    if len(y) != n_rows:
        raise ValueError(f"X has {n_rows} rows but y has {len(y)}: give one target for each row")
    return y


def checked_weight(weight: Any, n_rows: int) -> np.ndarray | None:
    """`weight` as an array with one number for each of `n_rows` rows."""
    if weight is None:
        return None
    weight = as_array(weight, "sample_weight")
    if weight.shape != (n_rows,):
        raise ValueError(f"sample_weight has shape {weight.shape}: expected ({n_rows},), one weight for each row of X")
    check_numeric(weight.dtype, "sample_weight")
    return weight


def check_numeric(dtype: np.dtype, name: str) -> None:
    """Raise unless entries of this type are real numbers."""
    if dtype.kind not in "buif":
        raise TypeError(f"{name} has dtype {dtype}: real numbers are needed; convert it, e.g. with `.astype(float)`")
