"""Columns as ranks of their distinct values: done once, so that growing compares whole numbers only."""

import numpy as np

from learnable._jit.trees.layout import Columns


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
    distinct = []
    for j in range(p):
        column = np.ascontiguousarray(X[:, j], dtype=np.float64)
        missing = np.isnan(column)
        some = bool(missing.any())
        if categorical[j]:
            values = np.arange(int(np.max(column, where=~missing, initial=-1.0)) + 1, dtype=float)
            codes[j] = np.where(missing, len(values), np.where(missing, 0.0, column)).astype(np.int32)
        else:
            order = np.argsort(column, kind="stable")
            line = column[order]
            steps = np.empty(n, dtype=np.int32)
            steps[0] = 0
            np.cumsum(line[1:] != line[:-1], out=steps[1:])
            if some:
                n_present = n - int(missing.sum())
                steps[n_present:] = steps[n_present - 1] + 1 if n_present else 0
                line = line[:n_present]
            codes[j, order] = steps
            values = line[np.concatenate([[True], line[1:] != line[:-1]])] if len(line) else line
        distinct.append(values)
    lengths = np.array([len(values) for values in distinct], dtype=np.int32)
    first = np.concatenate([[0], np.cumsum(lengths[:-1])]).astype(np.int64)
    signs = np.zeros(p, dtype=np.int8) if monotone is None else np.asarray(monotone, dtype=np.int8)
    return Columns(
        codes, lengths, np.concatenate([*distinct, [0.0]]), first, np.asarray(categorical, dtype=np.uint8), signs
    )
