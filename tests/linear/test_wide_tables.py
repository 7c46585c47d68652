"""More columns than rows: the solutions of the theory, and no table of columns by columns."""

import tracemalloc

import numpy as np
import pytest

from learnable import certify
from learnable.linear import LinearRegression, Ridge


def _tables():
    """(name, X, y, weights): plain, a constant and two equal columns, units far apart, far from zero, weighted."""
    generator = np.random.default_rng(3)
    X = generator.normal(size=(12, 40))
    y = generator.normal(size=12)
    yield "plain", X, y, None
    tied = X.copy()
    tied[:, 0], tied[:, 7] = 5.0, tied[:, 3]
    yield "tied columns", tied, y, None
    yield "units", X * 10.0 ** generator.integers(-6, 7, size=40), y, None
    yield "offsets", X + 10.0 ** generator.integers(-1, 5, size=40), y + 1e3, None
    yield "weights", X, y, generator.integers(0, 3, size=12).astype(float) + 0.5


@pytest.mark.parametrize("intercept", [True, False])
def test_least_norm_and_ridge_are_those_of_the_pseudoinverse(subtests, intercept):
    for name, X, y, weight in _tables():
        with subtests.test(name):
            w = np.ones(len(y)) if weight is None else weight
            shift_x, shift_y = (w @ X / w.sum(), w @ y / w.sum()) if intercept else (0.0, 0.0)
            root = np.sqrt(w)[:, None]
            A, b = root * (X - shift_x), root[:, 0] * (y - shift_y)
            few = slice(int(intercept), None)  # centred rows say what the first one was: the others span the same
            inverse = np.linalg.pinv(A[few])
            model = LinearRegression(fit_intercept=intercept).fit(X, y, weight)
            np.testing.assert_allclose(A @ model.coef_, b, atol=1e-9 * np.linalg.norm(b))
            np.testing.assert_allclose(model.coef_, inverse @ b[few], atol=1e-6 * np.abs(model.coef_).max())
            assert model.rank_ == len(y) - intercept
            assert len(model.singular_) == len(y)
            assert certify(model, X, y, weight).verdict.name == "PROVED"
            moved = model.coef_ + 1e-5 * np.abs(model.coef_).max() * (np.eye(40) - inverse @ A[few])[5]
            altered = LinearRegression(fit_intercept=intercept).fit(X, y, weight)
            altered.coef_ = moved
            altered.intercept_ = shift_y - shift_x @ moved if intercept else 0.0
            assert certify(altered, X, y, weight).verdict.name == "REFUTED"
            for alpha in (1e-6, 1.0, 1e4):
                ridge = Ridge(alpha=alpha, fit_intercept=intercept).fit(X, y, weight)
                expected = A.T @ np.linalg.solve(A @ A.T + alpha * np.eye(len(b)), b)
                np.testing.assert_allclose(A @ ridge.coef_, A @ expected, atol=1e-7 * np.linalg.norm(b))
                assert certify(ridge, X, y, weight).verdict.name == "PROVED", alpha


def test_no_table_of_columns_by_columns_is_made():
    generator = np.random.default_rng(4)
    X, y = generator.normal(size=(10, 3000)), generator.normal(size=10)
    for model in (LinearRegression(), Ridge()):
        model.fit(X[:, :20], y)  # what is loaded once does not count
        tracemalloc.start()
        model.fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 30 * X.nbytes, type(model).__name__
