"""Bins of columns: thresholds between distinct values, or between quantiles where there are more than bins."""

from collections import deque
from functools import partial
from typing import NamedTuple

import numpy as np

from learnable._jit.core.vectors import read_only
from learnable._jit.ensembles.histograms import MISSING, TOGETHER, bin_rows
from learnable.problems.ensembles.bins import edges_of_column, edges_of_sorted, representatives
from learnable.rows import Block, Rows
from learnable.rows.gathered import cells, gathered
from learnable.rows.parts import in_parts
from learnable.rows.threads import one_blas_thread, worker_count

# Rows that are put into bins as one.
BLOCK = 2**12
# Bytes of bins up to which they are kept by columns too.
TWICE = 2**24


class Bins(NamedTuple):
    """codes (n, p) uint8, number of bins of each column, thresholds between them (None for categories)."""

    codes: np.ndarray
    n_bins: np.ndarray
    thresholds: list[np.ndarray]
    categorical: np.ndarray


class Coder(NamedTuple):
    """The thresholds of all columns; the same one after the other, where each begins, how many, and categories."""

    thresholds: list[np.ndarray]
    edges: np.ndarray
    first: np.ndarray
    n_edges: np.ndarray
    categorical: np.ndarray

    @property
    def n_bins(self) -> np.ndarray:
        return np.where(self.categorical == 1, 255, self.n_edges + 1).astype(np.int64)


