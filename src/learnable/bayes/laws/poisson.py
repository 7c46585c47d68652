"""The Poisson law."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, xlogy

from learnable.bayes.laws.law import Estimate, Law, estimate, observed, refuse_outside


@dataclass(frozen=True)
class Poisson(Law):
    """P(x) = λˣ e^{−λ}/x! for x = 0, 1, 2, …; the likeliest rate λ is the average.

    Syllabus: U11.

    >>> found = Poisson.fit([0, 2, 1, 5])
    >>> found.law, round(found.standard_errors["rate"], 4)
    (Poisson(rate=2.0), 0.7071)
    """

    rate: float

    def __post_init__(self) -> None:
        if not 0 <= self.rate < np.inf:
            raise ValueError(f"Poisson(rate={self.rate}): rate must be finite and >= 0")

    @classmethod
    def fit(cls, x: ArrayLike, sample_weight: ArrayLike | None = None) -> Estimate:
        data = observed("Poisson", x, sample_weight)
        refuse_outside("Poisson", data.x, (data.x < 0) | (data.x != np.round(data.x)), "a count 0, 1, 2, … is needed")
        return estimate(cls(float(data.mean)), data)

    def log_density(self, x: ArrayLike) -> np.ndarray:
        x = np.asarray(x, dtype=float)
        possible = (x >= 0) & (x == np.round(x))
        counts = np.where(possible, x, 0.0)
        with np.errstate(divide="ignore"):
            return np.where(possible, xlogy(counts, self.rate) - self.rate - gammaln(counts + 1), -np.inf)

    def score(self, x: ArrayLike, sample_weight: ArrayLike | None = None) -> np.ndarray:
        """Σx/λ − n."""
        data = observed("Poisson", x, sample_weight)
        total = float(data.weight @ data.x)
        with np.errstate(divide="ignore"):
            return np.array([(np.divide(total, self.rate) if total else 0.0) - data.n])

    def information(self) -> np.ndarray:
        """1/λ; infinite at λ = 0."""
        with np.errstate(divide="ignore"):
            return np.array([[np.divide(1.0, self.rate)]])

    def standard_errors(self, n: float) -> dict[str, Any]:
        return {"rate": float(np.sqrt(self.rate / n)) if self.rate > 0 else float("nan")}

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        return rng.poisson(self.rate, n).astype(float)
