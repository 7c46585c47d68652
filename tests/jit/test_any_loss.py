"""Losses that share compiled epochs are what they are alone."""

import numpy as np

from learnable._jit.linear.stochastic_gradient import MARGINS, RESIDUALS, any_loss
from learnable.problems.linear.losses import gradient, value
from learnable.problems.linear.margin_losses import Exponential


def test_a_loss_by_its_number_is_the_loss():
    losses = [kind() for kind in MARGINS] + [kind(*(0.3 for _ in kind._fields)) for kind in RESIDUALS]
    for loss in losses:
        shared = any_loss(loss)
        assert type(shared) is not type(loss)
        for y in (-1.0, 1.0):
            for f in np.linspace(-2.5, 2.5, 41):
                assert value(shared, y, f) == value(loss, y, f)
                assert gradient(shared, y, f) == gradient(loss, y, f)


def test_another_loss_stays_what_it_is():
    assert any_loss(Exponential()) == Exponential()
    assert type(any_loss(Exponential())) is Exponential
