"""Newton's method and batch gradient descent on the logistic loss, step by step. Syllabus: C7, C11."""

from itertools import islice, pairwise

import numpy as np
import pytest
from sklearn.datasets import load_digits

from learnable.linear import LogisticRegression, gradient_steps, newton_steps

RNG = np.random.default_rng(5)
X = RNG.standard_normal((80, 3))
A = np.column_stack([X, np.ones(80)])
Y = (X @ [1.0, -0.5, 0.0] + RNG.logistic(size=80) > 0).astype(int)
W = RNG.uniform(0.0, 2.0, 80)


def test_newton_steps_are_reweighted_least_squares():
    # θ' = (XᵀWX)⁻¹ XᵀW z with z = Xθ + W⁻¹(y − p), and the gradient falls quadratically.
    states = list(newton_steps(X, Y, W))
    np.testing.assert_array_equal(states[0].theta, 0.0)
    for before, after in pairwise(states[:4]):
        assert after.halvings == 0
        f = A @ before.theta[:, 0]
        P = 1.0 / (1.0 + np.exp(-f))
        w = W * P * (1 - P)
        irls = np.linalg.solve(A.T @ (w[:, None] * A), A.T @ (w * f + W * (Y - P)))
        np.testing.assert_allclose(after.theta[:, 0], irls, rtol=1e-9)
        assert before.objective == pytest.approx(W @ np.logaddexp(0.0, (1 - 2 * Y) * f) / W.sum())
    norms = [state.gradient_norm for state in states]
    assert all(b <= 50 * a**2 for a, b in pairwise(norms) if 1e-7 < a < 1e-2)
    best = LogisticRegression(C=np.inf, tol=1e-10).fit(X, Y, W)
    np.testing.assert_allclose(states[-1].theta[:, 0], np.append(best.coef_[0], best.intercept_), atol=1e-8)


def test_digits_by_batch_gradient_descent():
    digits = load_digits()
    pixels, label = digits.data / 16.0, digits.target
    train = np.arange(len(pixels)) % 3 > 0
    states = list(islice(gradient_steps(pixels[train], label[train], rate=0.5), 150))
    design, target = np.column_stack([pixels[train], np.ones(train.sum())]), np.eye(10)[label[train]]
    theta = np.zeros((65, 10))
    for state in states[:5]:
        # θ ← θ − η Xᵀ(P − Y) / n, and −log P of the labels beside it, by hand.
        odds = np.exp(design @ theta)
        step = design.T @ (odds / odds.sum(axis=1, keepdims=True) - target) / len(design)
        theta = theta - 0.5 * step
        np.testing.assert_allclose(state.theta, theta, atol=1e-12)
        odds = np.exp(design @ theta)
        own = (odds / odds.sum(axis=1, keepdims=True))[np.arange(len(design)), label[train]]
        assert state.objective == pytest.approx(-np.log(own).mean())
        assert state.largest_change == pytest.approx(0.5 * np.abs(step).max())
    values = [state.objective for state in states]
    assert all(after < before for before, after in pairwise(values))
    theta = states[-1].theta
    predicted = (pixels[~train] @ theta[:64] + theta[64]).argmax(axis=1)
    assert np.mean(predicted == label[~train]) > 0.93


def test_faults():
    with pytest.raises(ValueError, match="rate=0"):
        next(gradient_steps(X, Y, rate=0.0))
    with pytest.raises(ValueError, match="alpha=-1"):
        next(newton_steps(X, Y, alpha=-1.0))
