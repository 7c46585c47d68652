"""Normal belief about the mean of a Gaussian whose variance is known."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from learnable.bayes.conjugate.belief import Belief, fitting, tails
from learnable.bayes.laws.gaussian import Gaussian
from learnable.bayes.laws.law import positive


@dataclass(frozen=True)
class NormalNormal(Belief):
    """μ ~ N(location, variance) for observations N(μ, noise).

    Precisions add: 1/variance + n/noise; the new location is the average of the old one and the sample mean,
    weighted by them. It is the mean and the most probable μ alike. Syllabus: U11, Y1.

    >>> prior = NormalNormal(0.0, 4.0, noise=2.0)
    >>> after = prior.updated([3.0, 3.0])
    >>> after.mean.__round__(4), after.variance.__round__(4), after.certificate(prior, [3.0, 3.0]).holds
    (2.4, 0.8, True)
    """

    location: float
    variance: float
    noise: float

    def __post_init__(self) -> None:
        if not np.isfinite(self.location):
            raise ValueError(f"NormalNormal(location={self.location}): location must be finite")
        positive("NormalNormal", "variance", self.variance)
        positive("NormalNormal", "noise", self.noise)

    def updated(self, x: ArrayLike, sample_weight: ArrayLike | None = None) -> "NormalNormal":
        data = fitting(self, x, sample_weight)
        variance = 1 / (1 / self.variance + data.n / self.noise)
        shift = variance / self.noise * float(data.weight @ (data.x - self.location))
        return NormalNormal(self.location + shift, variance, self.noise)

    @property
    def mean(self) -> float:
        """The location."""
        return self.location

    @property
    def map(self) -> float:
        """The location."""
        return self.location

    def credible_interval(self, level: float = 0.95) -> tuple[float, float]:
        low, high = stats.norm.ppf(tails("NormalNormal", level), self.location, np.sqrt(self.variance))
        return float(low), float(high)

    def log_density(self, theta: float) -> float:
        return float(stats.norm.logpdf(theta, self.location, np.sqrt(self.variance)))

    def log_predictive(self, x: ArrayLike) -> np.ndarray:
        return Gaussian(self.location, self.variance + self.noise).log_density(x)

    def law_at(self, theta: float) -> Gaussian:
        return Gaussian(theta, self.noise)

    @property
    def _inside(self) -> float:
        return self.location
