"""Decision stumps: one coordinate against one threshold, either side positive."""

import math
from dataclasses import dataclass
from itertools import combinations

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
class Stump(Hypothesis):
    """{x : x[axis] ≥ threshold}, or its complement when `positive_above` is false."""

    axis: int
    threshold: float
    positive_above: bool

    def predict(self, points: ArrayLike) -> Labels:
        above = np.asarray(points, dtype=float)[:, self.axis] >= self.threshold
        return above if self.positive_above else ~above


@dataclass(frozen=True)
class Crossed(Refutation):
    """On every axis the labels are out of order both ways.

    `rising[j]` is a (positive, negative) pair with the positive not above the negative on axis j, so that no cut has
    all positives above; `falling[j]` is one with the positive not below.
    """

    rising: tuple[tuple[int, int], ...]
    falling: tuple[tuple[int, int], ...]

    @property
    def support(self) -> frozenset[int]:
        return frozenset(i for pair in (*self.rising, *self.falling) for i in pair)


@dataclass(frozen=True)
class Stumps(StructuredClass):
    """Stumps on R^k: VC dimension the largest D with C(D, ⌊D/2⌋) ≤ 2k.

    An axis realises at most two sets of a given size as positives, those of its first and of its last points.

    Syllabus: T12, T15.

    Examples
    --------
    >>> [Stumps(k).dimension for k in (1, 2, 3, 5, 10)]
    [2, 3, 4, 5, 6]
    >>> Stumps(1).realise([1.0, 2.0, 3.0], [1, 0, 1])
    Crossed(rising=((0, 1),), falling=((2, 1),))
    """

    k: int

    def __post_init__(self) -> None:
        checked_dimension("Stumps", self.k)

    def as_points(self, points: ArrayLike) -> Points:
        return real_points(self, points, self.k)

    def _realise(self, points: Points, labels: Labels) -> Hypothesis | Refutation:
        if labels.all() or not labels.any():
            return Stump(0, -math.inf, bool(labels.all()))
        positive, negative = points[labels], points[~labels]
        p_low, p_high, n_low, n_high = positive.min(0), positive.max(0), negative.min(0), negative.max(0)
        for axis in np.flatnonzero(p_low > n_high):
            return Stump(int(axis), float(p_low[axis]), True)
        for axis in np.flatnonzero(n_low > p_high):
            return Stump(int(axis), float(n_low[axis]), False)
        p_names, n_names = np.flatnonzero(labels), np.flatnonzero(~labels)
        rising = zip(p_names[positive.argmin(0)].tolist(), n_names[negative.argmax(0)].tolist())
        falling = zip(p_names[positive.argmax(0)].tolist(), n_names[negative.argmin(0)].tolist())
        return Crossed(tuple(rising), tuple(falling))

    def complement(self, hypothesis: Hypothesis) -> Hypothesis | None:
        assert isinstance(hypothesis, Stump)
        return Stump(hypothesis.axis, hypothesis.threshold, not hypothesis.positive_above)

    def refute(self, points: ArrayLike) -> tuple[Labels, Refutation] | None:
        points = self.as_points(points)
        n = len(points)
        # half of the points positive is the rarest kind of labelling: look there first
        for chosen in combinations(range(n), n // 2):
            labels = np.zeros(n, dtype=bool)
            labels[list(chosen)] = True
            answer = self._realise(points, labels)
            if isinstance(answer, Refutation):
                return labels, answer
        return super().refute(points)

    @property
    def dimension(self) -> int:
        D = 1
        while math.comb(D + 1, (D + 1) // 2) <= 2 * self.k:
            D += 1
        return D

    def shattered_points(self) -> Points:
        orders = _covering_orders(self.dimension, self.k)
        ranks = np.zeros((self.dimension, self.k))
        for axis in range(self.k):
            ranks[orders[axis % len(orders)], axis] = np.arange(self.dimension)
        return ranks

    def draw_points(self, n: int, rng: np.random.Generator) -> Points:
        return rng.normal(size=(n, self.k))

    @property
    def argument(self) -> str:
        D = self.dimension + 1
        return (
            f"{D} points have C({D}, {D // 2}) = {math.comb(D, D // 2)} halves, and {self.k} axes order them so that "
            f"at most {2 * self.k} are a first or a last part"
        )


def _covering_orders(D: int, limit: int) -> list[list[int]]:
    """At most `limit` ≥ C(D, ⌊D/2⌋)/2 orders of D points: every subset or its complement is a first part of one.

    Every set below the middle level is matched to its own set one larger, so sets fall into chains that all reach the
    middle level. An order runs up the chain of a middle set S and then down the chain of one disjoint from S.
    """
    half = D // 2
    child = {upper: lower for size in range(half) for lower, upper in _match_upwards(D, size)}

    def chain(members: frozenset[int]) -> list[int]:
        removed: list[int] = []
        while members:
            smaller = child.get(members, members - {min(members)})
            removed += members - smaller
            members = smaller
        return removed[::-1]

    orders = []
    for first, last in _disjoint_pairs([frozenset(s) for s in combinations(range(D), half)], limit):
        between = sorted(set(range(D)) - first - last)
        orders.append(chain(first) + between + chain(last)[::-1])
    return orders


def _match_upwards(D: int, size: int) -> list[tuple[frozenset[int], frozenset[int]]]:
    """Each set of `size` ≤ (D−1)/2 elements with a superset one larger, no superset used twice (Hall's theorem)."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    lower = [frozenset(s) for s in combinations(range(D), size)]
    upper = [frozenset(s) for s in combinations(range(D), size + 1)]
    inside = csr_array([[int(a < b) for b in upper] for a in lower])
    return [(a, upper[b]) for a, b in zip(lower, maximum_bipartite_matching(inside, perm_type="column"))]


def _disjoint_pairs(sets: list[frozenset[int]], limit: int) -> list[tuple[frozenset[int], frozenset[int]]]:
    """Pairs of disjoint sets that use every set, at most `limit` of them; a set left alone is paired with ∅.

    Greedy from the set with the fewest partners left, started afresh until few enough are left alone.
    """
    rng = np.random.default_rng(0)
    disjoint = {a: {b for b in sets if not a & b} for a in sets}
    while True:
        free = {a: set(partners) for a, partners in disjoint.items()}
        pairs = []
        while free:
            fewest = min(map(len, free.values()))
            first = _pick([a for a in free if len(free[a]) == fewest], rng)
            partners = free[first]
            scarce = min((len(free[b]) for b in partners), default=0)
            last = _pick([b for b in partners if len(free[b]) == scarce], rng) if partners else frozenset()
            for used in (first, last):
                for other in free.pop(used, ()):
                    free[other].discard(used)
            pairs.append((first, last))
        if len(pairs) <= limit:
            return pairs


def _pick(candidates: list[frozenset[int]], rng: np.random.Generator) -> frozenset[int]:
    return sorted(candidates, key=sorted)[rng.integers(len(candidates))]
