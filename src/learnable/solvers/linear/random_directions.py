"""Random hyperplanes: a direction from the sphere, an offset from the range of the data along it. Syllabus: P4."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np


class DrawState(NamedTuple):
    """After a draw.

    Attributes
    ----------
    objective : smallest training error so far.
    error : training error of this draw.
    best : number of the draw with the smallest error, the first of equals.
    theta, offset : that draw.
    draws : draws made.
    """

    objective: float
    error: float
    best: int
    theta: np.ndarray
    offset: float
    draws: int


def draw(X: Any, seed: int, number: int) -> tuple[np.ndarray, float]:
    """Draw `number` of the stream `seed`: θ uniform on the unit sphere, −b uniform between min θ·x and max θ·x.

    Every draw has a generator of its own, so that one can be repeated without the others.
    """
    generator = np.random.default_rng([seed, number])
    theta = generator.standard_normal(X.shape[1])
    theta /= np.linalg.norm(theta)
    along = np.asarray(X @ theta).ravel()
    return theta, -float(generator.uniform(along.min(), along.max()))


def iterates(X: Any, y: np.ndarray, weight: np.ndarray, seed: int, count: int) -> Iterator[DrawState]:
    """`count` draws; the error is the weighted share of rows with y f ≤ 0 for y = −1, y f < 0 for y = +1."""
    best, smallest, theta, offset = -1, np.inf, np.zeros(X.shape[1]), 0.0
    weight = weight / weight.sum()
    for number in range(count):
        candidate, shift = draw(X, seed, number)
        error = float(weight @ ((np.asarray(X @ candidate).ravel() + shift >= 0.0) != (y > 0.0)))
        if error < smallest:
            best, smallest, theta, offset = number, error, candidate, shift
        yield DrawState(smallest, error, best, theta, offset, number + 1)
