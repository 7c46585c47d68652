"""The path through the inside of a kernel machine's box, and where the machines take it."""

from itertools import islice

import numpy as np
import pytest

from learnable import certify
from learnable.kernels import SVR, NuSVC
from learnable.solvers.kernels.box_interior_point import solution
from learnable.solvers.kernels.kernel_rows import KernelRows
from learnable.solvers.kernels.smo import BoxDual, iterates, through_the_inside
from learnable.trace import watch


def test_its_end_is_a_minimum():
    """Conditions of optimality on random problems: slopes agree where no bound holds, and point at bounds elsewhere."""
    for seed in range(20):
        random = np.random.default_rng(seed)
        n, rank = int(random.integers(4, 30)), int(random.integers(1, 10))
        F = random.standard_normal((n, rank))
        K, target = F @ F.T + 1e-3 * np.eye(n), random.standard_normal(n) * (seed % 2)
        lower, upper = -random.uniform(0.5, 1.0, n), random.uniform(0.5, 1.0, n)
        group = random.integers(0, 2, n)
        group[:2] = 0, 1
        given = random.uniform(0.9 * lower, 0.9 * upper)
        beta, _ = solution(K, target, lower, upper, group, given)
        assert np.all((lower <= beta) & (beta <= upper))
        slope, tiny = K @ beta - target, 1e-6
        for k in (0, 1):
            mine = group == k
            np.testing.assert_allclose(beta[mine].sum(), given[mine].sum(), atol=1e-9)
            # What may rise slopes no less steeply than what may fall.
            rises, falls = slope[mine & (beta < upper - tiny)], slope[mine & (beta > lower + tiny)]
            assert rises.min(initial=np.inf) >= falls.max(initial=-np.inf) - 1e-5, seed


@pytest.mark.filterwarnings("ignore:NuSVC")
def test_classes_that_meet_are_found_in_few_rounds():
    """Columns in units far apart: the kernel tells rows by one of them, which tells nothing of the classes."""
    random = np.random.default_rng(3)
    X = random.standard_normal((150, 2))
    y = X[:, 0] > 0.0
    X *= [1e-5, 1e5]
    model = NuSVC(nu=0.3)
    assert sum(1 for _ in islice(watch(model, X, y), 100)) < 100
    assert model.fit(X, y).status_ == "optimal"
    assert certify(model, X, y).holds


def test_a_tube_has_two_variables_a_row():
    """The path of a regression ends where its pairs end."""
    for seed in range(5):
        random = np.random.default_rng(seed)
        F = random.standard_normal((40, 6))
        K, target, C = F @ F.T + 1e-3 * np.eye(40), random.standard_normal(40), random.uniform(0.1, 2.0, 40)
        dual = BoxDual(target, -C, C, 0.3, np.zeros(40, dtype=np.int8))
        *_, last = iterates(KernelRows.of_values(K), dual, np.zeros(40), 1e-9)
        beta, slope = np.zeros(40), -target
        through_the_inside(KernelRows.of_values(K), dual, beta, slope, 0.0)
        np.testing.assert_allclose(beta, last.beta, atol=1e-6)
        np.testing.assert_allclose(slope, K @ beta - target, atol=1e-9)
        assert abs(beta.sum()) < 1e-9


@pytest.mark.filterwarnings("ignore:SVR")
def test_a_regression_on_columns_in_units_far_apart_ends():
    """Pairs went on for twenty million steps, and missed the gap in the end."""
    random = np.random.default_rng(26)
    X = random.standard_normal((200, 5))
    y = X[:, 0] + 0.5 * random.standard_normal(200)
    X *= 10.0 ** random.integers(-6, 7, 5)
    assert sum(1 for _ in islice(watch(SVR(kernel="linear"), X, y), 150)) < 150
