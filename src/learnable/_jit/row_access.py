"""Rows of a design, dense or compressed: the one place where kernels tell the two apart."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from learnable.problems.formula import formula


class DenseRows(NamedTuple):
    """A C-ordered array."""

    values: np.ndarray


class SparseRows(NamedTuple):
    """A compressed sparse row matrix."""

    values: np.ndarray
    index: np.ndarray
    start: np.ndarray


def rows_of(X) -> DenseRows | SparseRows:
    """Rows of a dense array or a CSR matrix, without copying where the layout already fits."""
    if sparse.issparse(X):
        X = X.tocsr()
        return SparseRows(X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64))
    return DenseRows(np.ascontiguousarray(X))


@formula
def row_dot(rows, i, v):
    """x_i · v."""


@formula
def row_add(rows, i, a, v):
    """v ← v + a x_i, in place."""


@row_dot.of(DenseRows)
def _(rows, i, v):
    total = 0.0
    for j in range(v.shape[0]):
        total += rows.values[i, j] * v[j]
    return total


@row_add.of(DenseRows)
def _(rows, i, a, v):
    for j in range(v.shape[0]):
        v[j] += a * rows.values[i, j]


@row_dot.of(SparseRows)
def _(rows, i, v):
    total = 0.0
    for k in range(rows.start[i], rows.start[i + 1]):
        total += rows.values[k] * v[rows.index[k]]
    return total


@row_add.of(SparseRows)
def _(rows, i, a, v):
    for k in range(rows.start[i], rows.start[i + 1]):
        v[rows.index[k]] += a * rows.values[k]
