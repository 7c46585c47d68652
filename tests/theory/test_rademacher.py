"""Rademacher complexity: exact, by signs, closed bounds, and the lemmas about it."""

from itertools import product

import numpy as np
import pytest
from tests.cases import each

from learnable.theory import (
    Stumps,
    contraction,
    dichotomies,
    finite_class_oracle,
    kernel_ball_bounds,
    kernel_ball_oracle,
    linear_ball_bounds,
    linear_ball_oracle,
    rademacher_complexity,
    stump_oracle,
    zero_one_losses,
)

SEED = 3


def by_hand(values):
    values = np.asarray(values, dtype=float)
    m = values.shape[1]
    return np.mean([max(float(np.dot(s, row)) for row in values) for s in product((-1, 1), repeat=m)]) / m


def test_exact_is_the_definition():
    rng = np.random.default_rng(SEED)
    for shape in ((1, 1), (3, 5), (10, 8)):
        values = rng.normal(size=shape)
        assert finite_class_oracle(values).exact() == pytest.approx(by_hand(values))
        found, value = rademacher_complexity(values), pytest.approx(by_hand(values))
        assert (found.value, found.low, found.high, found.repeats) == (value, value, value, 2 ** shape[1])
    assert finite_class_oracle(list(product((-1, 1), repeat=5))).exact() == pytest.approx(1.0)


def test_monte_carlo_interval_covers_the_exact_value():
    rng = np.random.default_rng(SEED)
    values = rng.choice([-1.0, 1.0], size=(8, 14))
    oracle = finite_class_oracle(values)
    exact = oracle.exact()
    hits = 0
    for seed in range(200):
        estimate = oracle.monte_carlo(repeats=50, level=0.8, random_state=seed)
        hits += estimate.low <= exact <= estimate.high
    assert hits >= 160
    narrow = rademacher_complexity(values, repeats=20000)
    assert narrow == rademacher_complexity(oracle, repeats=20000)
    assert rademacher_complexity(np.ones((1, 40))).repeats == 1000
    assert narrow.value == pytest.approx(exact, abs=0.01)
    assert narrow.high - narrow.low < 0.02


def test_half_for_the_loss_class():
    rng = np.random.default_rng(SEED)
    for _ in range(5):
        H, y = rng.choice([-1, 1], size=(6, 9)), rng.choice([-1, 1], size=9)
        assert finite_class_oracle(zero_one_losses(H, y)).exact() == pytest.approx(finite_class_oracle(H).exact() / 2)
        np.testing.assert_array_equal(zero_one_losses(H, y), y != H)


@each("points", [1, 4, 8])
def test_stump_oracle_is_the_enumerated_class(points):
    rng = np.random.default_rng(SEED)
    X = rng.integers(0, 4, size=(points, 2)).astype(float)  # with ties
    found, _ = dichotomies(Stumps(2), X)
    assert stump_oracle(X).exact() == pytest.approx(finite_class_oracle(2.0 * found.rows() - 1).exact())


def test_order_of_the_three_numbers_for_balls():
    rng = np.random.default_rng(SEED)
    for m, k in ((1, 3), (6, 2), (12, 5)):
        X = rng.normal(size=(m, k))
        exact = linear_ball_oracle(X, 2.0).exact()
        sharp, coarse = linear_ball_bounds(X, 2.0)
        assert exact <= sharp * (1 + 1e-12) <= coarse * (1 + 1e-12)
        assert kernel_ball_oracle(X @ X.T, 2.0).exact() == pytest.approx(exact)
        assert kernel_ball_bounds(np.diag(X @ X.T), 2.0) == pytest.approx((sharp, coarse))
        directions = rng.normal(size=(4000, k))
        directions *= 2 / np.linalg.norm(directions, axis=1, keepdims=True)
        assert finite_class_oracle(directions @ X.T).exact() <= exact + 1e-12


@each(
    ("phi", "lipschitz"),
    [(np.tanh, 1.0), (np.abs, 1.0), (lambda t: np.clip(1 - t / 0.5, 0, 1), 2.0), (lambda t: 3 * t + 1, 3.0)],
)
def test_contraction(phi, lipschitz):
    rng = np.random.default_rng(SEED)
    for _ in range(10):
        values = rng.normal(size=(7, 8))
        left, right = contraction(values, phi, lipschitz)
        assert left <= right + 1e-12
        assert (left, right) == pytest.approx((by_hand(phi(values)), lipschitz * by_hand(values)))
    linear = contraction(rng.normal(size=(7, 8)), lambda t: lipschitz * t, lipschitz)
    assert linear[0] == pytest.approx(linear[1])


def test_convex_hull_keeps_the_complexity_only_when_weights_add_up_to_one():
    rng = np.random.default_rng(SEED)
    H = rng.normal(size=(4, 7))
    mixtures = rng.dirichlet(np.ones(4), size=300) @ H
    own = finite_class_oracle(H).exact()
    assert finite_class_oracle(np.vstack([H, mixtures])).exact() == pytest.approx(own)
    # weights with sum ≤ 1 let the zero function in: a class of one function then has positive complexity
    single = H[:1]
    assert finite_class_oracle(single).exact() == pytest.approx(0)
    assert finite_class_oracle(np.vstack([single, 0 * single])).exact() > 0.1


def test_bad_input():
    with pytest.raises(ValueError, match="non-empty"):
        finite_class_oracle(np.empty((0, 3)))
    with pytest.raises(ValueError, match="finite"):
        finite_class_oracle([[np.inf, 1.0]])
    with pytest.raises(ValueError, match="use monte_carlo"):
        finite_class_oracle(np.ones((1, 40))).exact()
    with pytest.raises(ValueError, match="repeats"):
        finite_class_oracle(np.ones((1, 3))).monte_carlo(repeats=0)
    with pytest.raises(ValueError, match="level"):
        finite_class_oracle(np.ones((1, 3))).monte_carlo(level=1.0)
    with pytest.raises(ValueError, match="semidefinite"):
        kernel_ball_oracle([[1.0, 2.0], [2.0, 1.0]], 1.0)
    with pytest.raises(ValueError, match="symmetric"):
        kernel_ball_oracle([[1.0, 2.0], [0.0, 1.0]], 1.0)
    with pytest.raises(ValueError, match="norm must be > 0"):
        linear_ball_oracle([[1.0]], 0.0)
    with pytest.raises(ValueError, match="norm must be > 0"):
        kernel_ball_bounds([1.0], np.nan)
    with pytest.raises(ValueError, match=r"-1 or \+1"):
        zero_one_losses([[0, 1]], [1, 1])
