"""Losses of generalised linear models: −log-likelihood of y given the linear predictor f, one loss a family and link.

Each is half the unit deviance up to a term in y alone. The expected curvature E[∂²ℓ/∂f²] is the Fisher information of
one row; it equals the curvature for a canonical link. A loss is +∞ where f belongs to no mean of the family.
Syllabus: O8, C5, C7.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, log_ndtr, xlogy

from learnable.problems.core.formula import formula
from learnable.problems.linear import families, links
from learnable.problems.linear.links import exponential
from learnable.problems.linear.losses import Squared, conjugate, curvature, gradient, value


class GaussianLog(NamedTuple):
    """½ (y − e^f)²; not convex."""


class BinomialLogit(NamedTuple):
    """log(1 + e^f) − y f, 0 ≤ y ≤ 1."""


class BinomialProbit(NamedTuple):
    """−y log Φ(f) − (1 − y) log Φ(−f), 0 ≤ y ≤ 1."""


class BinomialCLogLog(NamedTuple):
    """−y log(1 − e^{−t}) + (1 − y) t with t = e^f, 0 ≤ y ≤ 1."""


class PoissonLog(NamedTuple):
    """e^f − y f, y ≥ 0."""


class PoissonIdentity(NamedTuple):
    """f − y log f, y ≥ 0, f > 0."""


class GammaLog(NamedTuple):
    """f + y e^{−f}, y > 0."""


class GammaInverse(NamedTuple):
    """y f − log f, y > 0, f > 0."""


# Losses whose slopes u have one end e of their range, with ℓ*(e + c (u − e)) = c ℓ*(u) + c log c |u − e| for c > 0.
ENTROPIC = (PoissonLog, GammaLog)


class GLM(NamedTuple):
    """A family with a link.

    Attributes
    ----------
    family, link, loss : what the mean is, how it depends on f, and what is minimised.
    canonical : whether ∂ℓ/∂f = ±(μ − y), so that fitted means balance the targets.
    convex : whether the loss is convex in f.
    """

    family: families.Family
    link: links.Link
    loss: NamedTuple
    canonical: bool
    convex: bool

    @property
    def positive(self) -> bool:
        """Whether only a positive f belongs to a mean."""
        return isinstance(self.loss, PoissonIdentity | GammaInverse)


MODELS = {
    ("gaussian", "identity"): GLM(families.Gaussian(), links.Identity(), Squared(), True, True),
    ("gaussian", "log"): GLM(families.Gaussian(), links.Log(), GaussianLog(), False, False),
    ("binomial", "logit"): GLM(families.Binomial(), links.Logit(), BinomialLogit(), True, True),
    ("binomial", "probit"): GLM(families.Binomial(), links.Probit(), BinomialProbit(), False, True),
    ("binomial", "cloglog"): GLM(families.Binomial(), links.CLogLog(), BinomialCLogLog(), False, True),
    ("poisson", "log"): GLM(families.Poisson(), links.Log(), PoissonLog(), True, True),
    ("poisson", "identity"): GLM(families.Poisson(), links.Identity(), PoissonIdentity(), False, True),
    ("gamma", "log"): GLM(families.Gamma(), links.Log(), GammaLog(), False, True),
    ("gamma", "inverse"): GLM(families.Gamma(), links.Inverse(), GammaInverse(), True, True),
}
# The link of `link="auto"`: the canonical one, but for gamma, where 1/μ restricts f to f > 0.
USUAL_LINK = {"gaussian": "identity", "binomial": "logit", "poisson": "log", "gamma": "log"}


def model_of(family: str, link: str) -> GLM:
    """The model of a family and a link by their names, "auto" for the usual link.

    >>> model_of("poisson", "auto").loss
    PoissonLog()
    """
    if family not in USUAL_LINK:
        raise ValueError(f"family={family!r} is not known; families: {', '.join(map(repr, USUAL_LINK))}")
    chosen = USUAL_LINK[family] if link == "auto" else link
    try:
        return MODELS[family, chosen]
    except KeyError:
        known = ", ".join(repr(other) for of, other in MODELS if of == family)
        raise ValueError(f"link={link!r} does not belong to family={family!r}; its links: {known}") from None


@formula
def expected_curvature(loss, y, f):
    """E[∂²ℓ/∂f²] over y of mean μ(f) = μ'(f)²/V(μ)."""


