"""Seemingly unrelated regressions: several equations, their own predictors, correlated errors."""

import warnings
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_array

from learnable.base import refuse_unreadable
from learnable.base.validation import checked_weights
from learnable.certificates import Certificate
from learnable.certificates.linear.seemingly_unrelated import seemingly_unrelated_certificate
from learnable.rows import as_rows, one_blas_thread, triangular_factor
from learnable.solvers.linear import seemingly_unrelated as solver
from learnable.trace import Status, budget, drive, first_of, reached


class SeeminglyUnrelated(NamedTuple):
    """A fitted system of equations.

    Attributes
    ----------
    coefs : tuple of arrays, β̂_k of each equation.
    intercepts : (q,)
    standard_errors : tuple of arrays, of the coefficients of each equation.
    covariance : (P, P) of all coefficients, one equation after the other.
    sigma : (q, q) covariance of the errors.
    n_iter : rounds made.
    status : `trace.Status`
    certificate : `certificates.Certificate`
    """

    coefs: tuple[np.ndarray, ...]
    intercepts: np.ndarray
    standard_errors: tuple[np.ndarray, ...]
    covariance: np.ndarray
    sigma: np.ndarray
    n_iter: int
    status: Status
    certificate: Certificate

    def predict(self, designs: Sequence) -> np.ndarray:
        """Predicted targets (n, q), from one design an equation."""
        if len(designs) != len(self.coefs):
            raise ValueError(f"predict: {len(designs)} designs for {len(self.coefs)} equations; give one for each")
        return np.column_stack([np.asarray(X) @ b + a for X, b, a in zip(designs, self.coefs, self.intercepts)])


def seemingly_unrelated(
    designs: Sequence,
    Y,
    *,
    sigma=None,
    fit_intercept: bool = True,
    sample_weight=None,
    max_iter: int = 500,
    tol: float = 1e-9,
) -> SeeminglyUnrelated:
    """Generalised least squares for y_k = X_k β_k + b_k + ε_k, k = 1 … q, with Cov(ε_ij, ε_ik) = Σ_jk.

    β̂ = (X'(Σ⁻¹⊗I)X)⁻¹ X'(Σ⁻¹⊗I)y with X block diagonal. Without `sigma`, Σ and β are found in turn until both settle,
    at the Gaussian maximum likelihood. When all designs are equal, or Σ is diagonal, the equations separate: each β̂_k
    is ordinary least squares whatever Σ is. Syllabus: R14, R15.

    Parameters
    ----------
    designs : q arrays (n, p_k), the predictors of each equation
    Y : array (n, q)
    sigma : array (q, q), default=None
        Σ, where it is known.
    fit_intercept : bool, default=True
        Whether every equation has an intercept.
    sample_weight : array (n,), default=None
        How often each row counts.
    max_iter : int, default=500
    tol : float, default=1e-9
        The rounds end once no coefficient changes by more than tol of its standard error.

    Returns
    -------
    SeeminglyUnrelated

    Examples
    --------
    >>> import numpy as np
    >>> random = np.random.default_rng(0)
    >>> A, B = random.standard_normal((60, 2)), random.standard_normal((60, 1))
    >>> noise = random.multivariate_normal([0.0, 0.0], [[1.0, 0.9], [0.9, 1.0]], size=60)
    >>> Y = np.column_stack([A @ [1.0, 2.0], B @ [3.0]]) + noise
    >>> found = seemingly_unrelated([A, B], Y)
    >>> [b.round(1) for b in found.coefs], found.certificate.holds
    ([array([0.9, 1.9]), array([3.])], True)
    """
    designs, Y, weight = _validated(designs, Y, sample_weight)
    if sigma is not None:
        sigma = _checked_sigma(sigma, Y.shape[1])
    with one_blas_thread():
        return _system(designs, Y, weight, sigma, fit_intercept, max_iter, tol)


