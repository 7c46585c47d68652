"""Losses ℓ(y, f) of one prediction f: value, slope, curvature and convex conjugate in f.

Margin losses take labels y ∈ {−1, +1}. At a kink the stated side of the subdifferential is used:
hinge −y only when y·f < 1; perceptron −y when y·f ≤ 0, since a zero margin counts as a mistake.
Syllabus: D3, P10, C5.
"""

from typing import NamedTuple

import numpy as np

from learnable.problems.core.formula import formula


class Squared(NamedTuple):
    """½ (y − f)²."""


class Logistic(NamedTuple):
    """log(1 + e^{−y f}), y ∈ {−1, +1}."""


class Hinge(NamedTuple):
    """(1 − y f)₊, y ∈ {−1, +1}."""


class PerceptronLoss(NamedTuple):
    """(−y f)₊, y ∈ {−1, +1}."""


@formula
def value(loss, y, f):
    """ℓ(y, f)."""


@formula
def gradient(loss, y, f):
    """∂ℓ/∂f, the stated subgradient at a kink."""


@formula
def curvature(loss, y, f):
    """∂²ℓ/∂f²."""


@formula
def conjugate(loss, y, u):
    """ℓ*(u) = sup over f of u·f − ℓ(y, f); +∞ outside its domain."""


@value.of(Squared)
def _(loss, y, f):
    return 0.5 * (y - f) ** 2


@gradient.of(Squared)
def _(loss, y, f):
    return f - y


@curvature.of(Squared)
def _(loss, y, f):
    return np.ones_like(f)


@conjugate.of(Squared)
def _(loss, y, u):
    return u * (0.5 * u + y)


@value.of(Logistic)
def _(loss, y, f):
    margin = y * f
    # log(1 + e^{−m}) without overflow: the exponent is never positive.
    return np.maximum(-margin, 0.0) + np.log1p(np.exp(-np.abs(margin)))


@gradient.of(Logistic)
def _(loss, y, f):
    # −y σ(−y f); the clip keeps exp finite and changes no representable result.
    return -y / (1.0 + np.exp(np.minimum(y * f, 700.0)))


@curvature.of(Logistic)
def _(loss, y, f):
    e = np.exp(-np.abs(f))
    return e / (1.0 + e) ** 2


@conjugate.of(Logistic)
def _(loss, y, u):
    a = -y * u
    inside = (a >= 0.0) & (a <= 1.0)
    p = np.minimum(np.maximum(a, 1e-300), 1.0)
    q = np.minimum(np.maximum(1.0 - a, 1e-300), 1.0)
    return np.where(inside, p * np.log(p) + q * np.log(q), np.inf)


@value.of(Hinge)
def _(loss, y, f):
    return np.maximum(1.0 - y * f, 0.0)


@gradient.of(Hinge)
def _(loss, y, f):
    return -y * (y * f < 1.0)


@curvature.of(Hinge)
def _(loss, y, f):
    return np.zeros_like(f)


@conjugate.of(Hinge)
def _(loss, y, u):
    a = y * u
    return np.where((a >= -1.0) & (a <= 0.0), a, np.inf)


@value.of(PerceptronLoss)
def _(loss, y, f):
    return np.maximum(-y * f, 0.0)


@gradient.of(PerceptronLoss)
def _(loss, y, f):
    return -y * (y * f <= 0.0)


@curvature.of(PerceptronLoss)
def _(loss, y, f):
    return np.zeros_like(f)


@conjugate.of(PerceptronLoss)
def _(loss, y, u):
    a = y * u
    return np.where((a >= -1.0) & (a <= 0.0), 0.0 * a, np.inf)