@formula
def slope_range(loss, y):
    """(lower, upper): the closed interval of u on which the conjugate is finite."""


@expected_curvature.of(Squared)
def _(loss, y, f):
    return np.ones_like(f)


@slope_range.of(Squared)
def _(loss, y):
    return np.full_like(y, -np.inf), np.full_like(y, np.inf)


@value.of(GaussianLog)
def _(loss, y, f):
    return 0.5 * (y - exponential(f)) ** 2


@gradient.of(GaussianLog)
def _(loss, y, f):
    mu = exponential(f)
    return (mu - y) * mu


@curvature.of(GaussianLog)
def _(loss, y, f):
    mu = exponential(f)
    return (2.0 * mu - y) * mu


@expected_curvature.of(GaussianLog)
def _(loss, y, f):
    return exponential(f) ** 2


@value.of(BinomialLogit)
def _(loss, y, f):
    return np.maximum(f, 0.0) - y * f + np.log1p(np.exp(-np.abs(f)))


@gradient.of(BinomialLogit)
def _(loss, y, f):
    return expit(f) - y


@curvature.of(BinomialLogit)
def _(loss, y, f):
    return expit(f) * expit(-f)


@expected_curvature.of(BinomialLogit)
def _(loss, y, f):
    return expit(f) * expit(-f)


@conjugate.of(BinomialLogit)
def _(loss, y, u):
    p = u + y
    return np.where((p >= 0.0) & (p <= 1.0), xlogy(p, np.abs(p)) + xlogy(1.0 - p, np.abs(1.0 - p)), np.inf)


@slope_range.of(BinomialLogit)
def _(loss, y):
    return -y, 1.0 - y


def _mills(f):
    """φ(f)/Φ(f): through logarithms, since both vanish far to the left."""
    return np.exp(-0.5 * f**2 - 0.5 * np.log(2.0 * np.pi) - log_ndtr(f))


@value.of(BinomialProbit)
def _(loss, y, f):
    # A weight of zero must win over an infinite logarithm.
    return -np.where(y > 0.0, y * log_ndtr(f), 0.0) - np.where(y < 1.0, (1.0 - y) * log_ndtr(-f), 0.0)


@gradient.of(BinomialProbit)
def _(loss, y, f):
    return (1.0 - y) * _mills(-f) - y * _mills(f)


@curvature.of(BinomialProbit)
def _(loss, y, f):
    left, right = _mills(f), _mills(-f)
    # Far out the two terms of each bracket cancel; the curvature of −log Φ lies between 0 and 1.
    return y * left * np.maximum(left + f, 0.0) + (1.0 - y) * right * np.maximum(right - f, 0.0)


@expected_curvature.of(BinomialProbit)
def _(loss, y, f):
    return _mills(f) * _mills(-f)


def _waiting(f):
    """(t, s) with t = e^f and s = t/(e^t − 1), the slope of log(1 − e^{−t}) in f."""
    t = exponential(f)
    return t, np.where(t < 1e-300, 1.0, t / np.expm1(np.clip(t, 1e-300, 700.0))) * (t <= 700.0)


@value.of(BinomialCLogLog)
def _(loss, y, f):
    t = exponential(f)
    # log(1 − e^{−t}) = f − t/2 + … where e^{−t} rounds to one.
    log_mean = np.where(t > 1e-12, np.log(-np.expm1(-np.maximum(t, 1e-12))), f - 0.5 * t)
    return (1.0 - y) * t - y * log_mean


