"""Expectation–maximisation for Gaussian mixtures, over blocks of rows. Syllabus: U5."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from learnable._jit.core.vectors import read_only
from learnable._jit.unsupervised.mixture import (
    below_the_largest,
    diagonal_distances,
    diagonal_sums,
    divided_by_sum,
    spread_about,
    sums_of_squares,
)
from learnable.device import DeviceRows, mixture_pass, place_for
from learnable.problems.unsupervised.mixtures import covariance_shape
from learnable.rows import Block, Rows, weighted_sums
from learnable.solvers.core.em import em
from learnable.solvers.unsupervised.assignment import centred
from learnable.trace import Status

# Whitened rows of a stretch stay in a core's cache.
STRETCH = 2**16


class Mixture(NamedTuple):
    """Σ_k π_k N(μ_k, Σ_k); the covariances in the shape that their kind says, the means about the origin of the fit."""

    weights: np.ndarray
    means: np.ndarray
    covariances: np.ndarray
    kind: str


class Sums(NamedTuple):
    """Expected sums over rows, about the means of the mixture they were taken at.

    log_likelihood : Σ w log density. counts : (K,) Σ w r. firsts : (K, d) Σ w r (x − μ_k).
    seconds : Σ w r (x − μ_k)(x − μ_k)ᵀ, (K, d, d) for full, (d, d) for tied, its diagonal (K, d) for the others.
    """

    log_likelihood: float
    counts: np.ndarray
    firsts: np.ndarray
    seconds: np.ndarray


class MixtureState(NamedTuple):
    """After an EM step.

    Attributes
    ----------
    objective : minus the mean log-likelihood.
    gain : what one more EM step adds to the mean log-likelihood.
    model : the mixture. history : mean log-likelihood of the start and after each step of this run.
    restart : number of the run. verdict : how the best run ended; None before that.
    """

    objective: float
    gain: float
    model: Mixture
    history: np.ndarray
    restart: int = 0
    verdict: Status | None = None


class Whitening(NamedTuple):
    """What the E-step needs of a mixture: a factor of each precision, and log π_k − ½ log |2πΣ_k|."""

    factors: np.ndarray
    shifts: np.ndarray
    offsets: np.ndarray


class SingularCovariance(ValueError):
    """A component holds on to points that do not spread in some direction."""


def whitening(mixture: Mixture) -> Whitening:
    """Inverse Cholesky factors side by side, (d, K d), for full; one for tied; else inverse variances."""
    K, d = mixture.means.shape
    with np.errstate(divide="ignore"):
        log_weights = np.log(mixture.weights)
    if mixture.kind in ("full", "tied"):
        matrices = mixture.covariances if mixture.kind == "full" else mixture.covariances[None]
        factors = np.empty((len(matrices), d, d))
        identity = np.eye(d)
        for k, matrix in enumerate(matrices):
            lower, failed = lapack.dpotrf(matrix, lower=1)
            if failed or not np.isfinite(lower).all():
                raise SingularCovariance(singular(k))
            factors[k] = lapack.dtrtrs(lower, identity, lower=1)[0].T
        determinants = np.log(np.diagonal(factors, axis1=1, axis2=2)).sum(axis=1)
        offsets = log_weights - 0.5 * d * np.log(2.0 * np.pi) + determinants
        if mixture.kind == "tied":
            return Whitening(factors[0], mixture.means @ factors[0], offsets)
        shifts = np.einsum("kj,kjl->kl", mixture.means, factors).ravel()
        return Whitening(np.ascontiguousarray(np.hstack(list(factors))), shifts, offsets)
    variances = spread_out(mixture.covariances, mixture.kind, K, d)
    if not np.all(variances > 0.0):
        raise SingularCovariance(singular(int(np.argmin(variances.min(axis=1)))))
    offsets = log_weights - 0.5 * np.log(2.0 * np.pi * variances).sum(axis=1)
    return Whitening(1.0 / variances, mixture.means, offsets)


def spread_out(covariances: np.ndarray, kind: str, K: int, d: int) -> np.ndarray:
    """The variances of a diagonal kind, (K, d)."""
    return covariances if kind == "diag" else np.broadcast_to(np.reshape(covariances, (-1, 1)), (K, d)).copy()


def posterior(X: np.ndarray, mixture: Mixture, white: Whitening) -> tuple[np.ndarray, np.ndarray]:
    """(memberships (m, K), log-density (m,)) of rows about the origin of the fit."""
    m, K = len(X), len(mixture.weights)
    r = np.empty((m, K))
    if mixture.kind == "full":
        step = max(32, STRETCH // white.factors.shape[1])
        for start in range(0, m, step):
            part = slice(start, min(start + step, m))
            sums_of_squares(X[part] @ white.factors, white.shifts, K, r[part])
    elif mixture.kind == "tied":
        Y = X @ white.factors
        diagonal_distances(read_only(Y), white.shifts, np.ones_like(white.shifts), r)
    else:
        diagonal_distances(read_only(X), white.shifts, white.factors, r)
    return r, memberships(r, white.offsets)


def memberships(distances: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Squared distances become memberships r_ik ∝ exp(offset_k − ½ distance_ik), in place; log Σ_k of each row."""
    largest, sums = np.empty(len(distances)), np.empty(len(distances))
    below_the_largest(distances, offsets, largest)
    np.exp(distances, out=distances)  # NumPy's goes through an array twice as fast as a kernel
    divided_by_sum(distances, sums)
    with np.errstate(divide="ignore"):  # a row without density anywhere
        return largest + np.log(sums)


