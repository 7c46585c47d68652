"""Gradient descent on any function: its path, its two stop rules, and what convexity proves (O1, O3, O4)."""

import numpy as np
import pytest

from learnable.certificates import gradient_check, linear_rate_claim, strong_convexity_claim
from learnable.linear import gradient_descent
from learnable.problems import LinearUnitLoss, SigmoidUnitLoss
from learnable.trace import Status

random = np.random.default_rng(0)
X = np.column_stack([random.standard_normal((40, 2)), np.ones(40)])
Y = X @ [1.0, -2.0, 0.5] + 0.1 * random.standard_normal(40)
UNIT = LinearUnitLoss(X, Y)
L, MU = np.linalg.eigvalsh(X.T @ X)[[-1, 0]]


def test_the_path_is_that_of_the_rule_and_t_advances():
    found = gradient_descent(UNIT.value_and_gradient, np.zeros(3), 0.5 / L, tol=1e-3)
    theta, values, changes = np.zeros(3), [], [np.inf]
    while True:
        # ½ Σ (y − θ·x)² and its gradient −Σ (y − θ·x) x, written out.
        values.append(0.5 * np.sum((Y - X @ theta) ** 2))
        if len(values) > 1 and abs(values[-2] - values[-1]) < 1e-3:
            break
        after = theta + 0.5 / L * X.T @ (Y - X @ theta)
        changes.append(np.abs(after - theta).max())
        theta = after
    np.testing.assert_allclose(found.theta, theta, rtol=1e-12)
    np.testing.assert_allclose(found.objectives, values, rtol=1e-12)
    np.testing.assert_allclose(found.largest_changes, changes, rtol=1e-9)
    assert (found.n_steps, found.status) == (len(values) - 1, Status.STATIONARY)
    np.testing.assert_allclose(found.gradient_norm, np.abs(X.T @ (Y - X @ theta)).max(), rtol=1e-9)


def test_the_bound_of_convexity_and_the_rate_of_strong_convexity():
    best = np.linalg.lstsq(X, Y)[0]
    least = 0.5 * np.sum((Y - X @ best) ** 2)

    def value(theta):
        return UNIT.value_and_gradient(theta)[0]

    for k in (1, 2, 5, 30):
        found = gradient_descent(UNIT.value_and_gradient, [3.0, 3.0, 3.0], 1.0 / L, tol=0.0, max_iter=k)
        distance = np.linalg.norm(best - 3.0)
        claim = found.claim(value, best, L)
        assert claim.holds
        assert claim.value == pytest.approx(found.objective - least)
        assert claim.bound == pytest.approx(distance**2 / (2.0 / L * k), rel=1e-9)
        assert not found._replace(theta=best + 100.0).claim(value, best, L).holds
        assert linear_rate_claim(value(found.start) - least, found.objective - least, 1.0 / L, k, MU, L).holds
        gradient = UNIT.value_and_gradient(found.theta)[1]
        assert strong_convexity_claim(gradient, MU, 1.0).value >= found.objective - least - 1e-13
    with pytest.raises(ValueError, match="needs 0 < step <= 1/smoothness"):
        found.claim(value, best, 10.0 * L)


def test_the_largest_change_stops_and_proves_nothing():
    # O3: d_max = η ‖∇J‖∞. With a tiny rate it stops at once, far from the minimum.
    found = gradient_descent(UNIT.value_and_gradient, np.zeros(3), 0.5 / L, largest_change=1e-6)
    assert found.status is Status.STATIONARY
    assert found.largest_changes[-1] <= 1e-6 < found.largest_changes[-2]
    np.testing.assert_allclose(found.largest_changes[1:], 0.5 / L * found.gradient_norms[:-1])
    np.testing.assert_allclose(found.theta, np.linalg.lstsq(X, Y)[0], atol=1e-4)
    hasty = gradient_descent(UNIT.value_and_gradient, np.zeros(3), 1e-9, largest_change=1e-6)
    assert hasty.n_steps == 1
    assert hasty.gradient_norm > 1.0


def test_units_descend_by_their_own_gradients():
    # O4: −Σ (y − o) x, and −Σ (y − o) o (1 − o) x with E = ½ Σ (y − o)².
    target = 0.8 * (Y > 0) + 0.1
    theta = random.standard_normal(3)
    value, gradient = SigmoidUnitLoss(X, target).value_and_gradient(theta)
    o = 1.0 / (1.0 + np.exp(-X @ theta))
    assert value == pytest.approx(0.5 * np.sum((target - o) ** 2))
    np.testing.assert_allclose(gradient, -((target - o) * o * (1.0 - o)) @ X, rtol=1e-10)
    np.testing.assert_allclose(UNIT.value_and_gradient(theta)[1], -(Y - X @ theta) @ X, rtol=1e-10)
    for unit in (UNIT, SigmoidUnitLoss(X, target)):
        assert gradient_check(unit.value_and_gradient, theta).claim().holds
    found = gradient_descent(SigmoidUnitLoss(X, target).value_and_gradient, np.zeros(3), 0.1, max_iter=500)
    assert np.all(np.diff(found.objectives) <= 1e-12)


def test_too_long_a_step_runs_away_and_nonsense_is_refused():
    away = gradient_descent(UNIT.value_and_gradient, np.ones(3), 10.0 / L, max_iter=50)
    assert away.objective > 1e6 * away.objectives[0]
    for step in (0.0, -1.0, np.inf):
        with pytest.raises(ValueError, match="step must be > 0"):
            gradient_descent(UNIT.value_and_gradient, np.ones(3), step)
    with pytest.raises(ValueError, match="at least one step"):
        gradient_descent(UNIT.value_and_gradient, np.ones(3), 0.1, max_iter=0)
