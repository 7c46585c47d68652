"""Conjugate beliefs: against numerical integration, in one go or one by one, and as the m-estimate."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, optimize
from tests.cases import each

from learnable.bayes import (
    BetaBernoulli,
    DirichletCategorical,
    GammaExponential,
    GammaPoisson,
    NormalInverseGamma,
    NormalNormal,
    ParetoUniform,
)

RNG = np.random.default_rng(0)
CASES = {
    "beta": (BetaBernoulli(2.0, 3.0), (RNG.random(12) < 0.6).astype(float), (0.0, 1.0)),
    "poisson": (GammaPoisson(2.0, 0.5), RNG.poisson(3, 12).astype(float), (0.0, 40.0)),
    "exponential": (GammaExponential(2.0, 3.0), RNG.exponential(0.5, 12), (0.0, 40.0)),
    "normal": (NormalNormal(1.0, 4.0, noise=2.0), RNG.normal(3, 1.4, 12), (-5.0, 11.0)),
    "pareto": (ParetoUniform(1.0, 2.0), RNG.uniform(0, 3, 12), (2.0, 60.0)),
}
MORE = {
    "dirichlet": (DirichletCategorical(("a", "b", "c"), np.array([1.0, 2.0, 0.5])), RNG.choice(["a", "b", "c"], 12)),
    "gaussian": (NormalInverseGamma(0.5, 2.0, 3.0, 1.5), RNG.normal(2, 1.5, 12)),
}
ALL = {name: case[:2] for name, case in CASES.items()} | MORE


def close(a, b, rtol=1e-10):
    for name, value in a.parameters.items():
        if name != "levels":
            np.testing.assert_allclose(value, b.parameters[name], rtol=rtol)


def integral(function, low, high, *splits):
    edges = np.unique(
        np.concatenate([[low], np.linspace(low, high, 14), [s for s in splits if low < s < high], [high]])
    )
    return sum(integrate.quad(function, a, b, epsabs=0, epsrel=1e-9)[0] for a, b in pairwise(edges))


@each("name", CASES)
def test_posterior_evidence_mean_and_interval_by_integration(name):
    prior, x, (low, high) = CASES[name]
    after = prior.updated(x)
    end = after.scale if name == "pareto" else low

    def joint(theta):
        return np.exp(prior.log_density(theta) + prior.law_at(theta).log_likelihood(x))

    evidence = integral(joint, max(low, end), high)
    assert evidence == pytest.approx(np.exp(prior.log_evidence(x)), rel=1e-6)
    assert integral(lambda t: t * joint(t), max(low, end), high) / evidence == pytest.approx(after.mean, rel=1e-6)
    for theta in after.credible_interval(0.8):
        assert joint(theta) / evidence == pytest.approx(np.exp(after.log_density(theta)), rel=1e-6)
    inside = integral(joint, *after.credible_interval(0.8)) / evidence
    assert inside == pytest.approx(0.8, rel=1e-6)


@each("name", CASES)
def test_most_probable_parameter_by_search(name):
    prior, x, (low, high) = CASES[name]
    after = prior.updated(x)
    at, step = (low + high) / 2, (high - low) / 2
    for _ in range(2):  # a grid, and a finer one about its best point
        grid = np.linspace(max(at - step, low + 1e-9), min(at + step, high - 1e-9), 501)
        at, step = grid[np.argmax([after.log_density(theta) for theta in grid])], grid[1] - grid[0]
    assert abs(after.map - at) <= step
    if name != "pareto":
        found = optimize.minimize_scalar(
            lambda t: -after.log_density(t), bounds=(at - step, at + step), method="bounded"
        )
        assert after.map == pytest.approx(found.x, abs=1e-4)


@each("name", CASES)
def test_predictive_is_the_average_over_the_posterior(name):
    prior, x, (low, high) = CASES[name]
    after = prior.updated(x)
    new = {"beta": [0.0, 1.0], "poisson": [0.0, 2.0, 7.0]}.get(name, [0.3, 1.7, 4.2])
    for value, log_density in zip(new, after.log_predictive(new)):
        end = after.scale if name == "pareto" else low
        averaged = integral(
            lambda t, v=value: float(np.exp(after.log_density(t) + after.law_at(t).log_density(np.array([v]))[0])),
            max(low, end), high if name != "pareto" else 2000.0, value,
        )  # fmt: skip
        assert np.exp(log_density) == pytest.approx(averaged, rel=1e-5)


def test_predictive_probabilities_sum_to_one():
    for belief, x in ((GammaPoisson(3.0, 0.7), np.arange(400.0)), (BetaBernoulli(2, 5), [0.0, 1.0])):
        assert np.exp(belief.log_predictive(x)).sum() == pytest.approx(1.0)
    pareto = ParetoUniform(2.0, 3.0)
    total = integral(lambda x: float(np.exp(pareto.log_predictive(np.array([x]))[0])), 0, 2, 2)
    total += integrate.quad(lambda x: float(np.exp(pareto.log_predictive(np.array([x]))[0])), 2, np.inf)[0]
    assert total == pytest.approx(1.0)


@each("name", ALL)
def test_sequential_is_batch_and_weights_count_rows(name):
    prior, x = ALL[name]
    at_once = prior.updated(x)
    one_by_one = prior
    for row in range(len(x)):
        one_by_one = one_by_one.updated(x[row : row + 1])
    close(at_once, one_by_one)
    weight = RNG.integers(0, 4, len(x)).astype(float)
    close(prior.updated(x, weight), prior.updated(np.repeat(x, weight.astype(int))))
    assert at_once.certificate(prior, x).holds, at_once.certificate(prior, x)
    assert prior.updated(x, weight).certificate(prior, x, weight).holds


@each("name", ALL)
def test_evidence_is_the_product_of_predictives(name):
    prior, x = ALL[name]
    total, belief = 0.0, prior
    for row in range(len(x)):
        total += float(belief.log_predictive(x[row : row + 1])[0])
        belief = belief.updated(x[row : row + 1])
    assert prior.log_evidence(x) == pytest.approx(total, rel=1e-9)


@each("name", ALL)
def test_tampering_is_noticed(name):
    prior, x = ALL[name]
    after = prior.updated(x)
    for field, value in after.parameters.items():
        if field != "levels":
            altered = replace(after, **{field: np.asarray(value) * 1.0001})
            assert not altered.certificate(prior, x).holds, field
    assert not prior.certificate(prior, x).holds
    other = x.copy()
    other[0] = ("b" if x[0] == "a" else "a") if name == "dirichlet" else 1 - x[0] if name == "beta" else x[0] + 5
    assert not after.certificate(prior, other).holds


def test_joint_normal_inverse_gamma_by_integration():
    prior, x = MORE["gaussian"]
    after = prior.updated(x)

    # Gauss-Legendre in (μ, log σ²), over ranges outside which nothing is left.
    nodes, weights = np.polynomial.legendre.leggauss(60)
    means, logs = 2.0 + 4.0 * nodes, 0.5 + 3.0 * nodes
    variances = np.exp(logs)
    mass = np.array([
        [a * b * 12.0 * v * np.exp(prior.log_density((m, v)) + prior.law_at((m, v)).log_likelihood(x))
         for v, b in zip(variances, weights)]
        for m, a in zip(means, weights)
    ])  # fmt: skip
    assert np.log(mass.sum()) == pytest.approx(prior.log_evidence(x), abs=1e-6)
    assert mass.sum(axis=1) @ means / mass.sum() == pytest.approx(after.mean[0], abs=1e-6)
    assert mass.sum(axis=0) @ variances / mass.sum() == pytest.approx(after.mean[1], rel=1e-4)
    found = optimize.minimize(lambda t: -after.log_density((t[0], np.exp(t[1]))), [0.0, 0.0], tol=1e-12)
    assert after.map == pytest.approx([found.x[0], np.exp(found.x[1])], rel=1e-4)
    draws = np.random.default_rng(1)
    variances = 1 / draws.gamma(after.shape, 1 / after.scale, 200_000)
    means = draws.normal(after.location, np.sqrt(variances / after.strength))
    for sample, (low, high) in zip((means, variances), after.credible_interval(0.9)):
        assert np.mean(sample < low) == pytest.approx(0.05, abs=0.003)
        assert np.mean(sample > high) == pytest.approx(0.05, abs=0.003)


def test_dirichlet_mean_is_the_m_estimate_and_laplace_is_one_everywhere():
    x = np.array(["red"] * 7 + ["blue"] * 2)
    levels, p, m = ("blue", "green", "red"), np.array([0.2, 0.3, 0.5]), 5.0
    after = DirichletCategorical.from_virtual_sample(levels, m, p).updated(x)
    counts = np.array([2, 0, 7])
    np.testing.assert_allclose(after.mean, (counts + m * p) / (9 + m))
    laplace = DirichletCategorical(levels, np.ones(3)).updated(x)
    np.testing.assert_allclose(laplace.mean, (counts + 1) / (9 + 3))
    np.testing.assert_allclose(laplace.map, counts / 9)  # a flat prior leaves the likeliest shares
    assert np.exp(after.log_predictive(["green"]))[0] == pytest.approx(after.mean[1])
    draws = np.random.default_rng(2).dirichlet(after.alpha, 200_000)
    for k, (low, high) in enumerate(after.credible_interval(0.9)):
        assert np.mean((draws[:, k] > low) & (draws[:, k] < high)) == pytest.approx(0.9, abs=0.004)


def test_flat_priors_leave_maximum_likelihood():
    assert BetaBernoulli(1, 1).updated([1, 1, 0]).map == pytest.approx(2 / 3)
    assert GammaPoisson(1, 1e-12).updated([3, 5]).map == pytest.approx(4)
    assert NormalNormal(0, 1e12, noise=1).updated([3.0, 5.0]).map == pytest.approx(4)
    assert ParetoUniform(1e-9, 1e-9).updated([3.0, 5.0]).map == 5.0


def test_modes_at_the_edge():
    assert BetaBernoulli(1, 2).map == 0.0
    assert BetaBernoulli(2, 1).map == 1.0
    assert BetaBernoulli(0.5, 3).map == 0.0
    assert BetaBernoulli(3, 0.5).map == 1.0
    assert GammaPoisson(0.5, 2).map == 0.0
    assert ParetoUniform(1, 1).mean == np.inf
    assert NormalInverseGamma(0, 1, 1, 1).mean[1] == np.inf


@each(
    ("call", "message"),
    [
        (lambda: BetaBernoulli(0, 1), "a must be finite and > 0"),
        (lambda: BetaBernoulli(1, 1).map, "no single largest point"),
        (lambda: BetaBernoulli(0.5, 0.5).map, "no single largest point"),
        (lambda: BetaBernoulli(1, 1).updated([2]), "observation 0 is 2.0, which a Bernoulli law cannot"),
        (lambda: BetaBernoulli(1, 1).updated([]), "n = 0"),
        (lambda: BetaBernoulli(1, 1).credible_interval(1.0), "level must be in"),
        (lambda: GammaPoisson(1, 1).updated([-1]), "Poisson law cannot"),
        (lambda: GammaPoisson(1, np.inf), "rate must be finite"),
        (lambda: GammaExponential(1, 1).updated([-1]), "Exponential law cannot"),
        (lambda: NormalNormal(0, 1, noise=0), "noise must be"),
        (lambda: NormalNormal(0, 1, noise=1).updated([np.inf]), "observation 0 is inf"),
        (lambda: NormalInverseGamma(np.nan, 1, 1, 1), "location must be finite"),
        (lambda: ParetoUniform(1, 1).updated([-0.5]), "observation 0 is -0.5"),
        (lambda: DirichletCategorical(("a", "b"), [1.0, 0.0]), "every entry must be"),
        (lambda: DirichletCategorical(("a", "b"), [1.0]), "alpha of shape"),
        (lambda: DirichletCategorical(("a", "b"), [1.0, 1.0]).map, "no single largest point"),
        (lambda: DirichletCategorical(("a", "b"), [1.0, 1.0]).updated(["c"]), "observation 0 is c"),
        (lambda: DirichletCategorical.from_virtual_sample(("a", "b"), 0, [0.5, 0.5]), "m must be"),
        (lambda: DirichletCategorical.from_virtual_sample(("a", "b"), 1, [0.5, 0.6]), "0.1 more than 1"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