def expected(block: Block, mixture: Mixture, white: Whitening, origin: np.ndarray | None, device: str = "cpu") -> Sums:
    """The E-step on one block, from which `origin` is subtracted unless it has been."""
    X = centred(block.X, origin)
    place = place_for(device, 2.0 * X.size * len(mixture.weights), X.nbytes)
    if place.is_device:
        return expected_on_device(DeviceRows(X, place, weight=block.weight), mixture, white)
    r, log_density = posterior(X, mixture, white)
    total = float(log_density.sum() if block.weight is None else block.weight @ log_density)
    if block.weight is not None:
        r *= np.asarray(block.weight, dtype=float)[:, None]
    counts = weighted_sums(np.ones(len(r)), r)
    K, d = mixture.means.shape
    if mixture.kind == "full":
        firsts, seconds, Z = np.empty((K, d)), np.empty((K, d, d)), np.empty_like(X)
        for k, column in enumerate(np.ascontiguousarray(r.T)):
            spread_about(read_only(X), mixture.means[k], column, Z)
            firsts[k] = np.sqrt(column) @ Z
            seconds[k] = Z.T @ Z
        return Sums(total, counts, firsts, seconds)
    if mixture.kind == "tied":
        firsts = r.T @ X - counts[:, None] * mixture.means
        rows = r.sum(axis=1)
        # Σ_k Σ_i r (x − μ_k)(x − μ_k)ᵀ, from the moments about the origin of the fit.
        crossed = mixture.means.T @ (firsts + counts[:, None] * mixture.means)
        seconds = (X * rows[:, None]).T @ X - crossed - crossed.T + (mixture.means.T * counts) @ mixture.means
        return Sums(total, counts, firsts, seconds)
    firsts, seconds = np.zeros((K, d)), np.zeros((K, d))
    diagonal_sums(read_only(X), r, mixture.means, firsts, seconds)
    return Sums(total, counts, firsts, seconds)


def expected_on_device(rows: DeviceRows, mixture: Mixture, white: Whitening) -> Sums:
    """The E-step on a device."""
    factors, (K, d) = white.factors, mixture.means.shape
    if mixture.kind == "full":
        factors = np.swapaxes(factors.reshape(d, K, d), 0, 1)
    elif mixture.kind == "tied":
        factors = np.broadcast_to(factors, (K, d, d))
    outer = mixture.kind in ("full", "tied")
    total, counts, firsts, seconds = mixture_pass(rows, mixture.means, factors, white.offsets, outer)
    return Sums(total, counts, firsts, seconds.sum(axis=0) if mixture.kind == "tied" else seconds)


