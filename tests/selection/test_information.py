"""AIC, BIC and Cp, against R and statsmodels; the Laplace evidence whose leading part BIC is."""

import json
from math import log, pi
from pathlib import Path

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.stats import multivariate_normal
from sklearn import linear_model as foreign
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR, LinearSVC
from tests.cases import each

from learnable import linear
from learnable.selection import (
    class_log_likelihood,
    gaussian_log_likelihood,
    information_criteria,
    laplace_evidence,
    log_likelihood_of,
    mallows_cp,
    posterior_odds,
    residual_variance,
    response_law,
)

R = json.loads((Path(__file__).parents[1] / "reference" / "selection_r.json").read_text())
MPG, AM = np.array(R["mpg"]), np.array(R["am"])
DESIGNS = [np.column_stack([R[name] for name in names]) for names in (["wt"], ["wt", "hp"], ["wt", "hp", "am"])]


@each("k", range(3))
def test_gaussian_criteria_and_cp_agree_with_r(k):
    X = DESIGNS[k]
    model = LinearRegression().fit(X, MPG)
    d = X.shape[1] + 1
    criteria = information_criteria(log_likelihood_of(model, X, MPG), d + 1)  # R counts the variance
    assert criteria.aic == pytest.approx(R["aic"][k], rel=1e-11)
    assert criteria.bic == pytest.approx(R["bic"][k], rel=1e-11)
    full = LinearRegression().fit(DESIGNS[2], MPG)
    sigma2 = residual_variance(MPG, full.predict(DESIGNS[2]), 4)
    cp = mallows_cp(MPG, model.predict(X), d, sigma2)
    assert cp.original == pytest.approx(R["mallows_original"][k], rel=1e-9)
    assert cp.cp == pytest.approx(np.mean((MPG - model.predict(X)) ** 2) + 2 * d / 32 * sigma2)


def test_bernoulli_criteria_agree_with_r():
    X = DESIGNS[0]
    model = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000).fit(X, AM)
    criteria = information_criteria(log_likelihood_of(model, X, AM), 2)
    assert criteria.aic == pytest.approx(R["aic"][3], rel=1e-8)
    assert criteria.bic == pytest.approx(R["bic"][3], rel=1e-8)


def test_criteria_of_every_law_agree_with_r_and_statsmodels():
    # Gaussian and Bernoulli by R; Poisson, gamma and inverse Gaussian by statsmodels at the dispersion deviance / n.
    X, rng = DESIGNS[1], np.random.default_rng(0)
    line = information_criteria(log_likelihood_of(LinearRegression().fit(X, MPG), X, MPG), 4)
    logit = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000).fit(DESIGNS[0], AM)
    odds = information_criteria(log_likelihood_of(logit, DESIGNS[0], AM), 2)
    assert [line.aic, odds.aic] == pytest.approx([R["aic"][1], R["aic"][3]], rel=1e-8)
    assert [line.bic, odds.bic] == pytest.approx([R["bic"][1], R["bic"][3]], rel=1e-8)
    Z = rng.standard_normal((60, 2))
    mean = np.exp(0.5 + 0.6 * Z[:, 0])
    cases = [
        (rng.poisson(mean), sm.families.Poisson(), [foreign.PoissonRegressor, linear.PoissonRegressor], 0),
        (mean * rng.gamma(3.0, 1 / 3.0, 60), sm.families.Gamma(sm.families.links.Log()),
         [foreign.GammaRegressor, linear.GammaRegressor], 1),
        (mean * rng.wald(1.0, 4.0, 60), sm.families.InverseGaussian(sm.families.links.Log()),
         [lambda **options: foreign.TweedieRegressor(power=3, link="log", **options)], 1),
    ]  # fmt: skip
    for y, family, kinds, free in cases:
        theirs = sm.GLM(y, sm.add_constant(Z), family=family).fit(tol=1e-12)
        scale = theirs.deviance / len(y) if free else 1.0
        expected = -2 * family.loglike(y, theirs.mu, scale=scale) + 2 * (3 + free)
        for kind in kinds:
            model = make_pipeline(StandardScaler(), kind(alpha=0, tol=1e-9, max_iter=1000)).fit(Z, y)
            assert response_law(model).free == free
            ours = information_criteria(log_likelihood_of(model, Z, y), 3 + free)
            assert ours.aic == pytest.approx(expected, rel=1e-6)
            assert ours.bic == pytest.approx(expected + (np.log(60) - 2) * (3 + free), rel=1e-6)
        # Under a Gaussian law the number would be another one.
        assert abs(-2 * gaussian_log_likelihood(y, theirs.mu).sum() + 2 * (3 + free) - expected) > 1
    median = foreign.QuantileRegressor(quantile=0.5, alpha=0).fit(Z, y)
    size = np.abs(y - median.predict(Z))
    assert log_likelihood_of(median, Z, y).sum() == pytest.approx(-60 * (np.log(2 * size.mean()) + 1))


