"""Conjunctions of literals over Boolean variables."""

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from learnable.theory.classes.concept_class import (
    Hypothesis,
    Labels,
    Points,
    Refutation,
    StructuredClass,
    checked_dimension,
)


@dataclass(frozen=True)
class LiteralConjunction(Hypothesis):
    """All variables in `true` hold and none in `false` does; never true when they share one."""

    true: tuple[int, ...]
    false: tuple[int, ...]

    def predict(self, points: ArrayLike) -> Labels:
        points = np.asarray(points, dtype=bool)
        return np.all(np.column_stack([points[:, list(self.true)], ~points[:, list(self.false)]]), axis=1)


@dataclass(frozen=True)
class Implied(Refutation):
    """A negative point accepted by every conjunction that accepts the positive points.

    `blockers` has, for each literal that is false at `point`, a positive point at which it is false too, so that no
    such conjunction contains it. A literal is a pair (variable, value it asks for).
    """

    point: int
    blockers: tuple[tuple[tuple[int, bool], int], ...]

    @property
    def support(self) -> frozenset[int]:
        return frozenset((self.point, *(blocker for _, blocker in self.blockers)))


@dataclass(frozen=True)
class Conjunctions(StructuredClass):
    """Conjunctions over {0, 1}ⁿ, by default with negated variables: 3ⁿ + 1 different functions.

    VC dimension n, except that both literals of a single variable shatter two points.

    Parameters
    ----------
    n : int
        Number of variables.
    values : tuple of bool
        What a literal may ask of a variable: (True,) gives monotone conjunctions, 2ⁿ functions.

    Syllabus: T11, T15.

    Examples
    --------
    >>> Conjunctions(3).realise([[1, 0, 1], [1, 1, 1], [0, 0, 1]], [1, 1, 0])
    LiteralConjunction(true=(0, 2), false=())
    >>> Conjunctions(2).realise([[1, 0], [0, 1], [1, 1]], [1, 1, 0])
    Implied(point=2, blockers=(((0, False), 0), ((1, False), 1)))
    """

    n: int
    values: tuple[bool, ...] = (True, False)

    def __post_init__(self) -> None:
        checked_dimension("Conjunctions", self.n)

    def as_points(self, points: ArrayLike) -> Points:
        array = np.asarray(points)
        if array.ndim != 2 or array.shape[1] != self.n or not np.all((array == 0) | (array == 1)):
            raise ValueError(f"{self!r}: points must be rows of {self.n} zeros and ones")
        return array.astype(bool)

    def domain(self) -> Points:
        """All 2ⁿ points."""
        return np.array(list(product((False, True), repeat=self.n)))

    def _realise(self, points: Points, labels: Labels) -> Hypothesis | Refutation:
        positive = points[labels]
        literals = [(i, value) for i in range(self.n) for value in self.values if np.all(positive[:, i] == value)]
        most_specific = LiteralConjunction(
            tuple(i for i, value in literals if value), tuple(i for i, value in literals if not value)
        )
        accepted = np.flatnonzero(most_specific.predict(points) & ~labels)
        if accepted.size == 0:
            return most_specific
        point, names = int(accepted[0]), np.flatnonzero(labels)
        blockers = tuple(
            ((i, value), int(names[np.argmax(positive[:, i] != value)]))
            for i in range(self.n)
            for value in self.values
            if points[point, i] != value
        )
        return Implied(point, blockers)

    def refute(self, points: ArrayLike) -> tuple[Labels, Refutation] | None:
        points = self.as_points(points)
        for negative in range(len(points)):
            labels = np.arange(len(points)) != negative
            answer = self._realise(points, labels)
            if isinstance(answer, Refutation):
                return labels, answer
        return super().refute(points)

    @property
    def dimension(self) -> int:
        return 2 if self.n == 1 and len(self.values) == 2 else self.n

    def shattered_points(self) -> Points:
        return self.domain() if self.dimension > self.n else ~np.eye(self.n, dtype=bool)

    def draw_points(self, n: int, rng: np.random.Generator) -> Points:
        return rng.integers(0, 2, size=(n, self.n)).astype(bool)

    @property
    def argument(self) -> str:
        if self.dimension > self.n:
            return "there are only two points"
        return (
            f"to reject one of {self.n + 1} points and accept the others takes a literal false at that point alone; "
            "two of these literals belong to one variable, so they are opposite, and no third point makes both true"
        )


def MonotoneConjunctions(n: int) -> Conjunctions:
    """Conjunctions without negation.

    Syllabus: T15.

    Examples
    --------
    >>> MonotoneConjunctions(2).realise([[1, 1]], [0])
    Implied(point=0, blockers=())
    """
    return Conjunctions(n, (True,))
