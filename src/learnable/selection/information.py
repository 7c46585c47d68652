"""AIC, BIC and Mallows' Cp for any likelihood fit."""

from dataclasses import dataclass
from math import log
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, is_classifier

from learnable.plain import plain
from learnable.problems.core.information import aic, bic
from learnable.selection._inputs import (
    InfiniteDeviance,
    class_probabilities,
    require_count,
    require_rows,
    require_vector,
)
from learnable.selection._report import Reported, Table, with_error
from learnable.selection.laws import GAUSSIAN, log_densities, response_law


@runtime_checkable
class LikelihoodFit(Protocol):
    """A fitted model that knows its likelihood: the log-likelihood of each observation, and how many parameters."""

    degrees_of_freedom: float

    def log_likelihood(self, X: Any, y: Any) -> NDArray:
        """log p(y_i | x_i) for each i."""


def gaussian_log_likelihood(y: ArrayLike, prediction: ArrayLike, sigma2: float | None = None) -> NDArray:
    """log N(y_i; ŷ_i, σ²) for each i; σ² = RSS/n, its maximum-likelihood value, unless given.

    >>> float(gaussian_log_likelihood([0.0, 2.0], [1.0, 1.0]).sum().round(6))
    -2.837877
    """
    y, prediction = require_vector("y", y), require_vector("prediction", prediction)
    if len(y) != len(prediction):
        raise ValueError(f"y has {len(y)} entries, prediction {len(prediction)}; they must agree")
    variance = float(((y - prediction) ** 2).mean()) if sigma2 is None else float(sigma2)
    if not variance > 0:
        raise ValueError(
            f"sigma2={variance}: the fit is perfect or the variance wrong; the Gaussian likelihood is unbounded"
        )
    return GAUSSIAN.log_density(y, prediction, variance)


def class_log_likelihood(y: ArrayLike, probabilities: ArrayLike, classes: ArrayLike) -> NDArray:
    """log p̂_i(y_i) for each i (Bernoulli or multinomial); an error where the fitted probability is 0.

    >>> class_log_likelihood(["a", "b"], [[0.5, 0.5], [0.75, 0.25]], ["a", "b"]).round(3)
    array([-0.693, -1.386])
    """
    y, p, classes = np.asarray(y), np.asarray(probabilities, dtype=float), np.asarray(classes)
    if p.shape != (len(y), len(classes)):
        raise ValueError(f"probabilities: shape {p.shape} for {len(y)} observations and {len(classes)} classes")
    hits = y[:, None] == classes[None, :]
    if not hits.any(axis=1).all():
        raise ValueError(f"y holds {plain(y[~hits.any(axis=1)][0])!r}, which is not among the classes of the fit")
    chosen = p[hits]
    if not (chosen > 0).all():
        row = int(np.flatnonzero(~(chosen > 0))[0])
        raise InfiniteDeviance(f"the fit gives probability {chosen[row]} to the label of observation {row}")
    return np.log(chosen)


def log_likelihood_of(model: BaseEstimator | LikelihoodFit, X: Any, y: ArrayLike) -> NDArray:
    """Log-likelihood of each observation under a fitted model, recomputed from its predictions.

    A model with its own `log_likelihood` is asked; a classifier is read through `predict_proba`; a regressor through
    `predict`, under the law whose likelihood it maximises: Poisson, gamma, inverse Gaussian or Laplace where its class
    or its loss says so, else Gaussian with variance RSS/n. A fit that maximises no likelihood is refused.
    Syllabus: MS12.

    >>> from sklearn.linear_model import LinearRegression
    >>> X, y = np.arange(5.0)[:, None], np.array([0.0, 1.1, 1.9, 3.2, 3.9])
    >>> log_likelihood_of(LinearRegression().fit(X, y), X, y).shape
    (5,)
    """
    X, y = require_rows(X, y)
    if isinstance(model, LikelihoodFit):
        return np.asarray(model.log_likelihood(X, y), dtype=float)
    if is_classifier(model):
        return class_log_likelihood(y, class_probabilities(model, X), model.classes_)
    return log_densities(response_law(model), require_vector("y", y), require_vector("prediction", model.predict(X)))


@dataclass(frozen=True, repr=False, eq=False)
class InformationCriteria(Reported):
    """AIC and BIC with their parts.

    Attributes
    ----------
    log_likelihood : summed over the observations.
    likelihood_error : √n · sd of the terms, the sampling error of that sum.
    degrees_of_freedom, df_error : number of parameters (effective), and its Monte Carlo error where it has one.
    n : number of observations.
    """

    log_likelihood: float
    likelihood_error: float
    degrees_of_freedom: float
    df_error: float
    n: int

    @property
    def aic(self) -> float:
        """-2 loglik + 2d."""
        return aic(self.log_likelihood, self.degrees_of_freedom)

    @property
    def bic(self) -> float:
        """-2 loglik + d log n."""
        return float(bic(self.log_likelihood, self.degrees_of_freedom, self.n))

    def table(self) -> Table:
        rows = [
            ("log-likelihood", with_error(self.log_likelihood, self.likelihood_error)),
            ("degrees of freedom", with_error(self.degrees_of_freedom, self.df_error)),
            ("AIC", with_error(self.aic, 2 * float(np.hypot(self.likelihood_error, self.df_error)))),
            ("BIC", with_error(self.bic, float(np.hypot(2 * self.likelihood_error, log(self.n) * self.df_error)))),
        ]
        return Table(f"Information criteria, n = {self.n}", ("quantity", "value"), rows)


