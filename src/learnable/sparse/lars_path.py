"""The exact path of the lasso and of least angle regression as functions."""

from itertools import islice
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions, validate_params

from learnable.rows import one_blas_thread
from learnable.solvers.sparse import homotopy

# The default of a setting of scikit-learn's that has no counterpart here.
EPS = np.finfo(float).eps

_SHARED: dict[str, Any] = {
    "max_iter": [Interval(Integral, 0, None, closed="left")],
    "alpha_min": [Interval(Real, 0, None, closed="left")],
    "method": [StrOptions({"lar", "lasso"})],
    "return_path": ["boolean"],
    "return_n_iter": ["boolean"],
    "positive": ["boolean"],
}


@validate_params(
    _SHARED
    | {"X": [np.ndarray, None], "y": [np.ndarray, None], "Gram": [StrOptions({"auto"}), "boolean", np.ndarray, None]},
    prefer_skip_nested_validation=True,
)
def lars_path(
    X,
    y,
    Xy=None,
    *,
    Gram=None,
    max_iter=500,
    alpha_min=0,
    method="lar",
    copy_X=True,
    eps=EPS,
    copy_Gram=True,
    verbose=0,
    return_path=True,
    return_n_iter=False,
    positive=False,
):
    """Every knot of the lasso path min ‖y − Xβ‖²/(2n) + α‖β‖₁, or of least angle regression.

    Drop-in for `sklearn.linear_model.lars_path`. No intercept: centre X and y first. Between two knots the solution is
    linear in α. Columns that depend on the active ones stay out; tied columns enter together. Syllabus: L7.

    Parameters
    ----------
    X : array (n, p)
    y : array (n,)
    max_iter : int, default=500
        Steps from knot to knot at most.
    alpha_min : float, default=0
        Level at which the path ends.
    method : {"lar", "lasso"}, default="lar"
        "lasso": a column leaves when its coefficient reaches zero.
    return_path : bool, default=True
        Whether to return all knots, or the last alone.
    return_n_iter : bool, default=False
    positive : bool, default=False
        Coefficients ≥ 0, for "lasso".
    Xy, Gram, copy_X, eps, copy_Gram, verbose : kept for compatibility; products are taken from the rows, which keeps
        more digits, and nothing given is modified.

    Returns
    -------
    alphas : array (k,), the levels of the knots, or (1,) of the last.
    active : list, columns active at the end, in the order they entered.
    coefs : array (p, k), or (p,).
    n_iter : int, steps made; with `return_n_iter`.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.sparse import lars_path
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]), np.array([3.0, 1.0, -3.0, -1.0])
    >>> alphas, active, coefs = lars_path(X, y, method="lasso")
    >>> alphas, active
    (array([1.5, 0.5, 0. ]), [0, 1])
    >>> coefs
    array([[0., 2., 3.],
           [0., 0., 1.]])
    """
    if X is None and Gram is not None:
        raise ValueError("lars_path(X=None): X cannot be None if Gram is not None; use lars_path_gram")
    if X is None or y is None:
        raise ValueError(
            "lars_path: X and Gram cannot both be unspecified, and y is needed; give both, or use lars_path_gram"
        )
    given = (np.asarray(part) for part in (X, y, Xy, Gram) if isinstance(part, np.ndarray))
    if isinstance(Gram, np.ndarray) and Gram.shape != (X.shape[1], X.shape[1]):
        raise ValueError(f"lars_path: Gram has shape {Gram.shape}, but X has {X.shape[1]} columns")
    if len(y) != len(X):
        raise ValueError(f"lars_path: X has {len(X)} rows, but y has {len(y)}")
    products = homotopy.row_products(_finite(X, "X"), _finite(y, "y"))
    return _path(products, given, max_iter, alpha_min, method, positive, return_path, return_n_iter)


@validate_params(
    _SHARED | {"Xy": [np.ndarray], "Gram": [np.ndarray], "n_samples": [Interval(Integral, 1, None, closed="left")]},
    prefer_skip_nested_validation=True,
)
def lars_path_gram(
    Xy,
    Gram,
    *,
    n_samples,
    max_iter=500,
    alpha_min=0,
    method="lar",
    copy_X=True,
    eps=EPS,
    copy_Gram=True,
    verbose=0,
    return_path=True,
    return_n_iter=False,
    positive=False,
):
    """`lars_path` from Xᵀy, XᵀX and the number of rows alone. Squaring costs half of the digits of a bad design.

    Drop-in for `sklearn.linear_model.lars_path_gram`. Syllabus: L7.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.sparse import lars_path_gram
    >>> lars_path_gram(np.array([6.0, 2.0]), 2.0 * np.eye(2), n_samples=4, method="lasso")[0]
    array([1.5, 0.5, 0. ])
    """
    if Gram.shape != (len(Xy), len(Xy)):
        raise ValueError(f"lars_path_gram: Gram has shape {Gram.shape}, but Xy has {len(Xy)} entries")
    products = homotopy.gram_products(_finite(Gram, "Gram"), _finite(Xy, "Xy"), n_samples)
    return _path(products, (Xy, Gram), max_iter, alpha_min, method, positive, return_path, return_n_iter)


def _path(products, given, max_iter, alpha_min, method, positive, return_path, return_n_iter):
    if method == "lar" and positive:
        raise ValueError("Positive constraint not supported for 'lar' coding method.")
    dtypes = {part.dtype for part in given}
    dtype = dtypes.pop() if len(dtypes) == 1 else np.dtype(float)
    dtype = dtype if dtype.kind == "f" else np.dtype(float)
    with one_blas_thread():
        knots = homotopy.iterates(products, float(alpha_min), method == "lasso", positive)
        *_, last = islice(knots, max_iter + 1)
    alphas = (last.alphas if return_path else last.alphas[-1:]).astype(dtype)
    coefs = (last.coefs.T if return_path else last.coef).astype(dtype)
    answer = (alphas, last.active, coefs)
    return (*answer, len(last.alphas) - 1) if return_n_iter else answer


def _finite(array: np.ndarray, name: str) -> np.ndarray:
    array = np.asarray(array, dtype=float)
    if not np.all(np.isfinite(array)):
        raise ValueError(f"{name} holds NaN or infinity; drop or impute those entries first")
    return array
