"""Belief about the mean and the variance of a Gaussian together."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from learnable.bayes.conjugate.belief import Belief, fitting, tails
from learnable.bayes.laws.gaussian import Gaussian
from learnable.bayes.laws.law import positive


@dataclass(frozen=True)
class NormalInverseGamma(Belief):
    """σ² ~ InverseGamma(shape, scale) and μ | σ² ~ N(location, σ²/strength).

    After n observations with average m and sum of squares S about it: strength + n, shape + n/2, the location is the
    average of the old one and m weighted by strength and n, and the scale becomes
    scale + S/2 + strength·n (m − location)²/2(strength + n).
    The mean by itself follows Student's law with 2·shape degrees of freedom. Parameters θ are pairs (μ, σ²).
    Syllabus: U11, Y1.

    >>> prior = NormalInverseGamma(0.0, 1.0, 2.0, 2.0)
    >>> after = prior.updated([1.0, 3.0])
    >>> after, after.certificate(prior, [1.0, 3.0]).holds
    (NormalInverseGamma(location=1.3333333333333333, strength=3.0, shape=3.0, scale=4.333333333333333), True)
    """

    location: float
    strength: float
    shape: float
    scale: float

    def __post_init__(self) -> None:
        if not np.isfinite(self.location):
            raise ValueError(f"NormalInverseGamma(location={self.location}): location must be finite")
        for name in ("strength", "shape", "scale"):
            positive("NormalInverseGamma", name, getattr(self, name))

    def updated(self, x: ArrayLike, sample_weight: ArrayLike | None = None) -> "NormalInverseGamma":
        data = fitting(self, x, sample_weight)
        average = float(data.mean)
        squares = float(data.weight @ (data.x - average) ** 2)
        strength = self.strength + data.n
        away = average - self.location
        return NormalInverseGamma(
            self.location + data.n / strength * away,
            strength,
            self.shape + data.n / 2,
            self.scale + squares / 2 + self.strength * data.n * away**2 / (2 * strength),
        )

    @property
    def mean(self) -> np.ndarray:
        """(E μ, E σ²); σ² has an expectation for shape > 1 only, μ for shape > ½."""
        expected = self.location if self.shape > 0.5 else np.nan
        return np.array([expected, self.scale / (self.shape - 1) if self.shape > 1 else np.inf])

    @property
    def map(self) -> np.ndarray:
        """(location, scale/(shape + 3/2)), the pair (μ, σ²) of largest joint density."""
        return np.array([self.location, self.scale / (self.shape + 1.5)])

    def credible_interval(self, level: float = 0.95) -> np.ndarray:
        """(low, high) of μ and of σ², each by itself."""
        ends = tails("NormalInverseGamma", level)
        spread = np.sqrt(self.scale / (self.shape * self.strength))
        means = stats.t.ppf(ends, 2 * self.shape, self.location, spread)
        return np.array([means, stats.invgamma.ppf(ends, self.shape, scale=self.scale)])

    def log_density(self, theta: ArrayLike) -> float:
        mean, variance = np.asarray(theta, dtype=float)
        given = stats.norm.logpdf(mean, self.location, np.sqrt(variance / self.strength))
        return float(given + stats.invgamma.logpdf(variance, self.shape, scale=self.scale))

    def log_predictive(self, x: ArrayLike) -> np.ndarray:
        spread = np.sqrt(self.scale * (self.strength + 1) / (self.shape * self.strength))
        return stats.t.logpdf(np.asarray(x, dtype=float), 2 * self.shape, self.location, spread)

    def law_at(self, theta: ArrayLike) -> Gaussian:
        mean, variance = np.asarray(theta, dtype=float)
        return Gaussian(float(mean), float(variance))

    @property
    def _inside(self) -> np.ndarray:
        return self.map
