"""Penalties on the distance from a prior vector, beyond squared loss. Syllabus: D5."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from tests.cases import each

from learnable.linear import glm_towards, ridge_towards

RANDOM = np.random.default_rng(7)
X = RANDOM.standard_normal((60, 3))
F = X @ [0.8, -0.5, 0.0] + 0.3
W = RANDOM.random(60) + 0.2
THETA = np.array([1.0, 0.5, -0.7])
# Family -> targets, mean, loss of a row up to what depends on y alone, written down from the definitions.
FAMILIES = {
    "binomial": ((RANDOM.random(60) < expit(F)).astype(float), lambda y, f: np.logaddexp(0.0, f) - y * f),
    "poisson": (RANDOM.poisson(np.exp(F)).astype(float), lambda y, f: np.exp(f) - y * f),
    "gamma": (RANDOM.gamma(2.0, np.exp(F) / 2.0), lambda y, f: f + y * np.exp(-f)),
    "gaussian": (F + RANDOM.standard_normal(60), lambda y, f: 0.5 * (y - f) ** 2),
}


@each("alpha", [0.05, 1.0])
@each("family", list(FAMILIES))
def test_the_minimum_of_mean_loss_plus_the_distance_from_the_prior(family, alpha):
    y, loss = FAMILIES[family]
    found = glm_towards(X, y, THETA, alpha, family=family, sample_weight=W)

    def objective(point):
        return np.average(loss(y, X @ point[:3] + point[3]), weights=W) + 0.5 * alpha * np.sum((point[:3] - THETA) ** 2)

    best = minimize(objective, np.zeros(4), method="BFGS", options={"gtol": 1e-10})
    np.testing.assert_allclose(np.append(found.coef, found.intercept), best.x, atol=1e-5)
    perfect = np.average(loss(y, _saturated(family, y)), weights=W)
    assert found.objective == pytest.approx(objective(np.append(found.coef, found.intercept)) - perfect, abs=1e-9)
    assert found.certificate.holds


def _saturated(family, y):
    """The linear predictor of a perfect fit."""
    if family == "binomial":
        return np.where(y > 0, 700.0, -700.0)
    return y if family == "gaussian" else np.log(np.maximum(y, 1e-300))


def test_no_penalty_forgets_the_prior_and_all_penalty_is_the_prior():
    y, _ = FAMILIES["binomial"]
    plain, other = (glm_towards(X, y, theta, 0.0) for theta in (0.0, THETA))
    np.testing.assert_allclose(other.coef, plain.coef, atol=1e-6)
    np.testing.assert_allclose(glm_towards(X, y, THETA, 1e8).coef, THETA, atol=1e-6)
    y, _ = FAMILIES["gaussian"]
    ridge = ridge_towards(X, y, THETA, 0.3 * len(y))
    np.testing.assert_allclose(glm_towards(X, y, THETA, 0.3, family="gaussian").coef, ridge.coef, atol=1e-8)


def test_bad_priors_are_named():
    with pytest.raises(ValueError, match="one for each of the 3 columns"):
        glm_towards(X, FAMILIES["binomial"][0], [1.0, 2.0])
    with pytest.raises(ValueError, match="alpha"):
        glm_towards(X, FAMILIES["binomial"][0], 0.0, -1.0)
