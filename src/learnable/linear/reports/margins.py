"""Geometry of a hyperplane θ·x + b = 0: signed distances and margins. Syllabus: P1, P3."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse


class Margin(NamedTuple):
    """The margin of labelled points.

    Attributes
    ----------
    functional : min over the points of y (θ·x + b); it grows with the scale of (θ, b).
    geometric : functional / ‖θ‖, the distance of the nearest point, negative when some point is on the wrong side.
    point : index of the point that attains it (the first one).
    difficulty : 1 / geometric, infinite when the points are not separated.
    """

    functional: float
    geometric: float
    point: int

    @property
    def difficulty(self) -> float:
        return 1.0 / self.geometric if self.geometric > 0.0 else np.inf


def signed_distances(X: Any, theta: np.ndarray, offset: float = 0.0) -> np.ndarray:
    """(θ·x + b) / ‖θ‖ for every row x: the distance to the hyperplane, positive on the side that θ points to.

    Parameters
    ----------
    X : array or sparse matrix (n, p)
    theta : (p,), not zero
    offset : b

    >>> signed_distances(np.array([[3.0, 4.0], [0.0, 0.0]]), np.array([3.0, 4.0]), 5.0)
    array([6., 1.])
    """
    theta, length = _normal(theta)
    return (_scores(X, theta, offset)) / length


def origin_distance(theta: np.ndarray, offset: float) -> float:
    """−b / ‖θ‖: how far from the origin, along θ, the hyperplane lies.

    >>> origin_distance(np.array([0.0, 2.0]), -6.0)
    3.0
    """
    return -float(offset) / _normal(theta)[1]


def margin(X: Any, y: np.ndarray, theta: np.ndarray, offset: float = 0.0) -> Margin:
    """The margin of the points (rows of X) with labels y ∈ {−1, +1}; one row gives the margin of a point.

    Parameters
    ----------
    X : array or sparse matrix (n, p)
    y : (n,) of −1 and +1
    theta : (p,), not zero
    offset : b

    >>> found = margin(np.array([[2.0], [-1.0]]), np.array([1, -1]), np.array([2.0]))
    >>> found, found.difficulty
    (Margin(functional=2.0, geometric=1.0, point=1), 1.0)
    """
    theta, length = _normal(theta)
    y = np.asarray(y, dtype=float)
    if not np.all(np.abs(y) == 1.0):
        raise ValueError(f"margin(y={y[np.abs(y) != 1.0][0]:g}, …): labels must be -1 or +1")
    functional = y * _scores(X, theta, offset)
    if functional.size == 0:
        raise ValueError("margin(X, y): there is no point; at least one is needed")
    point = int(np.argmin(functional))
    return Margin(float(functional[point]), float(functional[point]) / length, point)


def _normal(theta: np.ndarray) -> tuple[np.ndarray, float]:
    theta = np.asarray(theta, dtype=float).ravel()
    length = float(np.linalg.norm(theta))
    if not (np.isfinite(length) and length > 0.0):
        raise ValueError(f"theta has length {length:g}: a hyperplane needs a normal that is finite and not zero")
    return theta, length


def _scores(X: Any, theta: np.ndarray, offset: float) -> np.ndarray:
    X = X if sparse.issparse(X) else np.atleast_2d(np.asarray(X, dtype=float))
    return np.asarray(X @ theta).ravel() + offset