def test_a_fit_without_a_likelihood_has_no_criterion():
    y = np.arange(8.0)
    for model in (SVR(), foreign.HuberRegressor(), foreign.QuantileRegressor(quantile=0.9, alpha=0)):
        with pytest.raises(ValueError, match=f"{type(model).__name__} maximises no likelihood"):
            log_likelihood_of(model.fit(y[:, None] ** 0.5, y), y[:, None] ** 0.5, y)
    counts = foreign.PoissonRegressor().fit(y[:, None], y)
    for bad, said in ((y + 0.5, "no Poisson likelihood"), (y - 1, r"y\[0\]=-1: impossible under a Poisson law")):
        with pytest.raises(ValueError, match=said):
            log_likelihood_of(counts, y[:, None], bad)


def test_statsmodels_leaves_the_variance_out():
    fit = sm.OLS(MPG, sm.add_constant(DESIGNS[1])).fit()
    ours = information_criteria(gaussian_log_likelihood(MPG, fit.fittedvalues), 3)
    assert ours.log_likelihood == pytest.approx(fit.llf)
    assert ours.aic == pytest.approx(fit.aic)
    assert ours.bic == pytest.approx(fit.bic)


def test_a_model_that_knows_its_likelihood_is_asked():
    class Fair:
        degrees_of_freedom = 0.0

        def log_likelihood(self, X, y):
            return np.full(len(y), -log(2))

    terms = log_likelihood_of(Fair(), np.zeros((6, 1)), [0, 1, 0, 1, 1, 1])
    assert information_criteria(terms, 0).aic == pytest.approx(12 * log(2))


def test_multinomial_terms_pick_the_column_of_the_label():
    p = np.array([[0.2, 0.3, 0.5], [0.1, 0.8, 0.1]])
    np.testing.assert_allclose(class_log_likelihood(["z", "y"], p, ["x", "y", "z"]), np.log([0.5, 0.8]))


def test_printed_with_uncertainty():
    criteria = information_criteria(gaussian_log_likelihood(MPG, np.full(32, MPG.mean())), 2, df_error=0.5)
    assert "±" in str(criteria)
    assert json.loads(criteria.to_json())["n"] == 32


