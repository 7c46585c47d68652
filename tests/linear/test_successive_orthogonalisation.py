"""Gram-Schmidt regression: the laws R4-R6, and collinear columns."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import linalg
from tests.cases import each

from learnable.linear import LinearRegression, successive_orthogonalisation, summary

RANDOM = np.random.default_rng(7)
X = RANDOM.standard_normal((40, 4)) @ RANDOM.standard_normal((4, 4)) + 3.0
Y = X @ [1.0, -2.0, 0.5, 0.0] + RANDOM.standard_normal(40)
ONES = np.column_stack([np.ones(40), X])


def test_the_z_are_orthogonal_and_rebuild_the_columns():
    found = successive_orthogonalisation(X, Y)
    gram = found.Z.T @ found.Z
    assert_allclose(gram - np.diag(np.diag(gram)), 0.0, atol=1e-12)
    assert_allclose(found.Z @ found.Gamma, ONES, rtol=1e-12)


@each("last", range(4))
def test_the_last_coefficient_is_the_multiple_regression_coefficient(last):
    """R4: β̂_p = ⟨y, z_p⟩/⟨z_p, z_p⟩ whichever column comes last, and its standard error is σ̂/‖z_p‖."""
    order = [j for j in range(4) if j != last] + [last]
    found = successive_orthogonalisation(X, Y, order=order)
    fit = summary(LinearRegression().fit(X, Y), X, Y)
    assert_allclose(found.coef_last[-1], fit.estimate[1 + last], rtol=1e-10)
    length = np.linalg.norm(found.Z[:, -1])
    assert_allclose(fit.fit["sigma"] / length, fit.standard_error[1 + last], rtol=1e-10)
    assert_allclose(found.variance_factor[-1], 1.0 / length**2, rtol=1e-12)


def test_all_coefficients_and_inflation_factors():
    found = successive_orthogonalisation(X, Y)
    fit = summary(LinearRegression().fit(X, Y), X, Y)
    assert_allclose(found.coef, fit.estimate, rtol=1e-9)
    assert_allclose(found.vif[1:], fit.vif[1:], rtol=1e-10)
    assert_allclose(fit.fit["sigma"] * np.sqrt(found.variance_factor), fit.standard_error, rtol=1e-10)


def test_qr_relation():
    """R5: X = (ZD⁻¹)(DΓ) = QR, β̂ = R⁻¹Qᵀy, ŷ = QQᵀy."""
    found = successive_orthogonalisation(X, Y)
    Q, R = linalg.qr(ONES, mode="economic")
    signs = np.sign(np.diag(R))
    assert_allclose(found.Q, Q * signs, atol=1e-12)
    assert_allclose(found.R, R * signs[:, None], atol=1e-11)
    assert_allclose(linalg.solve_triangular(found.R, found.Q.T @ Y), found.coef, rtol=1e-10)
    assert_allclose(found.Q @ (found.Q.T @ Y), ONES @ found.coef, rtol=1e-10)


def test_orthogonal_design():
    """R6: with orthogonal columns every coefficient is a simple regression, and nothing is inflated."""
    Q = linalg.qr(RANDOM.standard_normal((30, 3)), mode="economic")[0] * [1.0, 5.0, 0.1]
    y = RANDOM.standard_normal(30)
    found = successive_orthogonalisation(Q, y, fit_intercept=False)
    assert_allclose(found.Z, Q, atol=1e-14)
    assert_allclose(found.coef, (Q.T @ y) / np.sum(Q**2, axis=0), rtol=1e-12)
    assert_allclose(found.vif, 1.0, rtol=1e-12)


def test_nearly_collinear_columns_stay_orthogonal():
    """Läuchli's matrix, on which one round of Gram-Schmidt fails."""
    A = np.vstack([np.ones(3), 1e-8 * np.eye(3)])
    found = successive_orthogonalisation(A, fit_intercept=False)
    assert_allclose(found.Q.T @ found.Q, np.eye(3), atol=1e-14)


def test_collinear_columns_are_reported():
    A = np.column_stack([X, X[:, 0] + X[:, 1], np.full(40, 2.0)])
    found = successive_orthogonalisation(A, Y)
    assert np.isinf(found.variance_factor[[0, 1, 2, 5, 6]]).all()
    assert np.isfinite(found.variance_factor[[3, 4]]).all()
    assert found.left[5] == 0.0
    assert np.isnan(found.coef).all()
    assert found.report()[5]["left"] == 0.0


def test_weights_count_rows():
    weight = np.arange(40) % 3
    weighted = successive_orthogonalisation(X, Y, sample_weight=weight)
    repeated = successive_orthogonalisation(np.repeat(X, weight, axis=0), np.repeat(Y, weight))
    assert_allclose(weighted.coef, repeated.coef, rtol=1e-9)
    assert_allclose(weighted.vif[1:], repeated.vif[1:], rtol=1e-9)


def test_bad_order():
    with pytest.raises(ValueError, match="name each of the 4 columns"):
        successive_orthogonalisation(X, Y, order=[0, 1, 2, 2])
