"""The dichotomies a class induces on finitely many points: counting, shattering, growth, VC dimension."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnable.theory.classes.concept_class import ConceptClass, Hypothesis

# Points whose labels fit into one non-negative 64-bit number.
_CODE_BITS = 62


@dataclass(frozen=True)
class Dichotomies:
    """The set Π_C(S) of labellings of n points.

    Attributes
    ----------
    n : int
        Number of points.
    masks : tuple of int
        The labellings, each once and in rising order; bit i is the label of point i.

    Syllabus: T15.

    Examples
    --------
    >>> intervals = Dichotomies.of_rows([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 1, 1]])
    >>> len(intervals), intervals.shatters([0, 1]), intervals.missing([0, 1, 2])
    (7, True, (True, False, True))
    """

    n: int
    masks: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.masks:
            raise ValueError("Dichotomies: the class is empty; it needs at least one hypothesis")
        masks = tuple(sorted(set(self.masks)))
        if masks[0] < 0 or masks[-1] >= 1 << self.n:
            wrong = masks[0] if masks[0] < 0 else masks[-1]
            raise ValueError(f"Dichotomies(n={self.n}): the mask {wrong} has more than a bit for each of the points")
        object.__setattr__(self, "masks", masks)

    @classmethod
    def of_rows(cls, labels: ArrayLike) -> "Dichotomies":
        """From a table with one row a hypothesis and one column a point; equal rows count once."""
        table = np.asarray(labels)
        if table.ndim != 2 or not np.all((table == 0) | (table == 1)):
            raise ValueError("Dichotomies.of_rows(labels): needs a two-dimensional table of zeros and ones")
        packed = np.packbits(table.astype(bool), axis=1, bitorder="little")
        masks = {int.from_bytes(row.tobytes(), "little") for row in packed}
        return cls(table.shape[1], tuple(sorted(masks)))

    def __len__(self) -> int:
        return len(self.masks)

    def rows(self) -> NDArray[np.bool_]:
        """The labellings as a table, one row each."""
        width = (self.n + 7) // 8
        packed = np.frombuffer(b"".join(mask.to_bytes(width, "little") for mask in self.masks), dtype=np.uint8)
        return np.unpackbits(packed.reshape(len(self), width), axis=1, count=self.n, bitorder="little").astype(bool)

    def restrict(self, points: ArrayLike) -> "Dichotomies":
        """The dichotomies of some of the points."""
        return Dichotomies.of_rows(self.rows()[:, self._places(points)])

    def shatters(self, points: ArrayLike) -> bool:
        """Whether all labellings of these points occur."""
        return self.missing(points) is None

    def missing(self, points: ArrayLike) -> tuple[bool, ...] | None:
        """A labelling of these points that does not occur, or None when they are shattered."""
        return _missing(self.rows().T.astype(np.int64), tuple(self._places(points)))

    def _places(self, points: ArrayLike) -> list[int]:
        given = np.asarray(points).ravel().tolist()
        for point in given:
            if point not in range(self.n):
                raise ValueError(f"Dichotomies: point {point} is not in 0..{self.n - 1}")
        return [int(point) for point in given]

    def growth(self, k: int) -> int:
        """The largest number of dichotomies on k of the points."""
        if not 0 <= k <= self.n:
            raise ValueError(f"Dichotomies.growth(k={k}): k must be in 0..{self.n}")
        columns = self.rows().T.astype(np.int64)
        distinct = _distinct_by_code if k <= _CODE_BITS else _distinct_by_row
        return max(distinct(columns, points) for points in combinations(range(self.n), k))

    def shattered_levels(self) -> tuple[list[list[tuple[int, ...]]], dict[tuple[int, ...], tuple[bool, ...]]]:
        """All shattered sets by size, and the smallest sets that are not, each with a labelling it lacks.

        A set with a subset that is not shattered is not shattered either, so only joins of shattered sets are tried.
        """
        columns = self.rows().T.astype(np.int64)
        levels: list[list[tuple[int, ...]]] = [[()]]
        refuted: dict[tuple[int, ...], tuple[bool, ...]] = {}
        while levels[-1]:
            shattered, below = [], set(levels[-1])
            for base in levels[-1]:
                for new in range(base[-1] + 1 if base else 0, self.n):
                    candidate = (*base, new)
                    if any(candidate[:i] + candidate[i + 1 :] not in below for i in range(len(base))):
                        continue
                    labelling = _missing(columns, candidate)
                    if labelling is None:
                        shattered.append(candidate)
                    else:
                        refuted[candidate] = labelling
            levels.append(shattered)
        return levels[:-1], refuted


def dichotomies(concept_class: ConceptClass, points: ArrayLike) -> tuple[Dichotomies, dict[int, Hypothesis]]:
    """Every labelling of the points that the class realises, each with a hypothesis.

    Points are added one at a time. A hypothesis found for the labels so far gives the new point one label for
    nothing; the oracle is asked about the other, unless an earlier answer settles it: a refutation excludes every
    labelling that agrees on the points it speaks of, and a class closed under complements answers for two. So the
    oracle is called less than once for each dichotomy of each prefix, not 2ⁿ times.

    Parameters
    ----------
    concept_class : ConceptClass
        The class.
    points : array-like
        Its points.

    Returns
    -------
    Dichotomies, dict
        The set, and a hypothesis for each of its masks.

    Syllabus: T15.

    Examples
    --------
    >>> from learnable.theory import HalfSpaces
    >>> found, witness = dichotomies(HalfSpaces(2), [[0, 0], [1, 0], [0, 1], [1, 1]])
    >>> len(found), 0b1001 in witness
    (14, False)
    """
    points = concept_class.as_points(points)
    n = len(points)
    if n == 0:
        raise ValueError("dichotomies(points): needs at least one point")
    found: dict[int, Hypothesis] = {}
    for label in (False, True):
        answer = concept_class.realise(points[:1], [label])
        if isinstance(answer, Hypothesis):
            found[int(label)] = answer
    for size in range(1, n):
        found = _one_point_more(concept_class, points[: size + 1], found)
    return Dichotomies(n, tuple(sorted(found))), found


def _one_point_more(
    concept_class: ConceptClass, points: NDArray, found: dict[int, Hypothesis]
) -> dict[int, Hypothesis]:
    """The dichotomies of the points, from those of all but the last."""
    last = len(points) - 1
    bit, everything = 1 << last, (2 << last) - 1
    longer: dict[int, Hypothesis] = {}
    closed = any(concept_class.complement(hypothesis) is not None for hypothesis in found.values())
    impossible: list[tuple[int, int]] = []  # (points, their labels) excluded by the refutations met so far
    others = []
    for mask, hypothesis in found.items():
        free = bit if hypothesis.predict(points[last:])[0] else 0
        longer[mask | free] = hypothesis
        others.append(mask | (bit ^ free))
    for other in others:
        if other in longer or any(other & support == pattern for support, pattern in impossible):
            continue
        labels = np.array([(other >> i) & 1 for i in range(last + 1)], dtype=bool)
        answer = concept_class.realise(points, labels)
        if isinstance(answer, Hypothesis):
            longer[other] = answer
            opposite = concept_class.complement(answer)
            if opposite is not None and np.array_equal(opposite.predict(points), ~labels):
                longer[everything ^ other] = opposite
        else:
            support = sum(1 << i for i in answer.support)
            impossible.append((support, other & support))
            if closed:
                impossible.append((support, ~other & support))
    return longer


def shatters(concept_class: ConceptClass, points: ArrayLike) -> bool:
    """Whether the class realises all 2ⁿ labellings of the points; stops at the first one it does not.

    Syllabus: T15.

    Examples
    --------
    >>> from learnable.theory import Intervals
    >>> shatters(Intervals(), [1.0, 2.0]), shatters(Intervals(), [1.0, 2.0, 3.0])
    (True, False)
    """
    return concept_class.refute(points) is None


def _distinct_by_code(columns: NDArray[np.int64], points: tuple[int, ...]) -> int:
    return len(np.unique(_codes(columns, points)))


def _distinct_by_row(columns: NDArray[np.int64], points: tuple[int, ...]) -> int:
    return np.unique(columns[list(points)], axis=1).shape[1]


def _codes(columns: NDArray[np.int64], points: tuple[int, ...]) -> NDArray[np.int64]:
    codes = np.zeros(columns.shape[1], dtype=np.int64)
    for position, point in enumerate(points):
        codes |= columns[point] << position
    return codes


def _missing(columns: NDArray[np.int64], points: tuple[int, ...]) -> tuple[bool, ...] | None:
    k = len(points)
    if k > _CODE_BITS:
        raise ValueError(f"shattering of {k} points cannot be decided from a table: it would need 2^{k} rows")
    codes = _codes(columns, points)
    if 1 << k > columns.shape[1]:  # fewer hypotheses than labellings: one of the first codes is free
        absent = np.setdiff1d(np.arange(columns.shape[1] + 1), codes, assume_unique=False)
    else:
        absent = np.flatnonzero(np.bincount(codes, minlength=1 << k) == 0)
    if absent.size == 0:
        return None
    return tuple(bool(absent[0] >> position & 1) for position in range(k))
