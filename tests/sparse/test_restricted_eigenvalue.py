"""The restricted eigenvalue against a fine grid of the sphere, its laws, and a proof that cannot be tampered with."""

from itertools import pairwise

import numpy as np
import pytest
from tests.cases import each

from learnable.theory import restricted_eigenvalue
from learnable.theory.sparsity.cone_cells import cell_of, halves, orthant, proved

RNG = np.random.default_rng(4)
WIDE = RNG.standard_normal((30, 6)) @ (np.eye(6) + 0.5)


def ratios(X, deltas, s, c0):
    """The ratio of every row of `deltas` that is in the cone, J its s largest entries."""
    ordered = -np.sort(-np.abs(deltas), axis=1)
    inside = ordered[:, :s].sum(axis=1)
    good = ordered[:, s:].sum(axis=1) <= c0 * inside
    return np.linalg.norm(deltas[good] @ X.T, axis=1) / np.sqrt(len(X) * np.sum(ordered[good, :s] ** 2, axis=1))


@each("s", [1, 2])
@each("c0", [0.5, 3.0])
def test_equals_the_least_ratio_on_a_fine_grid_of_the_sphere(s, c0):
    X = np.random.default_rng(s).standard_normal((9, 3)) @ np.array([[1, 0.9, 0], [0, 1, 0.7], [0, 0, 0.4]])
    a, b = np.meshgrid(np.linspace(0, np.pi, 250), np.linspace(0, 2 * np.pi, 500))
    grid = np.stack([np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a)], axis=-1).reshape(-1, 3)
    found = restricted_eigenvalue(X, s, c0)
    least = ratios(X, grid, s, c0).min()
    assert found.exact
    assert found.lower <= least + 1e-12
    assert found.upper == pytest.approx(least, rel=2e-3)
    assert found.certificate(X).holds


@each("s", [1, 2, 3])
def test_no_random_direction_of_the_cone_is_below_the_lower_bound(s):
    found = restricted_eigenvalue(WIDE, s)
    assert found.exact
    vectors = np.linalg.eigh(WIDE.T @ WIDE)[1]
    near = vectors[:, :2] @ RNG.standard_normal((2, 20_000)) + 0.2 * RNG.standard_normal((6, 20_000))
    assert ratios(WIDE, near.T, s, 3.0).min() >= found.lower
    assert ratios(WIDE, found.witness[None] * 0.999, s, 3.0)[0] == pytest.approx(found.upper, rel=1e-9)


def test_falls_with_s_and_with_c0_and_ends_at_the_smallest_eigenvalue():
    by_s = [restricted_eigenvalue(WIDE, s) for s in (1, 2, 4, 6)]
    assert all(b.lower <= a.upper + 1e-9 for a, b in pairwise(by_s))
    assert by_s[0].lower > by_s[1].upper
    smallest = np.sqrt(np.linalg.eigvalsh(WIDE.T @ WIDE / 30)[0])
    assert by_s[-1].exact
    assert by_s[-1].upper == pytest.approx(smallest)
    assert min(found.upper for found in by_s) >= smallest * (1 - 1e-9)
    by_c0 = [restricted_eigenvalue(WIDE, 1, c0).upper for c0 in (0.1, 1.0, 3.0, 10.0)]
    assert all(b <= a + 1e-12 for a, b in pairwise(by_c0))
    # Without a limit on the others, min δᵀGδ/δⱼ² = 1/(G⁻¹)ⱼⱼ.
    free = 1.0 / np.sqrt(np.diag(np.linalg.inv(WIDE.T @ WIDE / 30)).max())
    assert restricted_eigenvalue(WIDE, 1, 1e3).upper == pytest.approx(free, rel=1e-9)


def test_known_designs():
    orthogonal = np.sqrt(5) * np.eye(5)
    assert restricted_eigenvalue(orthogonal, 2).upper == pytest.approx(1.0)
    twins = np.column_stack([WIDE, WIDE[:, 2]])
    found = restricted_eigenvalue(twins, 1)
    assert found.exact
    assert found.upper < 1e-7
    assert found.witness[2] == pytest.approx(-found.witness[6])
    # More columns than rows: singular, yet along sparse directions it need not be.
    short = np.random.default_rng(0).standard_normal((12, 14))
    short *= np.sqrt(12) / np.linalg.norm(short, axis=0)
    assert restricted_eigenvalue(short, 1, 0.5).lower > 0.1
    assert np.linalg.matrix_rank(short) < 14


@each("s", [1, 2, 3])
def test_relaxations_and_local_search_enclose_the_exact_value(s):
    X = WIDE if s > 1 else np.sqrt(30) * np.linalg.qr(WIDE)[0] + 0.02 * RNG.standard_normal((30, 6))
    exact, rough = restricted_eigenvalue(X, s), restricted_eigenvalue(X, s, max_cells=1)
    assert rough.relaxation != "cells"
    assert rough.lower <= exact.upper
    assert rough.upper >= exact.lower
    assert rough.upper <= 1.2 * exact.upper
    assert rough.certificate(X).holds


