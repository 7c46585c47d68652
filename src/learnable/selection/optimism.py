"""Optimism of the training error as a covariance: how much each fitted value follows its own response."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from learnable.seeds import generator_from
from learnable.selection._inputs import (
    InfiniteDeviance,
    class_probabilities,
    require_count,
    require_vector,
    seeded_clone,
)
from learnable.selection._report import Reported, Table, with_error
from learnable.selection.degrees_of_freedom import Smoother, trace_df


@dataclass(frozen=True, repr=False, eq=False)
class CovariancePenalty(Reported):
    """Training error, its expected optimism, and their sum, the in-sample error.

    Attributes
    ----------
    training_error : (1/n) Σ (y_i - ŷ_i)², or the deviance of a classifier per observation.
    optimism, standard_error : estimate and Monte Carlo standard error (0 when exact).
    degrees_of_freedom, df_error : Σ Cov(y_i, ŷ_i)/σ² (for a classifier Σ Cov(y_ik, log p̂_ik)), and its error.
    replicates : degrees of freedom from each draw of the parametric bootstrap; empty for the exact formula.
    redrawn : replicates drawn anew because a class was missing from them.
    """

    training_error: float
    optimism: float
    standard_error: float
    degrees_of_freedom: float
    df_error: float
    replicates: NDArray
    redrawn: int = 0

    @property
    def repeats(self) -> int:
        """Number of draws of the parametric bootstrap, 0 for the exact formula."""
        return len(self.replicates)

    @property
    def in_sample_error(self) -> float:
        """Training error + optimism: the error on new responses at the same x."""
        return self.training_error + self.optimism

    def table(self) -> Table:
        rows = [
            ("training error", self.training_error),
            ("optimism", with_error(self.optimism, self.standard_error)),
            ("in-sample error", with_error(self.in_sample_error, self.standard_error)),
            ("degrees of freedom", with_error(self.degrees_of_freedom, self.df_error)),
        ]
        how = f"parametric bootstrap, {self.repeats} draws" if self.repeats else "exact for a linear smoother"
        notes = [f"{self.redrawn} draws lacked a class and were drawn anew"] if self.redrawn else []
        return Table(f"Covariance penalty ({how})", ("quantity", "value"), rows, notes)


def linear_optimism(H: ArrayLike, y: ArrayLike, sigma2: float) -> CovariancePenalty:
    """Expected optimism (2/n) σ² tr(H) of the linear smoother ŷ = Hy. Syllabus: MS9.

    >>> linear_optimism(np.full((4, 4), 0.25), [1.0, 2, 3, 4], sigma2=2.0).optimism
    1.0
    """
    df, y = trace_df(H), require_vector("y", y)
    if np.shape(H)[0] != len(y):
        raise ValueError(f"H has {np.shape(H)[0]} rows and y has {len(y)} entries; they must agree")
    training = float(np.mean((y - np.asarray(H, dtype=float) @ y) ** 2))
    return CovariancePenalty(training, 2 * _require_variance(sigma2) * df / len(y), 0.0, df, 0.0, np.empty(0))


def optimism(
    smoother: Smoother,
    y: ArrayLike,
    sigma2: float,
    *,
    mean: ArrayLike | None = None,
    repeats: int = 200,
    random_state: int | np.random.Generator | None = 0,
) -> CovariancePenalty:
    """Expected optimism (2/n) Σ_i Cov(y_i, ŷ_i) of squared error, by parametric bootstrap.

    Draw y* = μ + σε, refit, and average the sample covariances of y*_i and ŷ*_i over the draws. Equals (2/n) σ² tr(H)
    in expectation when ŷ = Hy. Syllabus: MS9.

    Parameters
    ----------
    smoother : y ↦ ŷ at the training points, for instance `fitted_values(estimator, X)`.
    y : the observed response.
    sigma2 : noise variance, best taken from a low-bias (full) model.
    mean : μ, the centre of the bootstrap law; the fitted values ŷ(y) by default.
    repeats : number of bootstrap responses, at least 2.
    random_state : seed.

    >>> penalty = optimism(lambda y: np.full_like(y, y.mean()), np.arange(10.0), sigma2=4.0)
    >>> abs(penalty.optimism - 2 * 4.0 * 1 / 10) < 4 * penalty.standard_error
    True
    """
    y = require_vector("y", y)
    repeats, sigma2 = require_count("repeats", repeats, least=2), _require_variance(sigma2)
    fit = np.asarray(smoother(y), dtype=float)
    centre = fit if mean is None else require_vector("mean", mean)
    if len(centre) != len(y):
        raise ValueError(f"mean has {len(centre)} entries and y has {len(y)}; they must agree")
    noise = np.sqrt(sigma2) * generator_from(random_state, "optimism").standard_normal((repeats, len(y)))
    fits = np.array([smoother(centre + epsilon) for epsilon in noise], dtype=float)
    training = float(np.mean((y - fit) ** 2))
    return _penalty(training, _covariances(noise, fits) / sigma2, 2 * sigma2 / len(y))


def deviance_optimism(
    classifier: BaseEstimator,
    X: Any,
    y: Sequence[Any] | NDArray,
    *,
    repeats: int = 50,
    random_state: int | np.random.Generator | None = 0,
) -> CovariancePenalty:
    """Optimism of the deviance -(2/n) Σ log p̂_i(y_i) of a probabilistic classifier: (2/n) Σ_ik Cov(y_ik, log p̂_ik).

    The responses are drawn from the fitted probabilities. The summed covariance is the classifier's degrees of freedom:
    it tends to the number of free coefficients for unpenalised logistic regression. Syllabus: MS9, MS10.

    Parameters
    ----------
    classifier : with `predict_proba`; every fitted probability must be > 0.
    X, y : the sample.
    repeats : number of bootstrap responses, at least 2.
    random_state : seed.

    >>> from sklearn.dummy import DummyClassifier
    >>> X, y = np.zeros((60, 1)), np.repeat([0, 1], [20, 40])
    >>> penalty = deviance_optimism(DummyClassifier(), X, y, repeats=400)
    >>> abs(penalty.degrees_of_freedom - 1) < 4 * penalty.df_error
    True
    """
    y = np.asarray(y)
    repeats = require_count("repeats", repeats, least=2)
    generator = generator_from(random_state, "deviance_optimism")
    model = seeded_clone(classifier, generator).fit(X, y)
    classes, p = model.classes_, _require_positive(class_probabilities(model, X))
    indicators: list[NDArray] = []
    logs: list[NDArray] = []
    edges, redrawn = p.cumsum(axis=1), 0
    edges[:, -1] = 1.0
    while len(logs) < repeats:
        labels = (generator.random((len(y), 1)) >= edges).sum(axis=1)
        if len(np.unique(labels)) < len(classes):
            redrawn += 1
            if redrawn > 100 * repeats:
                raise ValueError(
                    "deviance_optimism: draws from the fitted law nearly always lack a class; merge classes"
                )
            continue
        refit = seeded_clone(classifier, generator).fit(X, classes[labels])
        indicators.append((np.eye(len(classes))[labels] - p).ravel())
        logs.append(np.log(_require_positive(class_probabilities(refit, X))).ravel())
    training = float(-2 * np.mean(np.log(p[np.arange(len(y)), np.searchsorted(classes, y)])))
    return _penalty(training, _covariances(np.array(indicators), np.array(logs)), 2 / len(y), redrawn)


def _covariances(deviations: NDArray, fits: NDArray) -> NDArray:
    """One number a draw (row), whose mean over the draws is Σ_i Cov(y_i, ŷ_i)."""
    if not np.isfinite(fits).all():
        raise ValueError("optimism: a refit gave a fitted value that is not finite")
    repeats = len(fits)
    products = np.einsum("bi,bi->b", deviations - deviations.mean(axis=0), fits - fits.mean(axis=0))
    return products * (repeats / (repeats - 1))


def _penalty(training: float, replicates: NDArray, scale: float, redrawn: int = 0) -> CovariancePenalty:
    """The result from df replicates; the optimism is `scale` times the df."""
    df, error = float(replicates.mean()), float(replicates.std(ddof=1) / np.sqrt(len(replicates)))
    return CovariancePenalty(training, scale * df, scale * error, df, error, replicates, redrawn)


def _require_variance(sigma2: float) -> float:
    if not (sigma2 > 0 and np.isfinite(sigma2)):
        raise ValueError(f"sigma2={sigma2}: the noise variance must be > 0 and finite")
    return float(sigma2)


def _require_positive(probabilities: NDArray) -> NDArray:
    if not (probabilities > 0).all():
        row = int(np.argwhere(~(probabilities > 0))[0][0])
        raise InfiniteDeviance(
            f"predict_proba gave {probabilities[row].min()} at row {row}: the deviance is infinite; "
            "smooth the classifier's probabilities (a calibrated, penalised or Laplace-smoothed one)"
        )
    return probabilities
