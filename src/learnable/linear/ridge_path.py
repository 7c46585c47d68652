"""The whole ridge path from one decomposition."""

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_X_y

from learnable.base import refuse_unreadable
from learnable.base.validation import checked_weights
from learnable.rows import as_rows, is_streamed
from learnable.solvers.linear.ridge_path import RidgePath
from learnable.solvers.linear.ridge_path import ridge_path as solve


def ridge_path(X, y=None, alphas=None, *, fit_intercept=True, sample_weight=None, n_jobs=None) -> RidgePath:
    """Ridge solutions and effective degrees of freedom for every penalty in `alphas`.

    β(α) = V diag(d / (d² + α)) Uᵀ y, df(α) = Σ d² / (d² + α), from one decomposition X = U diag(d) Vᵀ of the centred
    design. Syllabus: R7, R9.

    Parameters
    ----------
    X : array or sparse matrix (n, p), or rows read in blocks
    y : array (n,); None when the rows carry their target
    alphas : array (m,), default 100 values from 10⁻³ to 10⁵ times the mean square length of a column
    fit_intercept : bool, default=True
    sample_weight : array (n,), default=None
    n_jobs : int, default=None

    Returns
    -------
    RidgePath
        With `alphas`, `coefs` (p, m), `intercepts`, `df` and `singular`.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[-1.0, 1.0], [0.0, -2.0], [1.0, 1.0]]), np.array([-2.0, 0.0, 2.0])
    >>> path = ridge_path(X, y, alphas=[0.0, 2.0])
    >>> path.coefs.round(6)
    array([[2., 1.],
           [0., 0.]])
    >>> path.df.round(6)
    array([2.  , 1.25])
    """
    if not is_streamed(X):
        refuse_unreadable(X)
        X, y = check_X_y(X, y, accept_sparse="csr", dtype=[np.float64, np.float32], y_numeric=True)
        if sample_weight is not None:
            sample_weight = checked_weights(sample_weight, X, dtype=None)
    rows = as_rows(X, y, sample_weight)
    if alphas is None:
        square = rows.reduce(
            lambda block: float((abs(block.X) ** 2 if not issparse(block.X) else block.X.power(2)).sum())
        )
        alphas = np.geomspace(1e5, 1e-3, 100) * square / rows.n_columns / rows.n_rows
    alphas = np.atleast_1d(np.asarray(alphas, dtype=float))
    if alphas.ndim != 1 or not alphas.size or not np.all(np.isfinite(alphas) & (alphas >= 0.0)):
        raise ValueError(f"ridge_path(alphas={alphas}): alphas must be finite numbers >= 0")
    return solve(rows, alphas, fit_intercept, n_jobs)
