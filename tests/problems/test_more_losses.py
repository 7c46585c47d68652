"""Regression losses and further margin losses: definitions, conjugates, smoothness, what they minimise (D3, D4)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import _sgd_fast
from tests.cases import each

from learnable._jit.core.compile import exact_kernel
from learnable._jit.linear import stochastic_gradient  # noqa: F401  (its import registers every formula)
from learnable.problems.linear import losses
from learnable.problems.linear.glm import ENTROPIC, slope_range
from learnable.problems.linear.losses import Hinge, Logistic, Squared
from learnable.problems.linear.margin_losses import (
    Deviance,
    Exponential,
    ModifiedHuber,
    Ramp,
    SquaredHinge,
    ZeroOne,
    minimiser,
)
from learnable.problems.linear.regression_losses import Absolute, EpsilonInsensitive, Huber, SquaredEpsilonInsensitive

REGRESSION = [Absolute(), Huber(0.7), EpsilonInsensitive(0.4), SquaredEpsilonInsensitive(0.4)]
MARGIN = [SquaredHinge(), ModifiedHuber(), Exponential(), Deviance()]
CONVEX = REGRESSION + MARGIN
scores = st.floats(-20.0, 20.0)
signs = st.sampled_from([-1.0, 1.0])


def target(loss, sign):
    # By type: all losses without a parameter are equal as tuples.
    return 0.7 * sign if type(loss) in {type(each) for each in REGRESSION} else sign


@each("loss", CONVEX, ids=repr)
@settings(max_examples=60, deadline=None)
@given(f=scores, u=st.floats(-3.0, 3.0), sign=signs)
def test_fenchel_young_inequality(loss, f, u, sign):
    y = target(loss, sign)
    both = float(losses.value(loss, y, f) + losses.conjugate(loss, y, u))
    assert both >= u * f - 1e-12 * (1.0 + abs(u * f))


@each("loss", CONVEX, ids=repr)
@settings(max_examples=60, deadline=None)
@given(f=scores, sign=signs)
def test_fenchel_young_equality_at_the_gradient(loss, f, sign):
    y = target(loss, sign)
    u = float(losses.gradient(loss, y, f))
    both = float(losses.value(loss, y, f) + losses.conjugate(loss, y, u))
    assert both == pytest.approx(u * f, rel=1e-9, abs=1e-9)


@each("loss", CONVEX, ids=repr)
def test_conjugate_is_the_supremum(loss):
    f = np.linspace(-40.0, 40.0, 320_001)
    for sign in (-1.0, 1.0):
        y = target(loss, sign)
        for u in (-0.6 * sign, -0.2 * sign, 0.0):
            supremum = np.max(u * f - losses.value(loss, y, f))
            assert float(losses.conjugate(loss, y, u)) == pytest.approx(supremum, abs=1e-6)


@each(("loss", "outside"), [(Absolute(), 1.01), (Huber(0.7), 0.71), (EpsilonInsensitive(0.4), -1.01)])
def test_conjugate_is_infinite_beyond_the_steepest_slope(loss, outside):
    assert losses.conjugate(loss, 0.3, outside) == np.inf


@each("loss", MARGIN, ids=repr)
def test_conjugate_is_infinite_on_the_wrong_side(loss):
    assert losses.conjugate(loss, 1.0, 0.01) == np.inf
    assert losses.conjugate(loss, -1.0, -0.01) == np.inf
    assert losses.conjugate(ModifiedHuber(), 1.0, -4.01) == np.inf


@each("delta", [0.1, 1.0, 3.0])
def test_huber_is_continuous_with_its_slope_at_delta(delta):
    loss, h = Huber(delta), 1e-9
    for side in (-1.0, 1.0):
        inside, outside = side * delta * (1 - h), side * delta * (1 + h)
        assert losses.value(loss, 0.0, inside) == pytest.approx(losses.value(loss, 0.0, outside), abs=1e-7 * delta**2)
        assert losses.gradient(loss, 0.0, inside) == pytest.approx(losses.gradient(loss, 0.0, outside), abs=1e-7)
        # Half of r² within δ, half of 2δ|r| − δ² beyond; the absolute and the ε-insensitive loss beside it.
        for r in (0.3 * delta, 0.9 * delta, 1.5 * delta, 4.0 * delta):
            y, f = 0.2, 0.2 - side * r
            twice = r**2 if r <= delta else 2.0 * delta * r - delta**2
            assert 2.0 * losses.value(loss, y, f) == pytest.approx(twice)
            assert losses.gradient(loss, y, f) == pytest.approx(-side * min(r, delta))
            assert losses.value(Absolute(), y, f) == pytest.approx(r)
            assert losses.value(EpsilonInsensitive(delta), y, f) == pytest.approx(max(r - delta, 0.0), abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(r=st.floats(-5.0, 5.0), delta=st.floats(0.05, 4.0))
def test_huber_is_half_of_the_form_without_a_half(r, delta):
    whole = r**2 if abs(r) <= delta else 2 * delta * abs(r) - delta**2
    assert 2.0 * float(losses.value(Huber(delta), r, 0.0)) == pytest.approx(whole, abs=1e-12)


def test_limits_between_the_losses():
    f = np.linspace(-3.0, 3.0, 61)
    np.testing.assert_allclose(losses.value(Huber(100.0), 0.5, f), losses.value(Squared(), 0.5, f))
    np.testing.assert_allclose(losses.value(EpsilonInsensitive(0.0), 0.5, f), losses.value(Absolute(), 0.5, f))
    np.testing.assert_allclose(losses.value(Huber(1e-6), 0.5, f) / 1e-6, losses.value(Absolute(), 0.5, f), atol=1e-6)


@each("y", [-1.0, 1.0])
def test_modified_huber_is_smooth_where_its_pieces_meet(y):
    for meeting in (-1.0, 1.0):
        below, above = y * (meeting - 1e-9), y * (meeting + 1e-9)
        for formula in (losses.value, losses.gradient):
            assert float(formula(ModifiedHuber(), y, below)) == pytest.approx(
                float(formula(ModifiedHuber(), y, above)), abs=1e-7
            )


@each(
    ("ours", "theirs"),
    [
        (ModifiedHuber(), _sgd_fast.ModifiedHuber()),
        (SquaredHinge(), _sgd_fast.SquaredHinge(1.0)),
        (EpsilonInsensitive(0.3), _sgd_fast.EpsilonInsensitive(0.3)),
        (SquaredEpsilonInsensitive(0.3), _sgd_fast.SquaredEpsilonInsensitive(0.3)),
    ],
    ids=lambda loss: type(loss).__name__,
)
def test_the_same_numbers_as_scikit_learn(ours, theirs):
    for y in (-1.0, 1.0):
        for f in np.linspace(-3.0, 3.0, 41) + 0.01:
            assert float(losses.value(ours, y, f)) == pytest.approx(theirs.py_loss(f, y), abs=1e-12)
            assert float(losses.gradient(ours, y, f)) == pytest.approx(theirs.py_dloss(f, y), abs=1e-12)


@settings(max_examples=80, deadline=None)
@given(f=scores, y=signs)
def test_domination_of_the_zero_one_loss(f, y):
    mistake = float(losses.value(ZeroOne(), y, f))
    assert mistake == float(y * f <= 0.0)
    for loss in (SquaredHinge(), ModifiedHuber(), Exponential(), Ramp(0.8)):
        assert float(losses.value(loss, y, f)) >= mistake - 1e-15
    assert float(losses.value(Deviance(), y, f)) / np.log(2.0) >= mistake - 1e-15
    # The ramp also lies below the hinge of the same width.
    assert float(losses.value(Ramp(0.8), y, f)) <= float(losses.value(Hinge(), y, f / 0.8)) + 1e-15


@each(
    "loss",
    [Squared(), Logistic(), Hinge(), SquaredHinge(), ModifiedHuber(), Exponential(), Deviance(), Ramp(0.8), ZeroOne()],
    ids=repr,
)
@each("p", [0.05, 0.3, 0.5001, 0.9])
def test_population_minimiser_by_search(loss, p):
    f = np.linspace(-4.0, 4.0, 80_001)
    risk = p * losses.value(loss, 1.0, f) + (1 - p) * losses.value(loss, -1.0, f)
    best = minimiser(loss, p)
    attained = p * losses.value(loss, 1.0, best) + (1 - p) * losses.value(loss, -1.0, best)
    assert float(attained) <= risk.min() + 1e-8
    assert np.sign(best) == np.sign(p - 0.5)


value, gradient = losses.value, losses.gradient


@exact_kernel
def in_a_kernel(loss, y, points):
    out = np.empty((len(points), 2))
    for i in range(len(points)):
        out[i, 0] = value(loss, y, points[i])
        out[i, 1] = gradient(loss, y, points[i])
    return out


@each("loss", [Huber(0.7), SquaredEpsilonInsensitive(0.4), ModifiedHuber(), Deviance()], ids=repr)
def test_kernels_use_the_same_formulas(loss):
    points = np.array([-3.0, -1.0, -0.4, 0.0, 0.3, 0.7, 1.0, 2.5])
    for y in (-1.0, 1.0):
        whole = np.column_stack([value(loss, y, points), gradient(loss, y, points)])
        np.testing.assert_allclose(in_a_kernel(loss, y, points), whole, rtol=1e-13, atol=1e-15)


def test_the_exponential_does_not_overflow():
    with np.errstate(over="raise"):
        assert np.isfinite(losses.value(Exponential(), 1.0, -1e6))


def test_entropic_losses_scale_their_conjugates():
    for loss in (kind() for kind in ENTROPIC):
        y, f, c = (
            np.array([0.5, 1.0, 7.0])[:, None],
            np.array([-2.0, 0.3, 1.5]),
            np.array([0.2, 0.999, 1.7])[:, None, None],
        )
        u = losses.gradient(loss, y, f)
        (end,) = (ends for ends in slope_range(loss, y) if np.isfinite(ends).all())
        scaled = c * losses.conjugate(loss, y, u) + c * np.log(c) * np.abs(u - end)
        np.testing.assert_allclose(losses.conjugate(loss, y, end + c * (u - end)), scaled, rtol=1e-12, atol=1e-12)
