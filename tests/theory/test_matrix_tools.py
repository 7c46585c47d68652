"""Inner products, semidefinite matrices, Kronecker and Hadamard products, general position: laws and witnesses."""

from fractions import Fraction
from itertools import combinations
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.cases import each

from learnable.theory import (
    general_position,
    geometry,
    gram_matrix,
    hadamard_rows,
    kronecker_place,
    product_laws,
    semidefinite_test,
    smallest_eigenvalues,
    spectral_decomposition,
)

SMALL = st.integers(-3, 3).map(float)


def square(n):
    return arrays(float, (n, n), elements=SMALL)


# Inner products -------------------------------------------------------------------------------------------------------


@settings(max_examples=50, deadline=None)
@given(arrays(float, (5, 3), elements=SMALL))
def test_geometry_is_that_of_the_points(points):
    found = geometry(gram_matrix(points))
    norms = np.linalg.norm(points, axis=1)
    assert found.norms == pytest.approx(norms, abs=1e-12)
    assert found.distances == pytest.approx(np.linalg.norm(points[:, None] - points, axis=2), abs=1e-7)
    for i, j in combinations(range(5), 2):
        if norms[i] == 0 or norms[j] == 0:
            assert np.isnan(found.angles[i, j])
            continue
        unit_i, unit_j = points[i] / norms[i], points[j] / norms[j]
        # Kahan's angle, by lengths: an independent formula.
        angle = 2 * np.arctan2(np.linalg.norm(unit_i - unit_j), np.linalg.norm(unit_i + unit_j))
        assert found.angles[i, j] == pytest.approx(angle, abs=1e-7)


def test_what_no_points_have_as_inner_products_has_no_geometry():
    with pytest.raises(ValueError, match=r"gram\[0, 1\] is 2, more than"):
        geometry([[1.0, 2.0], [2.0, 1.0]])
    pairwise_sound = np.array([[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]])
    with pytest.raises(ValueError, match="negative squared length"):
        geometry(pairwise_sound)
    rng = np.random.default_rng(0)
    for scale in (1e-150, 1.0, 1e150):  # of rank one, and rounding is no fault
        x = scale * rng.normal(size=(6, 1))
        assert geometry(x @ x.T).norms == pytest.approx(np.abs(x[:, 0]))


def test_distances_are_a_metric_and_the_parallelogram_law_holds():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 4))
    found = geometry(gram_matrix([x, y, x + y, x - y, 0 * x]))
    assert found.norms[2] ** 2 + found.norms[3] ** 2 == pytest.approx(2 * found.norms[0] ** 2 + 2 * found.norms[1] ** 2)
    d = found.distances
    assert (d == d.T).all()
    assert (np.diagonal(d) == 0).all()
    assert all(d[i, k] <= d[i, j] + d[j, k] + 1e-12 for i in range(5) for j in range(5) for k in range(5))
    assert d[0, 4] == pytest.approx(found.norms[0])


def test_parallel_vectors_have_an_angle_in_spite_of_rounding():
    x = np.array([0.1, 0.2, 0.3])
    found = geometry(gram_matrix([x, 3 * x, -7 * x]))
    assert found.angles[0, 1] == pytest.approx(0, abs=1e-7)
    assert found.angles[0, 2] == pytest.approx(np.pi, abs=1e-7)


def test_a_negative_square_is_refused():
    with pytest.raises(ValueError, match="squared length"):
        geometry([[1.0, 0.0], [0.0, -1.0]])


# Semidefinite matrices ------------------------------------------------------------------------------------------------


def exactly_semidefinite(matrix):
    """Every principal minor is ≥ 0, in rational arithmetic."""

    def determinant(rows):
        rows, sign = [list(map(Fraction, row)) for row in rows], Fraction(1)
        for k in range(len(rows)):
            pivot = next((r for r in range(k, len(rows)) if rows[r][k]), None)
            if pivot is None:
                return Fraction(0)
            if pivot != k:
                rows[k], rows[pivot], sign = rows[pivot], rows[k], -sign
            for r in range(k + 1, len(rows)):
                factor = rows[r][k] / rows[k][k]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[k])]
        product = sign
        for k in range(len(rows)):
            product *= rows[k][k]
        return product

    n = len(matrix)
    return all(
        determinant(matrix[np.ix_(chosen, chosen)]) >= 0
        for size in range(1, n + 1)
        for chosen in combinations(range(n), size)
    )


