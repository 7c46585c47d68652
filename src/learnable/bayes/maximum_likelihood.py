"""Maximum likelihood of any law that can be written down as a log-density."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning

from learnable.certificates import Certificate, Claim
from learnable.certificates.bayes.maximum_likelihood import likelihood_claims
from learnable.certificates.core.gradient_check import GradientCheck, gradient_check
from learnable.solvers.bayes.numerical_likelihood import NumericalLikelihood, iterates
from learnable.trace import Status, budget, drive, first_of

LogDensity = Callable[[np.ndarray, Any], Any]
Score = Callable[[np.ndarray, Any], Any]

_SCORE_TOLERANCE = 1e-5


@dataclass(frozen=True, eq=False)
class LikelihoodMaximum:
    """Where Newton's method found the log-likelihood to be stationary.

    Syllabus: U12.

    Attributes
    ----------
    theta : array (k,)
    log_likelihood : float
    covariance : array (k, k)
        Inverse of the observed information −∇²ℓ(θ).
    n_steps : int
    status : Status
        STATIONARY, or BUDGET_SPENT. Never OPTIMAL: another maximum may be higher.
    certificate : `certificates.Certificate`, which claims
        U12 : the score vanishes, the curvature is negative in every direction, and the covariance is its inverse.
        O8 : the score agrees with differences of the log-density, when a score is given.
    """

    theta: np.ndarray
    log_likelihood: float
    covariance: np.ndarray
    n_steps: int
    status: Status

    @property
    def standard_errors(self) -> np.ndarray:
        """Square roots of the diagonal of the covariance."""
        return np.sqrt(np.diag(self.covariance))

    def certificate(
        self, log_density: LogDensity, data: Any, sample_weight: ArrayLike | None = None, score: Score | None = None
    ) -> Certificate:
        """The claims, by differences of the log-density alone."""
        value = _total(log_density, data, sample_weight)
        claims = list(likelihood_claims(value, self.theta, self.covariance, self.log_likelihood))
        if score is not None:
            slope = _total_score(score, data, sample_weight, len(self.theta))
            off = _score_errors(_score_check(value, slope, self.theta, self.standard_errors))
            claims.append(Claim.at_most("O8", "the score agrees with central differences (per standard error)",
                                        float(off.max()), _SCORE_TOLERANCE, kind="approximate"))  # fmt: skip
        return Certificate("LikelihoodMaximum", claims)


def maximum_likelihood(
    log_density: LogDensity,
    start: ArrayLike,
    data: Any,
    *,
    sample_weight: ArrayLike | None = None,
    score: Score | None = None,
    max_iter: int = 200,
) -> LikelihoodMaximum:
    """A local maximum of ℓ(θ) = Σ wᵢ log p(xᵢ; θ), by Newton's method with derivatives by differences.

    Parameters
    ----------
    log_density : function of (θ, data)
        log p(xᵢ; θ), one number an observation; −∞ or NaN where θ is outside its domain.
    start : array (k,)
        Where to begin; every observation must be possible there.
    data : whatever `log_density` takes.
    sample_weight : array (n,), default=None
    score : function of (θ, data), default=None
        The gradient of `log_density` in θ, shape (n, k). It is checked against differences at the start.
    max_iter : int, default=200

    Returns
    -------
    LikelihoodMaximum

    Syllabus: U12.

    >>> import numpy as np
    >>> def cauchy(theta, x):
    ...     return -np.log(np.pi * theta[1]) - np.log1p(((x - theta[0]) / theta[1]) ** 2)
    >>> x = np.array([-1.0, 0.2, 0.5, 1.1, 9.0])
    >>> found = maximum_likelihood(cauchy, [0.0, 1.0], x)
    >>> found.theta.round(4).tolist(), str(found.status), found.certificate(cauchy, x).holds
    ([0.4262, 0.6254], 'stationary', True)
    """
    theta = np.atleast_1d(np.array(start, dtype=float))
    if theta.ndim != 1 or len(theta) == 0 or not np.all(np.isfinite(theta)):
        raise ValueError(f"maximum_likelihood(start={start!r}): finite numbers are needed, one a parameter")
    if max_iter < 1:
        raise ValueError(f"maximum_likelihood(max_iter={max_iter}): max_iter must be >= 1")
    value = _total(log_density, data, sample_weight)
    with np.errstate(all="ignore"):
        first = value(theta)
    if not np.isfinite(first):
        raise ValueError(
            f"maximum_likelihood(start={theta.tolist()}): the log-likelihood there is {first}; start where every "
            "observation is possible"
        )
    slope = None if score is None else _total_score(score, data, sample_weight, len(theta))
    objective = NumericalLikelihood(value, theta, slope)
    if slope is not None:
        unit = 10 * objective.step
        found = _score_check(value, slope, theta, unit)
        off = _score_errors(found)
        if not off.max() <= _SCORE_TOLERANCE:
            j = int(np.argmax(off))
            raise ValueError(
                f"maximum_likelihood(score): entry {j} is {found.given[j] / unit[j]:.6g} at the start, but differences "
                f"of the log-density give {found.differences[j] / unit[j]:.6g}; correct the score"
            )
    outcome = drive(iterates(objective, theta), first_of(_stationary, budget(max_iter)), ended=Status.STOPPED)
    if outcome.status in (Status.DIVERGED, Status.STOPPED):
        raise ArithmeticError(
            f"maximum_likelihood: no step from theta = {outcome.state.theta.tolist()} improves the log-likelihood "
            f"{-outcome.state.objective:.6g}, though its slope is {np.sqrt(outcome.state.decrement):.3g} per standard "
            "error: it has a kink or a jump there, or no maximum"
        )
    if outcome.status is Status.BUDGET_SPENT:
        warnings.warn(f"maximum_likelihood: {outcome.status.explanation} ({max_iter} steps); raise max_iter, rescale "
                      "the parameters or start nearer", ConvergenceWarning, stacklevel=2)  # fmt: skip
    at = outcome.state.theta
    covariance = _inverse_information(objective.curvature(at), at)
    return LikelihoodMaximum(at, -outcome.state.objective, covariance, outcome.state.steps, outcome.status)


def _stationary(step: int, state: Any) -> Status | None:
    """A slope of a ten-millionth per standard error, or of rounding."""
    return Status.STATIONARY if state.decrement <= max(1e-14, state.resolution) else None


def _inverse_information(information: np.ndarray, theta: np.ndarray) -> np.ndarray:
    scale = np.sqrt(np.maximum(np.abs(np.diag(information)), np.finfo(float).tiny))
    eigenvalues, V = linalg.eigh(information / np.outer(scale, scale))
    if not eigenvalues[0] > 1e-9 * max(eigenvalues[-1], 1.0):
        direction = V[:, 0] / scale
        direction /= np.abs(direction).max()
        raise ValueError(
            f"maximum_likelihood: at theta = {theta.round(6).tolist()} the likelihood does not fall along the "
            f"direction {direction.round(4).tolist()}: no maximum there. Parameters that only occur together cannot "
            "be told apart, or the likelihood has no maximum at all"
        )
    return (V / eigenvalues) @ V.T / np.outer(scale, scale)


def _total(log_density: LogDensity, data: Any, sample_weight: ArrayLike | None) -> Callable[[np.ndarray], float]:
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
    if weight is not None and (not np.all(np.isfinite(weight)) or np.any(weight < 0) or not weight.any()):
        raise ValueError("maximum_likelihood(sample_weight): weights must be finite and >= 0, and not all zero")

    def total(theta: np.ndarray) -> float:
        logs = np.asarray(log_density(theta, data), dtype=float)
        if logs.ndim != 1 or len(logs) == 0:
            raise ValueError(
                f"maximum_likelihood(log_density): it returned shape {logs.shape}; one number an observation is needed"
            )
        if weight is None:
            return float(np.sum(logs))
        if weight.shape != logs.shape:
            raise ValueError(f"maximum_likelihood(sample_weight): shape {weight.shape} for {len(logs)} observations")
        return float(weight[weight > 0] @ logs[weight > 0])

    return total


def _total_score(
    score: Score, data: Any, sample_weight: ArrayLike | None, k: int
) -> Callable[[np.ndarray], np.ndarray]:
    def total(theta: np.ndarray) -> np.ndarray:
        rows = np.asarray(score(theta, data), dtype=float)
        if rows.ndim != 2 or rows.shape[1] != k:
            raise ValueError(f"maximum_likelihood(score): it returned shape {rows.shape}; (n, {k}) is needed")
        if sample_weight is None:
            return rows.sum(axis=0)
        weight = np.asarray(sample_weight, dtype=float)
        return weight[weight > 0] @ rows[weight > 0]

    return total


def _score_check(value, slope, theta: np.ndarray, unit: np.ndarray) -> GradientCheck:
    """The score beside differences of ℓ, both times a step that fits each parameter."""

    def scaled(u: np.ndarray) -> tuple[float, np.ndarray]:
        return value(theta + unit * u), unit * slope(theta)

    with np.errstate(all="ignore"):
        return gradient_check(scaled, np.zeros(len(theta)))


def _score_errors(found: GradientCheck) -> np.ndarray:
    """Differences beyond what can be resolved; relative where the score is large, absolute where it vanishes."""
    beyond = np.maximum(np.abs(found.given - found.differences) - found.resolution, 0.0)
    return np.where(np.isfinite(beyond), beyond, np.inf) / (1.0 + np.abs(found.differences))