def information_criteria(
    log_likelihoods: ArrayLike, degrees_of_freedom: float, *, df_error: float = 0.0
) -> InformationCriteria:
    """AIC = -2 loglik + 2d and BIC = -2 loglik + d log n.

    d counts every fitted parameter. For Gaussian regression with the variance fitted too, that is the df of the mean
    plus one (R's convention; statsmodels leaves the variance out, which shifts every model alike). Syllabus: MS12.

    Parameters
    ----------
    log_likelihoods : one for each observation, as from `log_likelihood_of`.
    degrees_of_freedom : d, exact or effective.
    df_error : Monte Carlo standard error of d.

    >>> criteria = information_criteria(gaussian_log_likelihood([1.0, 2.0, 4.0], [1.0, 2.5, 3.5]), 3)
    >>> round(criteria.aic, 4), round(criteria.bic, 4)
    (9.1384, 6.4342)
    """
    terms = require_vector("log_likelihoods", log_likelihoods)
    if not (degrees_of_freedom >= 0 and np.isfinite(degrees_of_freedom)):
        raise ValueError(f"degrees_of_freedom={degrees_of_freedom}: must be >= 0 and finite")
    n = len(terms)
    error = float(terms.std(ddof=1) * np.sqrt(n)) if n > 1 else float("nan")
    return InformationCriteria(float(terms.sum()), error, float(degrees_of_freedom), float(df_error), n)


def residual_variance(y: ArrayLike, prediction: ArrayLike, degrees_of_freedom: float) -> float:
    """σ̂² = RSS / (n - d), unbiased for an unbiased linear fit with d degrees of freedom.

    >>> residual_variance([1.0, 3.0, 5.0], [2.0, 3.0, 4.0], 1)
    1.0
    """
    y, prediction = require_vector("y", y), require_vector("prediction", prediction)
    if not degrees_of_freedom < len(y):
        raise ValueError(f"degrees_of_freedom={degrees_of_freedom}: must be < n={len(y)}; no residual is left for σ²")
    return float(((y - prediction) ** 2).sum() / (len(y) - degrees_of_freedom))


@dataclass(frozen=True, repr=False, eq=False)
class MallowsCp(Reported):
    """Cp on the scale of the mean squared error: training error + 2(d/n)σ̂²."""

    training_error: float
    training_se: float
    degrees_of_freedom: float
    sigma2: float
    n: int

    @property
    def cp(self) -> float:
        """R̂ + 2(d/n)σ̂²."""
        return self.training_error + 2 * self.degrees_of_freedom / self.n * self.sigma2

    @property
    def original(self) -> float:
        """Mallows' own scale: RSS/σ̂² - n + 2d, an increasing function of `cp`."""
        return self.n * self.training_error / self.sigma2 - self.n + 2 * self.degrees_of_freedom

    def table(self) -> Table:
        rows = [
            ("training error", with_error(self.training_error, self.training_se)),
            ("2(d/n)σ̂²", self.cp - self.training_error),
            ("Cp", with_error(self.cp, self.training_se)),
            ("RSS/σ̂² - n + 2d", self.original),
        ]
        return Table(f"Mallows' Cp, n = {self.n}, d = {self.degrees_of_freedom:.4g}", ("quantity", "value"), rows)


def mallows_cp(y: ArrayLike, prediction: ArrayLike, degrees_of_freedom: float, sigma2: float) -> MallowsCp:
    """Cp = R̂ + 2(d/n)σ̂², with σ̂² from the full model. Syllabus: MS11.

    Parameters
    ----------
    y, prediction : response and fitted values.
    degrees_of_freedom : d of this model.
    sigma2 : `residual_variance` of the largest model.

    >>> mallows_cp([1.0, 3.0], [2.0, 2.0], degrees_of_freedom=1, sigma2=0.5).cp
    1.5
    """
    y, prediction = require_vector("y", y), require_vector("prediction", prediction)
    require_count("n", len(y), least=2)
    if not (sigma2 > 0 and np.isfinite(sigma2)):
        raise ValueError(f"sigma2={sigma2}: must be > 0 and finite; take it from a full model with residuals left")
    squares = (y - prediction) ** 2
    error = float(squares.std(ddof=1) / np.sqrt(len(y)))
    return MallowsCp(float(squares.mean()), error, float(degrees_of_freedom), float(sigma2), len(y))