@gradient.of(BinomialCLogLog)
def _(loss, y, f):
    t, s = _waiting(f)
    return (1.0 - y) * t - y * s


@curvature.of(BinomialCLogLog)
def _(loss, y, f):
    t, s = _waiting(f)
    # s + t − 1 = t/2 + t²/12 − …, which cancels for small t.
    excess = np.where(t < 1e-4, 0.5 * t + t**2 / 12.0, s + t - 1.0)
    return (1.0 - y) * t + y * s * excess


@expected_curvature.of(BinomialCLogLog)
def _(loss, y, f):
    t, s = _waiting(f)
    return t * s


@value.of(PoissonLog)
def _(loss, y, f):
    return exponential(f) - y * f


@gradient.of(PoissonLog)
def _(loss, y, f):
    return exponential(f) - y


@curvature.of(PoissonLog)
def _(loss, y, f):
    return exponential(f)


@expected_curvature.of(PoissonLog)
def _(loss, y, f):
    return exponential(f)


@conjugate.of(PoissonLog)
def _(loss, y, u):
    mu = u + y
    return np.where(mu >= 0.0, mu * np.log(_inside(mu)) - mu, np.inf)


@slope_range.of(PoissonLog)
def _(loss, y):
    return -y, np.full_like(y, np.inf)


def _inside(f):
    """f where it is positive, else one: for formulas that are replaced there."""
    return np.where(f > 0.0, f, 1.0)


@value.of(PoissonIdentity)
def _(loss, y, f):
    return np.where(f > 0.0, f - xlogy(y, _inside(f)), np.inf)


@gradient.of(PoissonIdentity)
def _(loss, y, f):
    return 1.0 - y / _inside(f)


@curvature.of(PoissonIdentity)
def _(loss, y, f):
    return y / _inside(f) ** 2


@expected_curvature.of(PoissonIdentity)
def _(loss, y, f):
    return 1.0 / _inside(f)


@conjugate.of(PoissonIdentity)
def _(loss, y, u):
    rest = 1.0 - u
    return np.where((rest > 0.0) | ((rest == 0.0) & (y == 0.0)), xlogy(y, y) - y - xlogy(y, np.abs(rest)), np.inf)


@slope_range.of(PoissonIdentity)
def _(loss, y):
    return np.full_like(y, -np.inf), np.ones_like(y)


@value.of(GammaLog)
def _(loss, y, f):
    return f + y * exponential(-f)


@gradient.of(GammaLog)
def _(loss, y, f):
    return 1.0 - y * exponential(-f)


@curvature.of(GammaLog)
def _(loss, y, f):
    return y * exponential(-f)


@expected_curvature.of(GammaLog)
def _(loss, y, f):
    return np.ones_like(f)


@conjugate.of(GammaLog)
def _(loss, y, u):
    rest = 1.0 - u
    return np.where(rest >= 0.0, xlogy(rest, np.abs(rest) / y) - rest, np.inf)


@slope_range.of(GammaLog)
def _(loss, y):
    return np.full_like(y, -np.inf), np.ones_like(y)


@value.of(GammaInverse)
def _(loss, y, f):
    return np.where(f > 0.0, y * f - np.log(_inside(f)), np.inf)


@gradient.of(GammaInverse)
def _(loss, y, f):
    return y - 1.0 / _inside(f)


@curvature.of(GammaInverse)
def _(loss, y, f):
    return 1.0 / _inside(f) ** 2


@expected_curvature.of(GammaInverse)
def _(loss, y, f):
    return 1.0 / _inside(f) ** 2


@conjugate.of(GammaInverse)
def _(loss, y, u):
    mu = y - u
    return np.where(mu > 0.0, -1.0 - np.log(np.where(mu > 0.0, mu, 1.0)), np.inf)


@slope_range.of(GammaInverse)
def _(loss, y):
    return np.full_like(y, -np.inf), y
