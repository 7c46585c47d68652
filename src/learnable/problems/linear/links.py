"""Link functions g of generalised linear models: a mean μ with g(μ) = f, the linear predictor.

Each link has its domain of means, its inverse μ(f) and the slope μ'(f) of the inverse. Syllabus: O8.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

from learnable.problems.core.formula import formula

# Beyond these the exponential overflows, in double and in single precision. Scores are held below them, so that sums
# stay finite or become infinite, never undefined.
LARGEST_EXPONENT = 700.0
LARGEST_EXPONENT_SINGLE = 88.0


class Identity(NamedTuple):
    """f = μ."""


class Log(NamedTuple):
    """f = log μ, μ > 0."""


class Inverse(NamedTuple):
    """f = 1/μ, μ > 0."""


class Logit(NamedTuple):
    """f = log(μ / (1 − μ)), 0 < μ < 1."""


class Probit(NamedTuple):
    """f = Φ⁻¹(μ), 0 < μ < 1, with Φ the normal distribution function."""


class CLogLog(NamedTuple):
    """f = log(−log(1 − μ)), 0 < μ < 1."""


Link = Identity | Log | Inverse | Logit | Probit | CLogLog


@formula
def domain(link):
    """(lower, upper): the open interval of means the link maps to the real line."""


@formula
def predictor(link, mu):
    """f = g(μ)."""


@formula
def mean(link, f):
    """μ = g⁻¹(f)."""


@formula
def mean_slope(link, f):
    """dμ/df."""


def exponential(f):
    """e^f, held finite.

    >>> bool(np.isfinite(exponential(1e6)))
    True
    """
    single = getattr(f, "dtype", None) == np.float32
    return np.exp(np.minimum(f, LARGEST_EXPONENT_SINGLE if single else LARGEST_EXPONENT))


@domain.of(Identity)
def _(link):
    return -np.inf, np.inf


@predictor.of(Identity)
def _(link, mu):
    return mu


@mean.of(Identity)
def _(link, f):
    return f


@mean_slope.of(Identity)
def _(link, f):
    return np.ones_like(f)


@domain.of(Log)
def _(link):
    return 0.0, np.inf


@predictor.of(Log)
def _(link, mu):
    return np.log(mu)


@mean.of(Log)
def _(link, f):
    return exponential(f)


@mean_slope.of(Log)
def _(link, f):
    return exponential(f)


@domain.of(Inverse)
def _(link):
    return 0.0, np.inf


@predictor.of(Inverse)
def _(link, mu):
    return 1.0 / mu


@mean.of(Inverse)
def _(link, f):
    return 1.0 / f


@mean_slope.of(Inverse)
def _(link, f):
    return -1.0 / f**2


@domain.of(Logit)
def _(link):
    return 0.0, 1.0


@predictor.of(Logit)
def _(link, mu):
    return logit(mu)


@mean.of(Logit)
def _(link, f):
    return expit(f)


@mean_slope.of(Logit)
def _(link, f):
    return expit(f) * expit(-f)


@domain.of(Probit)
def _(link):
    return 0.0, 1.0


@predictor.of(Probit)
def _(link, mu):
    return ndtri(mu)


@mean.of(Probit)
def _(link, f):
    return ndtr(f)


@mean_slope.of(Probit)
def _(link, f):
    return np.exp(-0.5 * f**2) / np.sqrt(2.0 * np.pi)


@domain.of(CLogLog)
def _(link):
    return 0.0, 1.0


@predictor.of(CLogLog)
def _(link, mu):
    return np.log(-np.log1p(-mu))


@mean.of(CLogLog)
def _(link, f):
    return -np.expm1(-exponential(f))


@mean_slope.of(CLogLog)
def _(link, f):
    t = exponential(f)
    return t * np.exp(-t)
