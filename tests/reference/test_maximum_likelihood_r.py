"""Maximum likelihood beside R's MASS::fitdistr: estimates, standard errors, log-likelihoods."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.special import gammaln
from tests.cases import each

from learnable.bayes import Exponential, Gaussian, Poisson, maximum_likelihood

R = json.loads(Path(__file__).with_name("maximum_likelihood_r.json").read_text())
X, COUNTS = np.array(R["x"]), np.array(R["counts"], dtype=float)


def gamma(theta, x):
    return theta[0] * np.log(theta[1]) - gammaln(theta[0]) + (theta[0] - 1) * np.log(x) - theta[1] * x


def weibull(theta, x):
    return np.log(theta[0] / theta[1]) + (theta[0] - 1) * np.log(x / theta[1]) - (x / theta[1]) ** theta[0]


def cauchy(theta, x):
    return -np.log(np.pi * theta[1]) - np.log1p(((x - theta[0]) / theta[1]) ** 2)


@each(("name", "law"), [("gamma", gamma), ("weibull", weibull), ("cauchy", cauchy)])
def test_any_log_density(name, law):
    found = maximum_likelihood(law, [1.0, 1.0], X)
    theirs = R[name]
    assert found.log_likelihood == pytest.approx(theirs["log_likelihood"], rel=1e-9)
    assert found.theta.tolist() == pytest.approx(list(theirs["estimate"].values()), rel=1e-5)
    # R's second derivatives are by differences of first order.
    assert found.standard_errors.tolist() == pytest.approx(list(theirs["error"].values()), rel=2e-3)
    assert found.certificate(law, X).holds


def test_the_catalogue():
    found = Exponential.fit(X)
    assert found.law.rate == pytest.approx(R["exponential"]["estimate"]["rate"])
    assert found.standard_errors["rate"] == pytest.approx(R["exponential"]["error"]["rate"])
    assert found.log_likelihood == pytest.approx(R["exponential"]["log_likelihood"])
    found = Poisson.fit(COUNTS)
    assert found.law.rate == pytest.approx(R["poisson"]["estimate"]["lambda"])
    assert found.standard_errors["rate"] == pytest.approx(R["poisson"]["error"]["lambda"])
    assert found.log_likelihood == pytest.approx(R["poisson"]["log_likelihood"])
    found = Gaussian.fit(X)
    deviation = R["normal"]["estimate"]["sd"]
    assert (found.law.mean, found.law.variance) == pytest.approx((R["normal"]["estimate"]["mean"], deviation**2))
    assert found.standard_errors["mean"] == pytest.approx(R["normal"]["error"]["mean"])
    # The error of a variance is 2σ times that of the deviation.
    assert found.standard_errors["variance"] == pytest.approx(2 * deviation * R["normal"]["error"]["sd"])
    assert found.log_likelihood == pytest.approx(R["normal"]["log_likelihood"])
