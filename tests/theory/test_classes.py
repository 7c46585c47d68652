"""The oracles against brute force, and the independent check against both."""

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import each

from learnable.theory import (
    Conjunctions,
    FiniteTable,
    HalfSpaces,
    Hypothesis,
    Intervals,
    MonotoneConjunctions,
    Rectangles,
    Stumps,
    independent_separator,
    simplex_separator,
)
from learnable.theory.classes import Crossed, Enclosed, HalfSpace, HullsMeet, Implied, NoRow, Row
from learnable.theory.proof import as_rows
from learnable.theory.witness_check import accepts, realises, refutes

SEED = 17


def labellings(n):
    return (np.array(labels, dtype=bool) for labels in product((False, True), repeat=n))


def judge(concept_class, points):
    """The set of realised labellings, each answer having passed the independent check."""
    points = concept_class.as_points(points)
    rows, found = as_rows(points), set()
    for labels in labellings(len(points)):
        answer = concept_class.realise(points, labels)
        plain = tuple(labels.tolist())
        if isinstance(answer, Hypothesis):
            assert np.array_equal(answer.predict(points), labels)
            assert realises(answer, rows, plain)
            assert not realises(answer, rows, tuple(not label for label in plain))
            found.add(plain)
        else:
            assert refutes(answer, concept_class, rows, plain)
            assert not refutes(answer, concept_class, rows, tuple(not label for label in plain)) or isinstance(
                answer, (HullsMeet, Crossed)
            ), "only classes closed under complements refute both"
            # a labelling that agrees on the support is refuted too
            for other in labellings(len(points)) if len(points) < 6 else ():
                if all(other[i] == labels[i] for i in answer.support):
                    assert not isinstance(concept_class.realise(points, other), Hypothesis)
    return found


GRID = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=4)


@settings(max_examples=20, deadline=None)
@given(GRID)
def test_rectangles_are_the_boxes_with_grid_corners(points):
    points = np.array(points, dtype=float)
    edges = np.arange(-1, 5)
    brute = {
        tuple(np.all((points >= (a, c)) & (points <= (b, d)), axis=1).tolist())
        for a, b, c, d in product(edges, repeat=4)
    }
    assert judge(Rectangles(2), points) == brute


@settings(max_examples=20, deadline=None)
@given(GRID)
def test_stumps_are_the_half_grid_cuts(points):
    points = np.array(points, dtype=float)
    brute = {
        tuple(((points[:, axis] >= cut) == side).tolist())
        for axis in (0, 1)
        for cut in (-0.5, 0.5, 1.5, 2.5, 3.5)
        for side in (True, False)
    }
    assert judge(Stumps(2), points) == brute


@settings(max_examples=10, deadline=None)
@given(GRID)
def test_half_planes_on_a_grid(points):
    # small integer points: a separable pair is separated by small integer weights at half-integer offsets
    points = np.array(points, dtype=float)
    brute = {
        tuple((points @ (a, b) >= c + 0.5).tolist()) for a, b in product(range(-4, 5), repeat=2) for c in range(-26, 26)
    }
    assert judge(HalfSpaces(2), points) == brute


@each("n", [1, 2, 3])
@each("values", [(True,), (True, False)])
def test_conjunctions_are_all_conjunctions(n, values):
    concept_class = Conjunctions(n, values)
    domain = concept_class.domain()
    literals = [(i, value) for i in range(n) for value in values]
    brute = set()
    for chosen in product((False, True), repeat=len(literals)):
        kept = [literal for literal, keep in zip(literals, chosen) if keep]
        brute.add(tuple(bool(all(x[i] == value for i, value in kept)) for x in domain))
    assert judge(concept_class, domain) == brute


def test_tables_are_their_rows():
    rng = np.random.default_rng(SEED)
    table = rng.random((6, 4)) < 0.5
    assert judge(FiniteTable(table), np.arange(4)) == {tuple(row) for row in table.tolist()}


@each("k", [1, 2, 3, 5])
def test_both_explicit_constructions_shatter_k_plus_one_points(k):
    rng = np.random.default_rng(SEED)
    simplex, general = HalfSpaces(k).shattered_points(), rng.normal(size=(k + 1, k))
    for labels in labellings(k + 1):
        assert realises(simplex_separator(labels), as_rows(simplex), labels.tolist())
        assert realises(independent_separator(general, labels), as_rows(general), labels.tolist())
    with pytest.raises(ValueError, match="affinely dependent"):
        independent_separator(np.zeros((2, k)), [0, 1])


SIX = np.random.default_rng(SEED).integers(0, 100, size=(6, 2)).astype(float)


@cache
def separable():
    """(labels, whether a half-plane has them) for six points."""
    return [(labels, isinstance(HalfSpaces(2).realise(SIX, labels), Hypothesis)) for labels in labellings(6)]


