"""The posterior of a linear regression: against ridge, against direct integration, and its certificate."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import integrate, sparse, stats
from tests.cases import each

from learnable import certify
from learnable.linear import BayesianLinearRegression, LinearRegression, Ridge, RidgeCV
from learnable.rows import as_rows

RANDOM = np.random.default_rng(9)
X = RANDOM.standard_normal((60, 3)) @ RANDOM.standard_normal((3, 3)) + 2.0
Y = 1.0 + X @ [1.0, -2.0, 0.5] + 0.7 * RANDOM.standard_normal(60)
P = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, -0.2], [0.0, -0.2, 0.5]])


@each("intercept", [True, False])
def test_posterior_mean_is_ridge_with_lambda_noise_over_prior(intercept):
    """R10: λ = σ²/τ²."""
    model = BayesianLinearRegression(prior_scale=0.4, noise_scale=0.7, fit_intercept=intercept).fit(X, Y)
    ridge = Ridge(0.49 / 0.16, fit_intercept=intercept).fit(X, Y)
    assert_allclose(model.coef_, ridge.coef_, rtol=1e-10)
    assert_allclose(model.intercept_, ridge.intercept_, rtol=1e-10)
    assert_allclose(model.effective_df_, ridge.effective_df_, rtol=1e-10)


def test_prior_mean_is_where_the_coefficients_shrink_to():
    """D5: ridge on y − Xm, then m added; λ → ∞ gives m, λ → 0 gives least squares."""
    m = np.array([1.0, 2.0, 3.0])
    model = BayesianLinearRegression(prior_mean=m, prior_scale=0.4, noise_scale=0.7).fit(X, Y)
    assert_allclose(model.coef_, m + Ridge(0.49 / 0.16).fit(X, Y - X @ m).coef_, rtol=1e-10)
    assert_allclose(BayesianLinearRegression(m, 1e-7, noise_scale=1.0).fit(X, Y).coef_, m, rtol=1e-6)
    loose = BayesianLinearRegression(m, 1e7, noise_scale=1.0).fit(X, Y)
    assert_allclose(loose.coef_, LinearRegression().fit(X, Y).coef_, rtol=1e-8)


def test_textbook_formulas_with_a_full_prior_covariance():
    model = BayesianLinearRegression(0.5, prior_covariance=P, noise_scale=0.7, fit_intercept=False).fit(X, Y)
    precision = X.T @ X / 0.49 + np.linalg.inv(P)
    assert_allclose(model.coef_covariance_, np.linalg.inv(precision), rtol=1e-9)
    mean = np.linalg.solve(precision, X.T @ Y / 0.49 + np.linalg.solve(P, np.full(3, 0.5)))
    assert_allclose(model.coef_, mean, rtol=1e-9)
    marginal = stats.multivariate_normal(X @ np.full(3, 0.5), X @ P @ X.T + 0.49 * np.eye(60))
    assert_allclose(model.log_evidence_, marginal.logpdf(Y), rtol=1e-10)
    new = X[:5] + 1.0
    _, std = model.predict(new, return_std=True)
    assert_allclose(std**2, 0.49 + np.einsum("ij,jk,ik->i", new, np.linalg.inv(precision), new), rtol=1e-10)


def test_evidence_with_an_intercept_by_numerical_integration():
    """b has density 1 everywhere: p(y) = ∫ N(y; b1, XPXᵀ + σ²I) db; the predictive variance by the same integral."""
    A, y = X[:6], Y[:6]
    model = BayesianLinearRegression(prior_covariance=P, noise_scale=0.7).fit(A, y)
    cov = A @ P @ A.T + 0.49 * np.eye(6)
    value, _ = integrate.quad(lambda b: stats.multivariate_normal(np.full(6, b), cov).pdf(y), -60, 60, points=[0.0])
    assert_allclose(model.log_evidence_, np.log(value), rtol=1e-8)
    # With a prior of variance v on b, v → ∞: β and b together are a normal vector.
    joint = np.zeros((4, 4))
    joint[:3, :3], joint[3, 3] = P, 1e8
    Z, new = np.column_stack([A, np.ones(6)]), np.append(A[0] + 1.0, 1.0)
    posterior = np.linalg.inv(Z.T @ Z / 0.49 + np.linalg.inv(joint))
    _, std = model.predict([new[:3]], return_std=True)
    assert_allclose(std**2, 0.49 + new @ posterior @ new, rtol=1e-5)


def test_estimated_noise_maximises_the_evidence():
    model = BayesianLinearRegression().fit(X, Y)
    for factor in (0.5, 0.99, 1.01, 2.0):
        other = BayesianLinearRegression(noise_scale=factor * model.noise_scale_).fit(X, Y)
        assert other.log_evidence_ < model.log_evidence_
    assert 0.5 < model.noise_scale_ < 1.0
    assert model.certificate_.holds


def test_predictive_intervals_cover():
    """Over draws of (β, y) from the model itself the interval holds a new observation with its stated probability."""
    random, inside = np.random.default_rng(1), []
    for _ in range(200):
        A = random.standard_normal((15, 3))
        beta = random.standard_normal(3)
        y = A @ beta + 4.0 + random.standard_normal(15)
        model = BayesianLinearRegression(noise_scale=1.0).fit(A, y)
        new = random.standard_normal((20, 3))
        lower, upper = model.predictive_interval(new, level=0.8)
        target = new @ beta + 4.0 + random.standard_normal(20)
        inside.append(np.mean((lower <= target) & (target <= upper)))
    assert abs(np.mean(inside) - 0.8) < 4.0 * np.std(inside) / np.sqrt(200.0)


def test_weights_count_rows_and_blocks_agree():
    weight = np.arange(60) % 4
    weighted = BayesianLinearRegression().fit(X, Y, weight)
    repeated = BayesianLinearRegression().fit(np.repeat(X, weight, axis=0), np.repeat(Y, weight))
    assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-8)
    assert_allclose(weighted.noise_scale_, repeated.noise_scale_, rtol=1e-8)
    assert_allclose(weighted.log_evidence_, repeated.log_evidence_, rtol=1e-10)
    dense = BayesianLinearRegression().fit(X, Y)
    for other in (
        BayesianLinearRegression().fit(sparse.csr_array(X), Y),
        BayesianLinearRegression().fit(as_rows(X, Y)),
    ):
        assert_allclose(other.coef_, dense.coef_, rtol=1e-9)
    assert_allclose(dense.predict(sparse.csr_array(X), return_std=True)[1], dense.predict(X, return_std=True)[1])


@each(
    ("name", "change"),
    [("coef_covariance_", 1.001), ("noise_scale_", 1.001), ("log_evidence_", 1.001), ("coef_", 1.0 + 1e-6)],
)
def test_tampering_is_noticed(name, change):
    model = BayesianLinearRegression(prior_mean=0.3, prior_covariance=P).fit(X, Y)
    assert certify(model, X, Y).holds
    altered = copy.deepcopy(model)
    setattr(altered, name, getattr(model, name) * change)
    assert not certify(altered, X, Y).holds


def test_each_claim_notices_its_own_part():
    model = BayesianLinearRegression(prior_covariance=P).fit(X, Y)
    parts = {
        "coef_": "posterior mean", "coef_covariance_": "posterior covariance", "log_evidence_": "log_evidence_",
        "noise_scale_": "stationary point", "effective_df_": "effective_df_", "centre_": "centre_ holds",
        "centre_variance_": "centre_variance_",
    }  # fmt: skip
    for name, statement in parts.items():
        altered = copy.deepcopy(model)
        setattr(altered, name, getattr(model, name) * 1.001)
        assert any(statement in claim.statement and not claim.holds for claim in certify(altered, X, Y)), name


def test_single_precision_and_weights_are_no_false_alarm():
    weight = RANDOM.random(len(X)) + 0.1
    for offset in (0.0, 1e3):
        cells = (X + offset).astype(np.float32)
        model = BayesianLinearRegression().fit(cells, Y, sample_weight=weight)
        assert model.certificate_.holds, model.certificate_
        assert certify(model, cells, Y, weight).holds
    with pytest.raises(ValueError, match="say nothing about the noise"):
        BayesianLinearRegression().fit(X, Y, sample_weight=weight * 1e-9)


def test_exact_data_end_at_the_smallest_noise_and_say_so():
    model = BayesianLinearRegression().fit(X, X @ [1.0, 2.0, 3.0])
    assert model.noise_scale_ < 1e-6
    assert "smallest looked for" in str(model.certificate_)


def test_fewer_rows_than_columns():
    A = RANDOM.standard_normal((5, 12))
    model = BayesianLinearRegression(noise_scale=0.5).fit(A, A[:, 0])
    assert model.certificate_.holds
    assert_allclose(model.coef_, Ridge(0.25).fit(A, A[:, 0]).coef_, rtol=1e-8, atol=1e-12)


def test_bad_input():
    with pytest.raises(ValueError, match="prior_mean has shape"):
        BayesianLinearRegression(prior_mean=[1.0, 2.0]).fit(X, Y)
    with pytest.raises(ValueError, match="prior_scale must be > 0"):
        BayesianLinearRegression(prior_scale=[1.0, 0.0, 1.0]).fit(X, Y)
    with pytest.raises(ValueError, match="not positive definite"):
        BayesianLinearRegression(prior_covariance=np.ones((3, 3)) - np.eye(3)).fit(X, Y)
    with pytest.raises(ValueError, match="symmetric"):
        BayesianLinearRegression(prior_covariance=np.eye(2)).fit(X, Y)
    with pytest.raises(ValueError, match=r"column 1 of X .* overflow"):
        BayesianLinearRegression().fit(X * [1.0, 1e150, 1.0], Y)
    with pytest.raises(ValueError, match="give noise_scale"):
        BayesianLinearRegression().fit(X[:1], Y[:1])
    with pytest.raises(ValueError, match="level=1"):
        BayesianLinearRegression().fit(X, Y).predictive_interval(X, level=1.0)


def test_columns_in_any_units_keep_their_digits():
    """A column at 1e30, one at 1e-10, a copy, a constant one: posterior, noise and evidence are those of the data."""
    rng = np.random.default_rng(4)
    X = rng.standard_normal((60, 4))
    y = X @ [1.2, -1.0, 0.7, 0.0] + 0.5 * rng.standard_normal(60)
    tables = (
        X * [1.0, 1e30, 1.0, 1.0],
        X * [1e10, 1e-10, 1e30, 1.0],
        np.column_stack([X, X[:, 0]]) * [1.0, 1e30, 1.0, 1.0, 1.0],
        np.column_stack([X, np.full(60, 7.0)]),
    )
    for table in tables:
        for unit in (1e-7, 1.0, 1e6):
            for options in ({}, {"noise_scale": 0.5 * unit}, {"prior_scale": unit}):
                model = BayesianLinearRegression(**options).fit(table, y * unit)
                assert certify(model, table, y * unit).holds, (unit, options, model.certificate_)


def test_ridge_keeps_the_digits_of_columns_in_any_units():
    """Offsets to 1e9 and units sixteen orders apart: coefficients, degrees of freedom and the chosen penalty."""
    rng = np.random.default_rng(8)
    Z = rng.standard_normal((60, 4))
    y = Z @ [1.2, -1.0, 0.7, 0.0] + 0.5 * rng.standard_normal(60)
    for table in (Z + np.array([1e9, 0.0, -1e7, 3.0]), Z * [1e-8, 1.0, 1e8, 1e-2]):
        for model in (Ridge(), Ridge(alpha=1e-6), Ridge(fit_intercept=False), RidgeCV()):
            fitted = model.fit(table, y)
            assert fitted.certificate_.holds, fitted.certificate_
            assert certify(fitted, table, y).holds, certify(fitted, table, y)


def test_a_constant_column_is_none_whatever_its_mean_rounds_to():
    rng = np.random.default_rng(5)
    for n in (81, 90, 95):
        table = np.column_stack([rng.standard_normal((n, 3)), np.full(n, 7.0)])
        y = table @ [1.0, -2.0, 0.5, 0.0] + rng.standard_normal(n)
        model = LinearRegression().fit(table, y)
        assert model.rank_ == 3
        assert model.coef_[3] == 0.0
        assert certify(model, table, y).holds


def test_small_numbers_of_any_precision_overflow_in_silence():
    """Warnings are errors here: of single numbers, and of targets beside whose noise everything is certain."""
    random = np.random.default_rng(0)
    X, y = random.standard_normal((25, 3)), random.standard_normal(25)
    assert BayesianLinearRegression().fit(X.astype(np.float32), y.astype(np.float32)).certificate_.holds
    plain, tiny = BayesianLinearRegression().fit(X, y), BayesianLinearRegression(prior_scale=1e-140).fit(X, 1e-140 * y)
    assert tiny.certificate_.holds
    np.testing.assert_allclose(1e140 * tiny.coef_, plain.coef_, rtol=1e-9)
