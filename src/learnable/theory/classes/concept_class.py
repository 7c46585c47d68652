"""What every hypothesis class here can do: answer whether a labelling of a set of points is realised, and prove it."""

from abc import ABC, abstractmethod
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnable.plain import plain

Points = NDArray
Labels = NDArray[np.bool_]


class Hypothesis(ABC):
    """A member of a class: a function from points to {False, True}."""

    @abstractmethod
    def predict(self, points: ArrayLike) -> Labels:
        """The labels of the points."""


class Refutation(ABC):
    """Why no member of a class has a given labelling; each class has its own kind."""

    @property
    @abstractmethod
    def support(self) -> frozenset[int]:
        """The points it speaks of: every labelling that agrees on them is refuted too."""


class ConceptClass(ABC):
    """A hypothesis class with an oracle.

    Syllabus: T15.
    """

    @abstractmethod
    def as_points(self, points: ArrayLike) -> Points:
        """The points as an array of the shape the class works on, or an error."""

    @abstractmethod
    def _realise(self, points: Points, labels: Labels) -> Hypothesis | Refutation:
        """`realise` on checked input."""

    def realise(self, points: ArrayLike, labels: ArrayLike) -> Hypothesis | Refutation:
        """A hypothesis with these labels on these points, or the reason why there is none.

        Parameters
        ----------
        points : array-like
            One row a point.
        labels : array-like of bool
            One label a point.
        """
        points = self.as_points(points)
        labels = np.asarray(labels)
        if labels.shape != (len(points),) or not np.all((labels == 0) | (labels == 1)):
            raise ValueError(f"{self!r}.realise(labels): needs one label in {{0, 1}} for each of {len(points)} points")
        return self._realise(points, labels.astype(bool))

    def complement(self, hypothesis: Hypothesis) -> Hypothesis | None:
        """A member with the opposite labels, for a class closed under complements; None otherwise."""
        return None

    def refute(self, points: ArrayLike) -> tuple[Labels, Refutation] | None:
        """A labelling of the points that is not realised, with its refutation; None when they are shattered."""
        points = self.as_points(points)
        for pattern in product((True, False), repeat=len(points)):
            labels = np.array(pattern, dtype=bool)
            answer = self._realise(points, labels)
            if isinstance(answer, Refutation):
                return labels, answer
        return None


class StructuredClass(ConceptClass):
    """A class whose VC dimension is known from its structure: a set it shatters, and a way to refute any larger one."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """The VC dimension."""

    @abstractmethod
    def shattered_points(self) -> Points:
        """`dimension` points that the class shatters."""

    @abstractmethod
    def draw_points(self, n: int, rng: np.random.Generator) -> Points:
        """n points of the domain, for trying the refutation on."""

    @property
    @abstractmethod
    def argument(self) -> str:
        """Why no larger set is shattered, in words."""


def real_points(owner: object, points: ArrayLike, k: int) -> NDArray[np.float64]:
    """A finite array of shape (n, k); a flat one is a column when k is 1."""
    array = np.asarray(points, dtype=float)
    if array.ndim == 1 and k == 1:
        array = array[:, None]
    if array.ndim != 2 or array.shape[1] != k:
        raise ValueError(f"{owner!r}: points of shape {array.shape}; needs (n, {k})")
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{owner!r}: points must be finite")
    return array


def checked_dimension(owner: str, k: int) -> int:
    """k as a positive int."""
    if not isinstance(k, (int, np.integer)) or isinstance(k, bool) or k < 1:
        raise ValueError(f"{owner}({plain(k)!r}): the dimension of the space must be a whole number >= 1")
    return int(k)