@settings(max_examples=100, deadline=None)
@given(square(4))
def test_the_verdict_is_that_of_the_principal_minors(half):
    matrix = half + half.T
    found = semidefinite_test(matrix)
    assert found.holds == exactly_semidefinite(matrix)
    assert found.check(matrix)
    assert (found.factor is None) != (found.witness is None)
    if found.witness is not None:
        assert found.witness @ matrix @ found.witness == pytest.approx(found.smallest)


@settings(max_examples=50, deadline=None)
@given(arrays(float, (5, 2), elements=SMALL))
def test_every_gram_matrix_is_semidefinite(points):
    assert semidefinite_test(gram_matrix(points))


@each("scale", [1e-150, 1.0, 1e150])
def test_the_scale_does_not_matter(scale):
    assert semidefinite_test(scale * np.array([[1.0, 1.0], [1.0, 1.0]]))
    assert not semidefinite_test(scale * np.array([[1.0, 1.0], [1.0, 0.99]]))


def test_a_false_witness_is_rejected():
    matrix = np.array([[2.0, 1.0], [1.0, 2.0]])
    proof = semidefinite_test(matrix)
    assert not proof._replace(factor=proof.factor * 1.001).check(matrix)
    assert not proof._replace(factor=None, witness=np.array([1.0, 0.0])).check(matrix)
    disproof = semidefinite_test(-matrix)
    assert not disproof._replace(witness=np.zeros(2)).check(-matrix)
    assert not disproof.check(matrix)
    # (iF)(iF)ᵀ = −FFᵀ
    assert not proof._replace(factor=1j * proof.factor).check(-matrix)
    assert not disproof._replace(witness=1j * disproof.witness).check(matrix)


def test_the_spectral_decomposition_is_checked():
    rng = np.random.default_rng(1)
    half = rng.normal(size=(30, 30))
    found = spectral_decomposition(half + half.T)
    assert found.residual < 1e-14
    assert found.orthogonality < 1e-13
    assert (np.diff(found.values) >= 0).all()
    assert found.values.sum() == pytest.approx(np.trace(half) * 2)


def test_a_limit_of_semidefinite_matrices_is_semidefinite():
    """exp(⟨x, y⟩) is the limit of the sums of ⟨x, y⟩^k/k!, each of which is a semidefinite kernel."""
    points = np.random.default_rng(2).normal(size=(6, 2))
    gram = gram_matrix(points)
    partial = [sum(gram**k / factorial(k) for k in range(terms)) for terms in range(1, 30)]
    along = smallest_eigenvalues(partial)
    assert (along >= -1e-12).all()
    assert (np.diff(along) >= -1e-12).all()  # each term adds a semidefinite matrix
    limit = semidefinite_test(np.exp(gram))
    assert limit
    assert limit.smallest == pytest.approx(along[-1], abs=1e-10)
    # Strict positivity may be lost in a limit; semidefiniteness may not.
    assert smallest_eigenvalues([[[1, 1 - 0.1**n], [1 - 0.1**n, 1]] for n in range(1, 9)]).min() > 0
    assert smallest_eigenvalues([np.ones((2, 2))])[0] == pytest.approx(0, abs=1e-15)


# Kronecker and Hadamard products --------------------------------------------------------------------------------------


@each(("a", "b"), [((2, 3), (4, 2)), ((1, 1), (3, 3)), ((3, 1), (1, 2))])
def test_the_place_of_every_product(a, b):
    rng = np.random.default_rng(3)
    A, B = rng.normal(size=a), rng.normal(size=b)
    kron = np.kron(A, B)
    places = set()
    for (i, j), left in np.ndenumerate(A):
        for (k, l), right in np.ndenumerate(B):
            places.add(place := kronecker_place(i, j, k, l, B.shape))
            assert kron[place] == left * right
    assert len(places) == kron.size


