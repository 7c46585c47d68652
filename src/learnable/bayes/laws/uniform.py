"""The uniform law on [0, θ], whose likeliest θ is biased."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from learnable.bayes.laws.law import Estimate, Law, estimate, observed, positive, refuse_outside


@dataclass(frozen=True)
class Uniform(Law):
    """p(x) = 1/θ on [0, θ]; the likeliest θ is the largest observation.

    It is too small on average: E[max] = nθ/(n + 1). `unbiased` corrects it, `interval` bounds θ exactly. The support
    depends on θ, so there is no Fisher information, and the error shrinks as 1/n rather than 1/√n.

    Syllabus: U11.

    >>> found = Uniform.fit([0.5, 2.0, 1.5, 3.0])
    >>> found.law, Uniform.unbiased(found), Uniform.bias(found.law, 4)
    (Uniform(theta=3.0), 3.75, -0.6)
    >>> [round(end, 3) for end in Uniform.interval(found, 0.95)]
    [3.0, 6.344]
    """

    theta: float

    def __post_init__(self) -> None:
        positive("Uniform", "theta", self.theta)

    @classmethod
    def fit(cls, x: ArrayLike, sample_weight: ArrayLike | None = None) -> Estimate:
        data = observed("Uniform", x, sample_weight)
        refuse_outside("Uniform", data.x, data.x < 0, "a number in [0, theta] is needed")
        largest = float(np.max(data.x[data.weight > 0]))
        if largest == 0.0:
            raise ValueError("Uniform: every observation that counts is 0, so the likelihood grows as theta goes to 0; "
                             "at least one positive observation is needed")  # fmt: skip
        return estimate(cls(largest), data)

    @staticmethod
    def bias(law: "Uniform", n: float) -> float:
        """E[max of n observations] − θ = −θ/(n + 1)."""
        return -law.theta / (n + 1)

    @staticmethod
    def unbiased(found: Estimate) -> float:
        """(n + 1)/n times the largest observation, whose expectation is θ."""
        return found.law.theta * (found.n + 1) / found.n

    @staticmethod
    def interval(found: Estimate, level: float = 0.95) -> tuple[float, float]:
        """[max, max/(1 − level)^{1/n}]: covers θ with exactly this probability, since P(max ≤ cθ) = cⁿ."""
        if not 0 < level < 1:
            raise ValueError(f"Uniform.interval(level={level}): level must be in (0, 1)")
        return found.law.theta, float(found.law.theta / (1 - level) ** (1 / found.n))

    def log_density(self, x: ArrayLike) -> np.ndarray:
        x = np.asarray(x, dtype=float)
        return np.where((x >= 0) & (x <= self.theta), -np.log(self.theta), -np.inf)

    def score(self, x: ArrayLike, sample_weight: ArrayLike | None = None) -> np.ndarray:
        """−n/θ for θ above every observation: it never vanishes, the maximum is where the likelihood jumps."""
        data = observed("Uniform", x, sample_weight)
        if self.log_likelihood(*data) == -np.inf:
            raise ValueError(f"Uniform(theta={self.theta}).score: an observation is outside [0, theta]")
        return np.array([-data.n / self.theta])

    def information(self) -> np.ndarray:
        """There is none: ValueError."""
        raise ValueError("Uniform.information: the support depends on theta, so Fisher information is not defined; "
                         "use standard_errors or interval, which are exact")  # fmt: skip

    def standard_errors(self, n: float) -> dict[str, Any]:
        """θ √(n/(n + 2)) / (n + 1), the exact deviation of the largest of n observations."""
        return {"theta": float(self.theta * np.sqrt(n / (n + 2)) / (n + 1))}

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        return rng.uniform(0.0, self.theta, n)
