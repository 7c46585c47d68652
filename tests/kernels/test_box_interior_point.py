"""The path through the inside of a kernel machine's box, and where the machines take it."""

from itertools import islice

import numpy as np
import pytest

from learnable import certify
from learnable.kernels import NuSVC
from learnable.solvers.kernels.box_interior_point import solution
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
    X = random.standard_normal((300, 2))
    y = X[:, 0] > 0.0
    X *= [1e-5, 1e5]
    model = NuSVC(nu=0.3)
    assert sum(1 for _ in islice(watch(model, X, y), 100)) < 100
    assert model.fit(X, y).status_ == "optimal"
    assert certify(model, X, y).holds
