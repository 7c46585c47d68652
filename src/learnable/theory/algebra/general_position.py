"""Are points in general position? If not, which of them lie on a common flat."""

from itertools import chain, combinations, islice
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Determinants of a batch, and how many are computed at most.
_SUBSETS_AT_ONCE = 2**14
_MOST_SUBSETS = 10**7


class GeneralPosition(NamedTuple):
    """The verdict.

    Attributes
    ----------
    holds : whether every subset of at most d + 1 points spans as large a flat as it can.
    offending : indices of a smallest set of points found that does not; None when it holds.
    checked : number of subsets that were looked at.
    smallest : over these, the least ratio of the smallest to the largest singular value of the differences.
    """

    holds: bool
    offending: tuple[int, ...] | None
    checked: int
    smallest: float

    def __bool__(self) -> bool:
        return self.holds


def gram_matrix(points: ArrayLike) -> NDArray[np.float64]:
    """The inner products ⟨x_i, x_j⟩ of the rows. Syllabus: A6.

    Examples
    --------
    >>> from learnable.theory import gram_matrix
    >>> gram_matrix([[1.0, 0.0], [1.0, 1.0]]).tolist()
    [[1.0, 1.0], [1.0, 2.0]]
    """
    points = _points("gram_matrix", points)
    return points @ points.T


def general_position(points: ArrayLike, *, tolerance: float = 1e-12) -> GeneralPosition:
    """Whether n points of R^d are in general position.

    For n ≤ d they must not lie in an (n−2)-dimensional flat; for n > d no d + 1 of them may lie on one hyperplane.
    Decided by the rank of the differences x_i − x_0 of every such subset. Cover's count needs this. Syllabus: A6.

    Parameters
    ----------
    points : (n, d) array.
    tolerance : singular values up to this share of the largest count as zero.

    Returns
    -------
    GeneralPosition

    Examples
    --------
    >>> from learnable.theory import general_position
    >>> general_position([[0, 0], [1, 0], [0, 1], [1, 2]]).holds
    True
    >>> general_position([[0, 0], [1, 0], [0, 1], [2, 2], [3, 3]]).offending
    (0, 3, 4)
    """
    points = _points("general_position", points)
    if not 0 < tolerance < 1:
        raise ValueError(f"general_position(tolerance={tolerance}): tolerance must be in (0, 1)")
    n, d = points.shape
    size = min(n, d + 1)
    if comb(n, size) > _MOST_SUBSETS:
        raise ValueError(
            f"general_position: {n} points of dimension {d} have {comb(n, size)} subsets of {size}, more than "
            f"{_MOST_SUBSETS}; test fewer points"
        )
    if size == 1:
        return GeneralPosition(True, None, n, 1.0)
    checked, least = 0, 1.0
    subsets = combinations(range(n), size)
    while chunk := list(islice(subsets, _SUBSETS_AT_ONCE)):
        ratios = _spread(points, np.array(chunk))
        checked += len(chunk)
        least = min(least, float(ratios.min()))
        if least <= tolerance:
            culprit = chunk[int(np.argmax(ratios <= tolerance))]
            return GeneralPosition(False, _smallest_dependent(points, culprit, tolerance), checked, least)
    return GeneralPosition(True, None, checked, least)


def _points(owner: str, points: ArrayLike) -> NDArray[np.float64]:
    found = np.asarray(points, dtype=float)
    if found.ndim != 2 or 0 in found.shape:
        raise ValueError(f"{owner}: points have shape {found.shape}; one point a row is needed, at least one")
    if not np.isfinite(found).all():
        row, column = np.argwhere(~np.isfinite(found))[0].tolist()
        raise ValueError(f"{owner}: points[{row}, {column}] is {found[row, column]}, not a finite number")
    return found


def _spread(points: NDArray, subsets: NDArray) -> NDArray:
    """Smallest over largest singular value of the differences to the first point, for each subset; 0 for no spread."""
    differences = points[subsets[:, 1:]] - points[subsets[:, :1]]
    singular = np.linalg.svd(differences, compute_uv=False)
    largest, smallest = singular[:, 0], singular[:, -1]
    return np.divide(smallest, largest, out=np.zeros_like(largest), where=largest > 0)


def _smallest_dependent(points: NDArray, culprit: tuple[int, ...], tolerance: float) -> tuple[int, ...]:
    """The smallest subset of the culprit that is itself affinely dependent: two equal points, three on a line, …"""
    smaller = chain.from_iterable(combinations(culprit, size) for size in range(3, len(culprit)))
    for pair in combinations(culprit, 2):
        if (points[list(pair)][0] == points[list(pair)][1]).all():
            return pair
    return next((part for part in smaller if _spread(points, np.array([part]))[0] <= tolerance), culprit)
