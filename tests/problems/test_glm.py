"""Losses, links and families of generalised linear models: every formula by its definition (O8)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import each

from learnable.problems.linear import families, glm, links, losses
from learnable.problems.linear.glm import MODELS, expected_curvature, model_of, slope_range

PAIRS = list(MODELS)
WITH_CONJUGATE = [pair for pair in PAIRS if type(MODELS[pair].loss) in losses.conjugate.bodies]
TARGETS = {"gaussian": [-1.3, 0.0, 2.5], "binomial": [0.0, 0.3, 1.0], "poisson": [0.0, 1.0, 7.5], "gamma": [0.2, 4.0]}


def predictors(model):
    return np.array([0.05, 0.4, 1.0, 3.0]) if model.positive else np.array([-3.0, -0.7, 0.0, 0.4, 2.5])


@each("pair", PAIRS, ids="-".join)
def test_gradient_and_curvature_by_central_differences(pair):
    loss, f = MODELS[pair].loss, predictors(MODELS[pair])
    for y in TARGETS[pair[0]]:
        h = 1e-5 * np.maximum(1.0, np.abs(f))
        slope = (losses.value(loss, y, f + h) - losses.value(loss, y, f - h)) / (2.0 * h)
        np.testing.assert_allclose(losses.gradient(loss, y, f), slope, rtol=1e-6, atol=1e-8)
        bend = (losses.gradient(loss, y, f + h) - losses.gradient(loss, y, f - h)) / (2.0 * h)
        np.testing.assert_allclose(losses.curvature(loss, y, f), bend, rtol=1e-6, atol=1e-8)


@each("pair", PAIRS, ids="-".join)
def test_expected_curvature_is_the_curvature_at_the_mean_and_the_information_of_the_link(pair):
    # Every curvature is affine in y, so that its expectation is its value at y = μ.
    model = MODELS[pair]
    f = predictors(model)
    mu, slope = links.mean(model.link, f), links.mean_slope(model.link, f)
    information = expected_curvature(model.loss, mu, f)
    np.testing.assert_allclose(information, losses.curvature(model.loss, mu, f), rtol=1e-9)
    np.testing.assert_allclose(information, slope**2 / families.variance(model.family, mu), rtol=1e-9)


@each("pair", PAIRS, ids="-".join)
def test_the_loss_is_half_the_deviance_up_to_a_term_in_y(pair):
    model = MODELS[pair]
    f = predictors(model)
    mu = links.mean(model.link, f)
    for y in TARGETS[pair[0]]:
        difference = losses.value(model.loss, y, f) - 0.5 * families.unit_deviance(model.family, y, mu)
        np.testing.assert_allclose(difference, difference[0], rtol=1e-10, atol=1e-10)
        assert np.all(families.unit_deviance(model.family, y, mu) >= 0.0)
    np.testing.assert_allclose(families.unit_deviance(model.family, mu, mu), 0.0, atol=1e-14)


@each("link", {model.link for model in MODELS.values()}, ids=repr)
def test_link_and_its_inverse(link):
    low, high = links.domain(link)
    mu = np.array([0.01, 0.2, 0.5, 0.93])
    assert low < mu.min() < mu.max() < high
    f = links.predictor(link, mu)
    np.testing.assert_allclose(links.mean(link, f), mu, rtol=1e-13)
    h = 1e-5 * np.maximum(1.0, np.abs(f))
    slope = (links.mean(link, f + h) - links.mean(link, f - h)) / (2.0 * h)
    np.testing.assert_allclose(links.mean_slope(link, f), slope, rtol=1e-7)


@each("pair", PAIRS, ids="-".join)
def test_canonical_means_a_slope_of_mean_minus_target(pair):
    model = MODELS[pair]
    f = predictors(model)
    mu = links.mean(model.link, f)
    y = TARGETS[pair[0]][-1]
    same = any(np.allclose(losses.gradient(model.loss, y, f), sign * (mu - y), rtol=1e-12) for sign in (-1.0, 1.0))
    assert same == model.canonical


@each("pair", PAIRS, ids="-".join)
def test_convex_is_said_of_convex_losses_alone(pair):
    model = MODELS[pair]
    f = np.linspace(0.01, 6.0, 200) if model.positive else np.linspace(-12.0, 12.0, 401)
    lowest = min(float(losses.curvature(model.loss, y, f).min()) for y in TARGETS[pair[0]])
    assert (lowest >= 0.0) == model.convex


@each("pair", WITH_CONJUGATE, ids="-".join)
@settings(max_examples=40, deadline=None)
@given(f=st.floats(-6.0, 6.0), u=st.floats(-8.0, 8.0), which=st.integers(0, 2))
def test_fenchel_young(pair, f, u, which):
    model = MODELS[pair]
    f = abs(f) + 1e-3 if model.positive else f
    y = np.float64(TARGETS[pair[0]][which % len(TARGETS[pair[0]])])
    own = losses.gradient(model.loss, y, f)
    low, high = slope_range(model.loss, y)
    assert low <= own <= high
    loss = losses.value(model.loss, y, f)
    with np.errstate(divide="ignore", invalid="ignore"):
        assert loss + losses.conjugate(model.loss, y, u) >= u * f - 1e-10 * (1.0 + abs(u * f))
        equality = loss + losses.conjugate(model.loss, y, own)
    assert equality == pytest.approx(own * f, abs=1e-9 * (1.0 + abs(own * f)))
    for edge, outside in ((low, low - 1e-6), (high, high + 1e-6)):
        if np.isfinite(edge):
            assert losses.conjugate(model.loss, y, outside) == np.inf


@each("pair", PAIRS, ids="-".join)
def test_far_out_nothing_is_undefined(pair):
    model = MODELS[pair]
    f = np.array([-1e5, -800.0, -40.0, 40.0, 800.0, 1e5])
    for y in TARGETS[pair[0]]:
        with np.errstate(over="ignore"):
            assert not np.isnan(losses.value(model.loss, y, f)).any()
            assert not np.isnan(losses.gradient(model.loss, y, f)).any()
            assert not np.isnan(losses.curvature(model.loss, y, f)).any()


def test_tails_of_the_complementary_log_log_keep_their_digits():
    # t = e^f: −log(1 − e^{−t}) = −f + t/2 − t²/24 …, its curvature t/2 − t²/12 … (series in t, exact to rounding here).
    f = np.array([-25.0, -12.0])
    t = np.exp(f)
    loss = glm.BinomialCLogLog()
    np.testing.assert_allclose(losses.value(loss, 1.0, f), -f + t / 2.0 - t**2 / 24.0, rtol=1e-14)
    np.testing.assert_allclose(losses.curvature(loss, 1.0, f), t / 2.0 - t**2 / 6.0, rtol=1e-8)


def test_names():
    assert model_of("gamma", "auto").link == links.Log()
    with pytest.raises(ValueError, match=r"link='log' does not belong to family='binomial'; its links: 'logit'"):
        model_of("binomial", "log")
    with pytest.raises(ValueError, match="family='tweedie' is not known"):
        model_of("tweedie", "auto")
