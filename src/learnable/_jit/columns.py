"""Columns of a design, dense or compressed: the one place where kernels tell the two apart."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from learnable.problems.formula import formula


class DenseColumns(NamedTuple):
    """A Fortran-ordered array."""

    values: np.ndarray


class SparseColumns(NamedTuple):
    """A compressed sparse column matrix."""

    values: np.ndarray
    index: np.ndarray
    start: np.ndarray


def columns_of(X) -> DenseColumns | SparseColumns:
    """Columns of a dense array or a CSC matrix, without copying where the layout already fits.

    >>> columns_of(np.eye(2)).values.flags.f_contiguous
    True
    """
    if sparse.issparse(X):
        X = X.tocsc()
        X.sum_duplicates()
        # One index type for all inputs: one compiled kernel.
        return SparseColumns(X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64))
    return DenseColumns(np.asfortranarray(X))


@formula
def dot(columns, j, v):
    """x_j · v."""


@formula
def add(columns, j, a, v):
    """v ← v + a x_j, in place."""


@dot.of(DenseColumns)
def _(columns, j, v):
    total = 0.0
    for i in range(v.shape[0]):
        total += columns.values[i, j] * v[i]
    return total


@add.of(DenseColumns)
def _(columns, j, a, v):
    for i in range(v.shape[0]):
        v[i] += a * columns.values[i, j]


@dot.of(SparseColumns)
def _(columns, j, v):
    total = 0.0
    for k in range(columns.start[j], columns.start[j + 1]):
        total += columns.values[k] * v[columns.index[k]]
    return total


@add.of(SparseColumns)
def _(columns, j, a, v):
    for k in range(columns.start[j], columns.start[j + 1]):
        v[columns.index[k]] += a * columns.values[k]
