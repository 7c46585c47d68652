"""Losses: conjugates, slopes and curvatures by their definitions; convexity; domination of the 0-1 loss (D3)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import each

from learnable.problems.linear import losses
from learnable.problems.linear.losses import Hinge, Logistic, PerceptronLoss, Squared

MARGIN_LOSSES = [Logistic(), Hinge(), PerceptronLoss()]
ALL = [Squared(), *MARGIN_LOSSES]
scores = st.floats(-50.0, 50.0)
labels = st.sampled_from([-1.0, 1.0])


def target(loss, sign):
    return 0.7 * sign if isinstance(loss, Squared) else sign


@each("loss", ALL, ids=repr)
@settings(max_examples=40, deadline=None)
@given(f=scores, u=st.floats(-3.0, 3.0), sign=labels)
def test_fenchel_young_inequality(loss, f, u, sign):
    y = target(loss, sign)
    left = float(losses.value(loss, y, f) + losses.conjugate(loss, y, u))
    assert left >= u * f - 1e-12 * (1.0 + abs(u * f))


@each("loss", ALL, ids=repr)
@settings(max_examples=40, deadline=None)
@given(f=scores, sign=labels)
def test_fenchel_young_equality_at_the_gradient(loss, f, sign):
    y = target(loss, sign)
    u = float(losses.gradient(loss, y, f))
    left = float(losses.value(loss, y, f) + losses.conjugate(loss, y, u))
    assert left == pytest.approx(u * f, abs=1e-10 * (1.0 + abs(f)))


@each("loss", ALL, ids=repr)
@each("sign", [-1.0, 1.0])
def test_conjugate_is_the_supremum(loss, sign):
    y = target(loss, sign)
    f = np.linspace(-60.0, 60.0, 240_001)
    for u in (-0.9 * sign, -0.3 * sign, 0.0):
        supremum = np.max(u * f - losses.value(loss, y, f))
        assert float(losses.conjugate(loss, y, u)) == pytest.approx(supremum, abs=1e-6)


@each("loss", MARGIN_LOSSES, ids=repr)
@each("sign", [-1.0, 1.0])
def test_conjugate_is_infinite_outside_its_domain(loss, sign):
    # The slopes of a margin loss lie between −y and 0: any other u has an unbounded supremum.
    for u in (-1.001 * sign, 0.001 * sign, 5.0, -5.0):
        assert losses.conjugate(loss, sign, u) == np.inf


@each("loss", ALL, ids=repr)
@settings(max_examples=40, deadline=None)
@given(f=scores, sign=labels)
def test_slope_and_curvature_by_differences(loss, f, sign):
    y, h = target(loss, sign), 1e-5
    kink = {Hinge: 1.0, PerceptronLoss: 0.0}.get(type(loss))
    if kink is not None and abs(y * f - kink) < 10 * h:
        return
    slope = (losses.value(loss, y, f + h) - losses.value(loss, y, f - h)) / (2 * h)
    assert float(losses.gradient(loss, y, f)) == pytest.approx(float(slope), abs=1e-6)
    bend = (losses.gradient(loss, y, f + h) - losses.gradient(loss, y, f - h)) / (2 * h)
    assert float(losses.curvature(loss, y, np.float64(f))) == pytest.approx(float(bend), abs=1e-6)


def test_stated_subgradients_at_the_kinks():
    for y in (-1.0, 1.0):
        assert losses.gradient(Hinge(), y, y) == 0.0
        assert losses.gradient(PerceptronLoss(), y, 0.0) == -y


@each("loss", ALL, ids=repr)
@settings(max_examples=40, deadline=None)
@given(f=scores, g=scores, share=st.floats(0.0, 1.0), sign=labels)
def test_convex(loss, f, g, share, sign):
    y = target(loss, sign)
    between = float(losses.value(loss, y, share * f + (1 - share) * g))
    chord = share * float(losses.value(loss, y, f)) + (1 - share) * float(losses.value(loss, y, g))
    assert between <= chord + 1e-9 * (1.0 + abs(chord))


@settings(max_examples=40, deadline=None)
@given(f=scores, y=labels)
def test_domination_of_the_zero_one_loss(f, y):
    mistake = float(y * f <= 0.0)
    assert losses.value(Hinge(), y, f) >= mistake
    # The deviance must be divided by log 2 to dominate.
    assert losses.value(Logistic(), y, f) / np.log(2.0) >= mistake - 1e-15
    assert 2.0 * losses.value(Squared(), y, f) >= mistake


def test_the_undivided_deviance_does_not_dominate():
    assert losses.value(Logistic(), 1.0, 0.0) < 1.0


@each("margin", [-1e300, -1e5, 1e5, 1e300])
def test_logistic_loss_does_not_overflow(margin):
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        assert losses.value(Logistic(), 1.0, margin) == max(-margin, 0.0)
        assert losses.gradient(Logistic(), 1.0, margin) == pytest.approx(-1.0 if margin < 0 else 0.0)
        assert losses.curvature(Logistic(), 1.0, np.float64(margin)) == 0.0


@settings(max_examples=40, deadline=None)
@given(f=scores)
def test_logistic_identity_of_the_two_labels(f):
    # log(1 + e^f) − log(1 + e^{−f}) = f
    difference = losses.value(Logistic(), -1.0, f) - losses.value(Logistic(), 1.0, f)
    assert float(difference) == pytest.approx(f, abs=1e-12)


def test_unknown_kind_is_named():
    with pytest.raises(TypeError, match=r"no formula for str; known: .*Hinge.*Logistic"):
        losses.value("hinge", 1.0, 1.0)
