"""Weights of a blend: the least loss on the simplex, by brute force and by their own bound."""

import numpy as np
import pytest

from learnable.selection import blend_weights


def simplex(steps):
    grid = np.arange(steps + 1)
    return np.array([(i, j, steps - i - j) for i in grid for j in grid[: steps + 1 - i]]) / steps


def test_no_point_of_a_fine_grid_is_better_and_the_gap_bounds_the_distance():
    rng, grid = np.random.default_rng(0), simplex(60)
    for draw in range(20):
        y = rng.normal(size=60)
        P = y[:, None] + rng.normal(size=(60, 3)) * rng.uniform(0.2, 2, 3) + rng.normal(size=3)
        weight = rng.uniform(0.5, 2, 60) if draw % 2 else None
        shares = np.ones(60) if weight is None else weight
        found = blend_weights(P, y, sample_weight=weight)
        losses = np.average((y[:, None] - P @ grid.T) ** 2, axis=0, weights=shares)
        assert found.loss <= min(losses) + 1e-9
        assert found.loss == pytest.approx(np.average((y - P @ found.weights) ** 2, weights=shares))
        assert found.gap + 1e-12 >= 0
        assert found.gap < 1e-6
        Q = rng.uniform(0.05, 1, size=(60, 3))
        found = blend_weights(Q, sample_weight=weight)
        losses = -np.average(np.log(Q @ grid.T), axis=0, weights=shares)
        assert found.loss <= min(losses) + 1e-6
        assert min(losses) - found.gap - 1e-3 <= found.loss
        assert found.gap < 1e-4
        assert found.weights.sum() == pytest.approx(1)
        assert (found.weights >= 0).all()


def test_weights_are_the_best_to_many_digits_on_hard_tables():
    """Copies, learners that are hopeless or all but certain, rows that nobody foresaw, few rows and many learners."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n, m = int(rng.integers(3, 400)), int(rng.integers(2, 20))
        own = rng.random((n, 1)) ** rng.choice([0.2, 1.0, 5.0])
        P = np.clip(own * np.exp(rng.choice([0.01, 0.3, 3.0]) * rng.normal(size=(n, m))), 0, 1)
        if seed % 3 == 0:
            P[:, rng.integers(m)] = P[:, 0]
        if seed % 5 == 0:
            P[rng.integers(n, size=max(1, n // 10))] = 0
        if seed % 7 == 0:
            P[:, -1] = 1e-300
        found = blend_weights(P, sample_weight=rng.random(n) + 1e-3 if seed % 2 else None)
        assert found.gap < 1e-9
        assert found.weights.sum() == pytest.approx(1, abs=1e-12)
        assert (found.weights >= 0).all()


def test_a_perfect_learner_gets_all_the_weight():
    y = np.arange(10.0)
    np.testing.assert_allclose(blend_weights(np.column_stack([y, y + 1, -y]), y).weights, [1, 0, 0], atol=1e-6)
    np.testing.assert_allclose(blend_weights(np.array([[1.0, 0.5]] * 5)).weights, [1, 0], atol=1e-6)


def test_refusals():
    for given, message in (
        (np.ones(3), "shape"),
        (np.array([[np.nan, 1.0]]), "finite"),
    ):
        with pytest.raises(ValueError, match=message):
            blend_weights(given)
    with pytest.raises(ValueError, match="sample_weight"):
        blend_weights(np.ones((2, 2)), sample_weight=[-1.0, 1.0])
