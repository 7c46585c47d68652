"""More losses of a margin m = y·f, y ∈ {−1, +1}, beside those of `losses`: smooth hinges, exponential, ramp, 0-1.

`minimiser(loss, p)` is the score f that minimises the expected loss p ℓ(+1, f) + (1 − p) ℓ(−1, f) when the second
class has probability p: what a perfect learner would say. Syllabus: D3.
"""

from typing import NamedTuple

import numpy as np

from learnable.problems.core.formula import formula
from learnable.problems.linear.losses import Hinge, Logistic, Squared, conjugate, curvature, gradient, value


class SquaredHinge(NamedTuple):
    """(1 − y f)₊²."""


class ModifiedHuber(NamedTuple):
    """(1 − y f)₊² where y f ≥ −1, else −4 y f: the squared hinge with a straight tail."""


class Exponential(NamedTuple):
    """e^{−y f}."""


class Deviance(NamedTuple):
    """log(1 + e^{−2 y f}): the binomial deviance of the half log-odds f. Divided by log 2 it dominates the 0-1 loss."""


class Ramp(NamedTuple):
    """min(1, (1 − y f / ρ)₊), the ρ-margin loss: 1 for y f ≤ 0, 0 from y f = ρ on; not convex."""

    rho: float


class ZeroOne(NamedTuple):
    """1 when y f ≤ 0, else 0: a zero margin counts as a mistake."""


@formula
def minimiser(loss, p):
    """argmin over f of p ℓ(+1, f) + (1 − p) ℓ(−1, f), for 0 < p < 1; some f with the right sign where there are many.

    >>> float(minimiser(Exponential(), 0.75)) == float(minimiser(Deviance(), 0.75)) == float(0.5 * np.log(3.0))
    True
    """


@value.of(SquaredHinge)
def _(loss, y, f):
    return np.maximum(1.0 - y * f, 0.0) ** 2


@gradient.of(SquaredHinge)
def _(loss, y, f):
    return -2.0 * y * np.maximum(1.0 - y * f, 0.0)


@curvature.of(SquaredHinge)
def _(loss, y, f):
    return 2.0 * (y * f < 1.0)


@conjugate.of(SquaredHinge)
def _(loss, y, u):
    a = y * u
    return np.where(a <= 0.0, a + 0.25 * a**2, np.inf)


@value.of(ModifiedHuber)
def _(loss, y, f):
    m = y * f
    # The square as far as m = −1, from there on a line of slope −4.
    return np.minimum(np.maximum(1.0 - m, 0.0), 2.0) ** 2 + 4.0 * np.maximum(-1.0 - m, 0.0)


@gradient.of(ModifiedHuber)
def _(loss, y, f):
    return -2.0 * y * np.minimum(np.maximum(1.0 - y * f, 0.0), 2.0)


@curvature.of(ModifiedHuber)
def _(loss, y, f):
    return 2.0 * (np.abs(f) < 1.0)


@conjugate.of(ModifiedHuber)
def _(loss, y, u):
    a = y * u
    return np.where((a <= 0.0) & (a >= -4.0), a + 0.25 * a**2, np.inf)


@value.of(Exponential)
def _(loss, y, f):
    # e^700 stands for everything beyond: larger exponents are not numbers any more.
    return np.exp(np.minimum(-y * f, 700.0))


@gradient.of(Exponential)
def _(loss, y, f):
    return -y * np.exp(np.minimum(-y * f, 700.0))


@curvature.of(Exponential)
def _(loss, y, f):
    return np.exp(np.minimum(-y * f, 700.0))


@conjugate.of(Exponential)
def _(loss, y, u):
    a = np.maximum(-y * u, 0.0)
    inside = a * np.log(np.maximum(a, 1e-300)) - a
    return np.where(y * u <= 0.0, inside, np.inf)


@value.of(Deviance)
def _(loss, y, f):
    return value(Logistic(), y, 2.0 * f)


@gradient.of(Deviance)
def _(loss, y, f):
    return 2.0 * gradient(Logistic(), y, 2.0 * f)


@curvature.of(Deviance)
def _(loss, y, f):
    return 4.0 * curvature(Logistic(), y, 2.0 * f)


@conjugate.of(Deviance)
def _(loss, y, u):
    return conjugate(Logistic(), y, 0.5 * u)


@value.of(Ramp)
def _(loss, y, f):
    return np.minimum(np.maximum(1.0 - y * f / loss.rho, 0.0), 1.0)


@gradient.of(Ramp)
def _(loss, y, f):
    m = y * f
    return -y / loss.rho * ((m > 0.0) & (m < loss.rho))


@value.of(ZeroOne)
def _(loss, y, f):
    return 1.0 * (y * f <= 0.0)


@minimiser.of(Squared)
def _(loss, p):
    return 2.0 * p - 1.0


@minimiser.of(Logistic)
def _(loss, p):
    return np.log(p / (1.0 - p))


@minimiser.of(Exponential)
def _(loss, p):
    return 0.5 * np.log(p / (1.0 - p))


@minimiser.of(Deviance)
def _(loss, p):
    return 0.5 * np.log(p / (1.0 - p))


@minimiser.of(Hinge)
def _(loss, p):
    return np.where(p >= 0.5, 1.0, -1.0)


@minimiser.of(SquaredHinge)
def _(loss, p):
    return 2.0 * p - 1.0


@minimiser.of(ModifiedHuber)
def _(loss, p):
    return 2.0 * p - 1.0


@minimiser.of(Ramp)
def _(loss, p):
    return np.where(p >= 0.5, loss.rho, -loss.rho)


@minimiser.of(ZeroOne)
def _(loss, p):
    return np.where(p >= 0.5, 1.0, -1.0)
