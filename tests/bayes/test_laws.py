"""The catalogue of maximum likelihood: no parameters are likelier, scores and information by differences, biases."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import integrate, stats
from tests.cases import each

from learnable.bayes import (
    Bernoulli,
    Categorical,
    Exponential,
    Gaussian,
    MultivariateGaussian,
    ParametricDensity,
    Poisson,
    Uniform,
)
from learnable.certificates import certify
from learnable.certificates.core.gradient_check import gradient_check

RNG = np.random.default_rng(0)
SAMPLES = {
    Gaussian: RNG.normal(3, 2, 40),
    Bernoulli: (RNG.random(40) < 0.3).astype(float),
    Poisson: RNG.poisson(2.5, 40).astype(float),
    Exponential: RNG.exponential(2.0, 40),
    Uniform: RNG.uniform(0, 3, 40),
    MultivariateGaussian: RNG.normal(size=(40, 3)) @ np.array([[1.0, 0.5, 0], [0, 2, 0.3], [0, 0, 0.7]]) + 5,
    Categorical: RNG.choice(["a", "b", "c"], 40, p=[0.5, 0.3, 0.2]),
}
WEIGHTS = RNG.integers(0, 4, 40).astype(float)
REGULAR = [Gaussian, Bernoulli, Poisson, Exponential]
ALL = list(SAMPLES)


@each("kind", ALL)
def test_certificate_and_log_likelihood(kind):
    x = SAMPLES[kind]
    found = kind.fit(x)
    assert found.certificate(x).holds, found.certificate(x)
    assert found.n == 40
    assert found.log_likelihood == pytest.approx(np.sum(found.law.log_density(x)))


@each("kind", ALL)
def test_weights_count_rows(kind):
    x = SAMPLES[kind]
    weighted, repeated = kind.fit(x, WEIGHTS), kind.fit(np.repeat(x, WEIGHTS.astype(int), axis=0))
    assert weighted.n == repeated.n == WEIGHTS.sum()
    for name, value in weighted.law.parameters.items():
        other = repeated.law.parameters[name]
        assert value == other if name == "levels" else np.allclose(value, other, rtol=1e-12)
    assert weighted.log_likelihood == pytest.approx(repeated.log_likelihood)
    assert weighted.certificate(x, WEIGHTS).holds


@each("kind", REGULAR)
def test_no_perturbation_is_likelier(kind):
    x = SAMPLES[kind]
    found = kind.fit(x)
    for name, value in found.law.parameters.items():
        for factor in (0.5, 0.9, 0.999, 1.001, 1.1, 1.5):
            if kind is Bernoulli and value * factor > 1:
                continue
            assert replace(found.law, **{name: value * factor}).log_likelihood(x) < found.log_likelihood


def test_no_covariance_is_likelier():
    x = SAMPLES[MultivariateGaussian]
    found = MultivariateGaussian.fit(x)
    for _ in range(30):
        noise = 0.05 * RNG.normal(size=(3, 3))
        other = MultivariateGaussian(found.law.mean, found.law.covariance + noise @ noise.T)
        assert other.log_likelihood(x) < found.log_likelihood
        assert (
            MultivariateGaussian(found.law.mean + noise[0], found.law.covariance).log_likelihood(x)
            < found.log_likelihood
        )
    for other in RNG.dirichlet(np.ones(3), 30):
        shares = Categorical.fit(SAMPLES[Categorical])
        assert Categorical(("a", "b", "c"), other).log_likelihood(SAMPLES[Categorical]) < shares.log_likelihood


def at(law, theta):
    """The law of the same kind at a vector of parameters."""
    if isinstance(law, MultivariateGaussian):
        d = len(law.mean)
        lower = np.zeros((d, d))
        lower[np.tril_indices(d)] = theta[d:]
        return MultivariateGaussian(theta[:d], lower + lower.T - np.diag(np.diag(lower)))
    if isinstance(law, Categorical):
        return Categorical(law.levels, np.append(theta, 1 - theta.sum()))
    return type(law)(*theta)


def vector(law):
    if isinstance(law, MultivariateGaussian):
        return np.append(law.mean, law.covariance[np.tril_indices(len(law.mean))])
    if isinstance(law, Categorical):
        return law.probabilities[:-1]
    return np.array(list(law.parameters.values()), dtype=float)


@each("kind", [*REGULAR, MultivariateGaussian, Categorical])
def test_score_by_differences_and_information_by_differences_of_the_score(kind):
    x = SAMPLES[kind]
    law = kind.fit(x[:25]).law  # not the maximum over all 40, so that the score does not vanish
    theta = vector(law)
    checked = gradient_check(lambda t: (at(law, t).log_likelihood(x), at(law, t).score(x)), theta, step=0.01)
    assert checked.claim(1e-6).holds
    # At a maximum of an exponential family, observed and expected information are the same.
    found = kind.fit(x)
    theta, h = vector(found.law), 1e-5
    slopes = [
        (at(found.law, theta + h * e).score(x) - at(found.law, theta - h * e).score(x)) / (2 * h)
        for e in np.eye(len(theta))
    ]
    np.testing.assert_allclose(-np.array(slopes) / found.n, found.law.information(), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found.law.score(x), 0.0, atol=1e-9 * found.n)


@each("kind", [*REGULAR, MultivariateGaussian, Categorical])
def test_standard_errors_are_those_of_the_information(kind):
    found = kind.fit(SAMPLES[kind])
    errors = np.sqrt(np.diag(np.linalg.inv(found.law.information())) / found.n)
    if kind is MultivariateGaussian:
        covariance = found.standard_errors["covariance"][np.tril_indices(3)]
        said = np.append(found.standard_errors["mean"], covariance)
    elif kind is Categorical:
        said = found.standard_errors["probabilities"][:-1]
    else:
        said = list(found.standard_errors.values())
    np.testing.assert_allclose(said, errors, rtol=1e-10)


def test_densities_are_scipys():
    x = np.linspace(-1, 6, 30)
    counts = np.arange(8.0)
    np.testing.assert_allclose(Gaussian(1, 4).log_density(x), stats.norm(1, 2).logpdf(x))
    np.testing.assert_allclose(Exponential(0.5).log_density(x), stats.expon(scale=2).logpdf(x))
    np.testing.assert_allclose(Uniform(3).log_density(x), stats.uniform(0, 3).logpdf(x))
    np.testing.assert_allclose(Poisson(2).log_density(counts), stats.poisson(2).logpmf(counts))
    assert Poisson(2).log_density([1.5, -1]).tolist() == [-np.inf, -np.inf]
    assert Bernoulli(0.25).log_density([1, 0, 0.5]).tolist() == [np.log(0.25), np.log(0.75), -np.inf]
    assert Categorical(("a", "b"), [0.5, 0.5]).log_density(["a", "z"]).tolist() == [np.log(0.5), -np.inf]
    law = MultivariateGaussian([1, 2], [[2, 1], [1, 3]])
    points = RNG.normal(size=(5, 2))
    np.testing.assert_allclose(
        law.log_density(points), stats.multivariate_normal([1, 2], law.covariance).logpdf(points)
    )


def test_uniform_maximum_is_biased_as_the_formula_says_and_the_correction_is_not():
    theta, n, runs = 3.0, 5, 40_000
    largest = np.random.default_rng(1).uniform(0, theta, (runs, n)).max(axis=1)
    deviation = Uniform(theta).standard_errors(n)["theta"]
    error = 4 * deviation / np.sqrt(runs)
    assert abs(largest.mean() - n * theta / (n + 1)) < error
    assert abs(largest.mean() - theta - Uniform.bias(Uniform(theta), n)) < error
    assert largest.std() == pytest.approx(deviation, rel=0.02)
    corrected = [Uniform.unbiased(Uniform.fit(np.array([x] * n))) for x in largest[:500]]
    np.testing.assert_allclose(corrected, largest[:500] * 6 / 5)
    # The expectation itself, by integration over the density n x^(n-1)/θ^n of the maximum.
    mean = integrate.quad(lambda x: x * n * x ** (n - 1) / theta**n, 0, theta)[0]
    assert mean == pytest.approx(theta + Uniform.bias(Uniform(theta), n))


def test_uniform_interval_covers_exactly():
    n, runs = 4, 20_000
    largest = np.random.default_rng(2).uniform(0, 1.0, (runs, n)).max(axis=1)
    factor = Uniform.interval(Uniform.fit([1.0] * n), 0.9)[1]
    covered = np.mean((largest <= 1.0) & (largest * factor >= 1.0))
    assert abs(covered - 0.9) < 4 * np.sqrt(0.09 / runs)


def test_gaussian_variance_is_biased_and_corrected():
    runs, n = 40_000, 4
    samples = np.random.default_rng(3).normal(0, 2, (runs, n))
    likeliest = samples.var(axis=1)
    assert abs(likeliest.mean() - 4 * (n - 1) / n) < 0.06
    found = Gaussian.fit(samples[0])
    assert found.law.variance == pytest.approx(likeliest[0])
    assert Gaussian.unbiased_variance(found) == pytest.approx(samples[0].var(ddof=1))


def test_a_large_offset_costs_no_digits():
    x = 1e9 + np.array([0.0, 1.0, 2.0, 3.0])
    assert Gaussian.fit(x).law.variance == pytest.approx(1.25, rel=1e-12)


@each("kind", [*REGULAR, Uniform])
def test_sampling_and_refitting_recovers_the_law(kind):
    law = {Gaussian: Gaussian(1, 4), Bernoulli: Bernoulli(0.3), Poisson: Poisson(4), Exponential: Exponential(2)}.get(
        kind, Uniform(5)
    )
    found = kind.fit(law.sample(20_000, np.random.default_rng(4)))
    for name, value in law.parameters.items():
        assert abs(found.law.parameters[name] - value) < 5 * found.standard_errors[name]


def test_edges_of_the_parameters():
    ones = Bernoulli.fit([1, 1, 1])
    assert ones.law.p == 1.0
    assert np.isnan(ones.standard_errors["p"])
    assert ones.log_likelihood == 0.0
    assert ones.certificate([1, 1, 1]).holds
    assert not replace(ones, standard_errors={"p": 0.0}).certificate([1, 1, 1]).holds
    assert ones.law.score([1, 1, 1]).tolist() == [3.0]
    none = Poisson.fit([0, 0])
    assert none.law.rate == 0.0
    assert np.isnan(none.standard_errors["rate"])
    assert none.certificate([0, 0]).holds
    sure = Categorical.fit(["a", "a"], levels=["a", "b"])
    assert sure.law.probabilities.tolist() == [1.0, 0.0]
    assert sure.certificate(["a", "a"]).holds


@each("kind", ALL)
def test_tampering_is_noticed(kind):
    x = SAMPLES[kind]
    found = kind.fit(x)
    assert not replace(found, log_likelihood=found.log_likelihood + 1e-3).certificate(x).holds
    assert not replace(found, n=found.n + 1).certificate(x).holds
    for name, value in found.standard_errors.items():
        errors = found.standard_errors | {name: np.asarray(value) * 1.001}
        assert not replace(found, standard_errors=errors).certificate(x).holds
    for name, value in found.law.parameters.items():
        if name in ("levels", "covariance", "probabilities"):
            continue
        law = replace(found.law, **{name: np.asarray(value) * (1 + 1e-6)})
        assert not replace(found, law=law).certificate(x).holds, name
    other = np.array(x)
    other[0] = {"a": "b", "b": "c", "c": "a"}[other[0]] if kind is Categorical else other[0] + 1
    if kind in (Bernoulli,):
        other[0] = 1 - x[0]
    if kind is Uniform:
        other[0] = 10.0
    assert not found.certificate(other).holds


def test_tampered_tables_are_noticed():
    x = SAMPLES[MultivariateGaussian]
    found = MultivariateGaussian.fit(x)
    law = replace(found.law, covariance=found.law.covariance * (1 + 1e-6))
    assert not replace(found, law=law).certificate(x).holds
    words = SAMPLES[Categorical]
    shares = Categorical.fit(words)
    swapped = Categorical(shares.law.levels, shares.law.probabilities[::-1])
    assert not replace(shares, law=swapped).certificate(words).holds


@each(
    ("call", "message"),
    [
        (lambda: Gaussian.fit([]), r"n = 0"),
        (lambda: Gaussian.fit([2.0]), "1 sample.*two distinct values"),
        (lambda: Gaussian.fit([2.0, 2.0]), "two distinct values"),
        (lambda: Gaussian.fit([1.0, np.inf]), "observation 1 is inf"),
        (lambda: Gaussian.fit([1.0, 1e300]), "observation 1 is 1e.300, whose square cannot"),
        (lambda: Gaussian.fit([1e-200, 2e-200]), "too small to be represented"),
        (lambda: Gaussian.fit([np.nan, 1.0]), "observation 0 is nan"),
        (lambda: Gaussian.fit([[1.0], [2.0]]), "one number each"),
        (lambda: Gaussian.fit([1.0, 2.0], [1.0]), r"shape \(1,\) for 2"),
        (lambda: Gaussian.fit([1.0, 2.0], [0.0, 0.0]), "not all zero"),
        (lambda: Gaussian.fit([1.0, 2.0], [-1.0, 2.0]), ">= 0"),
        (lambda: Gaussian(0, 0), "variance must be finite and > 0"),
        (lambda: Gaussian(np.inf, 1), "mean must be finite"),
        (lambda: Gaussian.unbiased_variance(Gaussian.fit([1.0, 2.0], [0.5, 0.5])), "more than one observation"),
        (lambda: Bernoulli.fit([0, 2]), "observation 1 is 2, but 0 or 1"),
        (lambda: Bernoulli(1.5), r"p must be in \[0, 1\]"),
        (lambda: Poisson.fit([1, -1]), "observation 1 is -1, but a count"),
        (lambda: Poisson.fit([0.5]), "observation 0 is 0.5, but a count"),
        (lambda: Exponential.fit([-0.1, 1]), "observation 0 is -0.1"),
        (lambda: Exponential.fit([0.0, 0.0]), "without bound"),
        (lambda: Uniform.fit([1.0, -2.0]), "observation 1 is -2"),
        (lambda: Uniform.fit([0.0]), "at least one positive"),
        (lambda: Uniform(3).information(), "not defined"),
        (lambda: Uniform(3).score([4.0]), "outside"),
        (lambda: Uniform.interval(Uniform.fit([1.0]), 1.5), "level must be in"),
        (lambda: Categorical.fit(["a"], levels=["b"]), "'a', which is not among the levels"),
        (lambda: Categorical(("a", "b"), [0.5, 0.6]), "0.1 more than 1"),
        (lambda: MultivariateGaussian.fit([[1.0, 2.0], [3.0, 4.0]]), "span 1 of 2 dimensions"),
        (lambda: MultivariateGaussian.fit([[1.0, 2.0], [3.0, 2.0]]), "column 1 is constant"),
        (lambda: MultivariateGaussian.fit([1.0, 2.0]), "a table with a row each"),
        (lambda: MultivariateGaussian([0, 0], [[1, 2], [2, 1]]), "positive definite"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_density_estimator_adds_up_columns_and_is_certified():
    X = np.column_stack([SAMPLES[Exponential], SAMPLES[Uniform]])
    model = ParametricDensity("exponential").fit(X)
    rates = 1 / X.mean(axis=0)
    expected = np.sum(np.log(rates) - rates * X, axis=1)
    np.testing.assert_allclose(model.score_samples(X), expected)
    assert model.score(X) == pytest.approx(expected.sum())
    assert model.certificate_.holds
    assert certify(model, X) == model.certificate_
    assert not certify(model, X + 0.1).holds
    model.estimates_[1] = model.estimates_[0]
    assert not certify(model, X).holds


def test_joint_density_beats_the_independent_one_on_tied_columns():
    X = SAMPLES[MultivariateGaussian]
    joint, apart = (ParametricDensity(law).fit(X) for law in ("multivariate_gaussian", "gaussian"))
    assert joint.score(X) > apart.score(X)
    assert joint.certificate_.holds
    assert joint.sample(7, random_state=0).shape == apart.sample(7, random_state=0).shape == (7, 3)
    np.testing.assert_array_equal(joint.sample(3, random_state=1), joint.sample(3, random_state=1))
