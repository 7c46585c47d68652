"""What the sparse models ask of their parameters."""

import warnings
from numbers import Integral
from typing import Any

import numpy as np

from learnable.solvers.sparse.penalty_factors import Posed


def checked_factor(model: Any) -> np.ndarray | None:
    """`model.penalty_factor` as an array (p,), or None; an error names the first factor that cannot be."""
    return penalty_factors(
        model.penalty_factor, model.n_features_in_, type(model).__name__, model.positive, getattr(model, "alpha", 1.0)
    )


def penalty_factors(given: Any, n_columns: int, name: str, positive: bool, alpha: float = 1.0) -> np.ndarray | None:
    """Factors (p,) ≥ 0, infinite ones allowed, or None for ones.

    >>> penalty_factors([1.0, -2.0], 2, "Lasso", positive=False)
    Traceback (most recent call last):
        ...
    ValueError: Lasso: penalty_factor[1] is -2.0; a factor must be >= 0 (inf leaves the column out)
    """
    if given is None:
        return None
    factor = np.asarray(given, dtype=float)
    if factor.shape != (n_columns,):
        raise ValueError(
            f"{name}: penalty_factor has shape {factor.shape}; give one factor for each of the {n_columns} columns"
        )
    wrong = ~(factor >= 0.0)
    if wrong.any():
        j = int(np.argmax(wrong))
        raise ValueError(
            f"{name}: penalty_factor[{j}] is {factor[j]}; a factor must be >= 0 (inf leaves the column out)"
        )
    if not np.any((factor > 0.0) & np.isfinite(factor)):
        raise ValueError(
            f"{name}: no penalty_factor is positive and finite; there is nothing to penalise, use LinearRegression"
        )
    if positive and np.any(factor == 0.0):
        j = int(np.argmin(factor))
        raise ValueError(f"{name}: penalty_factor[{j}] is 0 with positive=True; give it a small factor instead")
    if alpha == 0.0 and np.any(np.isinf(factor)):
        j = int(np.argmax(factor))
        raise ValueError(f"{name}(alpha=0): penalty_factor[{j}] is inf, and 0 · inf means nothing; drop the column")
    return factor


def alpha_grid(posed: Posed, l1_ratio: float, positive: bool, eps: float, n_alphas: int) -> np.ndarray:
    """Penalties from the smallest that leaves no column in, down to `eps` of it, evenly on the log scale."""
    if l1_ratio == 0.0:
        raise ValueError(
            "Automatic alpha grid generation is not supported for l1_ratio=0. Please supply a grid by providing "
            "your estimator with the appropriate `alphas=` argument."
        )
    largest = posed.largest_pull(positive) / l1_ratio
    least = np.finfo(np.float64).resolution
    return np.full(n_alphas, least) if largest <= least else np.geomspace(largest, largest * eps, num=n_alphas)


def requested_alphas(n_alphas: Any, alphas: Any) -> Any:
    """A number of penalties or a list of them, from scikit-learn's old and new arguments."""
    if not (isinstance(n_alphas, str) and n_alphas == "deprecated"):
        warnings.warn(
            "'n_alphas' was deprecated in 1.9 and will be removed in 1.11. 'alphas' now accepts an integer value which "
            "removes the need to pass 'n_alphas'. The default value of 'alphas' will change from None to 100 in 1.11. "
            "Pass an explicit value to 'alphas' and leave 'n_alphas' to its default value to silence this warning.",
            FutureWarning,
            stacklevel=4,
        )
    elif alphas is None:
        warnings.warn(
            "'alphas=None' is deprecated and will be removed in 1.11, at which point the default value will be set to "
            "100. Set 'alphas=100' to silence this warning.",
            FutureWarning,
            stacklevel=4,
        )
    if alphas is not None and not isinstance(alphas, str):
        return alphas
    return n_alphas if isinstance(n_alphas, Integral) else 100
