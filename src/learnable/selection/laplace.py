"""Laplace approximation of the evidence, and posterior odds between models."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log, pi

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.special import logsumexp

from learnable.selection._inputs import require_names, require_vector
from learnable.selection._report import Reported, Table


@dataclass(frozen=True, repr=False, eq=False)
class LaplaceEvidence(Reported):
    """log p(y) ≈ log p(y, θ̂) + (d/2) log 2π - ½ log det A, with its parts.

    Attributes
    ----------
    log_joint : log p(y | θ̂) + log p(θ̂).
    occam : (d/2) log 2π - ½ log det A, the log volume of the posterior bump.
    dimension : d.
    newton_decrement : ½ gᵀA⁻¹g at the given mode by finite differences, the nats by which it misses the top.
    """

    log_joint: float
    occam: float
    dimension: int
    newton_decrement: float

    @property
    def log_evidence(self) -> float:
        """The approximation."""
        return self.log_joint + self.occam

    def table(self) -> Table:
        rows = [
            ("log p(y, θ̂)", self.log_joint),
            ("(d/2) log 2π - ½ log det A", self.occam),
            ("log evidence", self.log_evidence),
            ("left to climb", self.newton_decrement),
        ]
        notes = ["error O(1/n) for regular models; exact when the log joint is quadratic"]
        return Table(f"Laplace evidence, d = {self.dimension}", ("term", "nats"), rows, notes)


def laplace_evidence(
    log_joint: Callable[[NDArray], float],
    mode: ArrayLike,
    hessian: ArrayLike | Callable[[NDArray], ArrayLike],
) -> LaplaceEvidence:
    """Laplace approximation of log p(y) = log ∫ p(y | θ) p(θ) dθ at the posterior mode θ̂.

    log p(y) ≈ log p(y, θ̂) + (d/2) log 2π - ½ log det A, A = -∇² log p(y, θ̂). Syllabus: MS13.

    Parameters
    ----------
    log_joint : θ ↦ log p(y | θ) + log p(θ), with all its constants.
    mode : θ̂. It is checked: where a Newton step would still gain 0.001 nats it is refused.
    hessian : ∇² log p(y, θ), negative definite at the mode, as a matrix or as a function of θ.

    >>> flat = laplace_evidence(lambda t: -0.5 * float(t @ t), np.zeros(2), -np.eye(2))
    >>> round(flat.log_evidence - log(2 * pi), 12)
    0.0
    """
    theta = require_vector("mode", mode)
    d = len(theta)
    A = -np.asarray(hessian(theta) if callable(hessian) else hessian, dtype=float)
    if A.shape != (d, d) or not np.isfinite(A).all():
        raise ValueError(f"hessian: must be a finite {d}x{d} matrix, got shape {A.shape}")
    try:
        factor = cho_factor((A + A.T) / 2, lower=True)
    except LinAlgError:
        least = float(np.linalg.eigvalsh((A + A.T) / 2)[0])
        raise ValueError(
            f"hessian: not negative definite at the mode (an eigenvalue is {-least:.4g}); "
            "the point is no strict maximum or the parameter is not identified"
        ) from None
    top = float(log_joint(theta))
    if not np.isfinite(top):
        raise ValueError(f"log_joint(mode)={top}: must be finite")
    # Steps of a ten-thousandth of each conditional posterior sd: small against the curvature, large against rounding.
    steps = 1e-4 / np.sqrt(np.diag(A))
    moves = np.diag(steps)
    gradient = np.array([log_joint(theta + move) - log_joint(theta - move) for move in moves]) / (2 * steps)
    decrement = 0.5 * float(gradient @ cho_solve(factor, gradient))
    noise = d * (8 * np.finfo(float).eps * (1 + abs(top)) / 1e-4) ** 2
    if not decrement <= 1e-3 + noise:
        raise ValueError(
            f"mode: not a maximum of log_joint, a Newton step would gain {decrement:.3g} nats; optimise further"
        )
    log_det = 2 * float(np.log(np.diag(factor[0])).sum())
    return LaplaceEvidence(top, 0.5 * (d * log(2 * pi) - log_det), d, decrement)


@dataclass(frozen=True, repr=False, eq=False)
class ModelOdds(Reported):
    """Posterior probabilities of models from their log evidences and prior probabilities."""

    names: tuple[str, ...]
    log_evidence: NDArray
    prior: NDArray
    log_posterior: NDArray

    @property
    def posterior(self) -> NDArray:
        """Probabilities that sum to 1."""
        return np.exp(self.log_posterior)

    def log_odds(self, a: int, b: int) -> float:
        """log P(a | y) / P(b | y): the log Bayes factor plus the log prior odds."""
        return float(self.log_posterior[a] - self.log_posterior[b])

    def table(self) -> Table:
        rows = list(zip(self.names, self.log_evidence, self.prior, self.posterior))
        return Table("Posterior model odds", ("model", "log evidence", "prior", "posterior"), rows)


def posterior_odds(
    log_evidences: ArrayLike, prior: ArrayLike | None = None, *, names: Sequence[str] | None = None
) -> ModelOdds:
    """P(M | y) ∝ P(M) p(y | M), computed on the log scale. Syllabus: MS13.

    Parameters
    ----------
    log_evidences : log p(y | M) for each model; `-bic / 2` gives the BIC approximation.
    prior : prior probabilities, > 0 and of sum 1; equal by default.
    names : names of the models.

    >>> posterior_odds([-100.0, -101.0]).posterior.round(3)
    array([0.731, 0.269])
    """
    evidences = require_vector("log_evidences", log_evidences)
    weights = np.full(len(evidences), 1 / len(evidences)) if prior is None else require_vector("prior", prior)
    if len(weights) != len(evidences) or not (weights > 0).all() or not np.isclose(weights.sum(), 1):
        raise ValueError(f"prior={weights.tolist()}: must hold {len(evidences)} probabilities > 0 that sum to 1")
    joint = evidences + np.log(weights)
    labels = require_names(names, len(evidences), "model")
    return ModelOdds(labels, evidences, weights, joint - logsumexp(joint))
