"""Batch gradient descent stopped by its largest weight change, on units, digits and the perceptron criterion."""

from itertools import islice, pairwise

import numpy as np
import pytest
from sklearn.datasets import load_digits

from learnable.problems.linear import losses
from learnable.problems.linear.losses import PerceptronLoss
from learnable.problems.linear.units import LinearUnitLoss, SigmoidUnitLoss
from learnable.rows import as_rows
from learnable.solvers.linear import batch_gradient_descent, gradient_descent
from learnable.solvers.linear.batch_gradient_descent import iterates
from learnable.solvers.linear.likelihood import CategoricalLikelihood
from learnable.trace import Status, drive, reached

random = np.random.default_rng(0)
X = np.column_stack([random.standard_normal((60, 3)), np.ones(60)])


def test_delta_rule_reaches_least_squares():
    y = X @ [1.0, -2.0, 0.5, 3.0] + 0.1 * random.standard_normal(60)
    end = drive(
        iterates(LinearUnitLoss(X, y).value_and_gradient, np.zeros(4), 0.01),
        reached("largest_change", 1e-12, Status.STATIONARY),
    )
    np.testing.assert_allclose(end.state.theta, np.linalg.lstsq(X, y)[0], atol=1e-8)
    assert end.status is Status.STATIONARY


def test_sigmoid_unit_descends_and_its_gradient_vanishes():
    y = (X @ [1.0, -2.0, 0.5, 0.3] > 0).astype(float) * 0.8 + 0.1
    states = list(islice(iterates(SigmoidUnitLoss(X, y).value_and_gradient, np.zeros(4), 0.1), 3000))
    values = [state.objective for state in states]
    assert all(after <= before + 1e-12 for before, after in pairwise(values))
    assert states[-1].gradient_norm < states[0].gradient_norm / 100.0


def test_the_change_is_the_rate_times_the_gradient_so_a_small_rate_makes_a_small_change():
    # d_max is no certificate: with a tiny rate the loop stops at once, far from the minimum.
    y = X @ [1.0, -2.0, 0.5, 3.0]
    unit = LinearUnitLoss(X, y)
    end = drive(iterates(unit.value_and_gradient, np.zeros(4), 1e-9), reached("largest_change", 1e-6))
    assert end.n_steps == 1
    assert end.state.gradient_norm > 1.0
    _, gradient = unit.value_and_gradient(np.zeros(4))
    assert end.state.largest_change == pytest.approx(1e-9 * np.abs(gradient).max())


def test_same_path_as_plain_gradient_descent():
    y = X @ [1.0, -2.0, 0.5, 3.0]
    of = LinearUnitLoss(X, y).value_and_gradient
    ours = [state.theta for state in islice(iterates(of, np.zeros(4), 0.01), 5)]
    plain = [state.theta for state in islice(gradient_descent.iterates(of, np.zeros(4), 0.01), 6)][1:]
    np.testing.assert_array_equal(ours, plain)


def test_logistic_classifier_on_digits():
    digits = load_digits()
    pixels = digits.data / 16.0
    train = np.arange(len(pixels)) % 3 > 0
    likelihood = CategoricalLikelihood(as_rows(pixels[train], digits.target[train], None), 10, True)
    states = list(islice(batch_gradient_descent.iterates(likelihood.value_and_gradient, np.zeros((65, 10)), 0.5), 150))
    values = [state.objective for state in states]
    assert all(after < before for before, after in pairwise(values))
    assert values[0] < np.log(10.0)
    theta = states[-1].theta
    predicted = (pixels[~train] @ theta[:64] + theta[64]).argmax(axis=1)
    assert np.mean(predicted == digits.target[~train]) > 0.93


def test_perceptron_criterion_on_the_misclassified_set():
    # D(θ) = −Σ over misclassified i of yᵢ θ·xᵢ has the gradient −Σ yᵢ xᵢ over the same set.
    theta_star = np.array([1.0, -1.0, 0.5, 0.1])
    y = np.sign(X @ theta_star)

    def criterion(theta):
        f = X @ theta
        wrong = y * f <= 0.0
        return float(np.sum(losses.value(PerceptronLoss(), y, f))), -(y[wrong] @ X[wrong])

    theta = 0.1 * random.standard_normal(4)
    value, slope = criterion(theta)
    assert value == pytest.approx(sum(-label * (row @ theta) for row, label in zip(X, y) if label * (row @ theta) <= 0))
    assert value > 0.0
    np.testing.assert_allclose(slope, X.T @ losses.gradient(PerceptronLoss(), y, X @ theta))
    end = drive(iterates(criterion, theta, 0.05), reached("largest_change", 0.0))
    assert np.all(y * (X @ end.state.theta) > 0.0)
    assert end.state.objective == 0.0
