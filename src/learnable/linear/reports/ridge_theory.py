"""Bias, variance and mean squared error of ridge regression in closed form."""

from typing import NamedTuple

import numpy as np
from scipy import linalg
from sklearn.utils.validation import _check_sample_weight, check_array

from learnable.base import refuse_unreadable
from learnable.rows import Rows, as_rows, is_streamed, one_blas_thread
from learnable.theory.algebra.well_posedness import scaled_triangle


class RidgeRisk(NamedTuple):
    """What ridge regression does on average over new noise, for each penalty.

    Attributes
    ----------
    alphas : (m,)
    mean : (p, m) E β̂(α).
    squared_bias : (m,) ‖E β̂ − β*‖².
    variance : (m,) tr Cov β̂.
    mse : (m,) E ‖β̂ − β*‖² = squared_bias + variance.
    prediction_mse : (m,) E Σ wᵢ (xᵢ·β̂ + b̂ − xᵢ·β* − b*)²/Σ wᵢ on the rows of the design.
    df : (m,) Σ d²/(d² + α).
    """

    alphas: np.ndarray
    mean: np.ndarray
    squared_bias: np.ndarray
    variance: np.ndarray
    mse: np.ndarray
    prediction_mse: np.ndarray
    df: np.ndarray

    @property
    def best_alpha(self) -> float:
        """The penalty of the grid with the smallest E ‖β̂ − β*‖²."""
        return float(self.alphas[self.mse.argmin()])


def ridge_risk(X, coef, noise_scale: float, alphas, *, fit_intercept: bool = True, sample_weight=None) -> RidgeRisk:
    """Bias, variance and mean squared error of β̂(α) when y = Xβ* + b* + ε with Var εᵢ = σ²/wᵢ.

    E β̂ = (I − α(S + αI)⁻¹)β* and Cov β̂ = σ²(S + αI)⁻¹S(S + αI)⁻¹ with S = XᵀWX (centred). The bias grows and the
    variance falls with α, and some α > 0 always beats least squares. Give estimates for β* and σ for a plug-in risk.
    At α = 0 with dependent columns, β̂ is the solution of least norm. Syllabus: R8.

    Parameters
    ----------
    X : array or sparse matrix (n, p), or rows read in blocks
    coef : array (p,)
        β*.
    noise_scale : float
        σ ≥ 0.
    alphas : float or array (m,)
        Penalties ≥ 0, in the scaling of `Ridge`.
    fit_intercept : bool, default=True
    sample_weight : array (n,), default=None

    Returns
    -------
    RidgeRisk

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[-1.0], [0.0], [1.0]])
    >>> risk = ridge_risk(X, [1.0], 1.0, [0.0, 2.0])
    >>> risk.squared_bias.round(6), risk.variance.round(6)
    (array([0.  , 0.25]), array([0.5  , 0.125]))
    >>> risk.mean.round(6)
    array([[1. , 0.5]])
    """
    alphas = np.atleast_1d(np.asarray(alphas, dtype=float))
    if alphas.ndim != 1 or not alphas.size or not np.all(np.isfinite(alphas) & (alphas >= 0.0)):
        raise ValueError(f"ridge_risk(alphas={alphas}): alphas must be finite numbers >= 0")
    if not (np.isfinite(noise_scale) and noise_scale >= 0.0):
        raise ValueError(f"ridge_risk(noise_scale={noise_scale}): noise_scale must be a finite number >= 0")
    if not is_streamed(X):
        refuse_unreadable(X)
        X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
    rows = as_rows(X, None, sample_weight)
    p, coef = rows.n_columns, np.asarray(coef, dtype=float)
    if coef.shape != (p,) or not np.all(np.isfinite(coef)):
        raise ValueError(f"ridge_risk: coef has shape {coef.shape}; one finite number for each of the {p} columns of X")
    with one_blas_thread():
        return _risk(rows, coef, float(noise_scale), alphas, fit_intercept)


def _risk(rows: Rows, coef: np.ndarray, noise_scale: float, alphas: np.ndarray, fit_intercept: bool) -> RidgeRisk:
    p = rows.n_columns
    R, scale = scaled_triangle(rows, fit_intercept)
    _, d, Vt = linalg.svd(R[:p, :p] * scale[:p])
    # Directions below rounding are not in the data: least squares of least norm leaves them at 0.
    d[d <= d.max(initial=0.0) * max(rows.n_rows, p) * np.finfo(float).eps] = 0.0
    d2, along = d[:, None] ** 2, (Vt @ coef)[:, None]
    level = d2 + alphas
    kept = np.divide(d2, level, out=np.zeros_like(level), where=level > 0.0)
    bias, noise = (kept - 1.0) * along, np.divide(kept, level, out=np.zeros_like(level), where=level > 0.0)
    variance = noise_scale**2 * noise
    weight = rows.reduce(lambda block: float(block.X.shape[0] if block.weight is None else np.sum(block.weight)))
    # The intercept adds the error of the mean of the targets, independent of the slopes.
    level_error = noise_scale**2 / weight if fit_intercept else 0.0
    return RidgeRisk(
        alphas,
        Vt.T @ (kept * along),
        (bias**2).sum(axis=0),
        variance.sum(axis=0),
        (bias**2 + variance).sum(axis=0),
        (d2 * (bias**2 + variance)).sum(axis=0) / weight + level_error,
        kept.sum(axis=0),
    )
