"""Axis-parallel boxes, and intervals as their one-dimensional case."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from learnable.theory.classes.concept_class import (
    Hypothesis,
    Labels,
    Points,
    Refutation,
    StructuredClass,
    checked_dimension,
    real_points,
)


@dataclass(frozen=True)
class Rectangle(Hypothesis):
    """{x : low ≤ x ≤ high in every coordinate}; empty when some low > high."""

    low: tuple[float, ...]
    high: tuple[float, ...]

    def predict(self, points: ArrayLike) -> Labels:
        points = real_points(self, points, len(self.low))
        return np.all((points >= self.low) & (points <= self.high), axis=1)


@dataclass(frozen=True)
class Enclosed(Refutation):
    """A negative point in the bounding box of the positive ones.

    For each axis, `below` and `above` name a positive point on either side of the negative `point`.
    """

    point: int
    below: tuple[int, ...]
    above: tuple[int, ...]

    @property
    def support(self) -> frozenset[int]:
        return frozenset((self.point, *self.below, *self.above))


@dataclass(frozen=True)
class Rectangles(StructuredClass):
    """Axis-parallel boxes of R^k: VC dimension 2k.

    Syllabus: T10, T15.

    Examples
    --------
    >>> boxes = Rectangles(2)
    >>> boxes.realise([[0, 0], [1, 1], [2, 2]], [1, 0, 1])
    Enclosed(point=1, below=(0, 0), above=(2, 2))
    >>> boxes.realise([[0, 0], [1, 1], [2, 2]], [1, 1, 0])
    Rectangle(low=(0.0, 0.0), high=(1.0, 1.0))
    """

    k: int

    def __post_init__(self) -> None:
        checked_dimension("Rectangles", self.k)

    def as_points(self, points: ArrayLike) -> Points:
        return real_points(self, points, self.k)

    def _realise(self, points: Points, labels: Labels) -> Hypothesis | Refutation:
        if not labels.any():
            return Rectangle((np.inf,) * self.k, (-np.inf,) * self.k)
        positive = points[labels]
        low, high = positive.min(axis=0), positive.max(axis=0)
        inside = np.flatnonzero(np.all((points >= low) & (points <= high), axis=1) & ~labels)
        if inside.size == 0:
            return Rectangle(tuple(low.tolist()), tuple(high.tolist()))
        names = np.flatnonzero(labels)
        return Enclosed(
            int(inside[0]),
            tuple(names[positive.argmin(axis=0)].tolist()),
            tuple(names[positive.argmax(axis=0)].tolist()),
        )

    def refute(self, points: ArrayLike) -> tuple[Labels, Refutation] | None:
        points = self.as_points(points)
        # the points that span the bounding box, at most 2k, positive; any other point is enclosed
        labels = np.zeros(len(points), dtype=bool)
        if len(points):
            labels[points.argmin(axis=0)] = labels[points.argmax(axis=0)] = True
        answer = self._realise(points, labels)
        return (labels, answer) if isinstance(answer, Refutation) else super().refute(points)

    @property
    def dimension(self) -> int:
        return 2 * self.k

    def shattered_points(self) -> Points:
        return np.vstack([np.eye(self.k), -np.eye(self.k)])

    def draw_points(self, n: int, rng: np.random.Generator) -> Points:
        return rng.normal(size=(n, self.k))

    @property
    def argument(self) -> str:
        return (
            f"at most {2 * self.k} of any {2 * self.k + 1} points span their bounding box; labelled positive, "
            "they enclose every other point"
        )


def Intervals() -> Rectangles:
    """Closed intervals of the line: VC dimension 2.

    Syllabus: T15.

    Examples
    --------
    >>> Intervals().realise([1.0, 2.0, 3.0], [1, 0, 1])
    Enclosed(point=1, below=(0,), above=(2,))
    """
    return Rectangles(1)
