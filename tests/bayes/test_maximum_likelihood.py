"""Maximum likelihood of a user's log-density: the catalogue found again, SciPy's fits, and what has no maximum."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.special import digamma, gammaln
from sklearn.exceptions import ConvergenceWarning
from tests.cases import each

from learnable.bayes import Exponential, Gaussian, Poisson, maximum_likelihood
from learnable.trace import Status

RNG = np.random.default_rng(0)


def gaussian(theta, x):
    return -0.5 * np.log(2 * np.pi * theta[1]) - (x - theta[0]) ** 2 / (2 * theta[1])


def gaussian_score(theta, x):
    return np.column_stack([(x - theta[0]) / theta[1], ((x - theta[0]) ** 2 - theta[1]) / (2 * theta[1] ** 2)])


def gamma(theta, x):
    shape, rate = theta
    return shape * np.log(rate) - gammaln(shape) + (shape - 1) * np.log(x) - rate * x


@each("score", [None, gaussian_score])
def test_the_catalogue_is_found_again(score):
    x = RNG.normal(3, 2, 200)
    found = maximum_likelihood(gaussian, [0.0, 1.0], x, score=score)
    closed = Gaussian.fit(x)
    np.testing.assert_allclose(found.theta, [closed.law.mean, closed.law.variance], rtol=1e-7)
    assert found.log_likelihood == pytest.approx(closed.log_likelihood, rel=1e-12)
    np.testing.assert_allclose(found.standard_errors, list(closed.standard_errors.values()), rtol=1e-4)
    assert found.status is Status.STATIONARY
    assert found.certificate(gaussian, x, score=score).holds, found.certificate(gaussian, x, score=score)


@each("size", [1e-6, 1.0, 1e6])
def test_parameters_of_any_size(size):
    x = RNG.exponential(size, 100)
    found = maximum_likelihood(lambda t, x: np.log(t[0]) - t[0] * x, [0.3 / size], x)
    assert found.theta[0] == pytest.approx(Exponential.fit(x).law.rate, rel=1e-7)
    assert found.certificate(lambda t, x: np.log(t[0]) - t[0] * x, x).holds
    counts = RNG.poisson(3.0, 50).astype(float)
    rate = maximum_likelihood(lambda t, x: x * np.log(t[0]) - t[0] - gammaln(x + 1), [1.0], counts)
    assert rate.theta[0] == pytest.approx(Poisson.fit(counts).law.rate, rel=1e-8)


def test_gamma_law_solves_its_score_equation():
    x = RNG.gamma(3.0, 0.5, 300)
    found = maximum_likelihood(gamma, [1.0, 1.0], x)
    shape, rate = found.theta
    # The two score equations, in closed form.
    assert shape / rate == pytest.approx(x.mean(), rel=1e-7)
    assert np.log(rate) - digamma(shape) + np.log(x).mean() == pytest.approx(0.0, abs=1e-7)
    fitted, _, scale = stats.gamma.fit(x, floc=0)
    assert shape == pytest.approx(fitted, rel=1e-4)
    assert rate == pytest.approx(1 / scale, rel=1e-4)
    assert found.certificate(gamma, x).holds


def test_weights_count_rows():
    x = RNG.gamma(3.0, 0.5, 60)
    weight = RNG.integers(0, 3, 60).astype(float)
    weighted = maximum_likelihood(gamma, [1.0, 1.0], x, sample_weight=weight)
    repeated = maximum_likelihood(gamma, [1.0, 1.0], np.repeat(x, weight.astype(int)))
    np.testing.assert_allclose(weighted.theta, repeated.theta, rtol=1e-6)
    assert weighted.certificate(gamma, x, weight).holds
    assert not weighted.certificate(gamma, x).holds


def test_several_parameters_that_lean_on_each_other():
    X = np.column_stack([np.ones(150), RNG.normal(size=(150, 3))])
    X[:, 3] = X[:, 2] + 0.1 * X[:, 3]
    y = RNG.random(150) < 1 / (1 + np.exp(-X @ [0.5, 1.0, -1.0, 0.5]))

    def logistic(theta, data):
        scores = data[0] @ theta
        return np.where(data[1], -np.logaddexp(0, -scores), -np.logaddexp(0, scores))

    found = maximum_likelihood(logistic, np.zeros(4), (X, y))
    p = 1 / (1 + np.exp(-X @ found.theta))
    np.testing.assert_allclose(X.T @ (y - p), 0.0, atol=1e-5)
    np.testing.assert_allclose(found.covariance, np.linalg.inv((X.T * (p * (1 - p))) @ X), rtol=1e-4)
    assert found.certificate(logistic, (X, y)).holds


def test_tampering_is_noticed():
    x = RNG.normal(3, 2, 50)
    found = maximum_likelihood(gaussian, [0.0, 1.0], x)
    errors = found.standard_errors
    for what, altered in {
        "a thousandth of a standard error": replace(found, theta=found.theta + np.array([1e-3 * errors[0], 0])),
        "another variance": replace(found, theta=found.theta + np.array([0, 1e-3 * errors[1]])),
        "a covariance that is too small": replace(found, covariance=0.99 * found.covariance),
        "another likelihood": replace(found, log_likelihood=found.log_likelihood + 1e-4),
        "one that is not positive": replace(found, covariance=-found.covariance),
    }.items():
        assert not altered.certificate(gaussian, x).holds, what
    assert not found.certificate(gaussian, x + 0.01).holds
    assert not found.certificate(gaussian, x, score=lambda t, x: 1.01 * gaussian_score(t, x) + 0.01).holds


def test_a_saddle_or_a_minimum_is_not_certified():
    # log-density with two maxima at ±1 and a minimum between them.
    def double(theta, x):
        return -((theta[0] ** 2 - 1) ** 2) * np.ones(len(x))

    found = maximum_likelihood(double, [0.1], np.zeros(30))
    assert abs(found.theta[0]) == pytest.approx(1.0)
    assert found.certificate(double, np.zeros(30)).holds
    between = replace(found, theta=np.array([0.0])).certificate(double, np.zeros(30))
    assert [claim.holds for claim in between] == [False, True, False, False]


def test_budget_is_said():
    x = RNG.gamma(3.0, 0.5, 60)
    with pytest.warns(ConvergenceWarning, match="budget"):
        found = maximum_likelihood(gamma, [1.0, 1.0], x, max_iter=2)
    assert found.status is Status.BUDGET_SPENT
    assert not found.certificate(gamma, x).holds


@each(
    ("call", "message"),
    [
        (lambda: maximum_likelihood(gaussian, [0.0, -1.0], np.ones(3)), "start where every observation is possible"),
        (lambda: maximum_likelihood(gaussian, [np.nan, 1.0], np.ones(3)), "finite numbers are needed"),
        (lambda: maximum_likelihood(lambda t, x: 1.0, [0.0], np.ones(3)), "one number an observation"),
        (lambda: maximum_likelihood(gaussian, [0.0, 1.0], np.ones(3), max_iter=0), "max_iter must be >= 1"),
        (
            lambda: maximum_likelihood(lambda t, x: -((x - t[0] - t[1]) ** 2), [0.0, 0.0], np.arange(3.0)),
            "cannot be told apart",
        ),
        (
            lambda: maximum_likelihood(gaussian, [0.0, 1.0], np.arange(4.0), score=lambda t, x: -gaussian_score(t, x)),
            "entry 0 is -6 at the start, but differences of the log-density give 6",
        ),
        (lambda: maximum_likelihood(gaussian, [0.0, 1.0], np.ones(3), score=lambda t, x: x), r"\(n, 2\) is needed"),
        (lambda: maximum_likelihood(gaussian, [0.0, 1.0], np.ones(3), sample_weight=[1.0]), "for 3 observations"),
        (lambda: maximum_likelihood(gaussian, [0.0, 1.0], np.ones(3), sample_weight=-np.ones(3)), ">= 0"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_likelihood_without_maximum_is_not_answered():
    # All observations equal: the variance runs to zero and the likelihood to infinity.
    with pytest.raises((ValueError, ArithmeticError)):
        maximum_likelihood(gaussian, [0.0, 1.0], np.ones(5))


def test_rows_of_weight_zero_are_not_read_with_a_score_either():
    x, weight = np.array([1.0, 2.0, np.nan]), [1.0, 1.0, 0.0]
    found = maximum_likelihood(
        lambda theta, x: -0.5 * (x - theta[0]) ** 2,
        [0.0],
        x,
        sample_weight=weight,
        score=lambda theta, x: (x - theta[0])[:, None],
    )
    assert found.theta[0] == pytest.approx(1.5)
