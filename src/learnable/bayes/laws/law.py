"""What the laws of the catalogue share: densities, likelihoods, and the estimate of maximum likelihood."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from learnable.certificates import Certificate
from learnable.certificates.bayes.maximum_likelihood import law_claims


class Law(ABC):
    """A probability law with parameters.

    A law is a value: its parameters are its fields. `fit` gives the likeliest law of its kind. Weights count rows: a
    row of weight 2 is two rows. Logarithms are natural.
    """

    n_dimensions: ClassVar[int] = 1

    @classmethod
    @abstractmethod
    def fit(cls, x: ArrayLike, sample_weight: ArrayLike | None = None) -> "Estimate":
        """The law of this kind that makes the observations likeliest."""

    @abstractmethod
    def log_density(self, x: ArrayLike) -> np.ndarray:
        """log p(x), one number an observation; −∞ outside the support."""

    @abstractmethod
    def score(self, x: ArrayLike, sample_weight: ArrayLike | None = None) -> np.ndarray:
        """The gradient of the log-likelihood in the parameters."""

    @abstractmethod
    def information(self) -> np.ndarray:
        """Fisher information of one observation, a matrix in the parameters."""

    @abstractmethod
    def standard_errors(self, n: float) -> dict[str, Any]:
        """Standard error of each parameter when it is estimated from n observations of this law."""

    @abstractmethod
    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """n independent observations."""

    @property
    def parameters(self) -> dict[str, Any]:
        """Name -> value."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def log_likelihood(self, x: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Σ wᵢ log p(xᵢ)."""
        data = observed(type(self).__name__, x, sample_weight, self.n_dimensions)
        logs = np.asarray(self.log_density(data.x))
        return float(np.sum(np.where(data.weight > 0.0, data.weight * logs, 0.0)))


@dataclass(frozen=True, eq=False)
class Estimate:
    """A law of maximum likelihood.

    Syllabus: U11.

    Attributes
    ----------
    law : Law
    n : float
        Number of observations: the sum of their weights.
    log_likelihood : float
    standard_errors : dict, parameter -> standard error; NaN at the edge of the parameters, where none is known.
    certificate : `certificates.Certificate`, which claims
        U11 : the law has the moments of the sample, so no other parameters are likelier; the log-likelihood, n and the
        standard errors are as stated.
    """

    law: Any
    n: float
    log_likelihood: float
    standard_errors: dict[str, Any]

    def certificate(self, x: ArrayLike, sample_weight: ArrayLike | None = None) -> Certificate:
        """The claims, computed again from the observations and the parameters."""
        name = type(self.law).__name__
        data = observed(name, x, sample_weight, self.law.n_dimensions)
        return Certificate(name, law_claims(self, data.x, data.weight))


class Observed(NamedTuple):
    """Observations and their weights, checked."""

    x: np.ndarray
    weight: np.ndarray

    @property
    def n(self) -> float:
        return float(self.weight.sum())

    @property
    def mean(self) -> Any:
        return self.weight @ self.x / self.n


def observed(name: str, x: ArrayLike, sample_weight: ArrayLike | None, n_dimensions: int = 1) -> Observed:
    """Finite numbers with weights, or an error that names what is wrong."""
    values = np.asarray(x)
    if values.dtype.kind not in "OUS" or n_dimensions > 1:
        values = np.asarray(x, dtype=float)
        if n_dimensions > 1 and values.ndim != 2:
            raise ValueError(f"{name}: observations of shape {values.shape}; a table with a row each is needed")
        finite = np.isfinite(values)
        if not finite.all():
            where = np.argwhere(~finite)[0]
            raise ValueError(f"{name}: observation {int(where[0])} is {values[tuple(where)]}; drop or correct it")
        if np.max(np.abs(values), initial=0.0) > 1e150:
            where = np.argwhere(np.abs(values) > 1e150)[0]
            raise ValueError(
                f"{name}: observation {int(where[0])} is {values[tuple(where)]:g}, whose square cannot be represented; "
                "rescale the observations"
            )
    if values.ndim != n_dimensions:
        raise ValueError(f"{name}: observations of shape {values.shape}; one number each is needed")
    if len(values) == 0:
        raise ValueError(f"{name}: no observations (n = 0); at least one is needed")
    weight = np.ones(len(values)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    if weight.shape != (len(values),):
        raise ValueError(f"{name}(sample_weight): shape {weight.shape} for {len(values)} observations")
    if not np.all(np.isfinite(weight)) or np.any(weight < 0.0) or not weight.any():
        raise ValueError(f"{name}(sample_weight): weights must be finite and >= 0, and not all zero")
    return Observed(values, weight)


def estimate(law: Law, data: Observed) -> Estimate:
    """The estimate of a law that was fitted on these data."""
    return Estimate(law, data.n, law.log_likelihood(*data), law.standard_errors(data.n))


def positive(kind: str, name: str, value: float) -> None:
    """ValueError unless the value is finite and > 0."""
    if not 0 < value < np.inf:
        raise ValueError(f"{kind}({name}={value}): {name} must be finite and > 0")


def refuse_outside(name: str, x: np.ndarray, outside: np.ndarray, needed: str) -> None:
    """ValueError naming the first observation that the law cannot produce."""
    if np.any(outside):
        row = int(np.argmax(outside))
        raise ValueError(f"{name}: observation {row} is {x[row]:g}, but {needed}")
