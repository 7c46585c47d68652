"""A Gram matrix that comes with X: held against X, whose cross-products are formed anew in any case."""

import warnings
from typing import Any

import numpy as np
from scipy import sparse

from learnable.base import Data

# What rounding may leave of an entry, as scikit-learn has it.
DOUBLE, SINGLE = 1e-7, 1e-4


def check_given_gram(model: Any, data: Data) -> None:
    """Refuse a `precompute` that is no Gram matrix of the rows; warn where these are centred first, so that it is not.

    Of G = Xᵀ diag(w) X, with weights w of mean 1, G v is compared with Xᵀ(w · X v) for one v: a wrong entry is seen, at
    the cost of two products.
    """
    name, X = type(model).__name__, data.X
    gram = np.asarray(model.precompute)
    n, p = X.shape
    if gram.shape != (p, p) or gram.dtype.kind not in "iuf":
        raise ValueError(
            f"{name}: the Gram matrix given as precompute has the shape {gram.shape}; for X of {p} columns it must be "
            f"({p}, {p}) numbers, or give precompute=False"
        )
    weight = np.ones(n) if data.sample_weight is None else data.sample_weight * (n / data.sample_weight.sum())
    if model.fit_intercept and not np.allclose(np.asarray(X.T @ weight) / n, 0.0):
        warnings.warn(
            f"{name}: Gram matrix was provided but X was centered to fit intercept: recomputing Gram matrix. Give the "
            "one of centred columns together with these, or precompute=False",
            UserWarning,
            stacklevel=6,
        )
        return
    v = np.random.default_rng(0).uniform(0.5, 1.5, p)
    meant, found = np.asarray(X.T @ (weight * np.asarray(X @ v))), gram @ v
    cells = X.data if sparse.issparse(X) else X
    rounding = SINGLE if np.float32 in (cells.dtype, gram.dtype) else DOUBLE
    wrong = ~(np.abs(found - meant) <= rounding * (np.abs(gram) @ v + np.abs(meant)))
    if wrong.any():
        raise ValueError(
            f"{name}: Gram matrix passed in via 'precompute' parameter did not pass validation: its row "
            f"{int(np.argmax(wrong))} is not that of X (with weights of mean 1); give X.T @ X, or precompute=False"
        )
