"""What conjugate beliefs share: updating, intervals, evidence, certificate."""

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from learnable.bayes.laws.law import Law, Observed, observed
from learnable.certificates import Certificate
from learnable.certificates.bayes.conjugate import conjugate_claims


class Belief(ABC):
    """A law of the unknown parameter of another law, of a kind that data do not change: prior and posterior alike.

    A belief is a value. `updated(x)` is the belief after seeing x; updating with two samples one after the other is
    updating with both.
    """

    @abstractmethod
    def updated(self, x: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """The posterior after these observations; weights count rows."""

    @property
    @abstractmethod
    def mean(self) -> Any:
        """Expectation of the parameter; infinite where it diverges."""

    @property
    @abstractmethod
    def map(self) -> Any:
        """The parameter of largest density; ValueError when there is no single one."""

    @abstractmethod
    def credible_interval(self, level: float = 0.95) -> Any:
        """(low, high) with the same probability outside on either side."""

    @abstractmethod
    def log_density(self, theta: Any) -> float:
        """Log-density of the belief at a parameter."""

    @abstractmethod
    def log_predictive(self, x: ArrayLike) -> np.ndarray:
        """log p(x) of a new observation, the parameter averaged out."""

    @abstractmethod
    def law_at(self, theta: Any) -> Law:
        """The law of the observations when the parameter is θ."""

    @property
    @abstractmethod
    def _inside(self) -> Any:
        """A parameter of positive density."""

    @property
    def parameters(self) -> dict[str, Any]:
        """Name -> value of what describes the belief."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def log_evidence(self, x: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """log P(D) = log prior(θ) + log P(D|θ) − log posterior(θ), at whichever θ."""
        after = self.updated(x, sample_weight)
        theta = after._inside
        likelihood = self.law_at(theta).log_likelihood(x, sample_weight)
        return self.log_density(theta) + likelihood - after.log_density(theta)

    def certificate(self, prior: Self, x: ArrayLike, sample_weight: ArrayLike | None = None) -> Certificate:
        """The claims that this belief is `prior` after seeing x.

        Y1 : prior × likelihood / posterior is the same number at every parameter.
        """
        name = type(self).__name__
        data = observed(name, x, sample_weight)
        return Certificate(name, conjugate_claims(name, prior.parameters, self.parameters, data.x, data.weight))


def tails(kind: str, level: float) -> np.ndarray:
    """The two quantile levels of an equal-tailed interval."""
    if not 0 < level < 1:
        raise ValueError(f"{kind}.credible_interval(level={level}): level must be in (0, 1)")
    return np.array([(1 - level) / 2, (1 + level) / 2])


def fitting(belief: Belief, x: ArrayLike, sample_weight: ArrayLike | None) -> Observed:
    """Observations that the data law can produce; the law's own check of its observations decides."""
    data = observed(type(belief).__name__, x, sample_weight)
    law = belief.law_at(belief._inside)
    impossible = (np.asarray(law.log_density(data.x)) == -np.inf) & (data.weight > 0)
    if np.any(impossible):
        row = int(np.argmax(impossible))
        raise ValueError(
            f"{type(belief).__name__}: observation {row} is {data.x[row]}, which a {type(law).__name__} law cannot "
            "produce"
        )
    return data
