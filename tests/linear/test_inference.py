"""Standard errors, tests and fit statistics: values of R's lm, exact laws, coverage, refusals."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.linear_model import LinearRegression as SklearnLinearRegression
from sklearn.linear_model import Ridge as SklearnRidge
from tests.cases import each

from learnable.linear import LinearRegression, NotIdentifiedError, Ridge, summary
from learnable.rows import as_rows
from learnable.sparse import Lasso

R = json.loads((Path(__file__).parents[1] / "reference" / "least_squares_r.json").read_text())
CARS = np.column_stack([R["wt"], R["hp"], R["qsec"]])
MPG = np.array(R["mpg"])
FIELDS = ("estimate", "standard_error", "t", "p_value", "lower", "upper")


def assert_is_lm(found, expected, rtol):
    for field in FIELDS:
        assert_allclose([row[field] for row in found.tidy()], expected[field], rtol=rtol, err_msg=field)
    for key, value in expected["glance"].items():
        assert_allclose(found.glance()[key], value, rtol=rtol, err_msg=key)


@each("kind", [LinearRegression, SklearnLinearRegression])
def test_lm(kind):
    found = summary(kind().fit(CARS, MPG), CARS, MPG, level=0.9)
    assert_is_lm(found, R["lm"], 1e-9)
    assert_allclose(found.vif[1:], R["vif"], rtol=1e-10)
    assert np.isnan(found.vif[0])


def test_lm_with_weights_of_which_one_is_zero():
    weight = np.array(R["weight"])
    model = LinearRegression().fit(CARS, MPG, sample_weight=weight)
    assert_is_lm(summary(model, CARS, MPG, weight, level=0.9), R["lm_weighted"], 1e-9)


def test_lm_without_intercept():
    model = LinearRegression(fit_intercept=False).fit(CARS, MPG)
    assert_is_lm(summary(model, CARS, MPG, level=0.9), R["lm_no_intercept"], 1e-9)


def test_longley_keeps_nine_digits():
    """Condition number 4e9 in raw units: from the cross-products only a few digits of the errors would be left."""
    X, y = np.array(R["longley_X"]), np.array(R["longley_y"])
    assert_is_lm(summary(LinearRegression().fit(X, y), X, y, level=0.9), R["longley"], 1e-9)


def test_agrees_with_statsmodels():
    random = np.random.default_rng(3)
    X = random.standard_normal((80, 5)) @ random.standard_normal((5, 5)) + 10.0
    y = X @ random.standard_normal(5) + random.standard_normal(80)
    weight = random.uniform(0.2, 4.0, 80)
    found = summary(LinearRegression().fit(X, y, sample_weight=weight), X, y, weight)
    other = sm.WLS(y, sm.add_constant(X), weights=weight).fit()
    assert_allclose(found.covariance, other.cov_params(), rtol=1e-8)
    assert_allclose(found.p_value, other.pvalues, rtol=1e-8)
    assert_allclose(np.column_stack([found.lower, found.upper]), other.conf_int(), rtol=1e-8)
    assert_allclose([found.fit["r_squared"], found.fit["f"]], [other.rsquared, other.fvalue], rtol=1e-9)
    assert_allclose(found.fit["log_likelihood"], other.llf, rtol=1e-12)


def test_maximum_likelihood():
    """R2: log L(β, b, σ²) of the rows is what is reported, and is largest there: σ² = RSS/n, not RSS/(n − p)."""
    weight = np.array(R["weight"])
    for w in (None, weight):
        model = LinearRegression().fit(CARS, MPG, sample_weight=w)
        found = summary(model, CARS, MPG, w)
        v = np.ones(len(MPG)) if w is None else w
        counted = v > 0.0

        def log_likelihood(coef, intercept, sigma2, v=v, counted=counted):
            spread = np.sqrt(sigma2 / v[counted])
            return stats.norm.logpdf(MPG[counted], CARS[counted] @ coef + intercept, spread).sum()

        residual = MPG - model.predict(CARS)
        sigma2 = float(v @ residual**2) / counted.sum()
        best = log_likelihood(model.coef_, model.intercept_, sigma2)
        assert_allclose(found.fit["log_likelihood"], best, rtol=1e-12)
        assert_allclose(found.fit["aic"], -2.0 * best + 2.0 * (3 + 2), rtol=1e-12)
        assert_allclose(found.fit["bic"], -2.0 * best + np.log(counted.sum()) * (3 + 2), rtol=1e-12)
        for k in range(3):
            for step in (-1e-3, 1e-3):
                moved = model.coef_ + step * np.abs(model.coef_) * (np.arange(3) == k)
                assert log_likelihood(moved, model.intercept_, sigma2) < best
        for factor in (0.99, 1.01):
            assert log_likelihood(model.coef_, model.intercept_ * factor, sigma2) < best
            assert log_likelihood(model.coef_, model.intercept_, sigma2 * factor) < best


def test_sampling_theory():
    """R3: β̂ and σ̂² unbiased, Var β̂ = σ²(XᵀX)⁻¹, (n − p)σ̂²/σ² of mean n − p and variance 2(n − p), coverage 90 %."""
    random = np.random.default_rng(0)
    X, beta, sigma, repeats = random.standard_normal((12, 2)), np.array([1.0, -2.0]), 1.5, 400
    estimates, sigmas, covered = [], [], []
    for _ in range(repeats):
        y = 0.5 + X @ beta + sigma * random.standard_normal(12)
        found = summary(SklearnLinearRegression().fit(X, y), X, y, level=0.9)
        estimates.append(found.estimate)
        sigmas.append(found.fit["sigma"] ** 2)
        covered.append((found.lower <= [0.5, *beta]) & ([0.5, *beta] <= found.upper))
    truth = sigma**2 * np.linalg.inv(sm.add_constant(X).T @ sm.add_constant(X))
    four_errors = 4.0 * np.sqrt(np.diag(truth) / repeats)
    assert np.all(np.abs(np.mean(estimates, axis=0) - [0.5, *beta]) < four_errors)
    assert_allclose(np.cov(np.transpose(estimates)), truth, atol=0.15 * np.diag(truth).max())
    chi2 = 9 * np.array(sigmas) / sigma**2
    assert abs(chi2.mean() - 9) < 4 * np.sqrt(18 / repeats)
    assert abs(chi2.var() / 18 - 1) < 0.25
    assert np.all(np.abs(np.mean(covered, axis=0) - 0.9) < 4 * np.sqrt(0.09 / repeats))


def test_blocks_of_rows_give_the_same():
    random = np.random.default_rng(1)
    X = random.standard_normal((5000, 4))
    y = X @ [1.0, 2.0, 0.0, 0.0] + random.standard_normal(5000)
    whole = summary(LinearRegression().fit(X, y), X, y)
    rows = as_rows(X, y)
    streamed = summary(LinearRegression().fit(rows), rows)
    assert_allclose(streamed.covariance, whole.covariance, rtol=1e-10)


def test_selected_or_shrunken_coefficients_are_refused():
    for model in (Ridge(), SklearnRidge(), Lasso(alpha=0.1)):
        with pytest.raises(ValueError, match="penalised or selected"):
            summary(model.fit(CARS, MPG), CARS, MPG)
    with pytest.raises(ValueError, match="positive=True"):
        summary(LinearRegression(positive=True).fit(CARS, MPG), CARS, MPG)


def test_what_is_not_identified_is_named():
    frame = pd.DataFrame(CARS, columns=["wt", "hp", "qsec"]).assign(double=2.0 * CARS[:, 0], constant=3.0)
    with pytest.raises(NotIdentifiedError, match="wt, double, constant") as caught:
        summary(LinearRegression().fit(frame, MPG), frame, MPG)
    report = caught.value.report
    assert report.not_identified == ("wt", "double", "constant")
    centred = frame.to_numpy() - frame.to_numpy().mean(axis=0)
    assert_allclose(centred @ report.null_space, 0.0, atol=1e-10)
    assert_allclose(report.null_space.T @ report.null_space, np.eye(2), atol=1e-12)


def test_bad_input():
    model = LinearRegression().fit(CARS, MPG)
    with pytest.raises(ValueError, match="not fitted on these data"):
        summary(model, CARS, MPG[::-1])
    with pytest.raises(ValueError, match="no degrees of freedom"):
        summary(LinearRegression().fit(CARS[:4], MPG[:4]), CARS[:4], MPG[:4])
    with pytest.raises(ValueError, match="one target at a time"):
        summary(LinearRegression().fit(CARS, np.column_stack([MPG, MPG])), CARS, np.column_stack([MPG, MPG]))
    with pytest.raises(ValueError, match="level=1"):
        summary(model, CARS, MPG, level=1.0)


def test_text_html_and_json_escape_names():
    frame = pd.DataFrame(CARS, columns=["<img onerror=x>", "hp", "qsec"])
    found = summary(LinearRegression().fit(frame, MPG), frame, MPG)
    assert "<img" not in found._repr_html_()
    assert "95% interval" in str(found)
    assert json.loads(found.to_json())["coefficients"][0]["vif"] is None
