"""Losses of a residual r = y − f that are gentler than its square: absolute, Huber, ε-insensitive.

Scaled like `losses.Squared`, ½ r²: Huber's loss here is half of the form r² (|r| ≤ δ), 2δ|r| − δ² (|r| > δ).
At a kink the subgradient is 0. Syllabus: D4.
"""

from typing import NamedTuple

import numpy as np

from learnable.problems.linear.losses import conjugate, curvature, gradient, value


class Absolute(NamedTuple):
    """|y − f|."""


class Huber(NamedTuple):
    """½ r² where |r| ≤ δ, else δ|r| − ½ δ²: a square that goes on as a straight line of the same slope."""

    delta: float


class EpsilonInsensitive(NamedTuple):
    """(|y − f| − ε)₊: nothing is lost within ε of the target."""

    epsilon: float


class SquaredEpsilonInsensitive(NamedTuple):
    """(|y − f| − ε)₊²."""

    epsilon: float


@value.of(Absolute)
def _(loss, y, f):
    return np.abs(y - f)


@gradient.of(Absolute)
def _(loss, y, f):
    return np.sign(f - y)


@curvature.of(Absolute)
def _(loss, y, f):
    return np.zeros_like(f)


@conjugate.of(Absolute)
def _(loss, y, u):
    return np.where(np.abs(u) <= 1.0, u * y, np.inf)


@value.of(Huber)
def _(loss, y, f):
    r = np.abs(y - f)
    # The part within δ is squared, the rest counts δ for each unit.
    inner = np.minimum(r, loss.delta)
    return inner * (r - 0.5 * inner)


@gradient.of(Huber)
def _(loss, y, f):
    return np.minimum(np.maximum(f - y, -loss.delta), loss.delta)


@curvature.of(Huber)
def _(loss, y, f):
    return 1.0 * (np.abs(y - f) <= loss.delta)


@conjugate.of(Huber)
def _(loss, y, u):
    return np.where(np.abs(u) <= loss.delta, u * (0.5 * u + y), np.inf)


@value.of(EpsilonInsensitive)
def _(loss, y, f):
    return np.maximum(np.abs(y - f) - loss.epsilon, 0.0)


@gradient.of(EpsilonInsensitive)
def _(loss, y, f):
    r = f - y
    return np.sign(r) * (np.abs(r) > loss.epsilon)


@curvature.of(EpsilonInsensitive)
def _(loss, y, f):
    return np.zeros_like(f)


@conjugate.of(EpsilonInsensitive)
def _(loss, y, u):
    return np.where(np.abs(u) <= 1.0, u * y + loss.epsilon * np.abs(u), np.inf)


@value.of(SquaredEpsilonInsensitive)
def _(loss, y, f):
    return np.maximum(np.abs(y - f) - loss.epsilon, 0.0) ** 2


@gradient.of(SquaredEpsilonInsensitive)
def _(loss, y, f):
    r = f - y
    return 2.0 * np.sign(r) * np.maximum(np.abs(r) - loss.epsilon, 0.0)


@curvature.of(SquaredEpsilonInsensitive)
def _(loss, y, f):
    return 2.0 * (np.abs(y - f) > loss.epsilon)


@conjugate.of(SquaredEpsilonInsensitive)
def _(loss, y, u):
    return u * y + loss.epsilon * np.abs(u) + 0.25 * u**2
