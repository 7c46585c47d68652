"""Stochastic gradient descent against its definition, written out row by row (O2), and against exact minima."""

from collections import deque
from itertools import islice

import numpy as np
import pytest
from scipy import optimize, sparse
from tests.cases import each

from learnable import trace
from learnable.linear import SGDClassifier, SGDRegressor
from learnable.problems.linear import losses
from learnable.problems.linear.losses import Hinge, Logistic, Squared
from learnable.problems.linear.regression_losses import EpsilonInsensitive
from learnable.problems.sparse import penalties
from learnable.problems.sparse.penalties import EVERY, L1, L2, ElasticNet
from learnable.solvers.linear import stochastic_gradient
from learnable.solvers.linear.learning_rates import (
    Constant,
    InverseScaling,
    Optimal,
    PassiveAggressiveCapped,
    PassiveAggressiveDamped,
)
from learnable.solvers.linear.perceptron import Orders
from learnable.solvers.linear.stochastic_gradient import Averaging, Patience, Start, iterates

ENDLESS = Patience(None, 1)
random = np.random.default_rng(0)
X = random.standard_normal((40, 5)) * (random.random((40, 5)) < 0.6)
Y = np.sign(X @ [1.0, -2.0, 0.5, 0.0, 1.0] + 0.2)
WEIGHT = random.uniform(0.5, 2.0, 40)


def last(states, count):
    return deque(islice(states, count), maxlen=1).pop()


def epochs(count, X=X, y=Y, weight=WEIGHT, loss=Squared(), penalty=L2(0.1), schedule=Constant(0.05), **rest):  # noqa: B008
    orders = Orders(len(y), None)
    return last(iterates(X, y[None], weight[None], loss, penalty, schedule, orders, ENDLESS, **rest), count)


def by_hand(count, loss, penalty, schedule, batch=1, average_from=0):
    """(θ, b, mean point) written out: θ = S(z, s), z the decayed sum of updates, s the decayed sum of thresholds."""
    z, s, b, t = np.zeros(5), 0.0, 0.0, 1.0
    ridge, lasso = penalties.curvature(penalty, 0), penalties.l1_level(penalty, 0)
    points = []
    for _ in range(count):
        for start in range(0, len(Y), batch):
            rows = slice(start, start + batch)
            eta = schedule.rates(t, 1)[0]
            theta = penalties.prox(L1(1.0), z, s, EVERY)
            g = WEIGHT[rows] * losses.gradient(loss, Y[rows], X[rows] @ theta + b)
            size = len(g)
            z = (1.0 - eta * ridge) * z - eta * (g @ X[rows]) / size
            s = (1.0 - eta * ridge) * s + eta * lasso
            b -= eta * g.sum() / size
            if average_from and t >= average_from:
                points.append(np.r_[penalties.prox(L1(1.0), z, s, EVERY), b])
            t += 1.0
    mean = np.mean(points, axis=0) if points else None
    return penalties.prox(L1(1.0), z, s, EVERY), b, mean


@each("penalty", [L2(0.1), L2(0.0), L1(0.05), ElasticNet(0.1, 0.4)], ids=repr)
@each("schedule", [Constant(0.05), Optimal(0.1, 3.0), InverseScaling(0.2, 0.25)], ids=repr)
def test_the_definition(penalty, schedule):
    state = epochs(3, penalty=penalty, schedule=schedule)
    theta, b, _ = by_hand(3, Squared(), penalty, schedule)
    np.testing.assert_allclose(state.coef[0], theta, rtol=1e-11, atol=1e-14)
    assert state.intercept[0] == pytest.approx(b, rel=1e-11)
    assert (state.epochs, state.t) == (3, 121.0)


@each("batch", [1, 7, 40])
def test_mini_batches(batch):
    state = epochs(4, batch=batch)
    theta, b, _ = by_hand(4, Squared(), L2(0.1), Constant(0.05), batch)
    np.testing.assert_allclose(state.coef[0], theta, rtol=1e-11)
    assert state.intercept[0] == pytest.approx(b, rel=1e-11)


def test_one_batch_of_all_rows_is_gradient_descent():
    state = epochs(1, batch=40)
    gradient = X.T @ (WEIGHT * -Y) / 40
    np.testing.assert_allclose(state.coef[0], -0.05 * gradient, rtol=1e-12)


