"""Columns of absurd scale: the exact answer, or an error; never a non-finite number with a good status."""

import numpy as np
import pandas as pd
import pytest
from tests.cases import each

from learnable.linear import LinearDiscriminantAnalysis, LinearRegression, LogisticRegression, Perceptron, Ridge
from learnable.sparse import (
    ADMMLasso,
    DantzigSelector,
    ElasticNet,
    GroupLasso,
    Lasso,
    MCPRegression,
    SCADRegression,
    SparseGroupLasso,
)
from learnable.trace import Status

RNG = np.random.default_rng(78)
B = np.array([1.0, -2.0, 0.3, 0.5])
X = RNG.standard_normal((60, 4))
Y = X @ B + 0.1 * RNG.standard_normal(60) + 1.0
LABEL = (X @ B + RNG.logistic(size=60) > 0).astype(int)


def scaled(factor, column=1):
    A = X.copy()
    A[:, column] *= factor
    return A


@each("factor", [1e150, 1e-150, 1e100, 1e-100, 1e300])
def test_least_squares_is_equivariant(factor):
    # β_j scales by 1/factor and nothing else moves.
    expected = LinearRegression().fit(X, Y).coef_.copy()
    expected[1] /= factor
    model = LinearRegression().fit(scaled(factor), Y)
    np.testing.assert_allclose(model.coef_, expected, rtol=1e-12)
    assert model.intercept_ == pytest.approx(LinearRegression().fit(X, Y).intercept_, rel=1e-12)
    assert model.certificate_.holds
    assert model.rank_ == 4


PAIRS = [[0, 1], [2, 3]]


@each(
    "model",
    [
        Lasso(),
        ADMMLasso(),
        DantzigSelector(),
        ElasticNet(l1_ratio=1.0),
        MCPRegression(),
        SCADRegression(),
        GroupLasso(groups=PAIRS),
        SparseGroupLasso(groups=PAIRS),
    ],
)
def test_targets_in_any_units(model):
    expected = model.set_params(alpha=0.05).fit(X, Y).coef_
    for unit in (1e-150, 1e-100, 1e100, 1e140):
        model.set_params(alpha=0.05 * unit).fit(X, Y * unit)
        np.testing.assert_allclose(model.coef_ / unit, expected, atol=1e-5)
        assert model.certificate_.holds, (model, unit)


@each("factor", [1e115, 1e100])
def test_ridge_leaves_a_huge_column_unshrunken(factor):
    # The limit: that column is as good as unpenalised.
    penalty = np.diag([1.0, 0.0, 1.0, 1.0])
    centred = X - X.mean(axis=0)
    expected = np.linalg.solve(centred.T @ centred + penalty, centred.T @ (Y - Y.mean()))
    expected[1] /= factor
    model = Ridge(alpha=1.0).fit(scaled(factor), Y)
    np.testing.assert_allclose(model.coef_, expected, rtol=1e-10)
    assert model.certificate_.holds


@each("factor", [1e-115, 1e-100])
def test_ridge_ignores_a_tiny_column(factor):
    others = [0, 2, 3]
    expected = Ridge(alpha=1.0).fit(X[:, others], Y)
    model = Ridge(alpha=1.0).fit(scaled(factor), Y)
    np.testing.assert_allclose(model.coef_[others], expected.coef_, rtol=1e-10)
    np.testing.assert_allclose(model.predict(scaled(factor)), expected.predict(X[:, others]), rtol=1e-10)


@each("factor", [2.0**40, 2.0**-40])
def test_unpenalised_logistic_regression_is_equivariant(factor):
    expected = LogisticRegression(C=np.inf, tol=1e-9).fit(X, LABEL).coef_.copy()
    expected[0, 1] /= factor
    model = LogisticRegression(C=np.inf, tol=1e-9).fit(scaled(factor), LABEL)
    np.testing.assert_allclose(model.coef_, expected, rtol=1e-3)


@each("factor", [1e-115, 1e-100])
def test_penalised_logistic_regression_ignores_a_tiny_column(factor):
    others = [0, 2, 3]
    expected = LogisticRegression(tol=1e-9).fit(X[:, others], LABEL).coef_[0]
    model = LogisticRegression(tol=1e-9).fit(scaled(factor), LABEL)
    np.testing.assert_allclose(model.coef_[0, others], expected, rtol=1e-6)
    assert model.certificate_.holds


@each("factor", [1e60, 1e-60])
def test_perceptron_is_replayed_exactly_at_any_scale(factor):
    sign = np.where(X @ B > 0, 1, 0)
    A = X + 0.3 * np.outer(2 * sign - 1, B)
    one = Perceptron(fit_intercept=False, tol=None, max_iter=10_000).fit(A, sign)
    # All columns alike: θ scales, mistakes do not.
    two = Perceptron(fit_intercept=False, tol=None, max_iter=10_000).fit(factor * A, sign)
    np.testing.assert_array_equal(one.mistake_log_[0], two.mistake_log_[0])
    np.testing.assert_allclose(two.coef_, factor * one.coef_, rtol=1e-10)
    assert two.certificate_.holds


@each("kind", [LinearRegression, Ridge, Lasso])
def test_targets_of_absurd_scale(kind):
    expected = kind().fit(X, Y).coef_
    row = int(np.abs(Y).argmax())
    for factor in (1e154, 1e200, 1e300):
        said = rf"{kind.__name__}: y has an entry of size .* \(row {row}\).*divide y"
        with pytest.raises(ValueError, match=said) as error:
            kind().fit(X, factor * Y)
        assert "penalty" not in str(error.value)
    if kind is LinearRegression:
        for factor in (1e149, 1e-300):
            model = kind().fit(X, factor * Y)
            assert model.status_ is Status.OPTIMAL
            np.testing.assert_allclose(model.coef_ / factor, expected, rtol=1e-10)


@each("kind", [LinearRegression, Ridge, Lasso, LogisticRegression, LinearDiscriminantAnalysis])
def test_columns_of_denormal_numbers_are_named(kind):
    y = LABEL if kind in (LogisticRegression, LinearDiscriminantAnalysis) else Y
    for factor in (1e-310, 1e-320):
        frame = pd.DataFrame(scaled(factor), columns=list("abcd"))
        with pytest.raises(ValueError, match=rf"{kind.__name__}: column 1 \('b'\) of X has entries.*rescale it"):
            kind().fit(frame, y)


def test_shared_scale_of_all_columns():
    expected = LinearRegression().fit(X, Y).coef_
    for factor in (1e200, 1e-150):
        np.testing.assert_allclose(LinearRegression().fit(factor * X, Y).coef_ * factor, expected, rtol=1e-11)
