"""The kernel that scikit-learn's parameters mean."""

from typing import Any

import numpy as np
from scipy import sparse

from learnable.problems.kernels.basic import RBF, FunctionKernel, Laplacian, Linear, Polynomial, Precomputed, Sigmoid
from learnable.problems.kernels.chi_squared import AdditiveChiSquared, ChiSquared
from learnable.problems.kernels.kernel import Kernel

NAMES = (
    "linear", "poly", "polynomial", "rbf", "gaussian", "sigmoid", "laplacian", "cosine", "chi2", "additive_chi2",
    "precomputed",
)  # fmt: skip
# Those that have no gamma.
WITHOUT_WIDTH = ("linear", "cosine", "additive_chi2", "precomputed")


def as_kernel(
    kernel: Any, gamma: float = 1.0, degree: float = 3, constant: float = 0.0, of_pairs: bool = False
) -> Kernel:
    """A kernel from a name, a function or a kernel.

    >>> as_kernel("rbf", gamma=0.5)
    RBF(gamma=0.5)
    """
    if isinstance(kernel, Kernel):
        return kernel
    if callable(kernel):
        return FunctionKernel(kernel, of_pairs)
    match kernel:
        case "linear":
            return Linear()
        case "poly" | "polynomial":
            if not 0.0 <= degree < np.inf:
                raise ValueError(f"kernel={kernel!r}, degree={degree!r}: the degree must be a number >= 0")
            return Polynomial(degree, constant, gamma)
        case "rbf" | "gaussian":
            return RBF(gamma)
        case "sigmoid":
            return Sigmoid(gamma, constant)
        case "laplacian":
            return Laplacian(gamma)
        case "cosine":
            return Linear().normalised()
        case "chi2":
            return ChiSquared(gamma)
        case "additive_chi2":
            return AdditiveChiSquared()
        case "precomputed":
            return Precomputed()
    raise ValueError(f"kernel={kernel!r}: not known; a kernel, a function, or one of {', '.join(NAMES)}")


def width(gamma: Any, X: Any, owner: str = "gamma", kernel: Any = None) -> float:
    """γ as a number: "scale" is 1 / (p · variance of all entries), "auto" and None are 1 / p, None is 1 for "chi2".

    >>> width("auto", np.zeros((3, 4)))
    0.25
    """
    p = max(X.shape[1], 1)
    if gamma is None and isinstance(kernel, str) and kernel == "chi2":
        return 1.0
    if gamma is None or (isinstance(gamma, str) and gamma == "auto"):
        return 1.0 / p
    if isinstance(gamma, str) and gamma == "scale":
        if sparse.issparse(X):
            spread = float(X.multiply(X).mean() - X.mean() ** 2)
        else:
            away = np.ravel(np.asarray(X, dtype=float))
            away = away - away.sum() / max(away.size, 1)
            spread = float(away @ away) / max(away.size, 1)
        return 1.0 / (p * spread) if spread > 0.0 else 1.0
    if isinstance(gamma, str):
        raise ValueError(f"{owner}(gamma={gamma!r}): a number >= 0, 'scale' or 'auto'")
    gamma = float(gamma)
    if not 0.0 <= gamma < np.inf:
        raise ValueError(f"{owner}(gamma={gamma:g}): gamma must be a number >= 0")
    return gamma
