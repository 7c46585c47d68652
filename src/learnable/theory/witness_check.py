"""Second opinion on hypotheses and refutations, in rational arithmetic and without the classes' own code."""

from collections.abc import Sequence
from fractions import Fraction
from functools import singledispatch
from typing import Any

from learnable.theory.classes import (
    ConceptClass,
    Conjunctions,
    Crossed,
    Enclosed,
    FiniteTable,
    HalfSpace,
    HalfSpaces,
    HullsMeet,
    Implied,
    LiteralConjunction,
    NoRow,
    Rectangle,
    Rectangles,
    Row,
    Stump,
    Stumps,
)

Point = Sequence[Any]

# hulls that come this near, relative to the extent of the points, count as touching
HULL_TOLERANCE = Fraction(1, 10**8)


def realises(hypothesis: object, points: Sequence[Point], labels: Sequence[bool]) -> bool:
    """Whether the hypothesis has exactly these labels on these points."""
    return all(accepts(hypothesis, point) == bool(label) for point, label in zip(points, labels, strict=True))


@singledispatch
def belongs(hypothesis: object, concept_class: ConceptClass) -> bool:
    """Whether the hypothesis is a member of the class."""
    raise TypeError(f"no independent check is known for {type(hypothesis).__name__}")


@belongs.register
def _(hypothesis: Rectangle, concept_class: ConceptClass) -> bool:
    return isinstance(concept_class, Rectangles) and len(hypothesis.low) == len(hypothesis.high) == concept_class.k


@belongs.register
def _(hypothesis: HalfSpace, concept_class: ConceptClass) -> bool:
    return isinstance(concept_class, HalfSpaces) and len(hypothesis.w) == concept_class.k


@belongs.register
def _(hypothesis: Stump, concept_class: ConceptClass) -> bool:
    return isinstance(concept_class, Stumps) and 0 <= hypothesis.axis < concept_class.k


@belongs.register
def _(hypothesis: LiteralConjunction, concept_class: ConceptClass) -> bool:
    if not isinstance(concept_class, Conjunctions):
        return False
    asked = {True: hypothesis.true, False: hypothesis.false}
    variables = {i for each in asked.values() for i in each}
    allowed = all(value in concept_class.values for value, each in asked.items() if each)
    return allowed and variables <= set(range(concept_class.n))


@belongs.register
def _(hypothesis: Row, concept_class: ConceptClass) -> bool:
    return isinstance(concept_class, FiniteTable) and any(
        tuple(map(bool, hypothesis.values)) == tuple(row) for row in concept_class.table.tolist()
    )


@singledispatch
def accepts(hypothesis: object, point: Point) -> bool:
    """Whether the hypothesis labels the point True."""
    raise TypeError(f"no independent check is known for {type(hypothesis).__name__}")


@accepts.register
def _(hypothesis: Rectangle, point: Point) -> bool:
    return not any(x < low or high < x for low, x, high in zip(hypothesis.low, point, hypothesis.high, strict=True))


@accepts.register
def _(hypothesis: HalfSpace, point: Point) -> bool:
    total = Fraction(hypothesis.b)
    for weight, x in zip(hypothesis.w, point, strict=True):
        total += Fraction(weight) * Fraction(float(x))
    return total >= 0


@accepts.register
def _(hypothesis: Stump, point: Point) -> bool:
    return (point[hypothesis.axis] < hypothesis.threshold) != hypothesis.positive_above


@accepts.register
def _(hypothesis: LiteralConjunction, point: Point) -> bool:
    wanted = [(i, 1) for i in hypothesis.true] + [(i, 0) for i in hypothesis.false]
    return all(int(point[i]) == value for i, value in wanted)


@accepts.register
def _(hypothesis: Row, point: Point) -> bool:
    return hypothesis.values[int(point[0])]


@singledispatch
def refutes(refutation: object, concept_class: ConceptClass, points: Sequence[Point], labels: Sequence[bool]) -> bool:
    """Whether the refutation really excludes the labelling."""
    raise TypeError(f"no independent check is known for {type(refutation).__name__}")


@refutes.register
def _(refutation: Enclosed, concept_class: ConceptClass, points: Sequence[Point], labels: Sequence[bool]) -> bool:
    inner = points[refutation.point]
    axes = range(len(inner))
    return (
        isinstance(concept_class, Rectangles)
        and not labels[refutation.point]
        and len(refutation.below) == len(refutation.above) == len(inner)
        and all(labels[i] for i in (*refutation.below, *refutation.above))
        and all(points[refutation.below[j]][j] <= inner[j] <= points[refutation.above[j]][j] for j in axes)
    )


@refutes.register
def _(refutation: HullsMeet, concept_class: ConceptClass, points: Sequence[Point], labels: Sequence[bool]) -> bool:
    if not isinstance(concept_class, HalfSpaces) or len(refutation.weights) != len(points):
        return False
    if min(refutation.weights) < 0:
        return False
    sides: dict[bool, list[tuple[Fraction, Point]]] = {False: [], True: []}
    for weight, point, label in zip(refutation.weights, points, labels):
        sides[bool(label)].append((Fraction(weight), point))
    totals = {side: sum((weight for weight, _ in members), Fraction(0)) for side, members in sides.items()}
    if not all(totals.values()):
        return False
    for axis in range(len(points[0])):
        here, there = (
            sum((weight * Fraction(float(point[axis])) for weight, point in members), Fraction(0)) / totals[side]
            for side, members in sides.items()
        )
        column = [Fraction(float(point[axis])) for point in points]
        if abs(here - there) > HULL_TOLERANCE * (max(column) - min(column)):
            return False
    return True


@refutes.register
def _(refutation: Crossed, concept_class: ConceptClass, points: Sequence[Point], labels: Sequence[bool]) -> bool:
    if not isinstance(concept_class, Stumps) or not len(refutation.rising) == len(refutation.falling) == len(points[0]):
        return False
    pairs = (*refutation.rising, *refutation.falling)
    return (
        all(labels[positive] and not labels[negative] for positive, negative in pairs)
        and all(points[p][axis] <= points[n][axis] for axis, (p, n) in enumerate(refutation.rising))
        and all(points[p][axis] >= points[n][axis] for axis, (p, n) in enumerate(refutation.falling))
    )


@refutes.register
def _(refutation: Implied, concept_class: ConceptClass, points: Sequence[Point], labels: Sequence[bool]) -> bool:
    if not isinstance(concept_class, Conjunctions) or labels[refutation.point]:
        return False
    blockers = dict(refutation.blockers)
    for i, value in enumerate(points[refutation.point]):
        for wanted in concept_class.values:
            if bool(value) == wanted:
                continue
            blocker = blockers.get((i, wanted))
            if blocker is None or not labels[blocker] or bool(points[blocker][i]) == wanted:
                return False
    return True


@refutes.register
def _(refutation: NoRow, concept_class: ConceptClass, points: Sequence[Point], labels: Sequence[bool]) -> bool:
    if not isinstance(concept_class, FiniteTable) or len(refutation.differs) != len(concept_class.table):
        return False
    return all(
        bool(row[int(points[position][0])]) != bool(labels[position])
        for row, position in zip(concept_class.table, refutation.differs)
    )
