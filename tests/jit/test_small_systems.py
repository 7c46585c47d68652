"""A few equations at a time."""

import numpy as np
from tests.cases import each

from learnable._jit.core.compile import kernel
from learnable._jit.core.small_systems import solved


@kernel
def solution(square, right):
    return solved(square, right)


@each("m", [0, 1, 2, 5, 8])
def test_it_solves(m):
    rng = np.random.default_rng(m)
    A = rng.standard_normal((m, m + 3))
    square, x = np.full((9, 9), np.nan), rng.standard_normal(m)
    square[:m, :m] = A @ A.T
    np.testing.assert_allclose(solution(square, square[:m, :m] @ x), x, rtol=1e-9)


def test_rows_that_depend_on_those_before_them_stay_out():
    A = np.array([[1.0, 0.0, 2.0], [2.0, 0.0, 4.0], [0.0, 0.0, 0.0], [1.0, 3.0, 1.0]])
    x = solution(A @ A.T, A @ np.array([1.0, 1.0, 1.0]))
    np.testing.assert_array_equal(x[1:3], 0.0)
    np.testing.assert_allclose(A @ A.T @ x, A @ np.array([1.0, 1.0, 1.0]), atol=1e-12)
