"""The exponential law."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from learnable.bayes.laws.law import Estimate, Law, estimate, observed, positive, refuse_outside


@dataclass(frozen=True)
class Exponential(Law):
    """p(x) = λ e^{−λx} for x ≥ 0; the likeliest rate λ is one over the average.

    Syllabus: U11.

    >>> found = Exponential.fit([1.0, 2.0, 6.0])
    >>> round(found.law.rate, 4), found.certificate([1.0, 2.0, 6.0]).holds
    (0.3333, True)
    """

    rate: float

    def __post_init__(self) -> None:
        positive("Exponential", "rate", self.rate)

    @classmethod
    def fit(cls, x: ArrayLike, sample_weight: ArrayLike | None = None) -> Estimate:
        data = observed("Exponential", x, sample_weight)
        refuse_outside("Exponential", data.x, data.x < 0, "a number >= 0 is needed")
        if not data.mean > 0.0:
            raise ValueError("Exponential: every observation that counts is 0, so the likelihood grows with the rate "
                             "without bound; at least one positive observation is needed")  # fmt: skip
        return estimate(cls(1.0 / float(data.mean)), data)

    def log_density(self, x: ArrayLike) -> np.ndarray:
        x = np.asarray(x, dtype=float)
        return np.where(x >= 0, np.log(self.rate) - self.rate * x, -np.inf)

    def score(self, x: ArrayLike, sample_weight: ArrayLike | None = None) -> np.ndarray:
        """n/λ − Σx."""
        data = observed("Exponential", x, sample_weight)
        return np.array([data.n / self.rate - data.weight @ data.x])

    def information(self) -> np.ndarray:
        """1/λ²."""
        return np.array([[1 / self.rate**2]])

    def standard_errors(self, n: float) -> dict[str, Any]:
        return {"rate": float(self.rate / np.sqrt(n))}

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        return rng.exponential(1 / self.rate, n)
