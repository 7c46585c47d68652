"""Coefficient paths of the lasso and the elastic net."""

import warnings
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from learnable._jit.core.interrupt import interrupts_pass
from learnable.base import refuse_unreadable
from learnable.base.validation import checked_weights, validate_table
from learnable.rows import as_rows, condensed, is_streamed, one_blas_thread
from learnable.solvers.sparse import penalty_path
from learnable.solvers.sparse.penalty_factors import penalized_problem
from learnable.sparse.validation import alpha_grid, penalty_factors, requested_alphas

# Settings of scikit-learn's coordinate descent that have no counterpart here.
IGNORED = ("random_state", "selection", "do_screening")


def enet_path(
    X,
    y,
    *,
    l1_ratio: float = 0.5,
    eps: float = 1e-3,
    n_alphas: Any = "deprecated",
    alphas: Any = "warn",
    precompute: Any = "auto",
    Xy: Any = None,
    copy_X: bool = True,
    coef_init: Any = None,
    verbose: Any = False,
    return_n_iter: bool = False,
    positive: bool = False,
    check_input: bool = True,
    **params: Any,
) -> tuple:
    """Solutions of min Σ wᵢ (yᵢ − xᵢ·β)² / (2 Σ wᵢ) + α Σ fⱼ (ρ |βⱼ| + ½ (1 − ρ) βⱼ²) for falling α.

    Drop-in for `sklearn.linear_model.enet_path`, for one target. No intercept: centre X and y first. Correlations,
    cross-products and the factor of the support are kept from one α to the next. Syllabus: L13, L3.

    Parameters
    ----------
    X : array or sparse matrix (n, p)
    y : array (n,)
    l1_ratio : float, default=0.5
        ρ.
    eps : float, default=1e-3
        Smallest α over the largest, where the grid is made here.
    n_alphas : deprecated in scikit-learn, and kept as long as it is there.
    alphas : int or array, default=100
        How many α, or which.
    precompute, Xy, copy_X, verbose, check_input : kept for compatibility.
    coef_init : array (p,), default=None
        Where the first solution starts.
    return_n_iter : bool, default=False
        Whether to return the rounds made.
    positive : bool, default=False
    **params : tol (1e-4), max_iter (1000), sample_weight, penalty_factor; as in `ElasticNet`.

    Returns
    -------
    alphas : array (m,), falling
    coefs : array (p, m)
    dual_gaps : array (m,), each solution is within this of its minimum
    n_iters : list, with return_n_iter=True

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.sparse import enet_path
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]), np.array([3.0, 1.0, -3.0, -1.0])
    >>> alphas, coefs, gaps = enet_path(X, y, l1_ratio=1.0, alphas=[1.0, 0.2], tol=1e-12)
    >>> coefs.round(6)
    array([[1. , 2.6],
           [0. , 0.6]])
    >>> bool(np.all(gaps < 1e-10))
    True
    """
    tol, max_iter = params.pop("tol", 1e-4), params.pop("max_iter", 1000)
    weight, factor = params.pop("sample_weight", None), params.pop("penalty_factor", None)
    for name in IGNORED:
        params.pop(name, None)
    if params:
        raise ValueError("Unexpected parameters in params", params.keys())
    if not 0.0 <= l1_ratio <= 1.0:
        raise ValueError(f"enet_path(l1_ratio={l1_ratio}): l1_ratio must be between 0 and 1")
    if is_streamed(X):
        (X, y), weight = condensed(as_rows(X, y, weight)), None
    for given, name in ((X, "X"), (y, "y")):
        refuse_unreadable(given, name)
    allowed = {"accept_sparse": ["csc", "csr"], "dtype": [np.float64, np.float32]}
    X, y = validate_table("enet_path", X, y, y_numeric=True, multi_output=True, **allowed)
    y = y.astype(X.dtype, copy=False)
    if y.ndim == 2 and y.shape[1] > 1:
        raise ValueError(f"enet_path: y has {y.shape[1]} columns; make one path for each of them")
    weight = None if weight is None else checked_weights(weight, X, dtype=None)
    factor = penalty_factors(factor, X.shape[1], "enet_path", positive)
    with interrupts_pass(), one_blas_thread():
        posed = penalized_problem(X, y.ravel(), weight, False, factor)
        chosen = requested_alphas(n_alphas, alphas)
        if isinstance(chosen, Integral):
            chosen = alpha_grid(posed, l1_ratio, positive, eps, int(chosen))
        chosen = np.sort(np.asarray(chosen, dtype=float))[::-1]
        if not np.all(np.isfinite(chosen) & (chosen >= 0.0)):
            raise ValueError(f"enet_path: alphas hold {chosen[~(chosen >= 0.0)][:1]}; each must be finite and >= 0")
        found = penalty_path.path(posed, chosen, l1_ratio, positive, tol, max_iter, posed.start(coef_init))
    if short := int(np.count_nonzero(found.relative_gaps > tol)):
        warnings.warn(
            f"enet_path: the iteration budget was spent before the gap of {short} solutions reached the tolerance. "
            "Objective did not converge; raise max_iter or tol",
            ConvergenceWarning,
            stacklevel=2,
        )
    coefs = posed.answers(found.coefs, X.shape[1])[0].T.astype(X.dtype)
    return (chosen, coefs, found.gaps, found.rounds.tolist()) if return_n_iter else (chosen, coefs, found.gaps)


def lasso_path(
    X,
    y,
    *,
    eps: float = 1e-3,
    n_alphas: Any = "deprecated",
    alphas: Any = "warn",
    precompute: Any = "auto",
    Xy: Any = None,
    copy_X: bool = True,
    coef_init: Any = None,
    verbose: Any = False,
    return_n_iter: bool = False,
    positive: bool = False,
    **params: Any,
) -> tuple:
    """Lasso solutions for falling α: `enet_path` with l1_ratio = 1. Syllabus: L3.

    Drop-in for `sklearn.linear_model.lasso_path`; parameters and answers as in `enet_path`.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.sparse import lasso_path
    >>> X, y = np.eye(3), np.array([3.0, -2.0, 1.0])
    >>> lasso_path(X, y, alphas=[0.5], tol=1e-12)[1].ravel().round(6)          # soft threshold by nα = 1.5
    array([ 1.5, -0.5,  0. ])
    """
    return enet_path(
        X,
        y,
        l1_ratio=1.0,
        eps=eps,
        n_alphas=n_alphas,
        alphas=alphas,
        precompute=precompute,
        Xy=Xy,
        copy_X=copy_X,
        coef_init=coef_init,
        verbose=verbose,
        return_n_iter=return_n_iter,
        positive=positive,
        **params,
    )
