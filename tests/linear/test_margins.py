"""Signed distances and margins by geometry (P1, P3)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from learnable.linear import margin, origin_distance, signed_distances

random = np.random.default_rng(0)
X = random.standard_normal((20, 3))
THETA, B = np.array([1.0, -2.0, 2.0]), 0.6


def test_the_foot_of_the_perpendicular_lies_on_the_hyperplane():
    d = signed_distances(X, THETA, B)
    feet = X - d[:, None] * THETA / 3.0
    np.testing.assert_allclose(feet @ THETA + B, 0.0, atol=1e-12)
    # No point of the plane is nearer.
    plane = feet[0] + 0.5 * np.array([2.0, 1.0, 0.0])
    assert abs(plane @ THETA + B) < 1e-12
    assert np.linalg.norm(X[0] - plane) > abs(d[0])


def test_distance_of_the_origin():
    foot = origin_distance(THETA, B) * THETA / 3.0
    assert foot @ THETA + B == pytest.approx(0.0)
    assert signed_distances(np.zeros((1, 3)), THETA, B)[0] == pytest.approx(-origin_distance(THETA, B))


@settings(max_examples=50, deadline=None)
@given(scale=st.floats(1e-3, 1e3), seed=st.integers(0, 100))
def test_scaling_changes_the_functional_margin_only(scale, seed):
    y = np.sign(np.random.default_rng(seed).standard_normal(20))
    plain, scaled = margin(X, y, THETA, B), margin(X, y, scale * THETA, scale * B)
    assert scaled.functional == pytest.approx(scale * plain.functional)
    assert scaled.geometric == pytest.approx(plain.geometric)
    assert scaled.point == plain.point
    # y(θ·x + b) row by row; ‖θ‖ = 3.
    functional = [label * (row[0] - 2.0 * row[1] + 2.0 * row[2] + 0.6) for row, label in zip(X, y)]
    assert plain.functional == pytest.approx(min(functional))
    assert plain.geometric == pytest.approx(min(functional) / 3.0)
    assert plain.point == functional.index(min(functional))


def test_the_attaining_point():
    y = np.sign(X @ THETA + B)
    found = margin(X, y, THETA, B)
    assert found.geometric == pytest.approx(np.abs(signed_distances(X, THETA, B)).min())
    assert margin(X[[found.point]], y[[found.point]], THETA, B).geometric == found.geometric
    assert found.difficulty == pytest.approx(1.0 / found.geometric)
    assert margin(X, -y, THETA, B).difficulty == np.inf
    assert margin(sparse.csr_array(X), y, THETA, B) == pytest.approx(found)


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="length 0"):
        signed_distances(X, np.zeros(3))
    with pytest.raises(ValueError, match="length nan"):
        origin_distance([np.nan, 1.0], 0.0)
    with pytest.raises(ValueError, match="labels must be -1 or"):
        margin(X, np.zeros(20), THETA)
    with pytest.raises(ValueError, match="at least one"):
        margin(np.zeros((0, 3)), np.zeros(0), THETA)
