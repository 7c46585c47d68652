"""A penalty on the distance from what was believed before. Syllabus: D5."""

import numpy as np
import pytest
from scipy import sparse
from tests.cases import each

from learnable.linear import BayesianLinearRegression, LinearRegression, Ridge, ridge_towards

RANDOM = np.random.default_rng(8)
X = RANDOM.normal(size=(40, 4)) + 1.0
Y = X @ [1.0, -2.0, 0.0, 0.5] + 3.0 + RANDOM.normal(size=40)
PRIOR = np.array([1.0, -1.0, 0.5, 2.0])
WEIGHT = RANDOM.integers(0, 3, 40).astype(float)


def objective(coef, intercept, alpha, weight):
    return weight @ (Y - X @ coef - intercept) ** 2 + alpha * np.sum((coef - PRIOR) ** 2)


@each("weight", [None, WEIGHT], ids=["equal", "weighted"])
@each("alpha", [0.0, 0.3, 50.0])
def test_nothing_near_it_has_a_smaller_objective(alpha, weight):
    found = ridge_towards(X, Y, PRIOR, alpha, sample_weight=weight)
    w = np.ones(40) if weight is None else weight
    assert found.objective == pytest.approx(objective(found.coef, found.intercept, alpha, w), rel=1e-12)
    for _ in range(50):
        step = 1e-3 * RANDOM.normal(size=5)
        assert objective(found.coef + step[:4], found.intercept + step[4], alpha, w) > found.objective
    assert found.certificate.holds


def test_no_penalty_is_least_squares_and_all_penalty_is_the_prior():
    plain = LinearRegression().fit(X, Y)
    np.testing.assert_allclose(ridge_towards(X, Y, PRIOR, 0.0).coef, plain.coef_, rtol=1e-10)
    distances = [np.abs(ridge_towards(X, Y, PRIOR, a).coef - plain.coef_).max() for a in (1e-2, 1e-4, 1e-6, 1e-8)]
    # The distance from least squares falls with λ, in proportion.
    np.testing.assert_allclose(np.array(distances[1:]) / distances[:-1], 1e-2, rtol=1e-2)
    far = ridge_towards(X, Y, PRIOR, 1e12)
    np.testing.assert_allclose(far.coef, PRIOR, rtol=1e-8)
    assert far.intercept == pytest.approx(np.mean(Y - X @ PRIOR), rel=1e-8)


@each("fit_intercept", [True, False])
def test_three_roads_to_it(fit_intercept):
    alpha = 2.5
    found = ridge_towards(X, Y, PRIOR, alpha, fit_intercept=fit_intercept)
    bayes = BayesianLinearRegression(
        prior_mean=PRIOR, prior_scale=alpha**-0.5, noise_scale=1.0, fit_intercept=fit_intercept
    ).fit(X, Y)
    np.testing.assert_allclose(found.coef, bayes.coef_, rtol=1e-9)
    assert found.intercept == pytest.approx(bayes.intercept_, rel=1e-9)
    around_zero = ridge_towards(X, Y, 0.0, alpha, fit_intercept=fit_intercept)
    np.testing.assert_allclose(around_zero.coef, Ridge(alpha, fit_intercept=fit_intercept).fit(X, Y).coef_, rtol=1e-10)
    by_sparse = ridge_towards(sparse.csr_array(X), Y, PRIOR, alpha, fit_intercept=fit_intercept)
    np.testing.assert_allclose(by_sparse.coef, found.coef, rtol=1e-9)


def test_bad_arguments():
    with pytest.raises(ValueError, match=r"shape \(3,\); give one finite number"):
        ridge_towards(X, Y, np.zeros(3))
    with pytest.raises(ValueError, match="finite number"):
        ridge_towards(X, Y, np.nan)
    with pytest.raises(ValueError, match="alpha=-1"):
        ridge_towards(X, Y, 0.0, -1)