def maximised(mixture: Mixture, sums: Sums, reg_covar: float) -> Mixture:
    """The M-step; `reg_covar` is added to every variance."""
    _K, d = mixture.means.shape
    # A component that has lost all its points keeps its place.
    counts = sums.counts + 10.0 * np.finfo(float).eps
    shift = sums.firsts / counts[:, None]
    means, weights = mixture.means + shift, counts / counts.sum()
    if mixture.kind == "full":
        covariances = sums.seconds / counts[:, None, None] - shift[:, :, None] * shift[:, None, :]
        covariances = 0.5 * (covariances + np.swapaxes(covariances, 1, 2))
        covariances[:, np.arange(d), np.arange(d)] += reg_covar
    elif mixture.kind == "tied":
        covariances = (sums.seconds - (shift.T * counts) @ shift) / counts.sum()
        covariances = 0.5 * (covariances + covariances.T)
        covariances[np.arange(d), np.arange(d)] += reg_covar
    else:
        squares = np.maximum(sums.seconds - counts[:, None] * shift**2, 0.0)
        covariances = {
            "diag": lambda: squares / counts[:, None],
            "spherical": lambda: squares.sum(axis=1) / (d * counts),
            "shared_spherical": lambda: np.array([squares.sum() / (d * counts.sum())]),
        }[mixture.kind]() + reg_covar
    return Mixture(weights, means, covariances, mixture.kind)


def iterates(
    e_step: Callable[[Mixture], Sums], total: float, start: Mixture, reg_covar: float, restart: int = 0
) -> Iterator[MixtureState]:
    """The mixtures after 1, 2, … EM steps.

    Parameters
    ----------
    e_step : the expected sums over all rows at a mixture. total : the sum of their weights.
    start : the first mixture.
    reg_covar : added to every variance in each M-step.
    """

    def expectation(mixture: Mixture) -> tuple[Sums, float]:
        sums = e_step(mixture)
        return sums, sums.log_likelihood / total

    def impossible(mixture: Mixture) -> ValueError:
        return ValueError("GaussianMixture: some row has density 0 under the start; widen precisions_init")

    for step in em(start, expectation, partial(maximised, reg_covar=reg_covar), impossible):
        yield MixtureState(-step.value, step.gain, step.model, step.history, restart)


def start_alone(
    e_step: Callable[[Mixture], Sums], total: float, start: Mixture, restart: int = 0
) -> Iterator[MixtureState]:
    """The start and nothing else; what a step would gain is not known."""
    value = e_step(start).log_likelihood / total
    yield MixtureState(-value, np.inf, start, np.array([value]), restart)


def blank(kind: str, K: int, d: int) -> Mixture:
    """Even weights, means 0, entries 1 in the shape of the covariances."""
    return Mixture(np.full(K, 1.0 / K), np.zeros((K, d)), np.ones(covariance_shape(kind, K, d)), kind)


def from_memberships(rows: Rows, r: np.ndarray, kind: str, origin: np.ndarray, reg_covar: float) -> Mixture:
    """The M-step from given memberships (n, K) of all rows."""
    here = blank(kind, r.shape[1], rows.n_columns)
    counts, firsts = rows.reduce(partial(_weighted_means, r=r, origin=origin))
    here = here._replace(means=firsts / (counts[:, None] + 10.0 * np.finfo(float).eps))
    sums = rows.reduce(partial(_given, r=r, mixture=here, origin=origin))
    return maximised(here, sums, reg_covar)


def _weighted_means(block: Block, r: np.ndarray, origin: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    part = _weighted(block, r)
    return part.sum(axis=0), part.T @ (block.X - origin)


def _weighted(block: Block, r: np.ndarray) -> np.ndarray:
    part = r[block.start : block.stop]
    return part if block.weight is None else part * np.asarray(block.weight, dtype=float)[:, None]


def _given(block: Block, r: np.ndarray, mixture: Mixture, origin: np.ndarray) -> Sums:
    X = np.ascontiguousarray(block.X - origin, dtype=float)
    part = np.ascontiguousarray(_weighted(block, r))
    K, _d = mixture.means.shape
    away = X[:, None, :] - mixture.means
    firsts = np.einsum("ik,ikj->kj", part, away)
    if mixture.kind == "full":
        seconds = np.array([(away[:, k] * part[:, k, None]).T @ away[:, k] for k in range(K)])
    elif mixture.kind == "tied":
        seconds = sum((away[:, k] * part[:, k, None]).T @ away[:, k] for k in range(K))
    else:
        seconds = np.einsum("ik,ikj->kj", part, away**2)
    return Sums(0.0, part.sum(axis=0), firsts, np.asarray(seconds))


def singular(component: int) -> str:
    return (
        "GaussianMixture: Fitting the mixture model failed because some components have ill-defined empirical "
        "covariance (for instance caused by singleton or collapsed samples). Try to decrease the number of components, "
        f"increase reg_covar, or scale the input data. The covariance of component {component} is singular: it holds "
        "on to points that do not spread in some direction, where the likelihood has no bound; covariance_type='tied' "
        "or 'diag' may help too"
    )
