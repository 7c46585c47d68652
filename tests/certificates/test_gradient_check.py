"""Every objective of the house against central differences, and gradients that are wrong on purpose (O4, O8)."""

import numpy as np
import pytest
from tests.cases import each

from learnable.certificates.core.gradient_check import gradient_check
from learnable.problems.linear import glm, losses, margin_losses, regression_losses
from learnable.problems.linear.units import LinearUnitLoss, SigmoidUnitLoss
from learnable.problems.sparse import penalties
from learnable.rows import as_rows
from learnable.solvers.linear.likelihood import CategoricalLikelihood

SMOOTH = [
    losses.Squared(), losses.Logistic(), margin_losses.SquaredHinge(), margin_losses.ModifiedHuber(),
    margin_losses.Exponential(), margin_losses.Deviance(), regression_losses.Huber(0.7),
    regression_losses.SquaredEpsilonInsensitive(0.3),
]  # fmt: skip
KINKED = [
    losses.Hinge(), losses.PerceptronLoss(), regression_losses.Absolute(), regression_losses.EpsilonInsensitive(0.3),
    margin_losses.Ramp(0.8),
]  # fmt: skip
random = np.random.default_rng(0)
X = random.standard_normal((30, 3))
LABELS = np.sign(X @ [1.0, -1.0, 0.5] + 0.3 * random.standard_normal(30))
THETA = np.array([0.4, -0.3, 0.8])


def objective(loss, scale=1.0, penalty=None):
    def value_and_gradient(theta):
        f = X @ theta
        value = float(np.mean(losses.value(loss, LABELS, f)))
        gradient = X.T @ losses.gradient(loss, LABELS, f) / len(f)
        if penalty is not None:
            value += penalties.total(penalty, theta)
            gradient = gradient + penalty.alpha * theta
        return value, scale * gradient

    return value_and_gradient


TOLD = {type(loss) for loss in SMOOTH + KINKED} | {margin_losses.ZeroOne}  # the 0-1 loss has no slope
assert glm.PoissonLog in losses.value.bodies  # losses of likelihoods are known once their module is
OTHERS = sorted(
    (kind for kind in losses.value.bodies if kind.__module__.startswith("learnable.problems") and kind not in TOLD),
    key=lambda kind: kind.__name__,
)


def test_every_loss_is_among_those_checked():
    with_parameters = [kind.__name__ for kind in OTHERS if kind._fields]
    assert not with_parameters, "losses with parameters must be listed above, with values for them"


@each("kind", OTHERS, ids=lambda kind: kind.__name__)
@each("y", [0.3, 1.0])
def test_losses_of_likelihoods(kind, y):
    # Targets in (0, 1] and scores > 0 suit every family and link.
    def value_and_gradient(f):
        return float(np.sum(losses.value(kind(), y, f))), np.asarray(losses.gradient(kind(), y, f))

    found = gradient_check(value_and_gradient, np.array([0.2, 0.7, 1.6]), step=0.01)
    assert found.claim(1e-7).holds
    assert found.blur < 1e-6


@each("loss", SMOOTH, ids=repr)
def test_smooth_losses(loss):
    found = gradient_check(objective(loss, penalty=penalties.L2(0.3)), THETA, step=0.01)
    assert found.claim(1e-5).holds, found
    assert found.blur < 1e-3


@each("loss", KINKED, ids=repr)
def test_losses_with_kinks_away_from_them(loss):
    # Differences shorter than the way to the next kink.
    found = gradient_check(objective(loss), THETA, step=1e-5)
    assert found.claim(1e-6).holds
    assert found.blur < 1e-3


@each("loss", SMOOTH, ids=repr)
@each("factor", [0.999, -1.0, 2.0])
def test_a_wrong_gradient_is_noticed(loss, factor):
    found = gradient_check(objective(loss, factor), THETA, step=0.001)
    assert not found.claim(1e-5).holds


def test_one_wrong_entry_is_named():
    def broken(theta):
        value, gradient = objective(losses.Logistic())(theta)
        return value, gradient * np.array([1.0, 1.01, 1.0])

    assert gradient_check(broken, THETA).worst == (1,)


@each("n_classes", [2, 3])
@each("intercept", [True, False])
def test_categorical_likelihood(n_classes, intercept):
    y = np.random.default_rng(1).integers(0, n_classes, len(X))
    likelihood = CategoricalLikelihood(as_rows(X, y, None), 1 if n_classes == 2 else n_classes, intercept)
    likelihood.alpha = 0.2
    theta = np.random.default_rng(2).standard_normal(likelihood.shape)
    found = gradient_check(likelihood.value_and_gradient, theta)
    assert found.claim(1e-8).holds
    assert found.blur < 1e-8


@each("unit", [LinearUnitLoss, SigmoidUnitLoss])
def test_units(unit):
    y = (LABELS + 1.0) / 2.0
    found = gradient_check(unit(X, y).value_and_gradient, THETA)
    assert found.claim(1e-8).holds
    assert found.blur < 1e-8


def test_the_gradient_of_the_sigmoid_unit_is_not_that_of_the_linear_one():
    y = (LABELS + 1.0) / 2.0
    sigmoid = SigmoidUnitLoss(X, y)

    def missing_factor(theta):
        return sigmoid.value_and_gradient(theta)[0], LinearUnitLoss(X, y).value_and_gradient(theta)[1]

    assert not gradient_check(missing_factor, THETA).claim(1e-3).holds


def test_a_gradient_of_another_shape_is_refused():
    with pytest.raises(ValueError, match=r"shape \(1,\), the parameters \(2,\)"):
        gradient_check(lambda t: (0.0, np.zeros(1)), np.zeros(2))