@each(("scale", "shift"), [(1e-120, 0.0), (1.0, 1e6), (1e120, 1e6)])
def test_half_spaces_do_not_mind_the_unit_of_measurement(scale, shift):
    points = (SIX + shift) * np.array([scale, 1.0])
    for labels, expected in separable():
        answer = HalfSpaces(2).realise(points, labels)
        assert isinstance(answer, Hypothesis) == expected
        if not expected:
            assert refutes(answer, HalfSpaces(2), as_rows(points), labels.tolist())


def test_tampered_witnesses_are_rejected():
    square = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]])
    rows, cross = as_rows(square), (True, True, False, False)
    hulls = HalfSpaces(2).realise(square, cross)
    assert refutes(hulls, HalfSpaces(2), rows, cross)
    assert not refutes(HullsMeet((0.6, 0.4, 0.5, 0.5)), HalfSpaces(2), rows, cross)
    assert not refutes(HullsMeet((0.5, 0.5, 0.0, 0.0)), HalfSpaces(2), rows, cross)
    assert not refutes(HullsMeet((1.5, -0.5, 0.5, 0.5)), HalfSpaces(2), rows, cross)
    assert not realises(HalfSpace((1.0, 1.0), -0.5), rows, (True, True, True, True))

    line, labels = as_rows(np.array([[1.0], [2.0], [3.0]])), (True, False, True)
    enclosed = Intervals().realise([1.0, 2.0, 3.0], labels)
    assert not refutes(replace(enclosed, point=0), Intervals(), line, labels)
    assert not refutes(replace(enclosed, below=(2,)), Intervals(), line, labels)
    assert not refutes(replace(enclosed, above=(1,)), Intervals(), line, labels)
    assert not refutes(Enclosed(1, (), ()), Intervals(), line, labels)
    assert not refutes(Crossed(((0, 1),), ((0, 1),)), Stumps(1), line, labels)
    assert not refutes(Crossed((), ()), Stumps(1), line, labels)

    cube, some = as_rows(Conjunctions(2).domain()), (False, True, True, False)
    implied = Conjunctions(2).realise(Conjunctions(2).domain(), some)
    assert refutes(implied, Conjunctions(2), cube, some)
    assert not refutes(Implied(implied.point, implied.blockers[:1]), Conjunctions(2), cube, some)
    assert not refutes(Implied(implied.point, tuple((k, 0) for k, _ in implied.blockers)), Conjunctions(2), cube, some)
    table = FiniteTable([[0, 1], [1, 0]])
    assert refutes(NoRow((0, 1)), table, ((0,), (1,)), (True, True))
    assert not refutes(NoRow((1, 1)), table, ((0,), (1,)), (True, True))
    assert not refutes(NoRow((0,)), table, ((0,), (1,)), (True, True))
    assert accepts(Row(0, (False, True)), (1,))
    with pytest.raises(TypeError, match="no independent check"):
        accepts(object(), (1,))
    with pytest.raises(TypeError, match="no independent check"):
        refutes(object(), table, (), ())


def test_refute_says_none_exactly_for_shattered_sets():
    assert Intervals().refute([1.0, 2.0]) is None
    assert Intervals().refute([1.0, 1.0]) is not None
    assert Stumps(2).refute(Stumps(2).shattered_points()) is None
    assert MonotoneConjunctions(1).refute([[1]]) is not None
    assert HalfSpaces(2).refute([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]) is not None


@each("k", [0, -1, 2.5, True, "2"])
@each("maker", [Rectangles, HalfSpaces, Stumps, Conjunctions])
def test_impossible_dimensions(maker, k):
    with pytest.raises(ValueError, match="whole number >= 1"):
        maker(k)


def test_bad_points_and_labels():
    for concept_class in (Rectangles(2), HalfSpaces(2), Stumps(2)):
        with pytest.raises(ValueError, match=r"needs \(n, 2\)"):
            concept_class.realise([[1.0, 2.0, 3.0]], [1])
        with pytest.raises(ValueError, match="finite"):
            concept_class.realise([[1.0, np.nan]], [1])
        with pytest.raises(ValueError, match="one label"):
            concept_class.realise([[1.0, 2.0]], [1, 0])
        with pytest.raises(ValueError, match="one label"):
            concept_class.realise([[1.0, 2.0]], [-1])
    with pytest.raises(ValueError, match="zeros and ones"):
        Conjunctions(2).realise([[0, 2]], [1])
    with pytest.raises(ValueError, match="at least one hypothesis"):
        FiniteTable(np.empty((0, 3)))
    with pytest.raises(ValueError, match="0 or 1"):
        FiniteTable([[0, 2]])
    with pytest.raises(ValueError, match="column numbers"):
        FiniteTable([[0, 1]]).realise([2], [1])


def test_inputs_are_left_alone():
    points, labels = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([1, 0])
    before = points.copy(), labels.copy()
    for concept_class in (Rectangles(2), HalfSpaces(2), Stumps(2)):
        concept_class.realise(points, labels)
    assert np.array_equal(points, before[0])
    assert np.array_equal(labels, before[1])
