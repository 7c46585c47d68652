"""Lengths, distances and angles from inner products alone."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Geometry(NamedTuple):
    """What a Gram matrix says about its points.

    Attributes
    ----------
    norms : (n,) ‖x_i‖.
    distances : (n, n) ‖x_i − x_j‖.
    angles : (n, n) angles in radians, in [0, π]; NaN where a point is the zero vector, which has none.
    """

    norms: NDArray[np.float64]
    distances: NDArray[np.float64]
    angles: NDArray[np.float64]


def geometry(gram: ArrayLike) -> Geometry:
    """Norms, distances and angles of points of which only the inner products are known.

    ‖x−x'‖² = ⟨x,x⟩ + ⟨x',x'⟩ − 2⟨x,x'⟩ and angle = arccos(⟨x,x'⟩/(‖x‖‖x'‖)), the argument cut to [−1, 1]. What is
    left of a difference below the rounding of its terms counts as zero. A matrix that no points have as their inner
    products, one with vᵀGv < 0 for some v, is refused. Syllabus: A1.

    Parameters
    ----------
    gram : (n, n) symmetric matrix of inner products, such as a kernel matrix.

    Returns
    -------
    Geometry

    Examples
    --------
    >>> from learnable.theory import geometry
    >>> found = geometry([[4.0, 0.0], [0.0, 9.0]])
    >>> found.norms.tolist(), found.distances[0, 1].round(4).item(), found.angles[0, 1].round(4).item()
    ([2.0, 3.0], 3.6056, 1.5708)
    """
    gram = symmetric_matrix("geometry", gram)
    squares = np.diagonal(gram)
    if (squares < 0).any():
        place = int(np.argmax(squares < 0))
        raise ValueError(f"geometry: gram[{place}, {place}] is {squares[place]:g}; a squared length cannot be negative")
    _refuse_no_gram_matrix(gram, squares)
    norms = np.sqrt(squares)
    sums = squares[:, None] + squares
    gaps = sums - 2 * gram
    distances = np.sqrt(np.where(gaps > 4 * np.finfo(float).eps * sums, gaps, 0.0))
    lengths = np.outer(norms, norms)
    cosines = np.divide(gram, lengths, out=np.full_like(gram, np.nan), where=lengths > 0)
    return Geometry(norms, distances, np.arccos(np.clip(cosines, -1.0, 1.0)))


def _refuse_no_gram_matrix(gram: NDArray[np.float64], squares: NDArray[np.float64]) -> None:
    """ValueError for a pair beyond Cauchy's and Schwarz's inequality, or a combination of negative squared length."""
    lengths = np.sqrt(squares)
    excess = np.abs(gram) - np.outer(lengths, lengths)
    if (excess > 1e-8 * squares.max()).any():
        i, j = np.unravel_index(int(excess.argmax()), gram.shape)
        raise ValueError(
            f"geometry: gram[{i}, {j}] is {gram[i, j]:g}, more than ‖x_{i}‖‖x_{j}‖ = {lengths[i] * lengths[j]:g}: no "
            "points have these inner products"
        )
    smallest = float(np.linalg.eigvalsh(gram)[0])
    if smallest < -1e-8 * max(float(squares.sum()), np.finfo(float).tiny):
        raise ValueError(
            f"geometry: gram has the eigenvalue {smallest:.3g}, so that some combination of the points has a negative "
            "squared length: no points have these inner products; see semidefinite_test for the combination"
        )


def symmetric_matrix(owner: str, matrix: ArrayLike) -> NDArray[np.float64]:
    """The symmetric part of a square matrix of finite numbers, refused when it is far from symmetric."""
    found = np.asarray(matrix, dtype=float)
    if found.ndim != 2 or found.shape[0] != found.shape[1] or not found.size:
        raise ValueError(f"{owner}: the matrix has shape {found.shape}; a square one with at least one row is needed")
    if not np.isfinite(found).all():
        row, column = np.argwhere(~np.isfinite(found))[0].tolist()
        raise ValueError(f"{owner}: entry [{row}, {column}] is {found[row, column]}, not a finite number")
    # Halved first, so that no sum overflows.
    half = found / 2
    if np.abs(half - half.T).max() > 1e-8 * np.abs(half).max():
        row, column = np.unravel_index(int(np.abs(half - half.T).argmax()), found.shape)
        raise ValueError(
            f"{owner}: entries [{row}, {column}] and [{column}, {row}] differ, {found[row, column]:g} and "
            f"{found[column, row]:g}; give a symmetric matrix"
        )
    return half + half.T
