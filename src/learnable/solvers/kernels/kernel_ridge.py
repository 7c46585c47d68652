"""Kernel ridge regression: (K + λW⁻¹) c = y, by one Cholesky factor, or by one decomposition for every λ; with the
linear kernel by that of the rows.

Syllabus: K9.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.linalg import LinAlgError, cholesky, eigh, lstsq, svd
from scipy.linalg import lapack

from learnable.problems.kernels.basic import Linear
from learnable.rows.threads import interruptible
from learnable.solvers.kernels.scoring import scores

# Rows whose factor takes a few milliseconds, less than Ctrl-C need wait for.
SOON_FACTORED = 500


class RidgeState(NamedTuple):
    """The solution.

    Attributes
    ----------
    objective : Σ w (y − Kc)² + λ cᵀKc, summed over the targets.
    dual : (n, q).
    intercept : (q,), or None without.
    """

    objective: float
    dual: np.ndarray
    intercept: np.ndarray | None = None


def solution(K: np.ndarray, Y: np.ndarray, alpha: np.ndarray, weight: np.ndarray | None) -> Iterator[RidgeState]:
    """One state: the solution for each column of Y with its own λ, rows of weight 0 without a coefficient."""
    n, q = Y.shape
    counts = np.arange(n) if weight is None else np.flatnonzero(weight > 0.0)
    dual = np.zeros((n, q))
    inverse = 1.0 if weight is None else 1.0 / weight[counts]
    part = K if weight is None else K[np.ix_(counts, counts)]
    for level in np.unique(alpha):
        columns = np.flatnonzero(alpha == level)
        target = Y[np.ix_(counts, columns)]
        try:
            found = lapack.dpotrs(_upper_factor(_shifted(part, level * inverse)), target, lower=0)[0]
        except LinAlgError:
            # λ = 0 and a singular K: the shortest solution.
            found = interruptible(lstsq, _shifted(part, level * inverse), target, rcond=np.finfo(float).eps)[0]
        dual[np.ix_(counts, columns)] = found
    found = K @ dual
    w = np.ones(n) if weight is None else weight
    objective = float(np.sum(w[:, None] * (Y - found) ** 2) + np.sum(alpha * np.einsum("ij,ij->j", dual, found)))
    yield RidgeState(objective, dual)


def with_intercept(
    solve: Callable[[np.ndarray, np.ndarray], Iterator[RidgeState]], Y: np.ndarray, alpha: np.ndarray
) -> Iterator[RidgeState]:
    """One state: the solution with a free b for each column of Y.

    With u and v the solutions for y and for ones, c = u − b v, and b makes Σc = 0. There λ‖f‖² + Σ w r² = λ c·y.
    """
    q = Y.shape[1]
    middle = Y.mean(axis=0)  # of targets far from zero u and b v would be nearly the same
    (state,) = solve(np.hstack([Y - middle, np.ones_like(Y)]), np.tile(alpha, 2))
    u, v = state.dual[:, :q], state.dual[:, q:]
    b, dual = np.zeros(q), u
    for _ in range(2):  # what rounding leaves of the sum the first time may be all there is of targets that hardly vary
        step = dual.sum(axis=0) / v.sum(axis=0)
        b, dual = b + step, dual - step * v
    objective = float(np.sum(alpha * np.einsum("ij,ij->j", dual, Y - middle)))
    yield RidgeState(objective, dual, middle + b)


def _shifted(K: np.ndarray, level: float | np.ndarray) -> np.ndarray:
    """K with more on its diagonal."""
    matrix = K.copy()
    matrix.flat[:: len(K) + 1] += level
    return matrix


def _upper_factor(matrix: np.ndarray) -> np.ndarray:
    """R with RᵀR = the matrix, which is overwritten, as LAPACK has it; of few rows without another thread, which takes
    as long to be woken.
    """
    if len(matrix) > SOON_FACTORED:
        return interruptible(cholesky, matrix).T
    factor, failed = lapack.dpotrf(matrix.T, lower=0, clean=0, overwrite_a=1)
    if failed:
        raise LinAlgError
    return factor


def linear_solution(X: Any, Y: np.ndarray, alpha: np.ndarray, weight: np.ndarray | None) -> Iterator[RidgeState]:
    """One state: as `solution` for the linear kernel, from the thin decomposition X = USVᵀ and never K.

    (XXᵀ + λI)⁻¹y = U(S² + λ)⁻¹Uᵀy + (y − UUᵀy)/λ, in rows and targets times √w where they have weights. What is left
    of y is taken off U twice: what rounding leaves of it there the first time would come back times S².
    """
    n = len(Y)
    root = np.ones(n) if weight is None else np.sqrt(weight)
    U, S, _ = interruptible(svd, X * root[:, None], full_matrices=False)
    target = Y * root[:, None]
    along = U.T @ target
    rest = target - U @ along
    rest -= U @ (U.T @ rest)
    shrunk = along / (S[:, None] ** 2 + alpha[None, :])
    dual = root[:, None] * (U @ shrunk + rest / alpha[None, :])
    _settle_sums(X, Y, alpha, weight, dual)
    # Residuals: what is left of y, and the share of it along U that the penalty keeps away.
    away = rest + U @ (alpha[None, :] * shrunk)
    norms = np.einsum("ij,ij->j", S[:, None] * shrunk, S[:, None] * shrunk)
    yield RidgeState(float(np.sum(away**2) + np.sum(alpha * norms)), dual)


def _settle_sums(X: Any, Y: np.ndarray, alpha: np.ndarray, weight: np.ndarray | None, dual: np.ndarray) -> None:
    """Bring each column's Σc to what the residuals ask for, in place.

    Where the rows have a mean m far from 0, all values of the function move by m·m for a change of Σc, and the rounding
    of the largest c is enough to be seen. The smallest c that counts takes the difference: it has the finest digits.
    """
    m = X.mean(axis=0)
    counts = np.arange(len(Y)) if weight is None else np.flatnonzero(weight > 0.0)
    w = np.ones(len(counts)) if weight is None else weight[counts]
    for _ in range(3):
        left = Y[counts] - scores(Linear(), X[counts], X, dual) - alpha * dual[counts] / w[:, None]
        least = np.argmin(np.abs(dual[counts]), axis=0)
        change = left.mean(axis=0) / (m @ m + alpha / (w[least] * len(counts)))
        dual[counts[least], np.arange(dual.shape[1])] += change


class RidgeSpectrum(NamedTuple):
    """K = U diag(s) Uᵀ and Uᵀy: all that a solution for any λ needs."""

    values: np.ndarray
    vectors: np.ndarray
    rotated: np.ndarray


def spectrum(K: np.ndarray, y: np.ndarray) -> RidgeSpectrum:
    """The one decomposition."""
    values, vectors = interruptible(eigh, K)
    values = np.maximum(values, 0.0)
    return RidgeSpectrum(values, vectors, vectors.T @ y)
