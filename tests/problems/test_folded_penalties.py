"""SCAD, MCP, bridge: prox by brute force (L27), derivatives by differences, thresholds, the same numbers in kernels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import each

from learnable._jit.core.compile import compile_formulas, exact_kernel
from learnable._jit.sparse import coordinate_descent  # noqa: F401  (its import registers every formula)
from learnable.problems.core.duality import reach
from learnable.problems.sparse.folded_penalties import (
    MCP,
    SCAD,
    Bridge,
    concavity,
    derivative,
    entry,
    second_derivative,
)
from learnable.problems.sparse.penalties import EVERY, L1, L2, conjugate, l1_level, prox, subdistance, value

compile_formulas()
POWERS = [0.05, 0.3, 0.5, 2 / 3, 0.9, 0.99, 1.0, 1.01, 1.3, 1.5, 2.0, 2.5, 6.0]
FOLDED = [SCAD(0.7, 3.7), SCAD(1.5, 2.1), MCP(0.7, 3.0), MCP(1.5, 1.1), SCAD(0.0, 3.7), MCP(0.0, 3.0)]
ALL = FOLDED + [Bridge(0.7, q) for q in POWERS]
POINTS = np.array([-9.0, -3.0, -1.0, -0.7, -1e-9, 0.0, 1e-9, 0.3, 1.0, 2.5, 40.0])
points, steps = st.floats(-8.0, 8.0), st.floats(0.01, 9.0)


def cost(penalty, z, x, step):
    return (z - x) ** 2 / (2 * step) + value(penalty, z, EVERY)


@each("penalty", ALL, ids=repr)
@settings(max_examples=10, deadline=None)
@given(x=points, step=steps)
def test_prox_is_the_brute_force_minimiser(penalty, x, step):
    z = float(prox(penalty, x, step, 0))
    grid = np.linspace(-9.0, 9.0, 20_001)
    coarse = cost(penalty, grid, x, step)
    fine = np.linspace(-1.0, 1.0, 20_001) * 2e-3 + grid[np.argmin(coarse)]
    best = min(coarse.min(), cost(penalty, fine, x, step).min())
    here = float(cost(penalty, z, x, step))
    assert here <= best + 1e-13 * (1.0 + best)
    # Strictly away from zero the slope of the cost is zero there.
    if z != 0.0:
        assert abs((z - x) / step + float(derivative(penalty, z, 0))) <= 1e-11 * (1 + abs(x)) / step


@each("penalty", ALL, ids=repr)
@each("step", [0.03, 0.5, 1.0, 3.0, 8.0, 30.0])
def test_entry_is_where_the_prox_leaves_zero(penalty, step):
    at = float(entry(penalty, step, 0))
    z = np.geomspace(1e-12, 1e3, 40_001)
    assert at <= np.min(z / 2 + step * value(penalty, z, EVERY) / z) * (1 + 1e-12)
    if at > 0.0:
        assert float(prox(penalty, at * (1 - 1e-7), step, 0)) == 0.0
        assert float(prox(penalty, at * (1 + 1e-7), step, 0)) > 0.0
        assert float(prox(penalty, -at * (1 + 1e-7), step, 0)) < 0.0


@each("penalty", ALL, ids=repr)
def test_derivatives_by_differences(penalty):
    x = np.array([-5.2, -2.2, -1.3, -0.3, 0.2, 0.9, 1.9, 4.4, 7.0])
    h = 1e-6
    slope = (value(penalty, x + h, EVERY) - value(penalty, x - h, EVERY)) / (2 * h)
    bend = (derivative(penalty, x + h, EVERY) - derivative(penalty, x - h, EVERY)) / (2 * h)
    np.testing.assert_allclose(derivative(penalty, x, EVERY), slope, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(second_derivative(penalty, x, EVERY), bend, rtol=1e-5, atol=1e-8)
    assert np.all(-second_derivative(penalty, x, EVERY) <= concavity(penalty, 0) + 1e-15)


@each("penalty", FOLDED, ids=repr)
def test_slope_at_zero_and_flat_far_out(penalty):
    assert float(derivative(penalty, 1e-12, 0)) == pytest.approx(float(l1_level(penalty, 0)), abs=1e-11)
    far = penalty.a * penalty.alpha
    np.testing.assert_allclose(derivative(penalty, np.array([far, 2 * far + 1]), EVERY), 0.0, atol=1e-15)
    assert float(value(penalty, far, 0)) == pytest.approx(float(value(penalty, 5 * far, 0)), abs=1e-14)


@each("penalty", ALL, ids=repr)
@settings(max_examples=12, deadline=None)
@given(x=points, step=steps)
def test_the_prox_step_balances_its_own_slope(penalty, x, step):
    z = float(prox(penalty, x, step, 0))
    assert float(subdistance(penalty, z, (z - x) / step, 0)) <= 1e-11 * (1 + abs(x)) / step


@each("q", [1.0, 1.01, 1.5, 2.0, 4.0])
def test_conjugate_of_a_convex_bridge_by_its_definition(q):
    penalty, x = Bridge(0.7, q), np.concatenate([-np.geomspace(1e-9, 1e4, 80_001), np.geomspace(1e-9, 1e4, 80_001)])
    for u in (-0.69, -0.2, 0.0, 0.5):
        best = np.max(u * x - value(penalty, x, EVERY), initial=0.0)
        assert float(conjugate(penalty, u, 0)) == pytest.approx(best, rel=1e-6, abs=1e-9)
    assert float(np.min(reach(penalty, np.array([1.4]), EVERY))) == (0.5 if q == 1.0 else 1.0)


def test_neighbours():
    """q = 1 and 2 are L1 and twice L2; SCAD and MCP with a large a are L1."""
    pairs = [(Bridge(0.7, 1.0), L1(0.7)), (Bridge(0.7, 2.0), L2(1.4))]
    for one, other in [*pairs, (MCP(0.7, 1e12), L1(0.7)), (SCAD(0.7, 1e12), L1(0.7))]:
        np.testing.assert_allclose(prox(one, POINTS, 0.8, EVERY), prox(other, POINTS, 0.8, EVERY), atol=1e-10)
        np.testing.assert_allclose(value(one, POINTS, EVERY), value(other, POINTS, EVERY), rtol=1e-9)


def test_closed_forms_of_the_bridge_are_the_equation_solved():
    x = np.linspace(0.0, 9.0, 1001)
    for q in (0.5, 2 / 3):
        solved = prox(Bridge(0.7, q + 1e-15), x, 0.8, EVERY)
        np.testing.assert_allclose(prox(Bridge(0.7, q), x, 0.8, EVERY), solved, atol=1e-12)


@exact_kernel
def in_a_kernel(penalty, points, step):
    out = np.empty((len(points), 6))
    for i in range(len(points)):
        new = prox(penalty, points[i], step, i)
        out[i, 0] = new if new != points[i] else points[i]
        out[i, 1] = value(penalty, points[i], i)
        out[i, 2] = subdistance(penalty, points[i], -0.9, i)
        out[i, 3] = derivative(penalty, points[i], i)
        out[i, 4] = second_derivative(penalty, points[i], i)
        out[i, 5] = entry(penalty, step, i)
    return out


@each("penalty", [SCAD(0.7, 3.7), MCP(0.7, 3.0), Bridge(0.7, 0.5)], ids=repr)
def test_the_same_numbers_in_a_kernel(penalty):
    whole = np.column_stack(
        [
            prox(penalty, POINTS, 0.5, EVERY),
            value(penalty, POINTS, EVERY),
            subdistance(penalty, POINTS, -0.9, EVERY),
            derivative(penalty, POINTS, EVERY),
            second_derivative(penalty, POINTS, EVERY),
            np.full(len(POINTS), entry(penalty, 0.5, EVERY)),
        ]
    )
    np.testing.assert_allclose(in_a_kernel(penalty, POINTS, 0.5), whole, rtol=1e-13, atol=1e-15)