def _system(
    designs: list[np.ndarray], Y, weight, sigma, fit_intercept: bool, max_iter: int, tol: float
) -> SeeminglyUnrelated:
    n = float(weight.sum())
    columns = np.hstack(designs)
    P, q = columns.shape[1], Y.shape[1]
    both = np.hstack([columns, Y])
    mean = weight @ both / n if fit_intercept else np.zeros(P + q)
    R = triangular_factor(as_rows(columns, Y, weight), centre_at=mean)
    ends = np.cumsum([X.shape[1] for X in designs])
    reduced = np.split(R[:, :P], ends[:-1], axis=1)
    _refuse_dependent(reduced, len(Y))
    states = solver.iterates(reduced, R[:, P:], n, sigma)
    outcome = drive(
        _invertible(states) if sigma is None else states,
        first_of(reached("change", tol), budget(max_iter)),
        ended=Status.OPTIMAL,
    )
    state = outcome.state
    if outcome.status is Status.BUDGET_SPENT:
        warnings.warn(
            f"seemingly_unrelated: {outcome.status.explanation} ({outcome.n_steps} rounds); raise max_iter or tol",
            ConvergenceWarning,
            stacklevel=3,
        )
    coefs = tuple(np.split(state.coef, ends[:-1]))
    means = np.split(mean[:P], ends[:-1])
    intercepts = np.array([mean[P + k] - means[k] @ b for k, b in enumerate(coefs)])
    covariance = state.inverse_root @ state.inverse_root.T
    return SeeminglyUnrelated(
        coefs,
        intercepts,
        tuple(np.split(np.sqrt(np.diag(covariance)), ends[:-1])),
        covariance,
        state.sigma,
        outcome.n_steps,
        outcome.status,
        seemingly_unrelated_certificate(designs, Y, weight, coefs, intercepts, state.sigma, sigma is None, 10.0 * tol),
    )


def _validated(designs, Y, sample_weight) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    Y = check_array(Y, dtype=np.float64, ensure_2d=False)
    Y = Y[:, None] if Y.ndim == 1 else Y
    if len(designs) != Y.shape[1]:
        raise ValueError(
            f"seemingly_unrelated: {len(designs)} designs for {Y.shape[1]} columns of Y; give one design an equation"
        )
    checked = []
    for k, X in enumerate(designs):
        refuse_unreadable(X)
        X = check_array(X, dtype=np.float64)
        if len(X) != len(Y):
            raise ValueError(f"seemingly_unrelated: designs[{k}] has {len(X)} rows but Y has {len(Y)}")
        checked.append(X)
    weight = np.ones(len(Y))
    if sample_weight is not None:
        weight = checked_weights(sample_weight, Y)
        if not weight.any():
            raise ValueError("sample_weight: all weights are zero; at least one row must count")
    return checked, Y, weight


def _refuse_dependent(reduced: list[np.ndarray], n: int) -> None:
    for k, X in enumerate(reduced):
        length = np.linalg.norm(X, axis=0)
        d = linalg.svdvals(X / np.where(length > 0.0, length, 1.0))
        if d[-1] <= max(n, len(d)) * np.finfo(float).eps * d[0] or len(d) < X.shape[1]:
            raise ValueError(
                f"seemingly_unrelated: the columns of designs[{k}] are linearly dependent, so its coefficients are not "
                "identified; drop columns (see well_posedness)"
            )


def _checked_sigma(sigma, q: int) -> np.ndarray:
    sigma = np.asarray(sigma, dtype=float)
    if sigma.shape != (q, q) or not np.allclose(sigma, sigma.T) or not np.all(np.isfinite(sigma)):
        raise ValueError(
            f"seemingly_unrelated: sigma must be a symmetric ({q}, {q}) matrix; it has shape {sigma.shape}"
        )
    if linalg.eigvalsh(sigma)[0] <= 0.0:
        raise ValueError("seemingly_unrelated: sigma is not positive definite; no generalised least squares exists")
    return sigma


def _invertible(states: Iterator[solver.SystemState]) -> Iterator[solver.SystemState]:
    """The states, refusing a residual covariance that cannot be inverted."""
    for state in states:
        scale = np.sqrt(np.diag(state.residual_sigma))
        correlation = state.residual_sigma / np.outer(scale, scale) if scale.all() else np.zeros((1, 1))
        if linalg.eigvalsh(correlation)[0] <= 1e-12:
            raise ValueError(
                "seemingly_unrelated: the residuals of the equations are linearly dependent, so Σ cannot be inverted; "
                "drop an equation, gather more rows, or give sigma"
            )
        yield state
