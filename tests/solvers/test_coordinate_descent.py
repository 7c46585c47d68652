"""Coordinate descent for the lasso against brute force over sign patterns, exact formulas and another algorithm."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.cases import each

from learnable import watch
from learnable.problems.sparse.penalties import EVERY, L1, L2, ElasticNet, NonNegative, prox, total
from learnable.solvers.sparse import coordinate_descent
from learnable.solvers.sparse.coordinate_descent import centred_columns
from learnable.sparse import Lasso


def solve(X, y, penalty, weight=None, intercept=True, tolerance=1e-13, rounds=300):
    design, x_mean, y_mean = centred_columns(X, y, weight, intercept)
    for k, state in enumerate(coordinate_descent.iterates([design], penalty, [None], tolerance)):
        if state.relative_gap <= tolerance or k == rounds:
            break
    return state, y_mean - x_mean @ state.coef[0]


def objective(X, y, coef, offset, penalty, weight=None):
    weight = np.ones(len(y)) if weight is None else weight
    return 0.5 * weight @ (y - X @ coef - offset) ** 2 / weight.sum() + total(penalty, coef)


def brute_force(X, y, penalty_level, ridge, weight, positive):
    """Least objective over all sign patterns: each has a linear system, kept when its signs come out right."""
    W = weight.sum()
    root = np.sqrt(weight)
    Xc, yc = (X - weight @ X / W) * root[:, None], (y - weight @ y / W) * root
    p = X.shape[1]
    best, best_coef = np.inf, None
    for signs in product((0, 1) if positive else (-1, 0, 1), repeat=p):
        signs = np.array(signs, dtype=float)
        S = np.flatnonzero(signs)
        coef = np.zeros(p)
        if len(S):
            G = Xc[:, S].T @ Xc[:, S] / W + ridge * np.eye(len(S))
            coef[S] = np.linalg.lstsq(G, Xc[:, S].T @ yc / W - penalty_level * signs[S], rcond=None)[0]
        if np.all(coef * signs >= 0.0):
            value = 0.5 * np.sum((yc - Xc @ coef) ** 2) / W + penalty_level * np.abs(coef).sum()
            value += 0.5 * ridge * coef @ coef
            if value < best:
                best, best_coef = value, coef
    return best, best_coef


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**31),
    p=st.integers(1, 5),
    n=st.integers(2, 12),
    level=st.floats(0.001, 2.0),
    weighted=st.booleans(),
    positive=st.booleans(),
    ridge=st.sampled_from([0.0, 0.3]),
)
def test_brute_force_over_signs(seed, p, n, level, weighted, positive, ridge):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, p)) + 1.0, rng.standard_normal(n)
    weight = rng.uniform(0.2, 2.0, n) if weighted else None
    alpha = level + ridge
    penalty = ElasticNet(alpha, level / alpha) if ridge else L1(level)
    penalty = NonNegative(penalty) if positive else penalty
    state, offset = solve(X, y, penalty, weight)
    best, coef = brute_force(X, y, level, ridge, np.ones(n) if weight is None else weight, positive)
    assert objective(X, y, state.coef[0], offset, penalty, weight) == pytest.approx(best, abs=1e-10)
    assert state.gap[0] >= -1e-12
    if np.linalg.matrix_rank(X - X.mean(axis=0)) == p:
        np.testing.assert_allclose(state.coef[0], coef, atol=1e-5)


@each("penalty", [L1(0.3), L2(0.3), ElasticNet(0.3, 0.5), NonNegative(L1(0.3))], ids=repr)
def test_orthogonal_design_is_one_proximal_step(penalty):
    rng = np.random.default_rng(1)
    X = np.linalg.qr(rng.standard_normal((40, 6)))[0] * np.sqrt(40)
    y = rng.standard_normal(40) + X @ [1.0, -1.0, 0.2, 0.0, 2.0, -0.1]
    state, _ = solve(X, y, penalty, intercept=False)
    np.testing.assert_allclose(state.coef[0], prox(penalty, X.T @ y / 40, 1.0, EVERY), atol=1e-12)


def admm(X, y, level, rho=1.0, steps=4000):
    """L8: ridge step, soft threshold, dual update, on centred data."""
    n, p = X.shape
    inverse = np.linalg.inv(X.T @ X / n + rho * np.eye(p))
    z, u = np.zeros(p), np.zeros(p)
    for _ in range(steps):
        x = inverse @ (X.T @ y / n + rho * (z - u))
        z = np.sign(x + u) * np.maximum(np.abs(x + u) - level / rho, 0.0)
        u = u + x - z
    return z


@each("shape", [(60, 20), (20, 60)])
def test_admm_agrees(shape):
    rng = np.random.default_rng(2)
    X = rng.standard_normal(shape)
    y = X[:, :3] @ [2.0, -1.0, 1.0] + 0.1 * rng.standard_normal(shape[0])
    X, y = X - X.mean(axis=0), y - y.mean()
    state, _ = solve(X, y, L1(0.1))
    np.testing.assert_allclose(state.coef[0], admm(X, y, 0.1), atol=1e-8)


def test_the_objective_never_climbs_and_the_gap_shrinks():
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((50, 200)), rng.standard_normal(50)
    design, _, _ = centred_columns(X, y, None, True)
    states = []
    for k, state in enumerate(coordinate_descent.iterates([design], L1(0.05), [None], 1e-12)):
        states.append((state.objective, state.gap[0]))
        if state.relative_gap <= 1e-12 or k == 100:
            break
    values = [value for value, _ in states]
    assert all(b <= a + 1e-12 for a, b in pairwise(values))
    assert states[-1][1] <= 1e-12
    for value, gap in states:
        # Every gap on the way bounds the distance to the end.
        assert value - values[-1] <= gap + 1e-12


def test_watching_the_lasso_shows_objective_and_gap_by_rounds():
    # L6: what the public fit goes through; one coordinate at its minimum is S(xⱼᵀrⱼ, nα)/‖xⱼ‖².
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((50, 80)), rng.standard_normal(50)
    A, t = X - X.mean(axis=0), y - y.mean()
    states = [step.state for step in watch(Lasso(alpha=0.05, tol=1e-12), X, y)]
    values = [state.objective for state in states]
    assert len(values) > 1
    for state in states:
        coef = state.coef[0]
        residual = t - A @ coef
        assert state.objective == pytest.approx(residual @ residual / 100 + 0.05 * np.abs(coef).sum(), rel=1e-9)
        assert state.objective - values[-1] <= state.gap[0] + 1e-12
    coef = states[-1].coef[0]
    alone = A.T @ (t - A @ coef) + np.sum(A**2, axis=0) * coef
    expected = np.sign(alone) * np.maximum(np.abs(alone) - 50 * 0.05, 0.0) / np.sum(A**2, axis=0)
    np.testing.assert_allclose(coef, expected, atol=1e-6)
    np.testing.assert_allclose(coef, Lasso(alpha=0.05, tol=1e-12).fit(X, y).coef_)


def test_largest_useful_penalty():
    # λ_max = ‖Xᵀ(y − ȳ)‖∞ / n: the answer is zero from there on and not before.
    rng = np.random.default_rng(4)
    X, y = rng.standard_normal((30, 8)), rng.standard_normal(30)
    centred = X - X.mean(axis=0)
    top = np.abs(centred.T @ (y - y.mean())).max() / 30
    assert not solve(X, y, L1(top * (1 + 1e-9)))[0].coef.any()
    assert np.count_nonzero(solve(X, y, L1(top * (1 - 1e-6)))[0].coef) == 1


@each("intercept", [True, False])
@each("weighted", [True, False])
def test_sparse_and_dense_agree(intercept, weighted):
    rng = np.random.default_rng(6)
    X = rng.standard_normal((60, 30)) * (rng.uniform(size=(60, 30)) < 0.3) + 0.0
    y = rng.standard_normal(60)
    weight = rng.uniform(0.0, 2.0, 60) if weighted else None
    one, a = solve(X, y, L1(0.02), weight, intercept)
    two, b = solve(sparse.csc_array(X), y, L1(0.02), weight, intercept)
    np.testing.assert_allclose(one.coef, two.coef, atol=1e-8)
    assert a == pytest.approx(b, abs=1e-8)


def test_wide_design_with_a_working_set():
    rng = np.random.default_rng(8)
    X = rng.standard_normal((80, 2000))
    y = X[:, [3, 700, 1999]] @ [3.0, -2.0, 1.0] + 0.01 * rng.standard_normal(80)
    state, _ = solve(X, y, L1(0.05))
    assert state.relative_gap <= 1e-12
    assert {3, 700, 1999} <= set(np.flatnonzero(state.coef[0]).tolist())


def test_several_targets_are_several_problems():
    rng = np.random.default_rng(9)
    X, Y = rng.standard_normal((40, 10)), rng.standard_normal((40, 3))
    designs = [centred_columns(X, y, None, True)[0] for y in Y.T]
    for state in coordinate_descent.iterates(designs, L1(0.1), [None] * 3, 1e-12):
        if state.relative_gap <= 1e-12:
            break
    for k in range(3):
        np.testing.assert_allclose(state.coef[k], solve(X, Y[:, k], L1(0.1))[0].coef[0], atol=1e-10)