def gaussian_model(n, p, sigma2=0.5, tau2=2.0, seed=0):
    """Linear model with known noise and a N(0, τ²I) prior: log joint, mode, Hessian, exact log evidence, loglik."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = X @ np.ones(p) + np.sqrt(sigma2) * rng.normal(size=n)

    def log_likelihood(theta):
        return -0.5 * (n * log(2 * pi * sigma2) + ((y - X @ theta) ** 2).sum() / sigma2)

    def log_joint(theta):
        return log_likelihood(theta) - 0.5 * (p * log(2 * pi * tau2) + theta @ theta / tau2)

    A = X.T @ X / sigma2 + np.eye(p) / tau2
    mode = np.linalg.solve(A, X.T @ y / sigma2)
    exact = multivariate_normal(np.zeros(n), sigma2 * np.eye(n) + tau2 * X @ X.T).logpdf(y) if n <= 500 else None
    return log_joint, mode, -A, exact, log_likelihood(np.linalg.lstsq(X, y, rcond=None)[0])


@each(("n", "p"), [(1, 1), (5, 2), (60, 4), (3, 6)])
def test_laplace_is_exact_for_the_gaussian_linear_model(n, p):
    log_joint, mode, hessian, exact, _ = gaussian_model(n, p)
    for H in (hessian, lambda theta: hessian):
        assert laplace_evidence(log_joint, mode, H).log_evidence == pytest.approx(exact, rel=1e-10)


def test_bic_is_the_leading_part_of_the_evidence():
    gaps = []
    for n in (100, 1000, 10_000):
        log_joint, mode, hessian, _, top = gaussian_model(n, 3)
        gaps.append(-2 * laplace_evidence(log_joint, mode, hessian).log_evidence - (-2 * top + 3 * log(n)))
    # The difference tends to a constant while log n grows by 2.3 a step: nothing of order log n is left in it.
    assert abs(gaps[2] - gaps[1]) < 0.2
    assert abs(gaps[1] - gaps[0]) < 0.6


def test_laplace_error_falls_like_one_over_n_for_a_bernoulli_model():
    errors = []
    for n in (160, 640, 2560):
        s = 0.7 * n

        def log_joint(theta, n=n, s=s):
            t = float(np.ravel(theta)[0])
            return s * t - n * np.logaddexp(0, t) - 0.5 * t**2 - 0.5 * log(2 * pi)

        mode = minimize_scalar(lambda t: -log_joint(t), bracket=(0, 1), tol=1e-12).x
        p = 1 / (1 + np.exp(-mode))
        answer = laplace_evidence(log_joint, [mode], [[-(n * p * (1 - p) + 1)]])
        top = log_joint(mode)
        mass = quad(lambda t, f=log_joint, top=top: np.exp(f(t) - top), mode - 3, mode + 3, limit=400, epsabs=1e-14)[0]
        exact = top + log(mass)
        errors.append(abs(answer.log_evidence - exact))
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.15)
    assert errors[1] / errors[2] == pytest.approx(4, rel=0.15)


def test_posterior_odds_on_the_log_scale():
    odds = posterior_odds([-5000.0, -5003.0, -9000.0], [0.2, 0.3, 0.5], names=["a", "b", "c"])
    assert odds.posterior.sum() == pytest.approx(1)
    assert odds.log_odds(0, 1) == pytest.approx(3 + log(0.2 / 0.3))
    assert odds.log_odds(0, 2) == pytest.approx(4000 + log(0.2 / 0.5))
    # From BICs: exp(-ΔBIC/2).
    bic = np.array([10.0, 12.0])
    assert np.divide(*posterior_odds(-bic / 2).posterior) == pytest.approx(np.e)


def test_evidence_prefers_the_true_model_over_a_larger_one():
    rng = np.random.default_rng(2)
    n = 200
    x = rng.normal(size=(n, 3))
    y = x[:, 0] + rng.normal(size=n)
    evidences = [multivariate_normal(np.zeros(n), np.eye(n) + x[:, :p] @ x[:, :p].T).logpdf(y) for p in (1, 2, 3)]
    assert posterior_odds(evidences).posterior.argmax() == 0


def quadratic(theta):
    return -0.5 * float(theta @ theta)


@each(
    ("call", "message"),
    [
        (lambda: laplace_evidence(quadratic, [1.0], [[-1.0]]), "not a maximum"),
        (lambda: laplace_evidence(quadratic, [0.0], [[1.0]]), "not negative definite"),
        (lambda: laplace_evidence(quadratic, [0.0, 0.0], -np.diag([1.0, 0.0])), "not negative definite"),
        (lambda: laplace_evidence(quadratic, [0.0], -np.eye(2)), "1x1"),
        (lambda: laplace_evidence(lambda t: -np.inf, [0.0], [[-1.0]]), "must be finite"),
        (lambda: laplace_evidence(quadratic, [], -np.eye(0)), "non-empty"),
        (lambda: posterior_odds([0.0, 1.0], [0.5, 0.6]), "sum to 1"),
        (lambda: posterior_odds([0.0, 1.0], [1.0, 0.0]), "> 0"),
        (lambda: posterior_odds([]), "non-empty"),
        (lambda: gaussian_log_likelihood([1.0, 2.0], [1.0, 2.0]), "unbounded"),
        (lambda: gaussian_log_likelihood([1.0], [1.0, 2.0]), "must agree"),
        (lambda: class_log_likelihood([0, 1], [[1.0, 0.0], [1.0, 0.0]], [0, 1]), "probability 0.0 to the label"),
        (lambda: class_log_likelihood([2], [[0.5, 0.5]], [0, 1]), "not among the classes"),
        (lambda: class_log_likelihood([0], [[0.5, 0.5]], [0, 1, 2]), "shape"),
        (lambda: information_criteria([-1.0], -1), "degrees_of_freedom=-1"),
        (lambda: information_criteria([-np.inf], 1), "must be finite"),
        (lambda: residual_variance([1.0, 2.0], [1.0, 2.0], 2), "must be < n=2"),
        (lambda: mallows_cp([1.0, 2.0], [1.0, 2.0], 1, 0.0), "sigma2=0"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_classifier_without_probabilities_has_no_likelihood():
    model = LinearSVC().fit(DESIGNS[0], AM)
    with pytest.raises(TypeError, match="no predict_proba"):
        log_likelihood_of(model, DESIGNS[0], AM)