@each("penalty", [L2(0.1), ElasticNet(0.1, 0.4)], ids=repr)
@each("first", [1, 55])
def test_averaging_is_the_mean_of_the_points(penalty, first):
    state = epochs(3, penalty=penalty, averaging=Averaging(first))
    theta, b, mean = by_hand(3, Squared(), penalty, Constant(0.05), average_from=first)
    np.testing.assert_allclose(np.r_[state.coef[0], state.intercept], mean, rtol=1e-10)
    np.testing.assert_allclose(state.last_coef[0], theta, rtol=1e-10, atol=1e-14)
    assert state.last_intercept[0] == pytest.approx(b)


def test_the_common_factor_may_become_tiny_or_zero():
    # 1 − ηα = 0.05 a step: after ten steps the factor would be below 1e-13; it must be folded in without harm.
    strong, rate = L2(9.5), Constant(0.1)
    state = epochs(2, penalty=strong, schedule=rate, averaging=Averaging(1))
    theta, _, mean = by_hand(2, Squared(), strong, rate, average_from=1)
    np.testing.assert_allclose(state.last_coef[0], theta, rtol=1e-9)
    np.testing.assert_allclose(np.r_[state.coef[0], state.intercept], mean, rtol=1e-9)
    beyond = epochs(1, penalty=L2(1e5), schedule=rate)
    assert np.all(np.isfinite(beyond.coef))


@each("penalty", [L2(0.1), ElasticNet(0.1, 0.4)], ids=repr)
def test_sparse_rows_give_the_dense_answer(penalty):
    dense = epochs(3, penalty=penalty, averaging=Averaging(20))
    for form in (sparse.csr_matrix(X), sparse.csc_array(X)):
        state = epochs(3, X=form, penalty=penalty, averaging=Averaging(20))
        np.testing.assert_allclose(state.coef, dense.coef, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(state.intercept, dense.intercept, rtol=1e-12)


def test_going_on_is_the_same_as_not_stopping():
    whole = epochs(4, averaging=Averaging(30))
    half = epochs(2, averaging=Averaging(30))
    start = Start(half.last_coef, half.last_intercept, half.t, half.coef, half.intercept)
    joined = epochs(2, averaging=Averaging(30), start=start)
    np.testing.assert_allclose(joined.coef, whole.coef, rtol=1e-12)
    assert joined.t == whole.t


@each("penalty", [L2(0.1), ElasticNet(0.1, 0.4)], ids=repr)
@each("patience", [ENDLESS, Patience(1e-3, 3), Patience(1e-2, 4, divide_rate=True)], ids=repr)
@each("batch", [1, 7])
@each("X", [X, sparse.csr_array(X)], ids=["dense", "sparse"])
def test_states_do_not_hang_on_how_many_epochs_are_made_at_once(penalty, patience, batch, X):
    def states():
        targets, weight = np.vstack([Y, np.roll(Y, 1)]), np.tile(WEIGHT, (2, 1))
        orders, rate = Orders(40, np.random.default_rng(4)), Constant(0.1)
        return [
            trace.snapshot(state._replace(memory=None))
            for state in iterates(X, targets, weight, Hinge(), penalty, rate, orders, patience,
                                  averaging=Averaging(50), batch=batch, most=40)
        ]  # fmt: skip

    ahead = states()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stochastic_gradient, "AHEAD", 1)
        np.testing.assert_equal(ahead, states())


def test_problems_side_by_side_do_not_touch_each_other():
    targets, weight = np.vstack([Y, -Y, np.roll(Y, 1)]), np.tile(WEIGHT, (3, 1))
    both = last(iterates(X, targets, weight, Hinge(), L2(0.1), Constant(0.05), Orders(40, None), ENDLESS), 3)
    alone = epochs(3, y=np.roll(Y, 1), loss=Hinge())
    np.testing.assert_array_equal(both.coef[2], alone.coef[0])
    np.testing.assert_allclose(both.coef[1], -both.coef[0], rtol=1e-12)


