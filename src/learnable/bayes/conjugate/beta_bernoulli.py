"""Beta belief about the probability of a one."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from learnable.bayes.conjugate.belief import Belief, fitting, tails
from learnable.bayes.laws.bernoulli import Bernoulli
from learnable.bayes.laws.law import positive


@dataclass(frozen=True)
class BetaBernoulli(Belief):
    """p ~ Beta(a, b): as if a − 1 ones and b − 1 zeros had been seen on top of a flat prior.

    After s ones among n: Beta(a + s, b + n − s). Syllabus: U11, Y1.

    >>> prior = BetaBernoulli(1, 1)
    >>> after = prior.updated([1, 1, 0, 1])
    >>> after, after.map, round(after.mean, 4), after.certificate(prior, [1, 1, 0, 1]).holds
    (BetaBernoulli(a=4.0, b=2.0), 0.75, 0.6667, True)
    """

    a: float
    b: float

    def __post_init__(self) -> None:
        positive("BetaBernoulli", "a", self.a)
        positive("BetaBernoulli", "b", self.b)

    def updated(self, x: ArrayLike, sample_weight: ArrayLike | None = None) -> "BetaBernoulli":
        data = fitting(self, x, sample_weight)
        return BetaBernoulli(float(self.a + data.weight @ data.x), float(self.b + data.weight @ (1 - data.x)))

    @property
    def mean(self) -> float:
        """a/(a + b), also the probability that the next observation is a one."""
        return self.a / (self.a + self.b)

    @property
    def map(self) -> float:
        """(a − 1)/(a + b − 2), or the end of [0, 1] where the density is largest."""
        if (self.a <= 1 and self.b <= 1) and (self.a == self.b == 1 or (self.a < 1 and self.b < 1)):
            raise ValueError(f"{self}.map: the density has no single largest point; use the mean")
        if self.a <= 1 or self.b <= 1:
            return 1.0 if self.a > self.b else 0.0
        return (self.a - 1) / (self.a + self.b - 2)

    def credible_interval(self, level: float = 0.95) -> tuple[float, float]:
        low, high = stats.beta.ppf(tails("BetaBernoulli", level), self.a, self.b)
        return float(low), float(high)

    def log_density(self, theta: float) -> float:
        return float(stats.beta.logpdf(theta, self.a, self.b))

    def log_predictive(self, x: ArrayLike) -> np.ndarray:
        return Bernoulli(self.mean).log_density(x)

    def law_at(self, theta: float) -> Bernoulli:
        return Bernoulli(theta)

    @property
    def _inside(self) -> float:
        return self.mean
