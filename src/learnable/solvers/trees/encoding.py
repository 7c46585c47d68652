"""Columns as ranks of their distinct values: done once, so that growing compares whole numbers only."""

import numpy as np

from learnable._jit.trees.layout import Columns, MixedColumns

# Cells of several short columns that are sorted by one call.
TOGETHER = 2**16


def encode(X: np.ndarray, categorical: np.ndarray, monotone: np.ndarray | None = None) -> Columns:
    """Ranks of the cells of X (n, p) in their columns.

    Parameters
    ----------
    X : numbers, NaN where a cell is missing; a categorical column holds codes 0, 1, ….
    categorical : (p,) mask.
    monotone : (p,) signs, or None.
    """
    n, p = X.shape
    codes = np.empty((p, n), dtype=np.int32)
    blocks = [_rank(np.ascontiguousarray(X[:, some].T, dtype=np.float64), codes[some]) for some in column_blocks(n, p)]
    values, lengths = (np.concatenate(parts) for parts in zip(*blocks))
    mixed = categorical.any()
    if mixed:
        distinct = np.split(values, np.cumsum(lengths)[:-1])
        for j in np.flatnonzero(categorical):
            column = np.asarray(X[:, j], dtype=np.float64)
            missing = np.isnan(column)
            distinct[j] = np.arange(int(np.max(column, where=~missing, initial=-1.0)) + 1, dtype=float)
            codes[j] = np.where(missing, len(distinct[j]), np.where(missing, 0.0, column)).astype(np.int32)
        values, lengths = np.concatenate(distinct), np.array([len(of_column) for of_column in distinct], dtype=np.int32)
    first = lengths.cumsum(dtype=np.int64) - lengths
    signs = np.zeros(p, dtype=np.int8) if monotone is None else np.asarray(monotone, dtype=np.int8)
    kind = MixedColumns if mixed or signs.any() else Columns
    return kind(codes, lengths, np.concatenate([values, [0.0]]), first, categorical.astype(np.uint8), signs)


def column_blocks(n: int, p: int) -> list[slice]:
    """Columns of n rows that are sorted by one call: a call a column takes longer than to sort a short one."""
    width = max(1, TOGETHER // max(n, 1))
    return [slice(j, min(j + width, p)) for j in range(0, p, width)]


def _rank(table: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """codes = ranks of the cells of every line among its distinct values, their number where missing.

    Returns
    -------
    the distinct values of all lines one after the other, and how many each has.
    """
    place = np.argsort(table, axis=1)  # equal cells have the same rank in any order
    place += np.arange(0, table.size, table.shape[1])[:, None]
    line = table.ravel()[place]
    new = np.ones(line.shape, dtype=bool)
    np.not_equal(line[:, 1:], line[:, :-1], out=new[:, 1:])
    missing = np.isnan(line[:, -1]).any()  # they come last
    if missing:
        present = ~np.isnan(line)
        new &= present
    rank = new.cumsum(axis=1, dtype=np.int32)
    lengths = rank[:, -1].copy()
    rank -= present if missing else 1
    codes.reshape(-1)[place] = rank
    return line[new], lengths
