"""How learners with a coefficient for every training row are read."""

from typing import Any

import numpy as np
from scipy import sparse

from learnable.certificates.kernels.tiles import own_sums, weighted_sums
from learnable.problems.kernels.basic import Precomputed
from learnable.problems.kernels.kernel import Kernel
from learnable.problems.kernels.named import as_kernel, width


def expansion_kernel(model: Any, X: Any) -> Kernel:
    """The kernel that the parameters mean."""
    if isinstance(model.kernel, Kernel):
        return model.kernel
    given = getattr(model, "kernel_params", None) or {}
    if callable(model.kernel):
        return as_kernel(lambda x, z: model.kernel(x, z, **given), of_pairs=True)
    return as_kernel(model.kernel, width(model.gamma, X, type(model).__name__, model.kernel), model.degree, model.coef0)


def row_coefficients(model: Any, n: int, functions: tuple[int, ...]) -> np.ndarray:
    """`dual_coef_` as a table (n, functions); an error that refutes it where it has another shape."""
    dual = np.asarray(model.dual_coef_, dtype=float)
    if dual.shape != (n, *functions):
        raise IndexError(f"dual_coef_ has shape {dual.shape}, not {(n, *functions)}")
    return dual.reshape(n, -1)


def products(kernel: Kernel, X: Any, dual: np.ndarray) -> tuple[np.ndarray, float]:
    """(K dual, largest |k|)."""
    X = X if sparse.issparse(X) else np.asarray(X, dtype=float)
    if isinstance(kernel, Precomputed):
        return np.asarray(X @ dual), float(abs(X).max()) if X.shape[0] else 0.0
    if kernel.is_semidefinite:
        # Then |k(x, z)| is at most the larger of k(x, x) and k(z, z).
        return own_sums(kernel, X, dual), float(kernel.diagonal(X).max(initial=0.0))
    return weighted_sums(kernel, X, X, dual)


def kept_rows(model: Any, X: Any) -> int:
    """How many rows of `X_fit_` are not the training rows."""
    kept = model.X_fit_
    one, two = (part.toarray() if sparse.issparse(part) else np.asarray(part, dtype=float) for part in (kept, X))
    return int(np.count_nonzero(np.any(one != two, axis=1))) if one.shape == two.shape else max(len(one), 1)
