"""Penalties: the proximal step is the argmin, conjugates by their definition, zero subdistance at fixed points."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from tests.cases import each

from learnable.problems.sparse import penalties
from learnable.problems.sparse.penalties import EVERY, L1, L2, ElasticNet, NonNegative

EVEN = [L1(0.7), L2(0.7), ElasticNet(0.7, 0.3), ElasticNet(0.7, 1.0), ElasticNet(0.7, 0.0), L1(0.0), L2(0.0)]
ALL = EVEN + [NonNegative(penalty) for penalty in EVEN]
GRID = np.linspace(-8.0, 8.0, 160_001)

# Quarters: near the kink, yet never so near that rounding blurs on which side of it a point lies.
points = st.integers(-24, 24).map(lambda k: k / 4)
lengths = st.floats(0.01, 5.0)


@each("penalty", ALL, ids=repr)
@each("x", [-5.0, -0.6, -0.01, 0.0, 0.2, 1.3, 6.0])
@each("step", [0.1, 1.0, 4.0])
def test_prox_is_the_argmin_on_a_grid(penalty, x, step):
    values = (GRID - x) ** 2 / (2 * step) + penalties.value(penalty, GRID, EVERY)
    z = float(penalties.prox(penalty, x, step, 0))
    assert z == pytest.approx(GRID[np.argmin(values)], abs=2e-4)
    assert (z - x) ** 2 / (2 * step) + float(penalties.value(penalty, z, 0)) <= values.min() + 1e-12


@each("penalty", ALL, ids=repr)
@settings(max_examples=15, deadline=None)
@given(x=points, step=lengths)
def test_prox_beats_a_scalar_minimiser(penalty, x, step):
    def J(z):
        return (z - x) ** 2 / (2 * step) + float(penalties.value(penalty, z, 0))

    low = 0.0 if isinstance(penalty, NonNegative) else -10.0
    found = minimize_scalar(J, bounds=(low, 10.0), method="bounded", options={"xatol": 1e-9})
    assert J(float(penalties.prox(penalty, x, step, 0))) <= found.fun + 1e-12


@each("penalty", ALL, ids=repr)
@settings(max_examples=15, deadline=None)
@given(x=points, slope=points, step=lengths)
def test_subdistance_vanishes_exactly_at_fixed_points(penalty, x, slope, step):
    # z = prox(z − step·slope) if and only if −slope ∈ ∂φ(z).
    if isinstance(penalty, NonNegative):
        x = abs(x)
    moved = float(penalties.prox(penalty, x - step * slope, step, 0)) - x
    distance = float(penalties.subdistance(penalty, x, slope, 0))
    assert (abs(moved) <= 1e-9) == (distance <= 1e-9)


@each("penalty", ALL, ids=repr)
@settings(max_examples=15, deadline=None)
@given(x=points, step=lengths)
def test_the_prox_step_balances_its_own_slope(penalty, x, step):
    z = float(penalties.prox(penalty, x, step, 0))
    assert float(penalties.subdistance(penalty, z, (z - x) / step, 0)) == pytest.approx(0.0, abs=1e-12 / step + 1e-12)


def test_subdistance_outside_the_constraint_is_infinite():
    assert penalties.subdistance(NonNegative(L1(1.0)), -0.5, 0.0, 0) == np.inf
    # At zero the constraint balances any slope that pushes below, but not one that pulls up.
    assert penalties.subdistance(NonNegative(L1(1.0)), 0.0, 9.0, 0) == 0.0
    assert penalties.subdistance(NonNegative(L1(1.0)), 0.0, -9.0, 0) == 8.0


@each("penalty", ALL, ids=repr)
@settings(max_examples=15, deadline=None)
@given(x=points, u=points)
def test_fenchel_young_inequality(penalty, x, u):
    left = float(penalties.value(penalty, x, 0)) + float(penalties.conjugate(penalty, u, 0))
    assert left >= u * x - 1e-12 * (1 + abs(u * x))


@each("penalty", ALL, ids=repr)
@each("u", [-2.0, -0.65, -0.1, 0.0, 0.2, 0.69])
def test_conjugate_is_the_supremum(penalty, u):
    x = np.linspace(-50.0, 50.0, 200_001)
    supremum = np.max(u * x - penalties.value(penalty, x, EVERY))
    claimed = float(penalties.conjugate(penalty, u, 0))
    if np.isinf(claimed):
        # Unbounded: still rising at the edge of the grid.
        assert supremum > 50.0 * 1e-3
        assert np.argmax(u * x - penalties.value(penalty, x, EVERY)) in (0, len(x) - 1)
    else:
        assert claimed == pytest.approx(supremum, abs=1e-6)


@each("penalty", ALL, ids=repr)
def test_level_is_where_a_coordinate_leaves_zero(penalty):
    level = float(penalties.l1_level(penalty, 0))
    for push in (0.999 * level, 1.001 * level + 1e-9):
        assert (float(penalties.prox(penalty, push, 1.0, 0)) > 0.0) == (push > level)


@each("penalty", ALL, ids=repr)
@settings(max_examples=15, deadline=None)
@given(x=st.floats(0.1, 6.0))
def test_curvature_away_from_zero(penalty, x):
    h = 1e-4
    second = (
        penalties.value(penalty, x + h, 0) - 2 * penalties.value(penalty, x, 0) + penalties.value(penalty, x - h, 0)
    )
    assert float(penalties.curvature(penalty, 0)) == pytest.approx(float(second) / h**2, abs=1e-5)


@each("penalty", EVEN, ids=repr)
@settings(max_examples=15, deadline=None)
@given(x=points)
def test_even(penalty, x):
    assert penalties.value(penalty, x, 0) == penalties.value(penalty, -x, 0)
    assert penalties.prox(penalty, x, 0.5, 0) == -penalties.prox(penalty, -x, 0.5, 0)


def test_orthogonal_design_table():
    # L5: with XᵀX/n = I the answers are soft threshold (lasso) and β/(1 + λ) (ridge), both one proximal step.
    b = np.array([-3.0, -0.2, 0.0, 0.5, 2.0])
    np.testing.assert_allclose(penalties.prox(L1(0.4), b, 1.0, EVERY), [-2.6, 0.0, 0.0, 0.1, 1.6])
    np.testing.assert_allclose(penalties.prox(L2(0.25), b, 1.0, EVERY), b / 1.25)
    np.testing.assert_allclose(penalties.prox(NonNegative(L1(0.4)), b, 1.0, EVERY), [0.0, 0.0, 0.0, 0.1, 1.6])
