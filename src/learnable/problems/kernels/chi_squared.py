"""Kernels of counts and shares, by the χ² distance of two histograms. Syllabus: K3, K6."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from learnable.problems.kernels.kernel import Kernel, rows
from learnable.problems.kernels.proof import Proof

# Values of a strip of rows, whose terms stay in a second-level cache.
STRIP = 2**15


@dataclass(frozen=True)
class ChiSquared(Kernel):
    """e^{−γ Σ (xⱼ − zⱼ)²/(xⱼ + zⱼ)}, γ ≥ 0, on rows without negative entries; columns that are 0 in both count nothing.

    (x − z)²/(x + z) = x + z − 4xz/(x + z), and xz/(x + z) = ∫ x e^{−tx} z e^{−tz} dt over t > 0 is an inner product.

    >>> ChiSquared(0.5)([[1.0, 0.0]], [[0.0, 1.0]]).round(3)          # e^{−0.5·2}
    array([[0.368]])
    """

    gamma: float = 1.0

    def matrix(self, X, Z):
        found = chi_squared_distances(X, Z, "ChiSquared")
        found *= -self.gamma
        return np.exp(found, out=found)

    def diagonal(self, X):
        return np.ones(_histograms(rows(X), "ChiSquared").shape[0])

    def proof(self):
        sound, g = self.gamma >= 0.0, self.gamma
        raised = Proof(f"exp({4.0 * g:g} sum xz/(x + z))", "e^k has a power series with coefficients >= 0", (_sums(),))
        rule = f"f(x) k(x, z) f(z) with f(x) = exp(-{g:g} sum x), on rows without negative entries"
        given = (raised,) if sound else (_sums(),)
        return Proof(f"exp(-{g:g} sum (x - z)^2/(x + z))", rule if sound else "needs gamma >= 0", given, sound)


@dataclass(frozen=True)
class AdditiveChiSquared(Kernel):
    """−Σ (xⱼ − zⱼ)²/(xⱼ + zⱼ) on rows without negative entries: positive semidefinite only conditionally.

    cᵀKc ≥ 0 for all c with Σc = 0, since it is 4Σ xⱼzⱼ/(xⱼ + zⱼ) less f(x) + f(z). That is enough where kernel values
    are centred (`KernelPCA`) and where coefficients sum to 0 (`SVC`, `SVR`), and nowhere else: k(x, x) = 0.

    >>> AdditiveChiSquared()([[1.0, 0.0]], [[0.0, 1.0]]), AdditiveChiSquared().is_semidefinite
    (array([[-2.]]), False)
    """

    def matrix(self, X, Z):
        found = chi_squared_distances(X, Z, "AdditiveChiSquared")
        return np.negative(found, out=found)

    def diagonal(self, X):
        return np.zeros(_histograms(rows(X), "AdditiveChiSquared").shape[0])

    def proof(self):
        rule = (
            "4 sum xz/(x + z) less f(x) + f(z): cᵀKc >= 0 for all c that sum to 0 (conditionally), and below 0 for the "
            "ones of two points that differ; ChiSquared is its exponential"
        )
        return Proof("-sum (x - z)^2/(x + z)", rule, (_sums(),), False)


def chi_squared_distances(X: Any, Z: Any, owner: str) -> np.ndarray:
    """Σⱼ (xⱼ − zⱼ)²/(xⱼ + zⱼ), (m, n), with 0/0 = 0; an error in the name of `owner` where an entry is negative."""
    same = X is Z
    X = _histograms(X, owner)
    Z = X if same else _histograms(Z, owner)
    total = np.zeros((X.shape[0], Z.shape[0]))
    # The least number in place of 0 is lost in every sum but that of two zeros, and 0 divided by it is 0.
    columns = np.ascontiguousarray(Z.T), np.ascontiguousarray(np.where(Z == 0.0, np.finfo(float).tiny, Z).T)
    step = max(1, STRIP // max(Z.shape[0], 1))
    for start in range(0, X.shape[0], step):
        strip = total[start : start + step]
        both, away = np.empty_like(strip), np.empty_like(strip)
        for x, z, above in zip(X[start : start + step].T, *columns):
            np.add(x[:, None], above, out=both)
            np.subtract(x[:, None], z, out=away)
            # A quotient first: squares may overflow.
            np.divide(away, both, out=both)
            both *= away
            strip += both
    return total


def _histograms(X: Any, owner: str) -> np.ndarray:
    X = X.toarray() if sparse.issparse(X) else X
    lowest = X.min(axis=0, initial=0.0)
    if np.any(lowest < 0.0):
        column = int(np.argmin(lowest))
        raise ValueError(
            f"{owner}: X contains negative values, {lowest[column]:g} in column {column}; this kernel is of counts or "
            "shares >= 0: scale the columns to [0, 1] (MinMaxScaler(clip=True)), or take kernel='rbf' or 'laplacian'"
        )
    return X


def _sums() -> Proof:
    return Proof("sum xz/(x + z)", "an inner product of t -> x e^{-tx} over t > 0, added up over the columns")