def test_each_relaxation_wins_somewhere():
    near_orthogonal = np.sqrt(30) * np.linalg.qr(WIDE)[0]
    near_orthogonal = np.column_stack([near_orthogonal, near_orthogonal[:, 0] * 0.02 + near_orthogonal[:, 1]])
    found = restricted_eigenvalue(near_orthogonal[:, :6] + 0.001 * RNG.standard_normal((30, 6)), 1, 0.2, max_cells=1)
    assert found.relaxation in ("coherence", "smallest eigenvalue", "one column")
    short = np.random.default_rng(0).standard_normal((12, 14))
    one = restricted_eigenvalue(short, 1, 0.5, max_cells=1)
    assert one.relaxation == "one column"
    assert one.lower > 0.0
    assert one.certificate(short).holds
    two = restricted_eigenvalue(short[:, :8], 2, 0.1, max_cells=1)
    assert two.certificate(short[:, :8]).holds
    assert not two._replace(lower=two.lower * 1.2).certificate(short[:, :8]).holds


def test_cells_spent_leaves_honest_bounds():
    found = restricted_eigenvalue(WIDE, 3, max_cells=80, tol=1e-12)
    assert not found.exact
    assert 0.0 < found.lower < found.upper
    assert found.certificate(WIDE).holds


def test_a_cell_bound_is_below_every_ratio_in_the_cell():
    gram, J = WIDE.T @ WIDE / 30, np.array([1, 4])
    cell = cell_of(np.array([1.0, -1.0]), "10")
    for _ in range(200):
        point = RNG.standard_normal(6) * RNG.choice([0.01, 1.0])
        bound = proved(gram, J, cell, 2.0, point)
        delta = RNG.standard_normal(6)
        u = RNG.dirichlet(np.ones(2)) @ cell
        delta *= 2.0 * np.abs(u).sum() / np.abs(np.delete(delta, J)).sum() * RNG.random()
        delta[J] = u
        assert bound <= delta @ gram @ delta / (u @ u)


def test_a_cell_bound_is_the_least_of_its_tangent_over_the_corners():
    gram, J, cell = WIDE.T @ WIDE / 30, np.array([0, 3, 5]), cell_of(np.array([1.0, -1.0, 1.0]), "011")
    point = RNG.standard_normal(6)
    corners = []
    for u in cell:
        for j in (1, 2, 4):
            for sign in (1.0, -1.0):
                corner = np.zeros(6)
                corner[J], corner[j] = u, sign * 1.7 * np.abs(u).sum()
                corners.append(corner)
    tangent = 2.0 * np.array(corners) @ gram @ point - point @ gram @ point
    assert proved(gram, J, cell, 1.7, point) == pytest.approx(tangent.min(), rel=1e-10)


def test_halves_share_an_edge_and_keep_the_volume():
    cell = orthant(np.array([1.0, -1.0, 1.0]))
    first, second = halves(cell)
    np.testing.assert_allclose(np.linalg.norm(np.vstack([first, second]), axis=1), 1.0)
    # Each point of the cell is a non-negative combination of one half's vectors.
    for weights in RNG.dirichlet(np.ones(3), size=50):
        point = weights @ cell
        shares = [np.linalg.solve(half.T, point) for half in (first, second)]
        assert any(share.min() >= -1e-12 for share in shares)


def twice(found, witness, support):
    ratio = np.linalg.norm(WIDE @ witness) / (np.sqrt(len(WIDE)) * np.linalg.norm(witness[list(support)]))
    return found._replace(witness=witness, support=support, upper=ratio, exact=False)


def test_tampering_is_noticed():
    found = restricted_eigenvalue(WIDE, 2)
    assert found.certificate(WIDE).holds
    moved = found.witness.copy()
    moved[found.support[0]] *= 1.01
    outside = found.witness + 10.0
    altered = (
        found._replace(witness=moved),
        found._replace(witness=outside),
        found._replace(upper=found.upper * 0.999),
        found._replace(upper=found.upper * 1.001, exact=False),
        found._replace(lower=found.lower * 1.00001),
        found._replace(cells=found.cells[1:]),
        found._replace(cells=(*found.cells, found.cells[0])),
        found._replace(cells=tuple(cell._replace(point=cell.point * 1.1) for cell in found.cells)),
        # One column counted twice makes any ratio smaller.
        twice(found, np.eye(6)[0], (0, 0)),
        twice(found, np.eye(6)[0], (0, -6)),
        found._replace(s=3),
        found._replace(c0=4.0),
    )
    for wrong in altered:
        assert not wrong.certificate(WIDE).holds
    assert not found.certificate(WIDE[:20]).holds


def test_errors():
    for s in (0, 7, 1.5):
        with pytest.raises(ValueError, match=r"s must be a whole number in \[1, 6\]"):
            restricted_eigenvalue(WIDE, s)
    with pytest.raises(ValueError, match="c0 must be"):
        restricted_eigenvalue(WIDE, 1, -1.0)
    with pytest.raises(ValueError, match="tol=0"):
        restricted_eigenvalue(WIDE, 1, tol=0)
    with pytest.raises(ValueError, match="column 1 is zero"):
        restricted_eigenvalue(WIDE * [1, 0, 1, 1, 1, 1], 1)
