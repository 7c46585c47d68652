"""What an unpenalised generalised linear fit says about its coefficients: standard errors, tests, intervals, AIC."""

from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, stats
from scipy.special import gammaln, xlogy
from sklearn.utils.validation import check_is_fitted

from learnable.certificates import certify
from learnable.linear.deviance_regressor import DevianceRegressor
from learnable.problems.core.formula import formula
from learnable.problems.core.information import aic
from learnable.problems.linear import families, links
from learnable.problems.linear.families import Binomial, Gamma, Gaussian, Poisson
from learnable.rows import as_rows
from learnable.solvers.linear.glm import GeneralizedLikelihood
from learnable.tables import aligned

# The largest distance of the fit from the maximum likelihood estimate, in standard errors, that is not worth a word.
LARGEST_DECREMENT = 1e-3
# What a Newton step may take off a fit that is taken for the maximum, of the deviance of the mean.
NEAR = 1e-7


class GLMSummary(NamedTuple):
    """Large-sample theory of a maximum likelihood fit: θ̂ is about normal around θ with covariance φ̂ (XᵀWX)⁻¹.

    Attributes
    ----------
    names : of the coefficients, "intercept" first where there is one.
    estimate, standard_error, statistic, p_value, lower, upper : (p,) arrays.
    covariance : (p, p).
    level : of the intervals.
    distribution : of the statistic: "z", or "t" where the dispersion φ is estimated.
    fit : the numbers of `glance`.
    """

    names: tuple[str, ...]
    estimate: np.ndarray
    standard_error: np.ndarray
    statistic: np.ndarray
    p_value: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    covariance: np.ndarray
    level: float
    distribution: str
    fit: dict[str, float]

    def tidy(self) -> list[dict[str, Any]]:
        """One dictionary a coefficient."""
        columns = ("estimate", "standard_error", "statistic", "p_value", "lower", "upper")
        return [
            {"term": name} | {column: float(getattr(self, column)[j]) for column in columns}
            for j, name in enumerate(self.names)
        ]

    def glance(self) -> dict[str, float]:
        """One dictionary for the fit as a whole."""
        return dict(self.fit)

    def __str__(self) -> str:
        head = ["term", "estimate", "std. error", self.distribution, "p", f"{self.level:.0%} interval"]
        body = [
            [row["term"], *(f"{row[key]:.6g}" for key in ("estimate", "standard_error", "statistic")),
             f"{row['p_value']:.3g}", f"[{row['lower']:.6g}, {row['upper']:.6g}]"]
            for row in self.tidy()
        ]  # fmt: skip
        fit = (f"{key}: {value:.6g}" for key, value in self.fit.items())
        return "\n".join([*aligned([head, *body]), "", *fit])

    def __repr__(self) -> str:
        return str(self)


def glm_summary(model: Any, X: Any, y: Any, sample_weight: Any = None, level: float = 0.95) -> GLMSummary:
    """Standard errors from the Fisher information, tests, Wald intervals, deviance and AIC of a fit without penalty.

    The dispersion φ is 1 for binomial and Poisson; for Gaussian and gamma it is Pearson's Σ w (y − μ)²/V(μ) / (n − p),
    and the statistics are compared with Student's t. Weights are those of R's `glm`: y has variance φ V(μ)/w, trials
    of a binomial share; rows of weight zero are not counted. Syllabus: R3.

    Refused, since the theory does not hold there: penalised coefficients, coefficients that the data do not determine,
    separated classes, a fit that stopped short of the maximum of the likelihood.

    Parameters
    ----------
    model : fitted `GeneralizedLinearRegressor`, `PoissonRegressor` or `GammaRegressor` with alpha=0.
    X, y, sample_weight : the data it was fitted on; an offset is read from `offset_`.
    level : float, default=0.95
        Of the intervals.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.linear import PoissonRegressor, glm_summary
    >>> X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([1.0, 3.0, 4.0, 8.0])
    >>> result = glm_summary(PoissonRegressor(alpha=0.0, tol=1e-10).fit(X, y), X, y)
    >>> [round(row["standard_error"], 6) for row in result.tidy()]  # √(1/4) and √(1/4 + 1/12)
    [0.5, 0.57735]
    """
    _refuse(model, X, y, sample_weight, level)
    y = np.asarray(y, dtype=float)
    weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    counted = weight > 0.0
    objective = GeneralizedLikelihood(
        as_rows(X, y, weight), model.glm, model.fit_intercept, 0.0, getattr(model, "offset_", None)
    )
    theta = _theta(model)
    n, p = int(counted.sum()), len(theta)
    mu = model.predict(X, getattr(model, "offset_", None)).astype(float)
    family = model.glm.family
    estimated = isinstance(family, Gaussian | Gamma)
    if estimated and n <= p:
        raise ValueError(f"glm_summary: {n} rows and {p} coefficients leave nothing to estimate the dispersion from")
    pearson = float(np.sum((weight * (y - mu) ** 2 / families.variance(family, mu))[counted]))
    dispersion = pearson / (n - p) if estimated else 1.0
    information = objective.expected_hessian(theta) * objective.weight_sum
    covariance = dispersion * _inverse(information)
    error = np.sqrt(covariance.diagonal())
    _refuse_short_of_maximum(model, objective, theta, covariance / dispersion, error)
    order = np.roll(np.arange(p), 1) if model.fit_intercept else np.arange(p)
    estimate, error = theta[order, 0], error[order]
    law = stats.t(n - p) if estimated else stats.norm()
    width = law.ppf(0.5 + 0.5 * level) * error
    deviance = float(np.sum((weight * families.unit_deviance(family, y, mu))[counted]))
    fit = {
        "deviance": deviance,
        "null_deviance": _null_deviance(model, y, weight),
        "dispersion": dispersion,
        "pearson": pearson,
        "df_residual": n - p,
        "aic": aic(log_likelihood(family, y[counted], mu[counted], weight[counted], deviance), p + estimated),
        "n": n,
    }
    return GLMSummary(
        _names(model),
        estimate,
        error,
        estimate / error,
        2.0 * law.sf(np.abs(estimate / error)),
        estimate - width,
        estimate + width,
        covariance[np.ix_(order, order)],
        level,
        "t" if estimated else "z",
        fit,
    )


