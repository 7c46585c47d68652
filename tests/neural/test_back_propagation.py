"""Laws of the back-propagation core: every gradient by differences, the chain by hand, dropout and batch norm."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.neural.networks import flat, small_network, unflat

from learnable.certificates.core.gradient_check import gradient_check
from learnable.problems.neural.activations import ACTIVATIONS
from learnable.problems.neural.layers import Moments, batch_moments, follow, keep_mask, normalise
from learnable.problems.neural.network import Architecture, Parameters, evaluate, forward, objective, outputs, penalty
from learnable.problems.neural.outputs import OUTPUTS


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    activation=st.sampled_from(sorted(ACTIVATIONS)),
    output=st.sampled_from(sorted(OUTPUTS)),
    hidden=st.lists(st.integers(1, 3), max_size=2),
    batch_norm=st.booleans(),
    dropout=st.sampled_from([0.0, 0.5]),
    running=st.booleans(),
    weighted=st.booleans(),
)
def test_every_gradient_is_that_of_its_objective(
    seed, activation, output, hidden, batch_norm, dropout, running, weighted
):
    net = small_network(seed, activation, output, tuple(hidden), batch_norm, dropout, running, weighted)
    _, theta, X, y, *rest = net
    weight, moments, masks = rest
    # A difference across the kink of relu or of |w| is no derivative: keep clear of both.
    if min(np.abs(W).min() for W in theta.coefs) < 1e-3:
        return
    if activation == "relu" and any(np.abs(_inner(net, k)).min() < 2e-2 for k in range(len(hidden))):
        return

    def value_and_gradient(vector):
        found = evaluate(net.architecture, unflat(vector, theta), X, y, weight, moments, masks)
        return float(found.objective), flat(found.gradient)

    check = gradient_check(value_and_gradient, flat(theta), step=1e-4)
    size = np.abs(check.given).max()
    assert np.all(np.abs(check.given - check.differences) <= 1e-6 * size + 3.0 * check.resolution)
    assert value_and_gradient(flat(theta))[0] == pytest.approx(
        float(objective(net.architecture, theta, X, y, weight, moments, masks)), rel=1e-12
    )


def _inner(net, k):
    """What the activation of hidden layer k is applied to."""
    layer = forward(net.architecture, net.theta, net.X, net.moments, net.masks)[k]
    if net.theta.scales:
        return net.theta.scales[k] * layer.normalised + net.theta.shifts[k]
    return layer.entered @ net.theta.coefs[k] + net.theta.intercepts[k]


def test_activations_and_their_slopes():
    u = np.linspace(-3.0, 3.0, 40)
    closed = {
        "identity": (u, np.ones(40)),
        "logistic": (1 / (1 + np.exp(-u)), np.exp(-u) / (1 + np.exp(-u)) ** 2),
        "tanh": (np.tanh(u), 1 / np.cosh(u) ** 2),
        "relu": (np.maximum(u, 0.0), (u > 0.0).astype(float)),
    }
    for name, activation in ACTIVATIONS.items():
        h = activation.value(np, u)
        np.testing.assert_allclose(h, closed[name][0], atol=1e-14)
        np.testing.assert_allclose(activation.slope(np, h), closed[name][1], atol=1e-14)
        differences = (activation.value(np, u + 1e-6) - activation.value(np, u - 1e-6)) / 2e-6
        np.testing.assert_allclose(activation.slope(np, h), differences, atol=1e-9)
        assert np.all(np.abs(np.diff(h)) <= activation.lipschitz * np.diff(u) * (1 + 1e-12))
        assert activation.value(np, np.zeros(1))[0] == activation.at_zero
    extreme = np.array([-800.0, 800.0])
    with np.errstate(over="raise", invalid="raise"):
        np.testing.assert_array_equal(ACTIVATIONS["logistic"].value(np, extreme), [0.0, 1.0])


def test_the_two_layer_chain_of_the_notes_by_hand():
    # o = f2(w2 h1 + b2), h1 = f1(u1), u1 = w1 x + b1, L = ½(y − o)²; f1 tanh, f2 the identity.
    x, y, w1, b1, w2, b2 = 0.7, -0.4, 1.3, 0.2, -0.8, 0.5
    u1 = w1 * x + b1
    h1 = np.tanh(u1)
    error = w2 * h1 + b2 - y
    theta = Parameters((np.array([[w1]]), np.array([[w2]])), (np.array([b1]), np.array([b2])))
    found = evaluate(Architecture("tanh", "identity"), theta, np.array([[x]]), np.array([[y]]))
    assert found.objective == pytest.approx(0.5 * error**2)
    assert found.gradient.coefs[1][0, 0] == pytest.approx(error * h1)  # h1, not u1 as the notes have it
    assert found.gradient.coefs[1][0, 0] != pytest.approx(error * u1)
    assert found.gradient.intercepts[1][0] == pytest.approx(error)
    assert found.gradient.coefs[0][0, 0] == pytest.approx(error * w2 * (1 - h1**2) * x)
    assert found.gradient.intercepts[0][0] == pytest.approx(error * w2 * (1 - h1**2))


def test_the_vector_chain_rule_is_the_product_of_jacobians():
    net = small_network(3, "tanh", "identity", (4,), l2=0.0, l1=0.0, n=1)
    (W1, W2), (b1, b2) = net.theta.coefs, net.theta.intercepts
    h = np.tanh(net.X @ W1 + b1)
    error = h @ W2 + b2 - net.y
    by_jacobians = error @ W2.T @ np.diag(1 - h[0] ** 2)  # ∂L/∂u₁
    gradient = evaluate(net.architecture, net.theta, net.X, net.y).gradient
    np.testing.assert_allclose(gradient.intercepts[0], by_jacobians[0], rtol=1e-12)
    np.testing.assert_allclose(gradient.coefs[0], np.outer(net.X[0], by_jacobians[0]), rtol=1e-12)


def test_softmax_with_nll_is_multinomial_logistic_regression():
    net = small_network(4, output="softmax", hidden=(), l2=0.0, l1=0.0, n=9)
    u = net.X @ net.theta.coefs[0] + net.theta.intercepts[0]
    P = np.exp(u) / np.exp(u).sum(axis=1, keepdims=True)
    found = evaluate(net.architecture, net.theta, net.X, net.y)
    np.testing.assert_allclose(outputs(net.architecture, net.theta, net.X), P, rtol=1e-12)
    assert found.objective == pytest.approx(-np.mean(np.log(P[net.y == 1.0])))
    np.testing.assert_allclose(found.gradient.coefs[0], net.X.T @ (P - net.y) / 9, atol=1e-14)


def test_penalties_leave_biases_scales_and_shifts_alone():
    net = small_network(5, batch_norm=True)
    free = net.architecture._replace(l2=0.0, l1=0.0)
    with_penalty = evaluate(net.architecture, net.theta, net.X, net.y)
    without = evaluate(free, net.theta, net.X, net.y)
    weights = np.concatenate([W.ravel() for W in net.theta.coefs])
    expected = 0.5 * 0.1 * weights @ weights + 0.05 * np.abs(weights).sum()
    assert penalty(net.architecture, net.theta) == pytest.approx(expected)
    assert with_penalty.objective - without.objective == pytest.approx(expected)
    for W, one, other in zip(net.theta.coefs, with_penalty.gradient.coefs, without.gradient.coefs):
        np.testing.assert_allclose(one - other, 0.1 * W + 0.05 * np.sign(W), atol=1e-13)
    for part in ("intercepts", "scales", "shifts"):
        for one, other in zip(getattr(with_penalty.gradient, part), getattr(without.gradient, part)):
            np.testing.assert_array_equal(one, other)


def test_the_expectation_of_a_masked_layer_is_the_unmasked_one():
    # All 2⁴ masks of four units, each with its probability: no sampling.
    rate, h = 0.3, np.array([[1.5, -2.0, 0.25, 3.0]])
    expected = np.zeros_like(h)
    for drops in product([True, False], repeat=4):
        probability = np.prod([rate if drop else 1 - rate for drop in drops])
        expected += probability * h * keep_mask(np, np.where(drops, 0.0, 0.99)[None], rate)
    np.testing.assert_allclose(expected, h, rtol=1e-14)
    drawn = keep_mask(np, np.random.default_rng(0).random(200_000), 0.5)
    assert set(np.unique(drawn)) == {0.0, 2.0}
    assert abs(drawn.mean() - 1.0) < 5 * drawn.std() / np.sqrt(drawn.size)


def test_batch_norm_has_mean_zero_and_variance_one_and_its_averages_follow():
    u = np.random.default_rng(1).normal(5.0, 3.0, (50, 4))
    moments = batch_moments(np, u)
    z, _ = normalise(np, u, moments)
    np.testing.assert_allclose(z.mean(axis=0), 0.0, atol=1e-14)
    np.testing.assert_allclose(z[7], [(c[7] - c.mean()) / (c.var() + 1e-5) ** 0.5 for c in u.T], rtol=1e-10)
    np.testing.assert_allclose(z.var(axis=0), moments.variance / (moments.variance + 1e-5), rtol=1e-12)
    running = Moments(np.zeros(4), np.ones(4))
    for _ in range(200):
        running = follow(running, moments, 50)
    np.testing.assert_allclose(running.mean, u.mean(axis=0), rtol=1e-8)
    np.testing.assert_allclose(running.variance, u.var(axis=0, ddof=1), rtol=1e-8)
    # A layer that is normalised does not care for the bias before it, nor for the size of its weights.
    net = small_network(6, batch_norm=True, l2=0.0, l1=0.0)
    before = outputs(net.architecture, net.theta, net.X)
    moved = net.theta._replace(intercepts=[b + 3.0 for b in net.theta.intercepts[:-1]] + [net.theta.intercepts[-1]])
    np.testing.assert_allclose(outputs(net.architecture, moved, net.X), before, rtol=1e-10)
    assert np.abs(evaluate(net.architecture, net.theta, net.X, net.y).gradient.intercepts[0]).max() < 1e-14