@each("loss", [Hinge(), EpsilonInsensitive(0.1)], ids=repr)
@each("cap", [1e9, 0.05])
def test_passive_aggressive_steps_end_the_loss_of_the_row_or_hit_the_cap(loss, cap):
    x, y = np.array([[1.0, 2.0]]), np.array([1.0])
    state = epochs(1, x, y, np.ones(1), loss, L2(0.0), PassiveAggressiveCapped(cap), intercept_rate=0.0)
    left = float(losses.value(loss, 1.0, x[0] @ state.coef[0]))
    if cap > 1.0:
        assert left == pytest.approx(0.0, abs=1e-12)
    else:
        np.testing.assert_allclose(state.coef[0], cap * x[0])
    damped = epochs(1, x, y, np.ones(1), loss, L2(0.0), PassiveAggressiveDamped(0.5), intercept_rate=0.0)
    lost = float(losses.value(loss, 1.0, 0.0))
    np.testing.assert_allclose(damped.coef[0], lost / (5.0 + 1.0) * x[0])


def test_a_row_of_zeros_moves_no_passive_aggressive_coefficients():
    x, y = np.array([[0.0, 0.0]]), np.array([1.0])
    state = epochs(1, x, y, np.ones(1), Hinge(), L2(0.0), PassiveAggressiveCapped(1.0))
    assert np.all(state.coef == 0.0)
    assert state.intercept[0] == 0.0


@each("penalty", [L2(0.1), L1(0.05)], ids=repr)
def test_it_nears_the_minimum(penalty):
    def J(theta):
        f = X @ theta[:5] + theta[5]
        return WEIGHT @ losses.value(Logistic(), Y, f) / 40 + penalties.total(penalty, theta[:5])

    best = optimize.minimize(J, np.zeros(6), method="Powell", options={"xtol": 1e-10, "ftol": 1e-14}).fun
    orders = Orders(40, np.random.default_rng(1))
    rate = InverseScaling(0.5, 0.6)
    state = last(iterates(X, Y[None], WEIGHT[None], Logistic(), penalty, rate, orders, ENDLESS), 3000)
    assert 0.0 <= J(np.r_[state.coef[0], state.intercept]) - best < 2e-4


def test_cumulative_thresholds_leave_exact_zeros():
    noise = np.random.default_rng(2).standard_normal((200, 8))
    y = np.sign(noise[:, 0])
    orders, rate = Orders(200, np.random.default_rng(3)), InverseScaling(0.5, 0.5)
    state = last(iterates(noise, y[None], np.ones((1, 200)), Logistic(), L1(0.15), rate, orders, ENDLESS), 50)
    assert state.coef[0, 0] > 0.1
    assert np.count_nonzero(state.coef[0, 1:] == 0.0) >= 6


def test_patience_and_adaptive_rates():
    def run(patience):
        return list(iterates(X, Y[None], WEIGHT[None], Logistic(), L2(0.1), Constant(0.1), Orders(40, None), patience))

    plain, adaptive = run(Patience(1e-3, 3)), run(Patience(1e-3, 3, divide_rate=True))
    assert len(plain) < len(adaptive) < 200
    assert plain[-1].active == adaptive[-1].active == 0
    assert adaptive[-1].objective <= plain[-1].objective + 1e-9
    # A measure that never falls ends after exactly the epochs that patience bears, and one more to set the best.
    assert len(run(Patience(1e-3, 3, measure=lambda k, coef, intercept: 1.0))) == 4


def test_overflow_is_an_error_and_no_answer():
    with pytest.raises(ValueError, match="overflow occurred at epoch #"):
        epochs(50, X=1e200 * X, schedule=Constant(1.0))


@each("kind", [SGDClassifier, SGDRegressor])
@each("batch", [1, 7, 40, 100])
def test_batches_of_the_estimators(kind, batch):
    # O2: each step moves against the mean gradient of `batch_size` rows.
    model = kind("squared_error", alpha=0.1, learning_rate="constant", eta0=0.05, shuffle=False, tol=None, max_iter=4,
                 batch_size=batch).fit(X, Y, sample_weight=WEIGHT)  # fmt: skip
    theta, b, _ = by_hand(4, Squared(), L2(0.1), Constant(0.05), batch)
    np.testing.assert_allclose(np.ravel(model.coef_), theta, rtol=1e-11)
    assert model.intercept_[0] == pytest.approx(b, rel=1e-11)
    assert model.t_ == 1 + 4 * -(-40 // batch)
    with pytest.raises(ValueError, match="this rate suits one row"):
        SGDClassifier(learning_rate="pa1", batch_size=2).fit(X, Y)
