"""Gamma belief about the rate of counts."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from learnable.bayes.conjugate.belief import Belief, fitting, tails
from learnable.bayes.laws.law import positive
from learnable.bayes.laws.poisson import Poisson


@dataclass(frozen=True)
class GammaPoisson(Belief):
    """Rate λ ~ Gamma(shape, rate): as if `shape` events had been counted in `rate` units of time.

    After counts x: Gamma(shape + Σx, rate + n). A new count is negative binomial. Syllabus: U11, Y1.

    >>> prior = GammaPoisson(2, 1)
    >>> after = prior.updated([3, 0, 4])
    >>> after, after.mean, after.map, after.certificate(prior, [3, 0, 4]).holds
    (GammaPoisson(shape=9.0, rate=4.0), 2.25, 2.0, True)
    """

    shape: float
    rate: float

    def __post_init__(self) -> None:
        positive("GammaPoisson", "shape", self.shape)
        positive("GammaPoisson", "rate", self.rate)

    def updated(self, x: ArrayLike, sample_weight: ArrayLike | None = None) -> "GammaPoisson":
        data = fitting(self, x, sample_weight)
        return GammaPoisson(float(self.shape + data.weight @ data.x), float(self.rate + data.n))

    @property
    def mean(self) -> float:
        """shape/rate."""
        return self.shape / self.rate

    @property
    def map(self) -> float:
        """(shape − 1)/rate, or 0 for a shape below 1."""
        return max(self.shape - 1, 0.0) / self.rate

    def credible_interval(self, level: float = 0.95) -> tuple[float, float]:
        low, high = stats.gamma.ppf(tails("GammaPoisson", level), self.shape, scale=1 / self.rate)
        return float(low), float(high)

    def log_density(self, theta: float) -> float:
        return float(stats.gamma.logpdf(theta, self.shape, scale=1 / self.rate))

    def log_predictive(self, x: ArrayLike) -> np.ndarray:
        return stats.nbinom.logpmf(np.asarray(x, dtype=float), self.shape, self.rate / (self.rate + 1))

    def law_at(self, theta: float) -> Poisson:
        return Poisson(theta)

    @property
    def _inside(self) -> float:
        return self.mean