def by_columns(codes: np.ndarray) -> np.ndarray:
    """(p, n) the same codes for those who part rows by one column; (p, 0) where they are many.

    Paid for by `python -m benchmarks trees`: trees grow a sixth faster so (Friedman, x86-64). Of large tables the
    memory counts for more.
    """
    n, p = codes.shape
    if codes.size > TWICE:
        return np.empty((p, 0), dtype=np.uint8)
    found = np.empty((p, n), dtype=np.uint8)

    def some(part: slice) -> None:
        for low in range(part.start * BLOCK, min(part.stop * BLOCK, n), BLOCK):
            found[:, low : low + BLOCK] = codes[low : low + BLOCK].T

    in_parts(some, np.arange(1, -(-n // BLOCK) + 1) * BLOCK * p)
    return found


class BinCells:
    """Cells of the bins that codes stand for: numbers at the upper ends of bins, categories, NaN for missing ones.

    They are made when they are read, of so many rows as are asked for.
    """

    def __init__(self, codes: np.ndarray, coder: Coder) -> None:
        self.codes = codes
        self._cells = np.full((codes.shape[1], 256), np.inf)
        for ends, edges, categorical in zip(self._cells, coder.thresholds, coder.categorical):
            ends[: len(edges)] = edges
            if categorical:
                ends[:] = np.arange(256)
        self._cells[:, MISSING] = np.nan

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: slice) -> np.ndarray:
        codes = self.codes[rows]
        found = np.empty(codes.shape)
        for j, ends in enumerate(self._cells):
            found[:, j] = ends[codes[:, j]]
        return found


def array_coder(
    X: np.ndarray, categorical: np.ndarray, max_bins: int, weight: np.ndarray, chosen: np.ndarray | None = None
) -> Coder:
    """What puts the columns of X into bins, made for all rows or for the `chosen` ones."""
    return _coder(_edges(X, categorical, max_bins, weight, chosen), categorical)


def binned(X: np.ndarray, coder: Coder, chosen: np.ndarray | None = None) -> Bins:
    """All rows of X, or the `chosen` ones, in bins."""
    n = len(X) if chosen is None else len(chosen)
    codes = np.empty((n, X.shape[1]), dtype=np.uint8)

    def some(part: slice) -> None:
        for low in range(part.start * BLOCK, min(part.stop * BLOCK, n), BLOCK):
            rows = slice(low, low + BLOCK)
            _put_into_bins(X[rows] if chosen is None else X[chosen[rows]], coder, codes[rows])

    in_parts(some, np.arange(1, -(-n // BLOCK) + 1) * BLOCK * X.shape[1])
    return bins_of(codes, coder)


def _put_into_bins(X: np.ndarray, coder: Coder, codes: np.ndarray) -> None:
    given = map(read_only, (np.ascontiguousarray(X), *coder[1:]))
    bin_rows(*given, np.empty(TOGETHER), np.empty(TOGETHER, np.int64), codes)


def coder_of(rows: Rows, chosen: np.ndarray | None, max_bins: int, weight: np.ndarray) -> Coder:
    """What puts rows that are not in memory, columns of numbers all, into bins.

    One pass brings the rows from which the bins are made, of all or of the `chosen` ones.
    """
    n = rows.n_rows if chosen is None else len(chosen)
    some = representatives(n)
    wanted = np.arange(n) if some is None else some
    wanted = wanted if chosen is None else chosen[wanted]
    categorical = np.zeros(rows.n_columns, dtype=bool)
    return _coder(_edges(gathered(rows, wanted), categorical, max_bins, weight[wanted]), categorical)


def binned_blocks(rows: Rows, coder: Coder) -> Bins:
    """Bins of rows that are not in memory, found where the rows are: one byte a cell is brought here."""
    return bins_of(rows.concatenate(partial(codes_of, coder), missing=True), coder)


def _coder(thresholds: list[np.ndarray], categorical: np.ndarray) -> Coder:
    n_edges = np.array([len(edges) for edges in thresholds], dtype=np.int64)
    first = np.concatenate([[0], np.cumsum(n_edges)[:-1]]).astype(np.int64)
    edges = np.concatenate([*thresholds, [0.0]]) + 0.0  # no −0: `bin_rows` reads the sign of edge − cell
    return Coder(thresholds, edges, first, n_edges, np.asarray(categorical, dtype=np.uint8))


def codes_of(coder: Coder, block: Block) -> np.ndarray:
    """The codes of the cells of a block."""
    codes = np.empty(block.X.shape, dtype=np.uint8)
    _put_into_bins(cells(block), coder, codes)
    return codes


def bins_of(codes: np.ndarray, coder: Coder) -> Bins:
    return Bins(codes, coder.n_bins, coder.thresholds, coder.categorical)


def _edges(
    X: np.ndarray, categorical: np.ndarray, max_bins: int, weight: np.ndarray, chosen: np.ndarray | None = None
) -> list[np.ndarray]:
    """The rule of `problems.ensembles.bins`, columns over threads."""
    rows = representatives(len(X) if chosen is None else len(chosen))
    if chosen is not None:
        rows = chosen if rows is None else chosen[rows]
    some = weight if rows is None else weight[rows]
    m = len(some)
    alike = bool(np.all(some == some[:1]))
    # Where columns are sorted. What a helper thread has once asked for stays with it to the end of the fit, beside the
    # bins (`python -m benchmarks boosting-file`: 8 MB), so this is asked for here.
    with one_blas_thread() as granted:
        rooms = deque(np.empty((worker_count(None, granted, X.shape[1]), m)))

    def of_columns(part: slice) -> list[np.ndarray]:
        found, room = [], rooms.pop()
        for j in range(part.start, part.stop):
            if categorical[j]:
                found.append(np.zeros(0))
                continue
            for low in range(0, m, BLOCK):
                here = slice(low, low + BLOCK)
                room[here] = X[here, j] if rows is None else X[rows[here], j]
            if alike:
                room.sort()
                found.append(edges_of_sorted(room, max_bins))
            else:
                found.append(edges_of_column(room, max_bins, some))
        rooms.append(room)
        return found

    # To sort takes about as long as to go through a column thirty times.
    parts = in_parts(of_columns, 30 * m * np.arange(1, X.shape[1] + 1))
    return [edges for part in parts for edges in part]
