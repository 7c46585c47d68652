"""Lagrangians, duals and KKT residuals on programs whose answers are known (O5, O6, O7)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from tests.cases import each

from learnable.certificates.core.kkt import (
    Lagrangian,
    QuadraticProgram,
    Smooth,
    kkt_residuals,
    strong_duality,
    weak_duality_claim,
)


def program(seed, p=3, m=4, linear=False):
    """A convex program with a strictly feasible origin."""
    random = np.random.default_rng(seed)
    B = random.standard_normal((p, p))
    P = np.zeros((p, p)) if linear else B @ B.T + 0.1 * np.eye(p)
    G = np.vstack([random.standard_normal((m, p)), np.eye(p), -np.eye(p)])
    return QuadraticProgram(P, random.standard_normal(p), G, np.r_[random.uniform(0.1, 1.0, m), np.full(2 * p, 5.0)])


def solved(quadratic):
    """Answer and multipliers by trying every set of active constraints."""
    from itertools import combinations

    p = len(quadratic.q)
    for size in range(p + 1):
        for active in combinations(range(len(quadratic.h)), size):
            G = quadratic.G[list(active)]
            K = np.block([[quadratic.P, G.T], [G, np.zeros((size, size))]])
            try:
                answer = np.linalg.solve(K, np.r_[-quadratic.q, quadratic.h[list(active)]])
            except np.linalg.LinAlgError:
                continue
            w, alpha = answer[:p], np.zeros(len(quadratic.h))
            alpha[list(active)] = answer[p:]
            if np.all(alpha >= -1e-10) and np.all(quadratic.G @ w <= quadratic.h + 1e-10):
                return w, np.maximum(alpha, 0.0)
    raise AssertionError("no set of active constraints gives the answer")


@each("seed", range(6))
def test_optimum_of_a_quadratic_program(seed):
    quadratic = program(seed)
    w, alpha = solved(quadratic)
    assert kkt_residuals(quadratic, w, alpha).claim(1e-9).holds
    assert quadratic.dual_value(alpha) == pytest.approx(quadratic.value(w), abs=1e-9)
    assert strong_duality(quadratic).guaranteed
    for change in (0.05 * np.ones_like(w), -0.3 * w):
        assert not kkt_residuals(quadratic, w + change, alpha).claim(1e-9).holds
    assert not kkt_residuals(quadratic, w, alpha + 0.01).claim(1e-9).holds


@each("seed", range(4))
def test_optimum_of_a_linear_program_and_the_multipliers_of_its_solver(seed):
    linear = program(seed, linear=True)
    answer = linprog(linear.q, A_ub=linear.G, b_ub=linear.h, bounds=(None, None))
    alpha = np.maximum(-answer.ineqlin.marginals, 0.0)
    assert kkt_residuals(linear, answer.x, alpha).largest < 1e-9
    assert linear.dual_value(alpha) == pytest.approx(answer.fun, abs=1e-9)
    # A direction that nothing holds makes the inner minimum −∞.
    assert linear.dual_value(np.zeros(len(linear.h))) == -np.inf


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 200), shift=st.floats(0.0, 1.0))
def test_weak_duality_for_every_feasible_pair(seed, shift):
    quadratic = program(seed)
    random = np.random.default_rng(seed + 1)
    w = shift * 0.05 * random.standard_normal(3)  # near the strictly feasible origin
    if np.all(quadratic.G @ w <= quadratic.h):
        alpha = random.exponential(size=len(quadratic.h))
        claim = weak_duality_claim(quadratic, w, alpha)
        assert claim.holds
        assert claim.value <= claim.bound


def test_dual_value_is_the_minimum_of_the_lagrangian():
    quadratic = program(3)
    alpha = np.random.default_rng(0).exponential(size=len(quadratic.h))
    lagrangian = quadratic.lagrangian()
    w = np.linalg.solve(quadratic.P, -(quadratic.q + quadratic.G.T @ alpha))
    assert lagrangian.value(w, alpha) == pytest.approx(quadratic.dual_value(alpha), rel=1e-10)
    for direction in np.eye(3):
        assert lagrangian.value(w + 0.1 * direction, alpha) > quadratic.dual_value(alpha)


def test_equalities_and_their_free_multipliers():
    # Nearest point to the origin on a plane: w = b a / ‖a‖², β = −b / ‖a‖².
    a = np.array([1.0, 2.0, 2.0])
    plane = QuadraticProgram(np.eye(3), np.zeros(3), np.zeros((0, 3)), np.zeros(0), a[None, :], np.array([3.0]))
    w = 3.0 * a / 9.0
    assert kkt_residuals(plane, w, (), [-1.0 / 3.0]).largest < 1e-12
    assert plane.dual_value((), [-1.0 / 3.0]) == pytest.approx(plane.value(w))
    assert strong_duality(plane).guaranteed
    assert plane.lagrangian().primal_value(w + 1.0) == np.inf


def test_svm_dual_of_two_points():
    # Hard margin for ±1 at x = ±2: w = ½, α = 1/8 each; constraints 1 − y(wx + b) ≤ 0 in (w, b).
    margin = QuadraticProgram(
        np.diag([1.0, 0.0]), np.zeros(2), -np.array([[2.0, 1.0], [2.0, -1.0]]), -np.ones(2)
    )  # fmt: skip
    assert kkt_residuals(margin, np.array([0.5, 0.0]), [0.125, 0.125]).largest < 1e-12
    assert margin.dual_value([0.125, 0.125]) == pytest.approx(0.125)
    assert margin.dual_value([0.2, 0.1]) == -np.inf  # Σ αy ≠ 0: the intercept is free


def test_verdicts_without_strong_duality():
    concave = QuadraticProgram(-np.eye(1), np.zeros(1), np.array([[1.0], [-1.0]]), np.ones(2))
    assert not strong_duality(concave).guaranteed
    empty = QuadraticProgram(np.eye(1), np.zeros(1), np.array([[1.0], [-1.0]]), np.array([0.0, -1.0]))
    assert strong_duality(empty).reason == "no feasible point exists"
    thin = QuadraticProgram(np.eye(1), np.zeros(1), np.array([[1.0], [-1.0]]), np.array([1.0, -1.0]))
    assert thin.slater_point() is None
    assert strong_duality(thin).reason.endswith("affine")


def test_each_of_the_four_conditions_is_seen():
    problem = Lagrangian(
        Smooth(lambda w: float(w @ w), lambda w: 2 * w),
        [Smooth(lambda w: float(1 - w[0]), lambda w: np.array([-1.0]))],
    )
    assert kkt_residuals(problem, [1.0], [2.0]).largest == 0.0
    assert kkt_residuals(problem, [1.0], [1.0]).stationarity == 1.0
    assert kkt_residuals(problem, [2.0], [4.0]).complementary_slackness == 4.0
    assert kkt_residuals(problem, [0.5], [1.0]).primal_infeasibility == 0.5
    assert kkt_residuals(problem, [-0.5], [-1.0]).dual_infeasibility == 1.0


def test_hostile_arguments_are_named():
    quadratic = program(0)
    with pytest.raises(ValueError, match="alpha has 2 entries; there are 10 inequality constraints"):
        quadratic.dual_value([1.0, 1.0])
    with pytest.raises(ValueError, match="violates a constraint"):
        weak_duality_claim(quadratic, np.full(3, 99.0), np.zeros(10))
    assert quadratic.dual_value(-np.ones(10)) == -np.inf
