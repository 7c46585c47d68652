"""Kernel ridge regression for every λ at the cost of one decomposition. Syllabus: K9."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from learnable.solvers.kernels.kernel_ridge import spectrum


class KernelRidgePath(NamedTuple):
    """Solutions along λ.

    Attributes
    ----------
    alphas : (m,).
    dual_coef : (m, n).
    loo_error : (m,) mean squared error of each row predicted from the others: rᵢ/(1 − Hᵢᵢ) without refitting.
    degrees_of_freedom : (m,) tr K(K + λI)⁻¹.
    """

    alphas: np.ndarray
    dual_coef: np.ndarray
    loo_error: np.ndarray
    degrees_of_freedom: np.ndarray

    @property
    def best_alpha(self) -> float:
        """The λ of the least leave-one-out error."""
        return float(self.alphas[int(np.argmin(self.loo_error))])


def kernel_ridge_path(K: ArrayLike, y: ArrayLike, alphas: ArrayLike) -> KernelRidgePath:
    """Solutions (K + λI)⁻¹y for every λ, with leave-one-out errors and degrees of freedom.

    Parameters
    ----------
    K : array (n, n), kernel values, positive semidefinite
    y : array (n,)
    alphas : array (m,) of λ > 0

    Returns
    -------
    KernelRidgePath

    Examples
    --------
    >>> from learnable.kernels import RBF
    >>> X = np.linspace(0.0, 3.0, 20)[:, None]
    >>> path = kernel_ridge_path(RBF(1.0)(X), np.sin(X[:, 0]), [1e-3, 1e-1, 10.0])
    >>> path.best_alpha, bool(np.all(np.diff(path.degrees_of_freedom) < 0))
    (0.001, True)
    """
    K, y, alphas = (
        np.asarray(K, dtype=float),
        np.asarray(y, dtype=float),
        np.atleast_1d(np.asarray(alphas, dtype=float)),
    )
    if K.ndim != 2 or K.shape != (len(y), len(y)):
        raise ValueError(f"kernel_ridge_path(K): shape {K.shape} with {len(y)} targets; one row and column a target")
    if not (np.all(np.isfinite(K)) and np.all(np.isfinite(y))):
        raise ValueError("kernel_ridge_path: K or y holds NaN or infinity; leave those rows out")
    if not np.all((alphas > 0.0) & np.isfinite(alphas)):
        raise ValueError("kernel_ridge_path(alphas): every λ must be a number > 0")
    found = spectrum(K, y)
    kept = found.values / (found.values + alphas[:, None])
    dual = (found.rotated / (found.values + alphas[:, None])) @ found.vectors.T
    # Residuals are λc; the diagonal of I − H = λ(K + λI)⁻¹ divides them.
    left = alphas[:, None] * ((1.0 / (found.values + alphas[:, None])) @ (found.vectors**2).T)
    loo = np.mean((alphas[:, None] * dual / left) ** 2, axis=1)
    return KernelRidgePath(alphas, dual, loo, kept.sum(axis=1))
