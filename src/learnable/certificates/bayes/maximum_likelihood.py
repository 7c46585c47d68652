"""Maximum likelihood: moment equations of known laws, stationarity and curvature of any other. Syllabus: U11, U12."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import linalg, stats
from scipy.special import xlog1py, xlogy

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.gradient_check import gradient_check
from learnable.certificates.core.ledger import Ledger

# Of sums in double precision, with room for a million terms.
_ROUNDING = 1e-9
# In standard errors: how far the gradient may be from zero, and the covariance from the inverse curvature.
_STATIONARY = 1e-5
_CURVATURE = 1e-3


def law_claims(found: Any, x: np.ndarray, weight: np.ndarray) -> Sequence[Claim]:
    """Claims about an estimate (`law`, `n`, `log_likelihood`, `standard_errors`) of a law of the catalogue.

    In an exponential family the log-likelihood is concave in the natural parameters, so equality of the moments of
    the law and of the sample is equality with the global maximum. For a uniform law on [0, θ] the likelihood θ⁻ⁿ
    falls in θ from the largest observation on.

    >>> from learnable.bayes import Exponential
    >>> x = np.array([1.0, 2.0, 6.0])
    >>> all(claim.holds for claim in law_claims(Exponential.fit(x), x, np.ones(3)))
    True
    """
    name, n = type(found.law).__name__, float(weight.sum())
    given = {key: value if key == "levels" else np.asarray(value, dtype=float)
             for key, value in found.law.parameters.items()}  # fmt: skip
    with np.errstate(divide="ignore", invalid="ignore"):
        gaps, size = _MOMENTS[name](given, x, weight / n)
        terms = np.where(weight > 0.0, weight * _LOG_DENSITIES[name](given, x), 0.0)
    off = abs(float(np.sum(terms)) - found.log_likelihood)
    errors = [_error_gap(found.standard_errors[key], variance) for key, variance in _VARIANCES[name](given, n).items()]
    return [
        Claim.at_most("U11", "moments of the law equal those of the sample, so no parameters are likelier "
                      "(largest difference)", float(np.max(np.abs(gaps))), _ROUNDING * size),
        Claim.at_most("U11", "the log-likelihood is what it is said to be (difference)", off,
                      _ROUNDING * (n + float(np.sum(np.abs(terms))))),
        Claim.at_most("U11", "the number of observations is the sum of the weights (difference)", abs(n - found.n),
                      _ROUNDING * n),
        Claim.at_most("U11", "standard errors are those of n observations of the law (largest relative difference)",
                      max(errors), _ROUNDING),
    ]  # fmt: skip


def _error_gap(said: Any, variance: Any) -> float:
    """Largest relative difference of standard errors; where the variance is 0 none is known, and NaN must be said."""
    said, expected = np.atleast_1d(said).astype(float), np.sqrt(np.atleast_1d(variance).astype(float))
    known = expected > 0.0
    if said.shape != expected.shape or not np.all(np.isnan(said) == ~known):
        return np.inf
    return float(np.max(np.abs(said[known] / expected[known] - 1.0), initial=0.0))


def likelihood_claims(
    log_likelihood: Callable[[np.ndarray], float], theta: np.ndarray, covariance: np.ndarray, stated: float
) -> Sequence[Claim]:
    """Claims that θ is a local maximum of ℓ, ℓ(θ) = `stated`, and `covariance` is the inverse of −∇²ℓ(θ), by ℓ alone.

    Everything is measured in standard errors: with covariance L Lᵀ and θ' = θ + L u, the gradient in u must vanish
    and the second derivatives must be −I.

    >>> claims = likelihood_claims(lambda t: -2.0 * float((t[0] - 3) ** 2), np.array([3.0]), np.array([[0.25]]), 0.0)
    >>> all(claim.holds for claim in claims)
    True
    """
    try:
        L = linalg.cholesky(covariance, lower=True)
    except linalg.LinAlgError:
        return [Claim.at_most("U12", "the covariance is positive definite (1 when it is not)", 1.0, 0.0)]

    def moved(u: np.ndarray) -> float:
        return float(log_likelihood(theta + L @ u))

    k = len(theta)
    with np.errstate(all="ignore"):
        checked = gradient_check(lambda u: (moved(u), np.zeros(k)), np.zeros(k))
        curvature = second_differences(moved, k)
    slope = float(np.max(np.abs(checked.differences)))
    largest = float(linalg.eigvalsh(curvature)[-1]) if np.all(np.isfinite(curvature)) else np.nan
    at = float(log_likelihood(theta))
    return [
        Claim.at_most("U12", "the log-likelihood is what it is said to be (difference)", abs(at - stated),
                      _ROUNDING * (1.0 + abs(at))),
        Claim.at_most("U12", "the score vanishes (largest slope, per standard error)", slope,
                      _STATIONARY + float(np.max(checked.resolution)), kind="approximate"),
        Claim.at_most("U12", "a local maximum: the curvature is negative in every direction (largest, in squared "
                      "standard errors)", largest, -0.5, kind="approximate",
                      assumptions=("other local maxima are not excluded",)),
        Claim.at_most("U12", "the covariance is the inverse of the observed information (largest difference from 1)",
                      float(np.max(np.abs(curvature + np.eye(k)))), _CURVATURE, kind="approximate"),
    ]  # fmt: skip


def second_differences(value: Callable[[np.ndarray], float], k: int, step: float = 0.01) -> np.ndarray:
    """The Hessian at 0 by central differences of fourth order with one step for every coordinate.

    >>> second_differences(lambda u: float(u[0] ** 2 + 3 * u[0] * u[1]), 2).round(6).tolist()
    [[2.0, 3.0], [3.0, 0.0]]
    """
    H = np.empty((k, k))
    unit = np.eye(k)
    middle = value(np.zeros(k))
    for i in range(k):
        ends = [value(s * step * unit[i]) for s in (-2.0, -1.0, 1.0, 2.0)]
        H[i, i] = (-ends[0] + 16 * ends[1] - 30 * middle + 16 * ends[2] - ends[3]) / (12 * step**2)
        for j in range(i):
            mixed = [_mixed(value, h * unit[i], h * unit[j]) / h**2 for h in (step, 2 * step)]
            H[i, j] = H[j, i] = (4 * mixed[0] - mixed[1]) / 3
    return H


def _mixed(value: Callable[[np.ndarray], float], a: np.ndarray, b: np.ndarray) -> float:
    return (value(a + b) - value(a - b) - value(b - a) + value(-a - b)) / 4


# --- the catalogue, by SciPy's densities ------------------------------------------------------------------------------


def _levels(given: Mapping[str, Any], x: np.ndarray) -> np.ndarray:
    """Indicators of the levels, one column a level."""
    return np.array([[float(cell == level) for level in given["levels"]] for cell in x.tolist()])


_LOG_DENSITIES: dict[str, Callable[[Mapping[str, Any], np.ndarray], np.ndarray]] = {
    "Gaussian": lambda g, x: stats.norm.logpdf(x, g["mean"], np.sqrt(g["variance"])),
    "MultivariateGaussian": lambda g, x: np.atleast_1d(stats.multivariate_normal.logpdf(x, g["mean"], g["covariance"])),
    "Bernoulli": lambda g, x: xlogy(x, g["p"]) + xlog1py(1 - x, -g["p"]),
    "Categorical": lambda g, x: xlogy(_levels(g, x), g["probabilities"]).sum(axis=1),
    "Poisson": lambda g, x: stats.poisson.logpmf(x, g["rate"]),
    "Exponential": lambda g, x: stats.expon.logpdf(x, scale=1 / g["rate"]),
    "Uniform": lambda g, x: stats.uniform.logpdf(x, 0.0, g["theta"]),
}


def _mean_gap(key: str) -> Callable[..., tuple[Any, float]]:
    return lambda g, x, share: (share @ x - g[key], float(np.max(np.abs(x), initial=0.0)) or 1.0)


def _gaussian_gap(g: Mapping[str, Any], x: np.ndarray, share: np.ndarray) -> tuple[Any, float]:
    mean = share @ x
    variance = share @ (x - mean) ** 2
    deviation = np.sqrt(variance)
    return np.array([(g["mean"] - mean) / deviation, g["variance"] / variance - 1]), 1.0 + abs(mean) / deviation


def _multivariate_gap(g: Mapping[str, Any], x: np.ndarray, share: np.ndarray) -> tuple[Any, float]:
    mean = share @ x
    covariance = (x - mean).T @ ((x - mean) * share[:, None])
    deviation = np.sqrt(np.diag(covariance))
    gaps = (g["covariance"] - covariance) / np.outer(deviation, deviation)
    return np.append((g["mean"] - mean) / deviation, gaps), 1.0 + float(np.max(np.abs(mean) / deviation))


def _categorical_gap(g: Mapping[str, Any], x: np.ndarray, share: np.ndarray) -> tuple[Any, float]:
    return share @ _levels(g, x) - g["probabilities"], 1.0


def _exponential_gap(g: Mapping[str, Any], x: np.ndarray, share: np.ndarray) -> tuple[Any, float]:
    return g["rate"] * (share @ x) - 1, 1.0


def _uniform_gap(g: Mapping[str, Any], x: np.ndarray, share: np.ndarray) -> tuple[Any, float]:
    return np.max(x[share > 0]) / g["theta"] - 1, 1.0


_MOMENTS: dict[str, Callable[..., tuple[Any, float]]] = {
    "Gaussian": _gaussian_gap,
    "MultivariateGaussian": _multivariate_gap,
    "Bernoulli": _mean_gap("p"),
    "Categorical": _categorical_gap,
    "Poisson": _mean_gap("rate"),
    "Exponential": _exponential_gap,
    "Uniform": _uniform_gap,
}


# Variance of each estimate from n observations.
_VARIANCES: dict[str, Callable[[Mapping[str, Any], float], dict[str, Any]]] = {
    "Gaussian": lambda g, n: {"mean": g["variance"] / n, "variance": 2 * g["variance"] ** 2 / n},
    "MultivariateGaussian": lambda g, n: {
        "mean": np.diag(g["covariance"]) / n,
        "covariance": (np.outer(np.diag(g["covariance"]), np.diag(g["covariance"])) + g["covariance"] ** 2) / n,
    },
    "Bernoulli": lambda g, n: {"p": g["p"] * (1 - g["p"]) / n},
    "Categorical": lambda g, n: {"probabilities": g["probabilities"] * (1 - g["probabilities"]) / n},
    "Poisson": lambda g, n: {"rate": g["rate"] / n},
    "Exponential": lambda g, n: {"rate": g["rate"] ** 2 / n},
    "Uniform": lambda g, n: {"theta": g["theta"] ** 2 * n / ((n + 1) ** 2 * (n + 2))},
}


_LAWS = {
    "gaussian": "Gaussian", "multivariate_gaussian": "MultivariateGaussian", "bernoulli": "Bernoulli",
    "poisson": "Poisson", "exponential": "Exponential", "uniform": "Uniform",
}  # fmt: skip


@certifies("ParametricDensity", ledger=Ledger(verified=("estimates_",)), foreign=False)
def parametric_density(
    model: Any, X: np.ndarray, y: Any = None, sample_weight: np.ndarray | None = None
) -> Sequence[Claim]:
    """Claims about every law of a fitted density."""
    X = np.asarray(X, dtype=float)
    weight = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    samples = [X] if model.law == "multivariate_gaussian" else list(X.T)
    wrong = sum(type(found.law).__name__ != _LAWS[model.law] for found in model.estimates_)
    if wrong or len(model.estimates_) != len(samples):
        statement = f"one {model.law} law for each sample (how many are missing, too many or of another kind)"
        return [Claim.at_most("U11", statement, wrong + abs(len(model.estimates_) - len(samples)), 0.0)]
    return [
        claim
        for found, sample in zip(model.estimates_, samples, strict=True)
        for claim in law_claims(found, sample, weight)
    ]
