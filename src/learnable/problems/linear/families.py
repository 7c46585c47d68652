"""Families of distributions of generalised linear models: which targets they allow, variance V(μ) and deviance.

The unit deviance d(y, μ) ≥ 0 is twice the log-likelihood that the mean μ loses against the mean y, in units of the
dispersion. The variance of y is the dispersion times V(μ). Syllabus: O8.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import kl_div

from learnable.problems.core.formula import formula


class Gaussian(NamedTuple):
    """y real, V(μ) = 1."""


class Binomial(NamedTuple):
    """y a share of successes, V(μ) = μ (1 − μ)."""


class Poisson(NamedTuple):
    """y a count or a rate, V(μ) = μ."""


class Gamma(NamedTuple):
    """y positive, V(μ) = μ²."""


Family = Gaussian | Binomial | Poisson | Gamma


@formula
def allowed(family, y):
    """Whether each y can come from the family."""


@formula
def requirement(family):
    """The same in words."""


@formula
def mean_range(family):
    """(lower, upper): the open interval of means."""


@formula
def variance(family, mu):
    """V(μ)."""


@formula
def unit_deviance(family, y, mu):
    """d(y, μ) = 2 (log-likelihood of the mean y − log-likelihood of the mean μ)."""


@allowed.of(Gaussian)
def _(family, y):
    return np.isfinite(y)


@requirement.of(Gaussian)
def _(family):
    return "finite numbers"


@mean_range.of(Gaussian)
def _(family):
    return -np.inf, np.inf


@variance.of(Gaussian)
def _(family, mu):
    return np.ones_like(mu)


@unit_deviance.of(Gaussian)
def _(family, y, mu):
    return (y - mu) ** 2


@allowed.of(Binomial)
def _(family, y):
    return (y >= 0.0) & (y <= 1.0)


@requirement.of(Binomial)
def _(family):
    return "0 <= y <= 1 (0 and 1, or shares of successes with the numbers of trials as sample_weight)"


@mean_range.of(Binomial)
def _(family):
    return 0.0, 1.0


@variance.of(Binomial)
def _(family, mu):
    return mu * (1.0 - mu)


@unit_deviance.of(Binomial)
def _(family, y, mu):
    return 2.0 * (kl_div(y, mu) + kl_div(1.0 - y, 1.0 - mu))


@allowed.of(Poisson)
def _(family, y):
    return (y >= 0.0) & (y < np.inf)


@requirement.of(Poisson)
def _(family):
    return "y >= 0"


@mean_range.of(Poisson)
def _(family):
    return 0.0, np.inf


@variance.of(Poisson)
def _(family, mu):
    return mu


@unit_deviance.of(Poisson)
def _(family, y, mu):
    return 2.0 * kl_div(y, mu)  # y log(y / μ) − y + μ


@allowed.of(Gamma)
def _(family, y):
    return (y > 0.0) & (y < np.inf)


@requirement.of(Gamma)
def _(family):
    return "y > 0"


@mean_range.of(Gamma)
def _(family):
    return 0.0, np.inf


@variance.of(Gamma)
def _(family, mu):
    return mu**2


@unit_deviance.of(Gamma)
def _(family, y, mu):
    return 2.0 * (np.log(mu / y) + y / mu - 1.0)
