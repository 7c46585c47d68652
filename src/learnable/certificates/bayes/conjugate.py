"""Conjugate updating: prior × likelihood is the posterior, up to a constant. Syllabus: U11, Y1."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import stats
from scipy.special import xlog1py, xlogy

from learnable.certificates.core.claim import Claim

# Of sums in double precision, with room for a million terms.
_ROUNDING = 1e-9
Parameters = Mapping[str, Any]


def conjugate_claims(
    name: str, prior: Parameters, posterior: Parameters, x: np.ndarray, weight: np.ndarray
) -> Sequence[Claim]:
    """Claims that `posterior` is the law of the parameter given the observations, by SciPy's densities.

    log posterior(θ) − log prior(θ) − log p(D|θ) must be the same at every θ: it is −log P(D). It is compared at points
    spread over the posterior and beyond.

    >>> flat, after = {"a": 1.0, "b": 1.0}, {"a": 3.0, "b": 2.0}
    >>> all(c.holds for c in conjugate_claims("BetaBernoulli", flat, after, np.array([1.0, 1.0, 0.0]), np.ones(3)))
    True
    """
    density, likelihood, points = _FAMILIES[name]
    grid = points(posterior)
    counted, weight = x[weight > 0.0], weight[weight > 0.0]
    with np.errstate(divide="ignore", invalid="ignore"):
        after = np.array([density(posterior, theta) for theta in grid])
        before = np.array([density(prior, theta) for theta in grid])
        joint = before + np.array([np.sum(weight * likelihood(prior, theta, counted)) for theta in grid])
        # Impossible before and after is agreement; on one side only it is not, and leaves an infinite spread.
        seen = ~((after == -np.inf) & (joint == -np.inf))
        evidence = joint[seen] - after[seen]
        spread = float(np.ptp(evidence)) if np.all(np.isfinite(evidence)) else np.inf
    finite = np.isfinite(after) & np.isfinite(joint)
    size = 1.0 + float(np.max(np.abs(after[finite]) + np.abs(before[finite]) + np.abs(joint[finite]), initial=0.0))
    constants = [float(np.max(np.abs(_array(prior[key]) - _array(posterior[key])))) for key in _KNOWN.get(name, ())]
    return [
        Claim.at_most("Y1", "prior × likelihood / posterior is the same for every parameter (spread of its logarithm)",
                      spread, _ROUNDING * size),
        Claim.at_most("Y1", "what was known beforehand is unchanged (largest difference)", max(constants, default=0.0),
                      0.0),
    ]  # fmt: skip


def _array(value: Any) -> np.ndarray:
    return np.asarray(value, dtype=float)


def _quantiles(law: Any) -> np.ndarray:
    return law.ppf(np.array([0.01, 0.1, 0.3, 0.5, 0.8, 0.97]))


def _beta(g: Parameters) -> Any:
    return stats.beta(g["a"], g["b"])


def _gamma(g: Parameters) -> Any:
    return stats.gamma(g["shape"], scale=1 / g["rate"])


def _normal(g: Parameters) -> Any:
    return stats.norm(g["location"], np.sqrt(g["variance"]))


def _pareto(g: Parameters) -> Any:
    return stats.pareto(g["shape"], scale=g["scale"])


def _dirichlet_points(g: Parameters) -> list[np.ndarray]:
    alpha = _array(g["alpha"])
    centre = alpha / alpha.sum()
    towards = [0.7 * centre + 0.3 * corner for corner in np.eye(len(alpha))]
    return [centre, *towards]


def _normal_inverse_gamma(g: Parameters, theta: np.ndarray) -> float:
    mean, variance = theta
    given = stats.norm.logpdf(mean, g["location"], np.sqrt(variance / g["strength"]))
    return float(given + stats.invgamma.logpdf(variance, g["shape"], scale=g["scale"]))


def _normal_inverse_gamma_points(g: Parameters) -> list[np.ndarray]:
    variances = stats.invgamma.ppf([0.1, 0.5, 0.9], g["shape"], scale=g["scale"])
    return [np.array([g["location"] + z * np.sqrt(v / g["strength"]), v]) for v in variances for z in (-1.5, 0.2, 2.0)]


def _level_shares(g: Parameters, theta: np.ndarray, x: np.ndarray) -> np.ndarray:
    place = {level: k for k, level in enumerate(g["levels"])}
    return np.log(theta[[place[cell] for cell in x.tolist()]]) if len(x) else np.zeros(0)


# Name -> log-density of the parameter, log-density of an observation, points to compare at.
_FAMILIES: dict[str, tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]] = {
    "BetaBernoulli": (
        lambda g, p: _beta(g).logpdf(p),
        lambda g, p, x: xlogy(x, p) + xlog1py(1 - x, -p),
        lambda g: _quantiles(_beta(g)),
    ),
    "DirichletCategorical": (
        lambda g, p: stats.dirichlet.logpdf(p / p.sum(), _array(g["alpha"])),
        _level_shares,
        _dirichlet_points,
    ),
    "GammaPoisson": (
        lambda g, rate: _gamma(g).logpdf(rate),
        lambda g, rate, x: stats.poisson.logpmf(x, rate),
        lambda g: _quantiles(_gamma(g)),
    ),
    "GammaExponential": (
        lambda g, rate: _gamma(g).logpdf(rate),
        lambda g, rate, x: stats.expon.logpdf(x, scale=1 / rate),
        lambda g: _quantiles(_gamma(g)),
    ),
    "NormalNormal": (
        lambda g, mean: _normal(g).logpdf(mean),
        lambda g, mean, x: stats.norm.logpdf(x, mean, np.sqrt(g["noise"])),
        lambda g: _quantiles(_normal(g)),
    ),
    "NormalInverseGamma": (
        _normal_inverse_gamma,
        lambda g, theta, x: stats.norm.logpdf(x, theta[0], np.sqrt(theta[1])),
        _normal_inverse_gamma_points,
    ),
    "ParetoUniform": (
        lambda g, theta: _pareto(g).logpdf(theta),
        lambda g, theta, x: stats.uniform.logpdf(x, 0.0, theta),
        # And just below the end of the support: an end that is too large is seen only from there.
        lambda g: np.append(_quantiles(_pareto(g)), g["scale"] * (1 - 1e-6)),
    ),
}  # fmt: skip
_KNOWN = {"NormalNormal": ("noise",)}
