"""Dichotomies, growth, VC dimension with proofs that tampering breaks; Radon and Cover."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from tests.cases import each

from learnable.theory import (
    Conjunctions,
    Dichotomies,
    FiniteTable,
    HalfSpaces,
    Intervals,
    MonotoneConjunctions,
    Rectangles,
    Stumps,
    cover_count,
    cover_count_homogeneous,
    dichotomies,
    phase_transition,
    radon_partition,
    sauer_sum,
    separable_probability,
    shatters,
    vc_dimension,
)
from learnable.theory.classes import HalfSpace, HullsMeet, StructuredClass

SEED = 23


def brute_dimension(table):
    """Largest shattered set of columns, by counting restrictions."""
    n = table.shape[1]
    for d in range(n, -1, -1):
        for chosen in combinations(range(n), d):
            if len({tuple(row) for row in table[:, list(chosen)].tolist()}) == 2**d:
                return d
    raise AssertionError


KNOWN = [
    (Intervals(), 2),
    (Rectangles(2), 4),
    (Rectangles(3), 6),
    (HalfSpaces(1), 2),
    (HalfSpaces(2), 3),
    (HalfSpaces(3), 4),
    (HalfSpaces(5), 6),
    (Stumps(1), 2),
    (Stumps(2), 3),
    (Stumps(3), 4),
    (Stumps(4), 4),
    (Stumps(5), 5),
    (Stumps(10), 6),
    (Stumps(18), 7),
    (Stumps(63), 9),
    (Conjunctions(1), 2),
    (Conjunctions(2), 2),
    (Conjunctions(3), 3),
    (Conjunctions(4), 4),
    (Conjunctions(10), 10),
    (MonotoneConjunctions(1), 1),
    (MonotoneConjunctions(2), 2),
    (MonotoneConjunctions(3), 3),
    (MonotoneConjunctions(4), 4),
]


@each(("concept_class", "d"), KNOWN, ids=str)
def test_known_dimensions_with_proof(concept_class, d):
    proof = vc_dimension(concept_class)
    assert proof.value == d
    assert proof.check()
    assert f"VC dimension {d}" in str(proof)
    if isinstance(concept_class, StructuredClass):
        assert shatters(concept_class, concept_class.shattered_points())


@each(
    ("concept_class", "domain", "d"),
    [
        (Intervals(), np.arange(7.0), 2),
        (Intervals(), np.zeros(3), 1),
        (Rectangles(2), "points", 4),
        (HalfSpaces(2), "points", 3),
        (HalfSpaces(2), np.column_stack([np.arange(5.0), np.arange(5.0)]), 2),
        (HalfSpaces(3), "points", 4),
        (Stumps(2), "points", 3),
        (Stumps(1), np.arange(5.0), 2),
        *((Conjunctions(n), Conjunctions(n).domain(), max(n, 2)) for n in (1, 2, 3)),
        *((MonotoneConjunctions(n), Conjunctions(n).domain(), n) for n in (1, 2, 3)),
    ],
    ids=lambda value: "" if isinstance(value, np.ndarray) else str(value),
)
def test_dimension_on_a_finite_domain(concept_class, domain, d):
    if isinstance(domain, str):
        rng = np.random.default_rng(SEED)
        domain = np.vstack([concept_class.shattered_points() * 2, rng.normal(size=(3, concept_class.k))])
    proof = vc_dimension(concept_class, domain)
    assert proof.value == d
    assert proof.check()
    found, _ = dichotomies(concept_class, domain)
    assert brute_dimension(found.rows()) == d


def test_random_tables():
    rng = np.random.default_rng(SEED)
    for _ in range(30):
        table = rng.random((rng.integers(1, 30), rng.integers(1, 7))) < rng.uniform(0.2, 0.8)
        proof = vc_dimension(FiniteTable(table))
        assert proof.value == brute_dimension(table)
        assert proof.check()
    everything = vc_dimension(FiniteTable(Dichotomies(4, tuple(range(16))).rows()))
    assert everything.value == 4
    assert everything.check()
    single = vc_dimension(FiniteTable([[1, 0, 1]]))
    assert single.value == 0
    assert single.check()


def test_every_tampering_breaks_the_proof():
    proof = vc_dimension(HalfSpaces(2), [[0, 0], [1, 0], [0, 1], [1, 1], [3, 2]])
    assert proof.check()
    lower, upper = proof.lower, proof.upper
    labels = next(iter(lower.hypotheses))
    assert not replace(proof, value=2).check()
    assert not replace(proof, upper=replace(upper, d=2)).check()
    swapped = {**lower.hypotheses, labels: HalfSpace((0.0, 0.0), 1.0)}
    assert not replace(proof, lower=replace(lower, hypotheses=swapped)).check()
    fewer = {k: v for k, v in lower.hypotheses.items() if k != labels}
    assert not replace(proof, lower=replace(lower, hypotheses=fewer)).check()
    for members in upper.refuted:
        rest = {k: v for k, v in upper.refuted.items() if k != members}
        assert not replace(proof, upper=replace(upper, refuted=rest)).check(), "a set without its refutation"
        pattern, _ = upper.refuted[members]
        fake = {**upper.refuted, members: (pattern, HullsMeet((0.97, 0.01, 0.53, 0.31)))}
        even = {**upper.refuted, members: (tuple(not p for p in pattern[:1]) + pattern[1:], upper.refuted[members][1])}
        assert not replace(proof, upper=replace(upper, refuted=fake)).check()
        assert not replace(proof, upper=replace(upper, refuted=even)).check()
    too_low = vc_dimension(Intervals())
    assert not replace(too_low.upper, d=1).check()


def test_both_halves_of_a_proof_are_about_one_class_and_one_domain():
    square = [[0, 1], [1, 0], [0, -1], [-1, 0]]
    boxes, planes = vc_dimension(Rectangles(2), square), vc_dimension(HalfSpaces(2), square)
    assert boxes.check()
    assert boxes.value == 4
    # No five of four points are there to be refuted.
    assert not replace(planes, value=4, lower=boxes.lower, upper=replace(planes.upper, d=4)).check()
    few = vc_dimension(HalfSpaces(2), square[:3])
    elsewhere = vc_dimension(HalfSpaces(2), [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
    assert few.check()
    assert not replace(few, lower=elsewhere.lower).check()
    middle = [*square, [0, 0]]
    inner = vc_dimension(Rectangles(2), middle)
    assert inner.check()
    assert not replace(inner.upper, concept_class=HalfSpaces(2)).check()
    monotone = vc_dimension(MonotoneConjunctions(1))
    both = vc_dimension(Conjunctions(1))
    assert not replace(both, upper=replace(both.upper, concept_class=MonotoneConjunctions(1))).check()
    assert monotone.check()


def test_dichotomies_and_growth_functions():
    rng = np.random.default_rng(SEED)
    for n in range(1, 8):
        found, witness = dichotomies(Intervals(), rng.normal(size=n))
        assert len(found) == n * (n + 1) // 2 + 1
        assert set(witness) == set(found.masks)
        stumps, _ = dichotomies(Stumps(1), rng.normal(size=n))
        assert len(stumps) == 2 * n
    found, _ = dichotomies(Rectangles(2), rng.normal(size=(6, 2)))
    for k in range(7):
        assert found.growth(k) <= sauer_sum(k, 4)
    sub = found.restrict([0, 3, 5])
    assert sub.n == 3
    assert len(sub) <= 8
    assert sub.shatters([0, 1, 2]) == found.shatters([0, 3, 5])


def test_dichotomies_round_trip_beyond_64_points():
    rng = np.random.default_rng(SEED)
    table = rng.random((20, 150)) < 0.5
    found = Dichotomies.of_rows(table)
    assert {tuple(r) for r in found.rows().tolist()} == {tuple(r) for r in table.tolist()}
    lacking = found.missing(range(30))
    assert lacking is not None
    assert not any(tuple(row[:30]) == lacking for row in table.tolist())


@each(("n", "k"), [(3, 1), (6, 1), (5, 2), (6, 3), (4, 3)])
def test_cover_counts_what_the_linear_programs_find(n, k):
    rng = np.random.default_rng(SEED)
    X = rng.normal(size=(n, k))
    found, _ = dichotomies(HalfSpaces(k), X)
    assert len(found) == cover_count(n, k)
    assert float(separable_probability(n, k)) == len(found) / 2**n
    # through the origin: count the sign patterns by adding the origin's mirror image of each point
    doubled, _ = dichotomies(HalfSpaces(k), np.vstack([X, -X]))
    opposite = [mask for mask in doubled.masks if (mask ^ (mask >> n)) & (2**n - 1) == 2**n - 1]
    assert len(opposite) == cover_count_homogeneous(n, k)


def test_cover_probability_and_its_transition():
    for k in (1, 2, 7, 30):
        assert all(separable_probability(n, k) == 1 for n in range(1, k + 2))
        assert separable_probability(k + 2, k) < 1
        assert separable_probability(2 * (k + 1), k) == Fraction(1, 2), "a half, not close to one"
    ratios = np.linspace(0.5, 4, 15)
    for k in (3, 20):
        exact = [float(separable_probability(round(r * (k + 1)), k)) for r in ratios]
        assert phase_transition(k, ratios) == pytest.approx(exact)
    below, above = phase_transition(4000, [2 * 0.95, 2 * 1.05])
    assert below > 0.99
    assert above < 0.01
    with pytest.raises(ValueError, match="cover_count"):
        cover_count(0, 2)
    with pytest.raises(ValueError, match="phase_transition"):
        phase_transition(3, [0.0])
    with pytest.raises(ValueError, match="k >= 1"):
        cover_count_homogeneous(3, 0)


def test_twelve_points_in_space_are_enumerated():
    rng = np.random.default_rng(SEED)
    X = rng.normal(size=(12, 3))
    found, _ = dichotomies(HalfSpaces(3), X)
    assert len(found) == cover_count(12, 3) == 464
    assert not shatters(HalfSpaces(3), X)


@each("k", [1, 2, 3, 6])
def test_radon_partition_has_a_common_point(k):
    rng = np.random.default_rng(SEED)
    for trial in range(20):
        points = rng.normal(size=(k + 2, k))
        if trial % 3 == 0:
            points = np.round(points)  # ties and affine dependences
        if trial % 5 == 0:
            points = points * 1e8 + 1e9
        radon = radon_partition(points)
        extent = np.ptp(points, axis=0).max()
        assert set(radon.positive).isdisjoint(radon.negative)
        for members, weights in (
            (radon.positive, radon.positive_weights),
            (radon.negative, radon.negative_weights),
        ):
            assert np.all(weights > 0)
            assert weights.sum() == pytest.approx(1)
            assert weights @ points[list(members)] == pytest.approx(radon.point, abs=1e-7 * max(extent, 1))
        labels = np.zeros(k + 2, dtype=bool)
        labels[list(radon.positive)] = True
        assert isinstance(HalfSpaces(k).realise(points, labels), HullsMeet)


def test_radon_bad_input():
    with pytest.raises(ValueError, match="at least k\\+2 = 4"):
        radon_partition(np.zeros((3, 2)))
    with pytest.raises(ValueError, match="finite"):
        radon_partition([[0.0], [math.inf], [1.0]])
    same = radon_partition(np.ones((4, 2)))
    assert same.point == pytest.approx([1, 1])


def test_bad_input():
    with pytest.raises(ValueError, match="empty"):
        Dichotomies(3, ())
    with pytest.raises(ValueError, match="at least one point"):
        dichotomies(Intervals(), [])
    with pytest.raises(ValueError, match=r"k must be in 0\.\.3"):
        Dichotomies(3, (1,)).growth(4)
    with pytest.raises(ValueError, match="zeros and ones"):
        Dichotomies.of_rows([[0, 3]])


@each("n", [62, 63, 64, 70])
def test_growth_of_more_points_than_a_code_holds(n):
    """n singletons on n points are n dichotomies; beyond 62 points they do not fit into one number."""
    assert Dichotomies.of_rows(np.eye(n, dtype=int)).growth(n) == n


def test_masks_are_kept_once_in_order_and_must_fit_the_points():
    assert Dichotomies(2, (3, 1, 1)).masks == (1, 3)
    for mask in (9, -1):
        with pytest.raises(ValueError, match=rf"the mask {mask} has"):
            Dichotomies(2, (0, mask))


@each("point", [7, -1, 0.5])
def test_points_outside_the_domain_are_refused(point):
    found = Dichotomies(3, (1, 2))
    for ask in (found.restrict, found.shatters, found.missing):
        with pytest.raises(ValueError, match=rf"point {point} is not in 0..2"):
            ask([point])
