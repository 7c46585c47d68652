"""The Bernoulli law."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlog1py, xlogy

from learnable.bayes.laws.law import Estimate, Law, estimate, observed, refuse_outside


@dataclass(frozen=True)
class Bernoulli(Law):
    """1 with probability p, 0 otherwise; the likeliest p is the share of ones, (1/n) Σ x.

    Syllabus: U11.

    >>> found = Bernoulli.fit([1, 0, 1, 1])
    >>> found.law, round(found.standard_errors["p"], 4), found.certificate([1, 0, 1, 1]).holds
    (Bernoulli(p=0.75), 0.2165, True)
    """

    p: float

    def __post_init__(self) -> None:
        if not 0 <= self.p <= 1:
            raise ValueError(f"Bernoulli(p={self.p}): p must be in [0, 1]")

    @classmethod
    def fit(cls, x: ArrayLike, sample_weight: ArrayLike | None = None) -> Estimate:
        data = observed("Bernoulli", x, sample_weight)
        refuse_outside("Bernoulli", data.x, (data.x != 0) & (data.x != 1), "0 or 1 is needed")
        return estimate(cls(float(min(data.mean, 1.0))), data)

    def log_density(self, x: ArrayLike) -> np.ndarray:
        x = np.asarray(x, dtype=float)
        with np.errstate(divide="ignore"):
            return np.where((x == 0) | (x == 1), xlogy(x, self.p) + xlog1py(1 - x, -self.p), -np.inf)

    def score(self, x: ArrayLike, sample_weight: ArrayLike | None = None) -> np.ndarray:
        """Σx/p − Σ(1 − x)/(1 − p); at p = 0 or 1 the slope to the inside."""
        data = observed("Bernoulli", x, sample_weight)
        ones, zeros = float(data.weight @ data.x), float(data.weight @ (1 - data.x))
        with np.errstate(divide="ignore"):
            up = np.divide(ones, self.p) if ones else 0.0
            down = np.divide(zeros, 1 - self.p) if zeros else 0.0
        return np.array([up - down])

    def information(self) -> np.ndarray:
        """1/(p(1 − p)); infinite at p = 0 or 1."""
        with np.errstate(divide="ignore"):
            return np.array([[np.divide(1.0, self.p * (1 - self.p))]])

    def standard_errors(self, n: float) -> dict[str, Any]:
        inside = 0 < self.p < 1
        return {"p": float(np.sqrt(self.p * (1 - self.p) / n)) if inside else float("nan")}

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        return (rng.random(n) < self.p).astype(float)
