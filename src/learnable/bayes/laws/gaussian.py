"""The Gaussian law of one variable."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from learnable.bayes.laws.law import Estimate, Law, estimate, observed, positive


@dataclass(frozen=True)
class Gaussian(Law):
    """N(mean, variance): log p(x) = −½ log 2πσ² − (x − μ)²/2σ².

    The likeliest mean is the average; the likeliest variance divides by n, so its expectation is (n − 1)/n σ²
    (`unbiased_variance` divides by n − 1).

    Syllabus: U11.

    >>> found = Gaussian.fit([1.0, 2.0, 3.0, 6.0])
    >>> found.law, found.certificate([1.0, 2.0, 3.0, 6.0]).holds
    (Gaussian(mean=3.0, variance=3.5), True)
    >>> Gaussian.unbiased_variance(found).__round__(3)
    4.667
    """

    mean: float
    variance: float

    def __post_init__(self) -> None:
        if not np.isfinite(self.mean):
            raise ValueError(f"Gaussian(mean={self.mean}): mean must be finite")
        positive("Gaussian", "variance", self.variance)

    @classmethod
    def fit(cls, x: ArrayLike, sample_weight: ArrayLike | None = None) -> Estimate:
        data = observed("Gaussian", x, sample_weight)
        centre = data.x[np.argmax(data.weight > 0)]  # taken out first: a large offset costs no digits
        mean = centre + data.weight @ (data.x - centre) / data.n
        variance = float(data.weight @ (data.x - mean) ** 2 / data.n)
        if not variance > 0.0 and np.any(data.x[data.weight > 0.0] != centre):
            raise ValueError("Gaussian: the variance is too small to be represented; rescale the observations")
        if not variance > 0.0:
            raise ValueError(
                f"Gaussian: {int(np.count_nonzero(data.weight))} sample(s), all equal to {centre:g}, so the likelihood "
                "grows without bound as the variance goes to 0; at least two distinct values are needed"
            )
        return estimate(cls(float(mean), variance), data)

    @staticmethod
    def unbiased_variance(found: Estimate) -> float:
        """n/(n − 1) times the likeliest variance, whose expectation is the true one."""
        if found.n <= 1:
            raise ValueError(f"Gaussian.unbiased_variance: n = {found.n:g}; more than one observation is needed")
        return found.law.variance * found.n / (found.n - 1)

    def log_density(self, x: ArrayLike) -> np.ndarray:
        z2 = (np.asarray(x, dtype=float) - self.mean) ** 2 / self.variance
        return -0.5 * (np.log(2 * np.pi * self.variance) + z2)

    def score(self, x: ArrayLike, sample_weight: ArrayLike | None = None) -> np.ndarray:
        """(Σ(x − μ)/σ², Σ((x − μ)² − σ²)/2σ⁴)."""
        data = observed("Gaussian", x, sample_weight)
        away = data.x - self.mean
        slopes = (data.weight @ away, data.weight @ (away**2 - self.variance) / (2 * self.variance))
        return np.array(slopes) / self.variance

    def information(self) -> np.ndarray:
        """diag(1/σ², 1/2σ⁴)."""
        return np.diag([1 / self.variance, 1 / (2 * self.variance**2)])

    def standard_errors(self, n: float) -> dict[str, Any]:
        return {"mean": float(np.sqrt(self.variance / n)), "variance": float(self.variance * np.sqrt(2 / n))}

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        return rng.normal(self.mean, np.sqrt(self.variance), n)
