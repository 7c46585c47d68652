"""The rows or the columns of a design as a list of vectors, dense or compressed.

The one place where kernels tell dense from sparse. The columns of X are the rows of its transpose, so that one pair of
formulas, `dot` and `add`, serves both.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from learnable._jit.core.compile import exact_kernel
from learnable.problems.core.formula import formula


class DenseVectors(NamedTuple):
    """Vectors along the rows of a C-ordered array."""

    values: np.ndarray


class SparseVectors(NamedTuple):
    """Vectors along the rows of a compressed sparse row matrix."""

    values: np.ndarray
    places: np.ndarray
    starts: np.ndarray


class UnitVectors(NamedTuple):
    """The unit vectors of a space of so many dimensions: products with them are the entries of a vector."""

    dimension: int


def rows_of(X) -> DenseVectors | SparseVectors:
    """The rows of an array or a sparse matrix, without copying where the layout already fits.

    >>> rows_of(np.eye(2)).values.flags.c_contiguous
    True
    """
    if sparse.issparse(X):
        X = X.tocsr()
        # Unsigned, so that kernels need not ask whether an index counts from the end.
        unsigned = np.uint32 if X.indices.dtype == np.int32 else np.uint64
        return SparseVectors(read_only(X.data), read_only(X.indices.view(unsigned)), X.indptr.astype(np.int64))
    return DenseVectors(read_only(np.ascontiguousarray(X)))


def read_only(array: np.ndarray) -> np.ndarray:
    """A view that cannot be written through: to Numba a type of its own, so callers' arrays of either kind get it."""
    view = array.view()
    view.setflags(write=False)
    return view


def columns_of(X) -> DenseVectors | SparseVectors:
    """The columns, likewise: a Fortran-ordered array and a CSC matrix are not copied."""
    return rows_of(X.T)


@formula
def dot(vectors, k, v):
    """x_k · v."""


@formula
def add(vectors, k, a, v):
    """v ← v + a x_k, in place."""


@dot.of(DenseVectors)
def _(vectors, k, v):
    total = 0.0
    for i in range(v.shape[0]):
        total += vectors.values[k, i] * v[i]
    return total


@add.of(DenseVectors)
def _(vectors, k, a, v):
    for i in range(v.shape[0]):
        v[i] += a * vectors.values[k, i]


@dot.of(UnitVectors)
def _(vectors, k, v):
    return v[k]


@dot.of(SparseVectors)
def _(vectors, k, v):
    return dot_in_order(vectors, k, v)


# Counted without a sign, like the places: no index need be asked whether it counts from the end.
@exact_kernel
def dot_in_order(vectors, k, v):
    """x_k · v entry by entry: several at a time would be gathered from v, which takes longer (x86-64; `benchmarks
    kernels`, LinearSVC hinge text)."""
    total = 0.0
    for i in range(np.uint64(vectors.starts[k]), np.uint64(vectors.starts[k + 1])):
        total += vectors.values[i] * v[vectors.places[i]]
    return total


@add.of(SparseVectors)
def _(vectors, k, a, v):
    for i in range(np.uint64(vectors.starts[k]), np.uint64(vectors.starts[k + 1])):
        v[vectors.places[i]] += a * vectors.values[i]
