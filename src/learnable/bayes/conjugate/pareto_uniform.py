"""Pareto belief about the end of a uniform law."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from learnable.bayes.conjugate.belief import Belief, tails
from learnable.bayes.laws.law import observed, positive, refuse_outside
from learnable.bayes.laws.uniform import Uniform


@dataclass(frozen=True)
class ParetoUniform(Belief):
    """θ ~ Pareto(scale, shape) for observations uniform on [0, θ].

    Its density is shape·scale^shape/θ^{shape+1} for θ ≥ scale.
    After n observations: scale becomes the largest of itself and the data, shape + n. The most probable θ is the
    scale, the same as the likeliest one once the data exceed the prior's. Syllabus: U11, Y1.

    >>> prior = ParetoUniform(1.0, 1.0)
    >>> after = prior.updated([0.5, 4.0, 2.0])
    >>> after, after.map, after.mean.__round__(4), after.certificate(prior, [0.5, 4.0, 2.0]).holds
    (ParetoUniform(scale=4.0, shape=4.0), 4.0, 5.3333, True)
    """

    scale: float
    shape: float

    def __post_init__(self) -> None:
        positive("ParetoUniform", "scale", self.scale)
        positive("ParetoUniform", "shape", self.shape)

    def updated(self, x: ArrayLike, sample_weight: ArrayLike | None = None) -> "ParetoUniform":
        data = observed("ParetoUniform", x, sample_weight)
        refuse_outside("ParetoUniform", data.x, data.x < 0, "a number >= 0 is needed")
        largest = float(np.max(data.x[data.weight > 0]))
        return ParetoUniform(max(self.scale, largest), float(self.shape + data.n))

    @property
    def mean(self) -> float:
        """shape·scale/(shape − 1), infinite for a shape of at most 1."""
        return self.shape * self.scale / (self.shape - 1) if self.shape > 1 else float("inf")

    @property
    def map(self) -> float:
        """The scale."""
        return self.scale

    def credible_interval(self, level: float = 0.95) -> tuple[float, float]:
        low, high = stats.pareto.ppf(tails("ParetoUniform", level), self.shape, scale=self.scale)
        return float(low), float(high)

    def log_density(self, theta: float) -> float:
        return float(stats.pareto.logpdf(theta, self.shape, scale=self.scale))

    def log_predictive(self, x: ArrayLike) -> np.ndarray:
        """Flat up to the scale, falling as x^{−shape−1} beyond."""
        x = np.asarray(x, dtype=float)
        beyond = np.log(np.maximum(x, self.scale) / self.scale)
        logs = np.log(self.shape / ((self.shape + 1) * self.scale)) - (self.shape + 1) * beyond
        return np.where(x >= 0, logs, -np.inf)

    def law_at(self, theta: float) -> Uniform:
        return Uniform(theta)

    @property
    def _inside(self) -> float:
        return 1.5 * self.scale
