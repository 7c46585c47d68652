"""The law that a fitted regressor gives the response, and the log-likelihood of each observation under it.

A regressor says by its class or by its loss which likelihood it maximises. One that maximises none, a support vector
regression for instance, has no AIC. Syllabus: MS12.
"""

from collections.abc import Callable
from math import inf, pi
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import gammaln, xlogy


class ResponseLaw(NamedTuple):
    """A law of y given its mean (or median) m.

    Attributes
    ----------
    name : for messages.
    log_density : (y, m) -> log p(y_i | m_i) for each i, free parameters beside m at their maximum.
    free : how many those are.
    support : least and largest y that can occur.
    """

    name: str
    log_density: Callable[..., NDArray]
    free: int
    support: tuple[float, float]


def _gaussian(y: NDArray, mean: NDArray, variance: float | None = None) -> NDArray:
    squares = (y - mean) ** 2
    variance = _positive(float(squares.mean()), "Gaussian") if variance is None else variance
    return -0.5 * (np.log(2.0 * pi * variance) + squares / variance)


def _laplace(y: NDArray, median: NDArray) -> NDArray:
    size = np.abs(y - median)
    scale = _positive(float(size.mean()), "Laplace")
    return -np.log(2.0 * scale) - size / scale


def _poisson(y: NDArray, mean: NDArray) -> NDArray:
    if not np.array_equal(y, np.round(y)):
        raise ValueError(f"y holds {y[y != np.round(y)][0]:g}: rates that are no counts have no Poisson likelihood")
    return xlogy(y, mean) - mean - gammaln(y + 1.0)


def _gamma(y: NDArray, mean: NDArray) -> NDArray:
    # R's convention: the dispersion is deviance / n, which is near its maximum-likelihood value.
    dispersion = _positive(float(2.0 * np.mean((y - mean) / mean - np.log(y / mean))), "gamma")
    return stats.gamma.logpdf(y, 1.0 / dispersion, scale=mean * dispersion)


def _inverse_gaussian(y: NDArray, mean: NDArray) -> NDArray:
    squares = (y - mean) ** 2 / (y * mean**2)
    dispersion = _positive(float(squares.mean()), "inverse Gaussian")
    return -0.5 * (np.log(2.0 * pi * dispersion * y**3) + squares / dispersion)


def _positive(spread: float, name: str) -> float:
    if not spread > 0.0:
        raise ValueError(f"the fit is perfect: the {name} likelihood is unbounded")
    return spread


GAUSSIAN = ResponseLaw("Gaussian", _gaussian, 1, (-inf, inf))
LAPLACE = ResponseLaw("Laplace", _laplace, 1, (-inf, inf))
POISSON = ResponseLaw("Poisson", _poisson, 0, (0.0, inf))
GAMMA = ResponseLaw("gamma", _gamma, 1, (0.0, inf))
INVERSE_GAUSSIAN = ResponseLaw("inverse Gaussian", _inverse_gaussian, 1, (0.0, inf))

# Losses by the names that scikit-learn and this library use.
BY_LOSS = {
    "squared_error": GAUSSIAN, "squared": GAUSSIAN, "friedman_mse": GAUSSIAN, "ls": GAUSSIAN,
    "absolute_error": LAPLACE, "absolute": LAPLACE, "poisson": POISSON, "gamma": GAMMA,
}  # fmt: skip
BY_CLASS = {
    "PoissonRegressor": POISSON, "SparsePoissonRegressor": POISSON, "GammaRegressor": GAMMA,
    "LinearSVR": None, "SVR": None, "NuSVR": None, "HuberRegressor": None, "RANSACRegressor": None,
    "TheilSenRegressor": None, "PassiveAggressiveRegressor": None,
}  # fmt: skip
BY_POWER = {0.0: GAUSSIAN, 1.0: POISSON, 2.0: GAMMA, 3.0: INVERSE_GAUSSIAN}


def response_law(model: Any) -> ResponseLaw:
    """The law of a fitted regressor, of the last step of a pipeline or of the best model of a search.

    >>> from sklearn.linear_model import PoissonRegressor, TweedieRegressor
    >>> response_law(PoissonRegressor()).name, response_law(TweedieRegressor(power=3)).name
    ('Poisson', 'inverse Gaussian')
    """
    while True:
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif type(model).__name__ == "Pipeline":
            model = model.steps[-1][1]
        else:
            break
    name = type(model).__name__
    found = BY_CLASS.get(name, GAUSSIAN)
    for parameter in ("family", "loss", "criterion"):
        said = getattr(model, parameter, None)
        said = said if isinstance(said, str) or said is None else type(said).__name__.lower()
        if isinstance(said, str) and name not in BY_CLASS:
            found = BY_LOSS.get(said, GAUSSIAN if said == "gaussian" or parameter == "criterion" else None)
            break
    if "quantile" in getattr(model, "get_params", dict)() and name == "QuantileRegressor":
        found = LAPLACE if model.quantile == 0.5 else None
    if name == "TweedieRegressor":
        found = BY_POWER.get(float(model.power))
    if found is None:
        raise ValueError(
            f"{name} maximises no likelihood that is known here; give the log-likelihood of each observation to "
            "information_criteria, or the model a method log_likelihood(X, y)"
        )
    return found


def log_densities(law: ResponseLaw, y: NDArray, mean: NDArray) -> NDArray:
    """log p(y_i | m_i), after a look whether the law can give such responses and such means.

    >>> log_densities(POISSON, np.array([0.0, 2.0]), np.array([1.0, 1.0])).round(4)
    array([-1.    , -1.6931])
    """
    low, _ = law.support
    strictly = law in (GAMMA, INVERSE_GAUSSIAN)
    out = (y <= low) if strictly else (y < low)
    if low == 0.0 and (out.any() or (mean < 0.0).any()):
        which = f"y[{int(out.argmax())}]={y[out.argmax()]:g}" if out.any() else f"a mean of {mean.min():g}"
        raise ValueError(f"{which}: impossible under a {law.name} law")
    return law.log_density(y, mean)
