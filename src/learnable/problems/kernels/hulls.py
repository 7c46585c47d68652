"""The points of the two classes' reduced convex hulls that a ν-machine finds nearest to each other. Syllabus: S8."""

from typing import Any

import numpy as np
from scipy import sparse

from learnable.problems.kernels.basic import Precomputed
from learnable.problems.kernels.kernel import Kernel

# Relative distance of the hulls below which they meet: then w = 0 and the margin is 0, and nothing else has meaning.
MEET = 1e-6


def hull_distances(kernel: Kernel, X: Any, beta: np.ndarray, product: np.ndarray, diagonal: np.ndarray) -> np.ndarray:
    """(m,) `hull_distance` of each column of coefficients of all rows, given k(x, x) of all that have any."""
    apart = np.sqrt(np.maximum((beta * product).sum(axis=0), 0.0))
    apart /= np.maximum(0.5 * np.abs(beta).sum(axis=0), np.finfo(float).tiny)
    farthest = 2.0 * float(np.sqrt(diagonal.max(initial=0.0))) if kernel.is_semidefinite else np.inf
    every, near = np.arange(len(beta)), apart <= MEET * farthest
    apart /= farthest or 1.0
    for k in np.flatnonzero(near):
        apart[k] = hull_distance(kernel, X, every, beta[:, k], product[:, k])
    return apart


def hull_distance(kernel: Kernel, X: Any, rows: np.ndarray, beta: np.ndarray, product: np.ndarray) -> float:
    """‖Σ βᵢΦ(xᵢ)‖ / ½Σ|βᵢ|, over the largest distance of a support vector from the first one.

    Where the hulls are seen not to meet without those distances, a number that is too small, and still above `MEET`.

    Parameters
    ----------
    rows : (m,) rows of X that the coefficients belong to.
    beta : (m,) yα, in balance.
    product : (m,) Kβ.
    """
    support = rows[beta != 0.0]
    if not len(support):
        return 0.0
    apart = float(np.sqrt(max(float(beta @ product), 0.0))) / (0.5 * float(np.abs(beta).sum()))
    if isinstance(kernel, Precomputed):
        row, own = X[support[:1]], X.diagonal()[support]
        values = (row.toarray() if sparse.issparse(row) else np.asarray(row))[0, support]
    else:
        anchors = X[support]
        own = kernel.diagonal(anchors)
        # No two points are further from each other than both are from zero.
        farthest = 2.0 * float(np.sqrt(max(own.max(), 0.0))) if kernel.is_semidefinite else np.inf
        if apart > MEET * farthest:
            return apart / farthest if farthest > 0.0 else 0.0
        values = kernel(anchors[:1], anchors)[0]
    extent = float(np.sqrt(np.max(own[0] + own - 2.0 * values, initial=0.0)))
    return apart / extent if extent > 0.0 else 0.0
