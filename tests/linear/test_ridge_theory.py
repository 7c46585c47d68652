"""Ridge in closed form: bias and variance against simulation, the constrained form and its multiplier."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import optimize
from tests.cases import each

from learnable.linear import LinearRegression, Ridge, constrained_ridge, ridge_risk, shrinkage

RANDOM = np.random.default_rng(5)
X = RANDOM.standard_normal((25, 3)) @ np.array([[1.0, 0.9, 0.0], [0.0, 0.4, 0.0], [0.0, 0.0, 2.0]]) + 1.0
BETA, SIGMA = np.array([1.0, -0.5, 0.3]), 1.5


@each("intercept", [True, False])
@each("weighted", [True, False])
def test_closed_form_is_what_simulation_finds(intercept, weighted):
    """R8: mean, bias, variance, mean squared error and prediction error over 20 000 draws of the noise."""
    random = np.random.default_rng(2)
    weight = random.uniform(0.5, 2.0, 25) if weighted else np.ones(25)
    alphas, draws = np.array([0.0, 1.0, 10.0]), 20_000
    risk = ridge_risk(X, BETA, SIGMA, alphas, fit_intercept=intercept, sample_weight=weight)
    noise = SIGMA * random.standard_normal((25, draws)) / np.sqrt(weight)[:, None]
    centre = weight @ X / weight.sum() if intercept else np.zeros(3)
    Z = X - centre
    Y = (X @ BETA)[:, None] + noise
    for k, alpha in enumerate(alphas):
        coef = np.linalg.solve(Z.T @ (weight[:, None] * Z) + alpha * np.eye(3), Z.T @ (weight[:, None] * Y))
        error = coef - BETA[:, None]
        assert_allclose(coef.mean(axis=1), risk.mean[:, k], atol=0.03)
        assert_allclose(np.sum(error**2, axis=0).mean(), risk.mse[k], rtol=0.04)
        assert_allclose(coef.var(axis=1).sum(), risk.variance[k], rtol=0.04)
        offset = weight @ Y / weight.sum() - centre @ coef if intercept else 0.0
        missed = X @ coef + offset - (X @ BETA)[:, None]
        assert_allclose((weight @ missed**2 / weight.sum()).mean(), risk.prediction_mse[k], rtol=0.04)


def test_bias_grows_variance_falls_and_some_penalty_beats_least_squares():
    alphas = np.concatenate([[0.0], np.logspace(-4, 6, 200)])
    risk = ridge_risk(X, BETA, SIGMA, alphas)
    assert np.all(np.diff(risk.squared_bias) > 0.0)
    assert np.all(np.diff(risk.variance) < 0.0)
    assert_allclose(risk.squared_bias + risk.variance, risk.mse)
    # Every penalty below 2σ²/‖β*‖² beats least squares.
    small = (alphas > 0.0) & (alphas < 2.0 * SIGMA**2 / (BETA @ BETA))
    assert small.sum() > 50
    assert np.all(risk.mse[small] < risk.mse[0])
    assert risk.best_alpha > 0.0
    assert_allclose([risk.squared_bias[-1], risk.variance[-1]], [BETA @ BETA, 0.0], atol=1e-3)


def test_noiseless_mean_is_the_ridge_solution():
    """E β̂ is the ridge solution of the noiseless targets."""
    risk = ridge_risk(X, BETA, SIGMA, [3.0])
    assert_allclose(risk.mean[:, 0], Ridge(3.0).fit(X, X @ BETA).coef_, rtol=1e-10)


def test_dependent_columns_leave_a_bias_that_no_data_remove():
    risk = ridge_risk(np.column_stack([X, X[:, 0]]), [1.0, -0.5, 0.3, 0.0], SIGMA, [0.0])
    assert_allclose(risk.mean[:, 0], [0.5, -0.5, 0.3, 0.5], rtol=1e-9)
    assert_allclose(risk.squared_bias, 0.5, rtol=1e-9)


Y = X @ BETA + RANDOM.standard_normal(25)


@each("alpha", [1e-3, 1.0, 40.0])
def test_constrained_and_penalised_are_inverse_to_each_other(alpha):
    """R11: the length of the ridge solution leads back to its penalty."""
    ridge = Ridge(alpha).fit(X, Y)
    found = constrained_ridge(X, Y, radius=float(np.linalg.norm(ridge.coef_)))
    assert_allclose(found.alpha, alpha, rtol=1e-8)
    assert_allclose(found.coef, ridge.coef_, rtol=1e-10)
    assert_allclose(found.intercept, ridge.intercept_, rtol=1e-10)
    assert found.stationarity < 1e-13
    assert found.slackness < 1e-12


def test_constrained_solution_is_the_minimiser_over_the_ball():
    found = constrained_ridge(X, Y, radius=0.5, fit_intercept=False)
    other = optimize.minimize(
        lambda b: np.sum((Y - X @ b) ** 2),
        np.zeros(3),
        jac=lambda b: -2.0 * X.T @ (Y - X @ b),
        method="SLSQP",
        constraints={"type": "ineq", "fun": lambda b: 0.25 - b @ b, "jac": lambda b: -2.0 * b},
        options={"ftol": 1e-14},
    )
    assert_allclose(found.coef, other.x, atol=1e-6)
    # The multiplier is what a slightly larger ball is worth: dRSS/d(t²) = −α.
    step = 1e-5
    wider = constrained_ridge(X, Y, radius=np.sqrt(0.25 + step), fit_intercept=False)
    gain = np.sum((Y - X @ found.coef) ** 2) - np.sum((Y - X @ wider.coef) ** 2)
    assert_allclose(gain / step, found.alpha, rtol=1e-3)


def test_a_ball_that_holds_least_squares_does_not_bind():
    found = constrained_ridge(X, Y, radius=100.0)
    assert found.alpha == 0.0
    assert_allclose(found.coef, LinearRegression().fit(X, Y).coef_, rtol=1e-10)


def test_bad_input():
    with pytest.raises(ValueError, match="radius must be"):
        constrained_ridge(X, Y, radius=0.0)
    with pytest.raises(ValueError, match="alphas must be"):
        ridge_risk(X, BETA, SIGMA, [-1.0])
    with pytest.raises(ValueError, match="noise_scale must be"):
        ridge_risk(X, BETA, -1.0, [1.0])
    with pytest.raises(ValueError, match="coef has shape"):
        ridge_risk(X, BETA[:2], SIGMA, [1.0])


def test_ridge_solves_its_own_normal_equations():
    """R7: (X̃ᵀX̃ + λI)β = X̃ᵀỹ about the means, b = ȳ − x̄·β unpenalised; the gradient vanishes, and so does the gap."""
    random = np.random.default_rng(0)
    X = random.standard_normal((30, 4)) * [1.0, 10.0, 0.1, 3.0] + 5.0
    y, weight = X @ [1.0, -0.2, 3.0, 0.0] + 2.0 + random.standard_normal(30), random.uniform(0.5, 2.0, 30)
    for alpha in (0.3, 7.0):
        for w in (None, weight):
            for intercept in (True, False):
                model = Ridge(alpha=alpha, fit_intercept=intercept).fit(X, y, sample_weight=w)
                v = np.ones(30) if w is None else w
                x_mean, y_mean = (v @ X / v.sum(), v @ y / v.sum()) if intercept else (np.zeros(4), 0.0)
                A, t = X - x_mean, y - y_mean
                expected = np.linalg.solve(A.T @ (v[:, None] * A) + alpha * np.eye(4), A.T @ (v * t))
                np.testing.assert_allclose(model.coef_, expected, rtol=1e-9)
                assert model.intercept_ == pytest.approx(y_mean - x_mean @ expected, rel=1e-9, abs=1e-12)
                r = v * (y - model.predict(X))
                np.testing.assert_allclose(2.0 * alpha * model.coef_ - 2.0 * X.T @ r, 0.0, atol=1e-8)
                # The dual point α = r/λ gives the same value as the primal one.
                primal = r @ (y - model.predict(X)) + alpha * model.coef_ @ model.coef_
                dual = 2.0 * r @ y - np.sum(r**2 / v) - np.sum((X.T @ r) ** 2) / alpha
                assert primal == pytest.approx(dual, rel=1e-9)


def test_shrinkage_factors():
    """R9: the fit along u_j is multiplied by d_j²/(d_j² + λ), and these add up to the effective degrees of freedom."""
    random = np.random.default_rng(1)
    X, y = random.standard_normal((25, 4)) + 2.0, random.standard_normal(25)
    weight = random.uniform(0.5, 2.0, 25)
    for w in (None, weight):
        v = np.ones(25) if w is None else w
        A, t = X - np.average(X, axis=0, weights=v), y - np.average(y, weights=v)
        U, d, _ = np.linalg.svd(np.sqrt(v)[:, None] * A, full_matrices=False)
        for alpha in (0.0, 0.5, 20.0):
            found = shrinkage(X, alpha, sample_weight=w)
            model = Ridge(alpha=alpha).fit(X, y, sample_weight=w)
            fitted = U.T @ (np.sqrt(v) * (A @ model.coef_))
            np.testing.assert_allclose(fitted, found.factors * (U.T @ (np.sqrt(v) * t)), atol=1e-9)
            np.testing.assert_allclose(found.factors, d**2 / (d**2 + alpha), rtol=1e-10)
            assert found.effective_df == pytest.approx(model.effective_df_)
    lean = np.column_stack([X, X[:, 0]])
    assert shrinkage(lean, 0.0).effective_df == pytest.approx(4.0)
    assert shrinkage(lean, 1e18).effective_df == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(ValueError, match="alpha must be >= 0"):
        shrinkage(X, -1.0)
