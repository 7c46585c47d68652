"""Gamma belief about the rate of waiting times."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from learnable.bayes.conjugate.belief import Belief, fitting, tails
from learnable.bayes.laws.exponential import Exponential
from learnable.bayes.laws.law import positive


@dataclass(frozen=True)
class GammaExponential(Belief):
    """Rate λ ~ Gamma(shape, rate): as if `shape` waits of total length `rate` had been seen.

    After waits x: Gamma(shape + n, rate + Σx). A new wait follows a Lomax law. Syllabus: U11, Y1.

    >>> prior = GammaExponential(1, 1)
    >>> after = prior.updated([1.0, 2.5, 0.5])
    >>> after, after.mean, after.certificate(prior, [1.0, 2.5, 0.5]).holds
    (GammaExponential(shape=4.0, rate=5.0), 0.8, True)
    """

    shape: float
    rate: float

    def __post_init__(self) -> None:
        positive("GammaExponential", "shape", self.shape)
        positive("GammaExponential", "rate", self.rate)

    def updated(self, x: ArrayLike, sample_weight: ArrayLike | None = None) -> "GammaExponential":
        data = fitting(self, x, sample_weight)
        return GammaExponential(float(self.shape + data.n), float(self.rate + data.weight @ data.x))

    @property
    def mean(self) -> float:
        """shape/rate."""
        return self.shape / self.rate

    @property
    def map(self) -> float:
        """(shape − 1)/rate, or 0 for a shape below 1."""
        return max(self.shape - 1, 0.0) / self.rate

    def credible_interval(self, level: float = 0.95) -> tuple[float, float]:
        low, high = stats.gamma.ppf(tails("GammaExponential", level), self.shape, scale=1 / self.rate)
        return float(low), float(high)

    def log_density(self, theta: float) -> float:
        return float(stats.gamma.logpdf(theta, self.shape, scale=1 / self.rate))

    def log_predictive(self, x: ArrayLike) -> np.ndarray:
        return stats.lomax.logpdf(np.asarray(x, dtype=float), self.shape, scale=self.rate)

    def law_at(self, theta: float) -> Exponential:
        return Exponential(theta)

    @property
    def _inside(self) -> float:
        return self.mean
