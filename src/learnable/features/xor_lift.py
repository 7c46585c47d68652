"""The lift that makes XOR linear."""

import numpy as np
from numpy.typing import ArrayLike


def xor_lift(X: ArrayLike) -> np.ndarray:
    """Append the product of the two inputs: (x1, x2) → (x1, x2, x1·x2).

    The XOR labels y = x1·x2 are not linearly separable in the plane; after the lift the third coordinate alone
    separates them, through the origin.

    Syllabus: D11.

    >>> xor_lift([[-1.0, 1.0], [1.0, 1.0]])
    array([[-1.,  1., -1.],
           [ 1.,  1.,  1.]])
    """
    points = np.asarray(X, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(f"xor_lift: needs points with 2 coordinates, got an array of shape {points.shape}")
    if not np.isfinite(points).all():
        raise ValueError("xor_lift: the points must be finite")
    return np.column_stack([points, points[:, 0] * points[:, 1]])
