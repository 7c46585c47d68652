"""What goes on along a line: exact where the line is, put right where it is left."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import each

from learnable._jit.sparse.correlations import within_reach
from learnable._jit.sparse.extrapolation import beyond, extrapolate, working_set_slopes

RNG = np.random.default_rng(3)
X = RNG.standard_normal((40, 9))
G, C = X.T @ X / 40, X.T @ (X @ RNG.standard_normal(9)) / 40


@each("step", [0.0, 0.9, 2.0])
@each("exact", [0, 4, 7])
def test_working_set_slopes_are_those_of_the_extrapolated_point(step, exact):
    known = np.array([8, 2, 5, 0, 7, 3, 1])  # 4 and 6 are not in the working set
    before, coef = np.zeros(9), np.zeros(9)
    before[known], coef[known] = RNG.standard_normal((2, 7))
    before[2], coef[5] = 0.0, 0.0
    slope, slope_before = G @ coef - C, G @ before - C
    rough, rough_before = slope.copy(), slope_before.copy()
    rough[known[exact:]] += 1.0
    rough_before[known[exact:]] -= 1.0
    ahead, slope_ahead = np.empty(9), np.empty(9)
    extrapolate(coef, rough, before, rough_before, step, ahead, slope_ahead)
    line = coef + step * (coef - before)
    np.testing.assert_allclose(ahead, np.where(line * coef > 0.0, line, 0.0))
    found = working_set_slopes(G[np.ix_(known, known)], known, exact, C, coef, rough, before, step, ahead, slope_ahead)
    np.testing.assert_allclose(found, (G @ ahead - C)[known], atol=1e-12)
    np.testing.assert_allclose(rough[known], slope[known], atol=1e-12)


def test_beyond_their_threshold():
    slope, coef = np.array([0.5, -0.5, 0.1, 0.9, 0.0, -2.0]), np.array([0.0, 0.0, 0.0, 0.0, 1.0, 0.0])
    movable, length, ahead = np.array([True] * 5 + [False]), np.array([1.0, 0.5, 1.0, 1.0, 1.0, 1.0]), np.empty(6)
    threshold = np.full(6, 0.2)
    np.testing.assert_array_equal(beyond(slope, threshold, length, movable, coef, False, ahead), [0, 1, 3, 4])
    np.testing.assert_allclose(ahead[:4], [0.3, 0.6, -0.1, 0.7])
    np.testing.assert_array_equal(beyond(slope, threshold, length, movable, coef, True, ahead), [1, 4])


@settings(deadline=None)  # the first call compiles
@given(st.integers(0, 10_000), st.integers(1, 4), st.floats(0.0, 1.0))
def test_a_correlation_that_reaches_the_level_is_never_left_out(seed, references, near):
    rng = np.random.default_rng(seed)
    earlier = rng.standard_normal((references, 40))
    residual = rng.standard_normal(references) @ earlier + near * rng.standard_normal(40)
    level, found = np.full(9, abs(rng.standard_normal())), np.empty(9)
    needed = np.array([int(rng.integers(9))])
    unsure = within_reach(
        earlier, earlier @ X / 40.0, earlier @ earlier.T, residual, 40.0,
        np.sqrt((X**2).mean(axis=0)), level, needed, bool(seed % 2), found,
    )  # fmt: skip
    true = residual @ X / 40.0
    missed = np.setdiff1d(np.flatnonzero(~unsure), needed)
    assert np.all(np.abs(true[missed]) < level[missed])
    assert unsure[needed[0]] == bool(seed % 2)
    if near == 0.0:
        np.testing.assert_allclose(found, true, atol=1e-8)


@each("sign", [1.0, -1.0])
@each("j", range(9))
def test_a_residual_that_moved_straight_along_a_column_reaches_what_it_may(j, sign):
    """The bound is attained: just below it the column is called, just above it not."""
    earlier = RNG.standard_normal((2, 40))
    earlier -= np.outer(earlier @ X[:, j] / (X[:, j] @ X[:, j]), X[:, j])
    residual, length = earlier.sum(axis=0) + sign * X[:, j], np.sqrt((X**2).mean(axis=0))
    reached = abs(residual @ X[:, j]) / 40.0
    for share, called in ((0.9999, True), (1.0001, False)):
        unsure = within_reach(
            earlier, earlier @ X / 40.0, earlier @ earlier.T, residual, 40.0, length,
            np.full(9, share * reached), np.zeros(0, dtype=np.int64), False, np.empty(9),
        )  # fmt: skip
        assert unsure[j] == called
