"""The triangular factor of a tall table, block by block: least squares with the accuracy of Householder QR."""

from functools import partial

import numpy as np
import scipy.sparse
from scipy.linalg.lapack import dtpqrt

from .memory import check_square_fits
from .numbers import row_weights, target_columns
from .source import Block, Rows

# Columns of a panel of LAPACK's blocked factorisation.
PANEL = 16


def triangular_factor(
    rows: Rows,
    *,
    centre_at: np.ndarray | None = None,
    scale: np.ndarray | None = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    """The R of a QR decomposition of ``A = [X y]``: upper triangular, ``RᵀR = AᵀA``, diagonal ≥ 0.

    Each block gets its own R by Householder reflections, and two triangles are merged by that of their stack,
    ``[R_A; R_B] = Q R``. Every step is orthogonal, so R is as accurate as that of the whole matrix, where the
    cross-products ``AᵀA`` would square its condition number. Rows are multiplied by the square roots of their
    weights, if there are any.

    Parameters
    ----------
    rows : Rows
        The columns of ``A`` are those of ``X``, then the targets.
    centre_at : array of shape (n_columns + n_targets,), default=None
        Subtracted from every row of ``A``: the means, for least squares with an intercept.
    scale : array of shape (n_columns + n_targets,), default=None
        Every column of ``A`` is divided by its entry. Powers of two make the division exact.
    n_jobs : int, default=None
        Threads; the result does not depend on it.

    Returns
    -------
    ndarray of shape (min(n_rows, k), k), k = n_columns + n_targets
        In float64; with fewer rows than columns it is a trapezoid.

    Examples
    --------
    >>> from learnable.rows import as_rows, triangular_factor
    >>> triangular_factor(as_rows([[3.0], [4.0]], y=[5.0, 10.0]))
    array([[ 5., 11.],
           [ 0.,  2.]])
    """
    prepare = partial(_block_triangle, centre_at=_finite(centre_at, "centre_at"), scale=_finite(scale, "scale"))
    R = rows.reduce(prepare, stacked_triangles, n_jobs=n_jobs)
    return np.triu(R * np.where(np.diagonal(R) < 0, -1.0, 1.0)[:, np.newaxis])


def centred_rows(rows: Rows, centre_at: np.ndarray | None, *, n_jobs: int | None = None) -> np.ndarray:
    """``A = [X y]`` itself: of fewer rows than columns its triangular factor would be as large.

    Examples
    --------
    >>> from learnable.rows import as_rows, centred_rows
    >>> centred_rows(as_rows([[3.0, 1.0]], y=[5.0]), np.array([1.0, 0.0, 2.0]))
    array([[2., 1., 3.]])
    """
    return rows.concatenate(partial(_block_rows, centre_at=_finite(centre_at, "centre_at"), scale=None), n_jobs=n_jobs)


def _finite(vector: np.ndarray | None, name: str) -> np.ndarray | None:
    if vector is None:
        return None
    vector = np.asarray(vector, dtype=np.float64)
    if not np.isfinite(vector).all() or (name == "scale" and not vector.all()):
        raise ValueError(f"triangular_factor: {name} has an entry that is not finite, or a scale of 0")
    return vector


def _block_triangle(block: Block, centre_at: np.ndarray | None, scale: np.ndarray | None) -> np.ndarray:
    return triangle_of(_block_rows(block, centre_at, scale))


def _block_rows(block: Block, centre_at: np.ndarray | None, scale: np.ndarray | None) -> np.ndarray:
    y, weight = target_columns(block), row_weights(block)
    if len(y) >= block.X.shape[1]:
        check_square_fits(block.X.shape[1] + y.shape[1], "the triangular factor")
    X = block.X.toarray() if scipy.sparse.issparse(block.X) else block.X
    A = np.concatenate((X, y), axis=1, dtype=np.float64)
    for name, vector in (("centre_at", centre_at), ("scale", scale)):
        if vector is not None and vector.shape != A.shape[1:]:
            raise ValueError(f"triangular_factor: {name} has shape {vector.shape}, but [X y] has {A.shape[1]} columns")
    if centre_at is not None:
        A -= centre_at
    if scale is not None:
        A /= scale
    if weight is not None:
        A *= np.sqrt(weight)[:, np.newaxis]
    return A


def triangle_of(A: np.ndarray) -> np.ndarray:
    """R, upper triangular with ``RᵀR = AᵀA``, of a block of rows, in double precision; A may be overwritten.

    It has p rows, or as few as A has.

    Examples
    --------
    >>> np.abs(triangle_of(np.array([[3.0], [4.0]])))
    array([[5.]])
    """
    k = A.shape[1]
    if len(A) < k:
        return np.asarray(np.linalg.qr(A, mode="r"))
    return _absorb(np.zeros((k, k), order="F"), np.asfortranarray(A), triangular_rows=0)


def stacked_triangles(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """The triangle of two, one above the other; both may be overwritten."""
    if min(len(above), len(below)) < above.shape[1]:
        return triangle_of(np.concatenate((above, below)))
    return _absorb(np.asfortranarray(above), np.asfortranarray(below), triangular_rows=len(below))


def _absorb(R: np.ndarray, A: np.ndarray, triangular_rows: int) -> np.ndarray:
    """The triangle of ``[R; A]`` by LAPACK's ?tpqrt, which works in place and leaves known zeros alone.

    Its recursive panels also make it three times as fast as ?geqrf on a tall block.
    """
    R, _, _, info = dtpqrt(triangular_rows, min(PANEL, len(R)), R, A, overwrite_a=True, overwrite_b=True)
    if info != 0:
        raise ValueError(f"LAPACK dtpqrt refused its argument {-info}")
    return R
