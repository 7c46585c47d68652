"""Proof objects for a VC dimension, and the check that accepts or rejects them."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from learnable.seeds import generator_from
from learnable.theory.classes import ConceptClass, Hypothesis, Refutation, StructuredClass
from learnable.theory.witness_check import Point, belongs, realises, refutes

Labelling = tuple[bool, ...]
Points = tuple[Point, ...]


def as_rows(points: np.ndarray) -> Points:
    """Points as tuples of plain numbers; a column number of a table becomes a tuple of one."""
    return tuple(tuple(np.atleast_1d(point).tolist()) for point in points)


@dataclass(frozen=True)
class ShatteredSet:
    """VC dimension at least the number of points: a hypothesis for each of their labellings."""

    points: Points
    hypotheses: dict[Labelling, Hypothesis]

    def check(self) -> bool:
        """All 2^d labellings are there, and each hypothesis has its labels, computed afresh."""
        d = len(self.points)
        return all(
            labels in self.hypotheses and realises(self.hypotheses[labels], self.points, labels)
            for labels in product((False, True), repeat=d)
        )


@dataclass(frozen=True)
class DomainRefuted:
    """VC dimension at most d on a finite domain: every set of d+1 points contains one that is refuted.

    Attributes
    ----------
    concept_class : ConceptClass
        The class.
    domain : tuple of points
        All points considered.
    d : int
        The dimension claimed.
    refuted : dict
        Sets of points, by index, each with a labelling that is not realised and the reason.
    """

    concept_class: ConceptClass
    domain: Points
    d: int
    refuted: dict[tuple[int, ...], tuple[Labelling, Refutation]]

    def check(self) -> bool:
        """Every refutation holds, and no set of d+1 points avoids them all."""
        for members, (labels, refutation) in self.refuted.items():
            if not 0 < len(members) <= self.d + 1 or len(labels) != len(members):
                return False
            if not refutes(refutation, self.concept_class, [self.domain[i] for i in members], labels):
                return False
        return not any(self._unrefuted((), 0))

    def _unrefuted(self, chosen: tuple[int, ...], start: int):
        """Yield True for every set of d+1 points, extending `chosen`, without a refuted subset."""
        if len(chosen) == self.d + 1:
            yield True
            return
        for new in range(start, len(self.domain)):
            if not self._newly_refuted(chosen, new):
                yield from self._unrefuted((*chosen, new), new + 1)

    def _newly_refuted(self, chosen: tuple[int, ...], new: int) -> bool:
        for keep in product((False, True), repeat=len(chosen)):
            if (*(i for i, kept in zip(chosen, keep) if kept), new) in self.refuted:
                return True
        return False


@dataclass(frozen=True)
class StructureRefuted:
    """VC dimension at most d by the structure of the class: an argument, and a refuter for any d+1 points.

    `check` tries the refuter on random sets: evidence for the argument, which itself is a theorem.
    """

    concept_class: StructuredClass
    d: int
    argument: str

    def check(self, trials: int = 50, random_state: int | None = 0) -> bool:
        """On random sets of d+1 points, some with coordinates that coincide, each refutation holds."""
        rng = generator_from(random_state, "StructureRefuted.check")
        for trial in range(trials):
            points = self.concept_class.draw_points(self.d + 1, rng)
            if trial % 2:
                points = np.round(points)
            answer = self.concept_class.refute(points)
            if answer is None:
                return False
            labels, refutation = answer
            if not refutes(refutation, self.concept_class, as_rows(points), [bool(label) for label in labels]):
                return False
        return True


@dataclass(frozen=True)
class VCProof:
    """Both halves of a VC dimension.

    Attributes
    ----------
    value : int
        The dimension.
    lower : ShatteredSet
        A shattered set of that size.
    upper : DomainRefuted or StructureRefuted
        Why no larger set is shattered.

    Syllabus: T15.
    """

    value: int
    lower: ShatteredSet
    upper: DomainRefuted | StructureRefuted

    def check(self) -> bool:
        """Re-verify both halves, which must be about one class, with code that shares nothing with the search."""
        return (
            len(self.lower.points) == self.value
            and self.upper.d == self.value
            and all(belongs(each, self.upper.concept_class) for each in self.lower.hypotheses.values())
            and (not isinstance(self.upper, DomainRefuted) or set(self.lower.points) <= set(self.upper.domain))
            and self.lower.check()
            and self.upper.check()
        )

    def __str__(self) -> str:
        if isinstance(self.upper, StructureRefuted):
            reason = self.upper.argument
        else:
            reason = (
                f"{len(self.upper.refuted)} refuted sets meet every {self.value + 1} of {len(self.upper.domain)} points"
            )
        shown = ", ".join(str(point) for point in self.lower.points)
        return f"VC dimension {self.value}: shatters {{{shown}}}; no larger set: {reason}"
