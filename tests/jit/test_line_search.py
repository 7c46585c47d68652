"""How far to go along a line: the least of a convex, piecewise quadratic function, against all its pieces."""

import numpy as np
import pytest
from tests.cases import each

from learnable._jit.sparse.line_search import equations, line_search, step_across_signs
from learnable.problems.sparse.penalties import L1, ElasticNet, NonNegative, Weighted, total

W = 12


def line(seed, size=9, bend=None):
    """(x, d, level, slope, bend) of a direction that descends at first; some coefficients cross zero together."""
    rng = np.random.default_rng(seed)
    x, d, level = rng.standard_normal(size), rng.standard_normal(size), rng.uniform(0.0, 0.5, size)
    x[1], d[1] = 2.0 * x[0], 2.0 * d[0]
    return x, d, level, -rng.uniform(0.1, 6.0), rng.uniform(0.01, 2.0) if bend is None else bend


def along(t, x, d, level, slope, bend):
    """The objective at x + t d less that at x; `slope` holds the signs of x."""
    t = np.asarray(t, dtype=float)[:, None]
    kinks = level * (np.abs(x + t * d) - np.abs(x) - np.sign(x) * d * t)
    return t[:, 0] * slope + 0.5 * bend * t[:, 0] ** 2 + kinks.sum(axis=1)


def candidates(x, d, level, slope, bend):
    """Every kink, and the stationary point of every piece if it lies there."""
    times = np.sort(np.append(-x / d, 0.0)[np.append(-x / d, 0.0) >= 0.0])
    ends = np.append(times[1:], np.inf)
    found = list(times)
    for start, end in zip(times, ends):
        inside = 0.5 * (start + end) if np.isfinite(end) else start + 1.0
        jumps = np.sum(level * (np.sign(x + inside * d) - np.sign(x)) * d)
        found.append(min(max(-(slope + jumps) / bend, start), end))
    return np.array(found)


@each("seed", range(40))
def test_no_other_point_of_the_line_is_lower(seed):
    given = line(seed)
    x, d = given[:2]
    t, stops = line_search(*given, False)
    assert t > 0.0
    assert along([t], *given)[0] <= along(candidates(*given), *given).min() + 1e-12
    assert stops == np.any(np.isclose(t, -x / d, rtol=1e-14, atol=0.0))


@each("seed", range(20))
def test_a_wall_stops_the_first_that_reaches_zero(seed):
    given = x, d, _, slope, bend = line(seed)
    ahead = (-x / d)[-x / d > 0.0].min(initial=np.inf)
    t, stops = line_search(*given, True)
    assert t == min(ahead, -slope / bend)
    assert stops == (ahead < -slope / bend)


def test_the_lines_of_these_tests_end_in_every_way():
    ends = [line_search(*line(seed), False) for seed in range(40)]
    crossed = [np.sum((-x / d > 0.0) & (-x / d < t)) for (t, _), (x, d, *_) in zip(ends, map(line, range(40)))]
    stops = np.array([stop for _, stop in ends])
    assert stops.any()
    assert not stops.all()
    assert min(crossed) == 0
    assert max(crossed) > 3


def test_without_curvature_it_goes_to_the_last_kink_that_helps():
    x, d, level = np.array([1.0, 2.0, -1.0]), np.array([-1.0, -1.0, -1.0]), np.ones(3)
    assert line_search(x, d, level, -1.0, 0.0, False) == (1.0, True)
    assert line_search(x, d, level, -3.0, 0.0, False) == (2.0, True)
    assert line_search(x, d, level, -9.0, 0.0, False) == (2.0, True)  # falls without end, as rounding would have it
    assert line_search(x, -d, level, -1.0, 0.0, False) == (1.0, True)
    assert line_search(x[:2], -d[:2], level[:2], -1.0, 0.0, False) == (1.0, False)


PENALTIES = [
    L1(0.3),
    ElasticNet(0.4, 0.5),
    Weighted(ElasticNet(0.3, 0.9), np.linspace(0.5, 2.0, 2 * W)),
    NonNegative(ElasticNet(0.2, 0.8)),
]


@each("penalty", PENALTIES, ids=str)
@each("seed", range(6))
def test_a_step_lands_at_the_least_objective_with_slopes_to_match(penalty, seed):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((30, W))
    G, c = A.T @ A / 30, rng.standard_normal(W)
    index = rng.permutation(2 * W)[:W]
    coef = rng.standard_normal(W) * (rng.uniform(size=W) < 0.7)
    keep_signs = isinstance(penalty, NonNegative)
    if keep_signs:
        coef = np.abs(coef)
    start = coef.copy()

    def objective(b):
        everywhere = np.zeros(2 * W)
        everywhere[index] = b
        return 0.5 * b @ G @ b - c @ b + total(penalty, everywhere)

    slope = G @ coef - c
    support, level, ridge, down = equations(slope, coef, penalty, index)
    np.testing.assert_array_equal(support, np.flatnonzero(start))
    step = 1e-6
    for i, k in enumerate(support):
        e = step * np.eye(W)[k]
        assert down[i] == pytest.approx((objective(start - e) - objective(start + e)) / (2.0 * step), abs=1e-7)
    d = np.linalg.solve(G[np.ix_(support, support)] + np.diag(ridge), down)
    stops = step_across_signs(slope, coef, support, level, ridge, down, d, G[:, support] @ d, keep_signs)
    np.testing.assert_allclose(slope, G @ coef - c, atol=1e-12)
    assert stops == (np.count_nonzero(coef) < len(support))
    direction = np.zeros(W)
    direction[support] = d
    # The step is along the line, and no point of a fine grid or at a kink of it is lower.
    t = np.max(np.abs(coef - start)) / np.max(np.abs(direction))
    np.testing.assert_allclose(coef, start + t * direction, atol=1e-12)
    crossings = -start[support] / d
    points = [*np.linspace(0.0, 2.0, 400), *crossings[crossings > 0.0]]
    if keep_signs:
        points = [point for point in points if point <= crossings[crossings > 0.0].min(initial=np.inf)]
    assert objective(coef) <= min(objective(start + point * direction) for point in points) + 1e-12


def test_a_direction_that_does_not_descend_is_not_taken():
    coef, slope = np.array([1.0, 0.0]), np.array([0.5, 0.1])
    support, level, ridge, down = equations(slope, coef, L1(0.1), np.arange(2))
    assert not step_across_signs(slope, coef, support, level, ridge, down, -down, np.zeros(2), False)
    np.testing.assert_array_equal(coef, [1.0, 0.0])
    np.testing.assert_array_equal(slope, [0.5, 0.1])
