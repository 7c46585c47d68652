"""How networks are trained: buffers against the core, rules of descent by hand and from outside, L-BFGS, epochs."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize, rosen, rosen_der
from sklearn.neural_network._stochastic_optimizers import AdamOptimizer, SGDOptimizer
from tests.neural.networks import flat, small_network

from learnable.problems.neural.network import evaluate
from learnable.solvers.neural import lbfgs
from learnable.solvers.neural.buffered import BufferedNetwork
from learnable.solvers.neural.epochs import Patience, Schedule, batches, iterates
from learnable.solvers.neural.packed import Layout, initial, initial_moments
from learnable.solvers.neural.plain import PlainNetwork
from learnable.solvers.neural.rules import Adam, Momentum, Penalties, clip
from learnable.solvers.neural.standing import AllRows
from learnable.solvers.neural.targets import Targets
from learnable.trace import Status


def test_buffers_agree_with_the_core():
    for seed, (activation, output) in enumerate(
        (a, o) for a in ("relu", "tanh", "logistic", "identity") for o in ("softmax", "logistic", "identity", "exp")
    ):
        net = small_network(seed, activation, output, (5, 4), weighted=bool(seed % 2), l2=0.0, l1=0.0, n=30)
        weight = None if net.weight is None else net.weight / net.weight.mean()
        layout = Layout((3, 5, 4, 3))
        rows = np.random.default_rng(seed).permutation(30)[:11]
        expected = evaluate(
            net.architecture,
            net.theta,
            net.X[rows],
            net.y[rows],
            None if weight is None else weight[rows],
            weight_sum=11,
        )
        for X in (net.X, sparse.csr_matrix(net.X)):
            y = net.y.argmax(axis=1) if output == "softmax" else net.y
            vector = layout.pack(net.theta, float)
            buffered = BufferedNetwork(net.architecture, layout, vector, X, y, weight, 20, 0.0, None)
            buffered.evaluate(np.arange(20))  # leaves numbers in the buffers that must not matter
            assert buffered.evaluate(rows) == pytest.approx(float(expected.objective), rel=1e-12)
            np.testing.assert_allclose(buffered.gradient, flat(expected.gradient), atol=1e-13)


def test_dropout_in_buffers_is_the_core_with_the_same_masks():
    for activation in ("relu", "tanh", "logistic", "identity"):
        net = small_network(3, activation, "identity", (5, 4), l2=0.0, l1=0.0, n=12)
        layout = Layout((3, 5, 4, 3))
        vector = layout.pack(net.theta, float)
        random = np.random.default_rng(0)
        buffered = BufferedNetwork(net.architecture, layout, vector, net.X, net.y, None, 12, 0.4, random)
        loss = buffered.evaluate(slice(0, 12))
        masks = [mask.copy() for mask in buffered.masks]
        assert set(np.unique(np.concatenate([m.ravel() for m in masks]))) == {0.0, 1.0 / 0.6}
        expected = evaluate(net.architecture, net.theta, net.X, net.y, masks=masks)
        assert loss == pytest.approx(float(expected.objective), rel=1e-12)
        np.testing.assert_allclose(buffered.gradient, flat(expected.gradient), atol=1e-13)


def test_rules_are_those_of_scikit_learn_with_the_penalty_added():
    random = np.random.default_rng(1)
    for l2, l1 in ((0.0, 0.0), (0.3, 0.0), (0.2, 0.1)):
        for make, outside in (
            (lambda v, p: Momentum(v, p, 0.9, False, None), lambda v: SGDOptimizer(v, 0.1, nesterov=False)),
            (lambda v, p: Momentum(v, p, 0.9, True, None), lambda v: SGDOptimizer(v, 0.1, nesterov=True)),
            (lambda v, p: Adam(v, p, 0.9, 0.999, 1e-8, None), lambda v: AdamOptimizer(v, 0.1)),
        ):
            theta = random.standard_normal(7)
            theirs = [theta.copy()]
            rule, optimizer = make(theta, Penalties(4, l2, l1)), outside(theirs)
            for _ in range(6):
                gradient = random.standard_normal(7)
                w = theirs[0][:4]
                with_penalty = gradient + np.append(l2 * w + l1 * np.sign(w), np.zeros(3))
                expected_penalty = 0.5 * l2 * w @ w + l1 * np.abs(w).sum()
                assert rule.step(theta, gradient, 0.1) == pytest.approx(expected_penalty, abs=1e-14)
                optimizer.update_params(theirs, [with_penalty])
                np.testing.assert_allclose(theta, theirs[0], rtol=1e-10)


def test_clipping_keeps_the_direction_and_counts_the_penalty():
    theta, gradient = np.array([10.0, 0.0]), np.array([0.0, 3.0])
    rule = Momentum(theta, Penalties(1, 0.4, 0.0), 0.0, False, clip_norm=1.0)
    rule.step(theta, gradient.copy(), 1.0)
    np.testing.assert_allclose(theta, [10.0 - 4.0 / 5.0, -3.0 / 5.0])
    short = np.array([0.1, 0.2])
    clip(short, 1.0)
    np.testing.assert_array_equal(short, [0.1, 0.2])


def test_lbfgs_reaches_what_scipy_reaches_and_falls_with_every_state():
    start = np.array([-1.2, 1.0, -0.5, 2.0])
    states = list(lbfgs.iterates(lambda t: (float(rosen(t)), rosen_der(t)), start, 1e-8))
    assert states[-1].settled is Status.STATIONARY
    np.testing.assert_allclose(states[-1].point, np.ones(4), atol=1e-7)
    values = [state.objective for state in states]
    assert all(later < earlier for earlier, later in pairwise(values))
    # A quadratic in d dimensions, by exact quasi-Newton steps: few more than d of them.
    A = np.diag(np.arange(1.0, 8.0))
    states = list(lbfgs.iterates(lambda t: (0.5 * float(t @ A @ t), A @ t), np.ones(7), 1e-10))
    assert states[-1].settled is Status.STATIONARY
    assert len(states) < 40
    net = small_network(2, "tanh", "softmax", (4,), n=40)
    y, layout = Targets(net.y.astype(bool), net.y.argmax(axis=1)), Layout((3, 4, 3))
    everything = AllRows(net.architecture._replace(l1=0.0), layout, net.X, y, None)
    vector = initial(layout, "tanh", np.random.default_rng(0), float)
    ours = list(lbfgs.iterates(everything, vector, 1e-7))[-1]
    theirs = minimize(everything, vector, jac=True, method="L-BFGS-B", options={"gtol": 1e-7, "ftol": 0.0})
    assert ours.objective <= theirs.fun * (1.0 + 1e-4)


def _run(network, layout, architecture, n, batch, rule, shuffle=None, score=None, **options):
    patience = options.pop("patience", Patience(0.0, np.inf))
    return iterates(network, rule, architecture, layout, n, batch, Schedule(0.1), patience, shuffle, score)


def test_a_full_batch_without_momentum_is_gradient_descent():
    net = small_network(5, "tanh", "identity", (4,), n=10)
    layout = Layout((3, 4, 3))
    vector = layout.pack(net.theta, float)
    by_hand = vector.copy()
    everything = AllRows(net.architecture, layout, net.X, Targets(net.y), None)
    network = BufferedNetwork(net.architecture, layout, vector, net.X, net.y, None, 10, 0.0, None)
    rule = Momentum(vector, Penalties(layout.n_weights, 0.1, 0.05), 0.0, False, None)
    for _, state in zip(range(5), _run(network, layout, net.architecture, 10, 10, rule)):
        value, gradient = everything(by_hand)
        by_hand = by_hand - 0.1 * gradient
        assert state.objective == pytest.approx(value, rel=1e-12)
        np.testing.assert_allclose(state.vector, by_hand, rtol=1e-11)


def test_buffers_and_core_train_alike_over_mini_batches():
    net = small_network(6, "relu", "softmax", (5,), n=50)
    layout = Layout((3, 5, 3))
    found = []
    for plain in (False, True):
        vector = layout.pack(net.theta, float)
        if plain:
            network = PlainNetwork(
                net.architecture, layout, vector, np.empty(0), net.X, net.y, None, 0.0, None, np.asarray
            )
        else:
            network = BufferedNetwork(net.architecture, layout, vector, net.X, net.y.argmax(axis=1), None, 8, 0.0, None)
        rule = Adam(vector, Penalties(layout.n_weights, 0.1, 0.05), 0.9, 0.999, 1e-8, None)
        run = _run(network, layout, net.architecture, 50, 8, rule, np.random.default_rng(3))
        found.append([state for _, state in zip(range(4), run)][-1])
    np.testing.assert_allclose(found[0].vector, found[1].vector, rtol=1e-9)
    assert found[0].objective == pytest.approx(found[1].objective, rel=1e-11)


def test_patience_schedules_and_the_best_epoch():
    net = small_network(7, "tanh", "identity", (3,), n=8)
    layout = Layout((3, 3, 3))

    def states(scores, patience):
        vector = layout.pack(net.theta, float)
        network = BufferedNetwork(net.architecture, layout, vector, net.X, net.y, None, 8, 0.0, None)
        rule = Momentum(vector, Penalties(layout.n_weights, 0.0, 0.0), 0.0, False, None)
        given = iter(scores)
        run = _run(network, layout, net.architecture, 8, 8, rule, score=lambda *at: next(given), patience=patience)
        return [(state._replace(vector=state.vector.copy())) for state in run]

    seen = states([0.1, 0.5, 0.4, 0.3, 0.2], Patience(0.0, 2))
    assert [state.settled for state in seen] == [None] * 4 + [Status.STOPPED]
    np.testing.assert_array_equal(seen[-1].best_vector, seen[1].vector)
    rates = [state.rate for state in states([0.0] * 60, Patience(0.1, 1, adaptive=True))]
    assert rates[0] == 0.1
    assert rates[-1] <= 1e-6
    assert all(later in (earlier, earlier / 5.0) for earlier, later in pairwise(rates))
    assert [part.stop - part.start for part in batches(401, 200, False)] == [200, 200, 1]
    assert [part.stop - part.start for part in batches(401, 200, True)] == [200, 201]


def test_running_statistics_follow_the_batches():
    net = small_network(8, "relu", "identity", (4,), batch_norm=True, n=20)
    layout = Layout((3, 4, 3), batch_norm=True)
    vector, running = layout.pack(net.theta, float), initial_moments(layout, float)
    network = PlainNetwork(net.architecture, layout, vector, running, net.X, net.y, None, 0.0, None, np.asarray)
    for _ in range(150):
        network.evaluate(slice(0, 20))
    u = net.X @ net.theta.coefs[0] + net.theta.intercepts[0]
    np.testing.assert_allclose(running[:4], u.mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(running[4:], u.var(axis=0, ddof=1), rtol=1e-5)