@settings(max_examples=100, deadline=None)
@given(square(3), square(3))
def test_laws_of_the_products(first, second):
    A, B = first + first.T, second + second.T
    laws = product_laws(A, B)
    assert laws.submatrix == 0
    assert laws.eigenvalues < 1e-12
    assert laws.schur
    semidefinite = product_laws(first @ first.T, second @ second.T)
    assert semidefinite.first
    assert semidefinite.second
    assert semidefinite.hadamard


def test_schur_needs_both_matrices_to_be_semidefinite():
    A, B = np.array([[1.0, 2.0], [2.0, 1.0]]), np.ones((2, 2))
    laws = product_laws(A, B)
    assert not laws.first
    assert laws.second
    assert not laws.hadamard
    assert laws.schur  # it says nothing here
    u = hadamard_rows(2)
    assert (np.kron(A, B)[np.ix_(u, u)] == A * B).all()


# General position -----------------------------------------------------------------------------------------------------


def exactly_general(points):
    """Ranks of differences of every subset of at most d + 1 points, in rational arithmetic."""

    def rank(rows):
        rows, found = [list(map(Fraction, row)) for row in rows], 0
        for column in range(len(rows[0])):
            pivot = next((r for r in range(found, len(rows)) if rows[r][column]), None)
            if pivot is None:
                continue
            rows[found], rows[pivot] = rows[pivot], rows[found]
            for r in range(found + 1, len(rows)):
                factor = rows[r][column] / rows[found][column]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[found])]
            found += 1
        return found

    n, d = points.shape
    return all(
        rank(points[list(chosen[1:])] - points[chosen[0]]) == size - 1
        for size in range(2, min(n, d + 1) + 1)
        for chosen in combinations(range(n), size)
    )


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 5).flatmap(lambda n: st.integers(1, 3).flatmap(lambda d: arrays(float, (n, d), elements=SMALL))))
def test_the_verdict_on_positions_is_exact_on_small_integers(points):
    found = general_position(points)
    assert found.holds == exactly_general(points)
    if not found.holds:
        offending = points[list(found.offending)]
        assert 2 <= len(found.offending) <= points.shape[1] + 1
        assert not exactly_general(offending)
        # As small as can be: every part of it is in general position.
        assert all(exactly_general(np.delete(offending, k, axis=0)) for k in range(len(offending)))


def test_random_points_are_in_general_position_and_a_planted_flat_is_found():
    points = np.random.default_rng(4).normal(size=(12, 3))
    assert general_position(points)
    assert general_position(points).checked == 495
    points[7] = 0.2 * points[1] + 0.3 * points[4] + 0.5 * points[9]
    assert general_position(points).offending == (1, 4, 7, 9)
    assert not general_position(1e150 * points)


def test_the_smallest_offenders_are_named():
    points = np.random.default_rng(5).normal(size=(6, 3))
    points[5] = 2 * points[3] - points[1]
    assert general_position(points).offending == (1, 3, 5)  # three on a line, not the plane around them
    points[4] = points[0]
    assert general_position(points).offending == (0, 4)


@each("bad", [np.empty((0, 2)), np.empty((2, 0)), [1.0, 2.0], [[np.inf, 0.0]], [[np.nan, 0.0]]])
def test_points_that_are_none(bad):
    with pytest.raises(ValueError, match="points"):
        general_position(bad)


def test_too_many_subsets_are_refused():
    with pytest.raises(ValueError, match="test fewer points"):
        general_position(np.zeros((1000, 5)))


@each("function", [semidefinite_test, spectral_decomposition, geometry])
@each("bad", [np.zeros((2, 3)), np.empty((0, 0)), [[0.0, np.nan], [np.nan, 0.0]], [[1.0, 2.0], [0.0, 1.0]]])
def test_matrices_that_are_not_symmetric_or_not_finite(function, bad):
    with pytest.raises(ValueError, match=r"square|finite|symmetric"):
        function(bad)


@each("scale", [1e300, 1e-300])
def test_witnesses_are_checked_at_any_scale(scale):
    A = scale * np.array([[2.0, 1.0], [1.0, 2.0]])
    found = semidefinite_test(A)
    assert found.holds
    assert found.check(A)
    assert not found._replace(factor=1.1 * found.factor).check(A)
    assert spectral_decomposition(A).residual < 1e-14
