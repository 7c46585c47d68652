"""Kernel ridge regression with a free intercept."""

import numpy as np
import pytest
from scipy.optimize import minimize
from tests.cases import each

from learnable import certify
from learnable.certificates.core.verdict import Verdict
from learnable.kernels import KernelRidge
from learnable.linear import Ridge
from learnable.problems.kernels.basic import RBF

RANDOM = np.random.default_rng(6)
X = RANDOM.standard_normal((40, 3))
Y = np.column_stack([50.0 + X @ [1.0, -2.0, 0.5], -7.0 + np.sin(X[:, 0])])
WEIGHT = RANDOM.integers(0, 3, 40).astype(float)


@each("weight", [None, WEIGHT], ids=["even", "weighted"])
def test_with_the_linear_kernel_it_is_ridge(weight):
    for target in (Y[:, 0], Y):
        model = KernelRidge(alpha=0.7, fit_intercept=True).fit(X, target, weight)
        ridge = Ridge(alpha=0.7).fit(X, target, weight)
        np.testing.assert_allclose(model.predict(X), ridge.predict(X), rtol=1e-10)
        np.testing.assert_allclose(model.intercept_, ridge.intercept_, rtol=1e-10)
        assert certify(model, X, target, weight).holds


def test_it_minimises_the_objective_over_function_and_intercept():
    y, gamma, alpha = Y[:12, 0], 0.4, 0.3
    K = RBF(gamma)(X[:12], X[:12])

    def objective(at):
        c, b = at[:-1], at[-1]
        left = y - K @ c - b
        return WEIGHT[:12] @ left**2 + alpha * c @ K @ c

    model = KernelRidge(alpha=alpha, kernel="rbf", gamma=gamma, fit_intercept=True).fit(X[:12], y, WEIGHT[:12])
    least = minimize(objective, np.append(np.zeros(12), y.mean()), method="BFGS", options={"gtol": 1e-9})
    assert objective(np.append(model.dual_coef_, model.intercept_)) <= least.fun * (1.0 + 1e-9)
    assert abs(model.dual_coef_.sum()) < 1e-10


def test_targets_anywhere_are_learned_alike():
    near, far = (KernelRidge(alpha=0.1, kernel="rbf", fit_intercept=True).fit(X, Y + origin) for origin in (0.0, 1e6))
    np.testing.assert_allclose(far.predict(X) - 1e6, near.predict(X), atol=1e-8)


def test_fits_of_far_and_of_constant_targets_are_proved():
    noise = RANDOM.standard_normal(40)
    for y in (
        1e12 + noise,
        np.full(40, 0.1),
        0.1 + 1e-15 * noise,
        1e-100 * noise,
        np.column_stack([noise, 1e9 + noise]),
    ):
        for kernel in ("linear", "rbf"):
            model = KernelRidge(alpha=0.3, kernel=kernel, fit_intercept=True).fit(X, y)
            assert certify(model, X, y).holds
            model.intercept_ = model.intercept_ + 1e-2 * y.std(axis=0) + 1e-6 * np.abs(y).min()
            assert certify(model, X, y).verdict is Verdict.REFUTED
            if y.ndim == 2:  # the rounding of the far target says nothing of the near one
                model = model.fit(X, y)
                model.intercept_ = model.intercept_ + np.array([1e-6, 0.0])
                assert certify(model, X, y).verdict is Verdict.REFUTED


def test_targets_that_differ_by_rounding_alone_are_proved():
    """What rounding leaves of the sum of the coefficients the first time may be all there is."""
    r = np.random.default_rng(1)
    for t in range(300):
        n = r.integers(3, 40)
        table = r.normal(size=(n, 2))
        y = np.full(n, r.normal()) * (1 + r.choice([0, 1e-16, 1e-15, 1e-12]) * r.normal(size=n))
        weight = None if t % 2 else r.uniform(0.1, 3, n)
        alpha, kernel = 10.0 ** r.integers(-5, 3), str(r.choice(["linear", "rbf"]))
        model = KernelRidge(alpha=alpha, kernel=kernel, fit_intercept=True).fit(table, y, weight)
        assert model.certificate_.holds, (y, alpha, kernel)


def test_other_intercepts_and_coefficients_are_refuted():
    for altered in ("intercept_", "dual_coef_"):
        model = KernelRidge(alpha=0.1, kernel="rbf", fit_intercept=True).fit(X, Y)
        setattr(model, altered, getattr(model, altered) + 1e-4)
        assert certify(model, X, Y).verdict is Verdict.REFUTED, altered
    shifted = KernelRidge(alpha=0.1, kernel="rbf").fit(X, Y[:, 0] - 40.0)
    shifted.fit_intercept, shifted.intercept_ = True, 40.0  # the best function for an intercept that is not the best
    assert certify(shifted, X, Y[:, 0]).verdict is Verdict.REFUTED


def test_an_intercept_needs_a_penalty():
    with pytest.raises(ValueError, match="set alpha > 0"):
        KernelRidge(alpha=[0.0, 1.0], fit_intercept=True).fit(X, Y)
