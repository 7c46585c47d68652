"""Singular values of matrices whose columns are in units far apart, each to its own digits."""

import numpy as np
from scipy import linalg

# Lengths of columns up to this ratio cost an ordinary decomposition no digit that anybody asks for.
ALIKE = 1e4
# Up to so many columns LAPACK itself takes half as long as NumPy's way to it, which lets other threads go on meanwhile.
SMALL = 100


def graded_svd(A: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """U, d, Vᵀ of a matrix with no more rows than columns; where these are in units far apart, by Jacobi's rotations.

    They are slower, and keep the digits of a short column beside a long one.

    >>> U, d, Vt = graded_svd(np.array([[1e20, 1.0], [0.0, 1.0]]))
    >>> d
    array([1.e+20, 1.e+00])
    """
    length = np.linalg.norm(A / max(np.abs(A).max(initial=0.0), np.finfo(float).tiny), axis=0)
    length = length[length > 0.0]
    if not length.size or length.max() <= ALIKE * length.min():
        return linalg.svd(A, full_matrices=False)
    wide = A.shape[0] < A.shape[1]
    # Of a matrix that lies on its side the rows are in those units, which takes pivoting by rows as well.
    d, U, V, scale, _, failed = linalg.lapack.dgejsv(A.T if wide else A, joba=2 if wide else 0, jobr=0, jobp=0)
    if failed:
        return linalg.svd(A, full_matrices=False)
    return (V if wide else U), d * (scale[0] / scale[1]), (U.T if wide else V.T)


def singular_values(S: np.ndarray) -> np.ndarray:
    """Roots of the eigenvalues of S = XᵀX, largest first: the singular values of X.

    >>> singular_values(np.array([[1e32, 1e16], [1e16, 2.0]]))
    array([1.e+16, 1.e+00])
    """
    length = np.sqrt(np.maximum(S.diagonal(), 0.0))
    if length.size and length.max() > ALIKE * length.min() > 0.0:
        factor, failed = linalg.lapack.dpotrf(S / np.outer(length, length), lower=0, clean=1)
        if not failed:
            return graded_svd(factor * length)[1]
    if len(S) <= SMALL:
        values, _, failed = linalg.lapack.dsyevd(S.T, compute_v=0)
        if not failed:
            return np.sqrt(np.maximum(values[::-1], 0.0))
    return np.sqrt(np.maximum(np.linalg.eigvalsh(S)[::-1], 0.0))