@formula
def log_likelihood(family, y, mu, weight, deviance):
    """log L at the fitted means; NaN where the law is not that of these data."""


@log_likelihood.of(Gaussian)
def _(family, y, mu, weight, deviance):
    return 0.5 * (float(np.sum(np.log(weight))) - len(y) * (np.log(2.0 * np.pi * deviance / len(y)) + 1.0))


@log_likelihood.of(Binomial)
def _(family, y, mu, weight, deviance):
    trials, successes = np.round(weight), np.round(weight * y)
    if not (np.allclose(trials, weight) and np.allclose(successes, weight * y)):
        # Shares without whole numbers of trials have no binomial likelihood.
        return np.nan
    return float(np.sum(stats.binom.logpmf(successes, trials, mu)))


@log_likelihood.of(Poisson)
def _(family, y, mu, weight, deviance):
    if not np.array_equal(y, np.round(y)):
        # Rates that are no counts have no Poisson likelihood.
        return np.nan
    return float(np.sum(weight * (xlogy(y, mu) - mu - gammaln(y + 1.0))))


@log_likelihood.of(Gamma)
def _(family, y, mu, weight, deviance):
    dispersion = deviance / weight.sum()
    density = stats.gamma.logpdf(y, 1.0 / dispersion, scale=mu * dispersion)
    return float(np.sum(weight * density))


def _theta(model) -> np.ndarray:
    coef = np.asarray(model.coef_, dtype=float)
    return (np.append(coef, model.intercept_) if model.fit_intercept else coef)[:, None]


def _inverse(information: np.ndarray) -> np.ndarray:
    # At equal scales, so that the units of the columns do not enter the condition of the inverse.
    scale = np.sqrt(information.diagonal())
    return linalg.inv(information / np.outer(scale, scale)) / np.outer(scale, scale)


def _names(model) -> tuple[str, ...]:
    names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(len(model.coef_))])
    return (*(("intercept",) if model.fit_intercept else ()), *map(str, names))


def _null_deviance(model, y: np.ndarray, weight: np.ndarray) -> float:
    """Deviance of the model without the columns of X: an intercept if there is one, and the offset."""
    offset = getattr(model, "offset_", None)
    family, counted = model.glm.family, weight > 0.0
    if offset is None and model.fit_intercept:
        mu = np.full_like(y, np.average(y, weights=weight))
    elif model.fit_intercept:
        alone = type(model)(**model.get_params() | {"tol": 1e-10})
        mu = alone.fit(np.zeros((len(y), 1)), y, weight, offset).predict(np.zeros((len(y), 1)), offset)
    else:
        mu = links.mean(model.glm.link, np.zeros_like(y) if offset is None else offset)
    return float(np.sum((weight * families.unit_deviance(family, y, mu))[counted]))


def _refuse(model, X, y, sample_weight, level) -> None:
    if not isinstance(model, DevianceRegressor):
        raise TypeError(f"glm_summary: {type(model).__name__} is not a generalised linear regressor of this library")
    check_is_fitted(model)
    if not 0.0 < level < 1.0:
        raise ValueError(f"glm_summary(level={level}): level must lie between 0 and 1")
    if model.alpha != 0.0:
        raise ValueError(
            f"glm_summary: the fit was penalised (alpha={model.alpha}), so its coefficients are biased and the Fisher "
            "information gives no honest standard errors; fit with alpha=0"
        )
    # How near the maximum must be is said in standard errors, further below.
    certificate = certify(model, X, y, sample_weight, tolerance=NEAR, offset=getattr(model, "offset_", None))
    if not certificate.holds:
        raise ValueError(f"glm_summary: the fit is no maximum likelihood estimate on these data\n{certificate}")
    if left_open := certificate.claim("R1").value:
        raise ValueError(
            f"glm_summary: the data leave {left_open:.0f} direction(s) of the coefficients open, so they have no "
            "standard errors; drop columns until the rest are linearly independent"
        )


def _refuse_short_of_maximum(model, objective, theta, inverse_information, error) -> None:
    step = inverse_information @ objective.value_and_gradient(theta)[1][:, 0] * objective.weight_sum
    far = float(np.max(np.abs(step) / error))
    if far > LARGEST_DECREMENT:
        raise ValueError(
            f"glm_summary: the fit is {far:.2g} standard errors from the maximum of the likelihood; fit with a smaller "
            f"tol than {model.tol}"
        )
