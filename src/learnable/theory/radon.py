"""Radon's theorem: k+2 points of R^k split into two sets whose convex hulls meet."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class RadonPartition:
    """Two disjoint groups of points with a point common to their convex hulls.

    Attributes
    ----------
    positive, negative : tuple of int
        The indices of the two groups; points that are not needed are in neither.
    positive_weights, negative_weights : array
        Convex weights of each group at the common point.
    point : array
        The common point.
    residual : float
        Largest distance, in a coordinate, between the two combinations, relative to the extent of the points.
    """

    positive: tuple[int, ...]
    negative: tuple[int, ...]
    positive_weights: NDArray[np.float64]
    negative_weights: NDArray[np.float64]
    point: NDArray[np.float64]
    residual: float


def radon_partition(points: ArrayLike) -> RadonPartition:
    """Split k+2 points of R^k so that the hulls of the two parts meet.

    A vector λ ≠ 0 with Σ λ_i x_i = 0 and Σ λ_i = 0 exists because k+2 unknowns meet k+1 equations; its positive and
    its negative part, each divided by the same sum, are the two sets of weights. No half-space can therefore
    label the parts differently: VC(half-spaces of R^k) < k+2.

    Parameters
    ----------
    points : array-like of shape (n, k)
        At least k+2 points; the first k+2 are used.

    Returns
    -------
    RadonPartition

    Syllabus: T16.

    Examples
    --------
    >>> square = radon_partition([[0, 0], [1, 1], [0, 1], [1, 0]])
    >>> sorted([square.positive, square.negative]), square.point.round(6).tolist()
    ([(0, 1), (2, 3)], [0.5, 0.5])
    """
    points = np.asarray(points, dtype=float)
    if points.ndim != 2 or not np.all(np.isfinite(points)):
        raise ValueError("radon_partition(points): needs a finite array of shape (n, k)")
    n, k = points.shape
    if n < k + 2:
        raise ValueError(f"radon_partition: {n} points in dimension {k}; needs at least k+2 = {k + 2}")
    points = points[: k + 2]
    centre = points.mean(axis=0)
    extent = np.max(np.abs(points - centre)) or 1.0
    system = np.vstack([((points - centre) / extent).T, np.ones(k + 2)])
    null = np.linalg.svd(system)[2][-1]
    null = np.where(np.abs(null) > 1e-12 * np.max(np.abs(null)), null, 0.0)
    positive, negative = np.flatnonzero(null > 0), np.flatnonzero(null < 0)
    weights_p, weights_n = null[positive] / null[positive].sum(), null[negative] / null[negative].sum()
    here, there = weights_p @ points[positive], weights_n @ points[negative]
    return RadonPartition(
        tuple(positive.tolist()),
        tuple(negative.tolist()),
        weights_p,
        weights_n,
        (here + there) / 2,
        float(np.max(np.abs(here - there)) / extent),
    )
