"""What every kernel k(x, z) can do: its matrix, its diagonal, its proof, and the rules that make new ones of it.

Syllabus: K1, K3, K7, K8.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from scipy import sparse

from learnable.problems.kernels.proof import Proof

# Of ‖x‖² + ‖z‖², what rounding may make of the squared distance of a point from itself.
ROUNDING = 16.0 * float(np.finfo(float).eps)


class Kernel(ABC):
    """A symmetric function of two points. Kernels add, multiply, and remember why they are positive semidefinite.

    `k + l`, `k * l`, `a * k` with a ≥ 0, `k ** p` with a whole p ≥ 0, `k.exp()`, `k.normalised()`,
    `k.weighted(f)` for f(x) k(x, z) f(z), `k.series(coefficients)` for Σ aₘ kᵐ.
    """

    @abstractmethod
    def matrix(self, X: Any, Z: Any) -> np.ndarray:
        """k(xᵢ, zⱼ), an array (m, n)."""

    @abstractmethod
    def proof(self) -> Proof:
        """Why it is positive semidefinite, or that this is not proved."""

    def __call__(self, X: Any, Z: Any = None) -> np.ndarray:
        """k(xᵢ, zⱼ) for the rows of X and of Z, of X itself where Z is None."""
        X = rows(X)
        return self.matrix(X, X if Z is None else rows(Z))

    def diagonal(self, X: Any) -> np.ndarray:
        """k(xᵢ, xᵢ), without the rest of the matrix."""
        X = rows(X)
        return np.array([self.matrix(X[i : i + 1], X[i : i + 1])[0, 0] for i in range(X.shape[0])])

    def feature_map(self, X: Any) -> np.ndarray:
        """Φ with k(xᵢ, zⱼ) = Φ(xᵢ)·Φ(zⱼ), where one with finitely many coordinates is known."""
        raise ValueError(
            f"{self}: no feature map with finitely many coordinates is known; use empirical_map or Nystroem"
        )

    @property
    def is_semidefinite(self) -> bool:
        """Whether the rules prove it positive semidefinite on every set of points."""
        return self.proof().holds

    def __add__(self, other: "Kernel") -> "Kernel":
        from learnable.problems.kernels.combined import Sum

        return Sum(self, other) if isinstance(other, Kernel) else NotImplemented

    def __mul__(self, other: Any) -> "Kernel":
        from learnable.problems.kernels.combined import Product, Scaled

        if isinstance(other, Kernel):
            return Product(self, other)
        return Scaled(float(other), self) if isinstance(other, int | float | np.number) else NotImplemented

    __rmul__ = __mul__

    def __pow__(self, power: int) -> "Kernel":
        from learnable.problems.kernels.combined import Series

        if int(power) != power or power < 0:
            raise ValueError(f"kernel ** {power}: the power must be a whole number >= 0")
        return Series(self, (0.0,) * int(power) + (1.0,))

    def series(self, coefficients) -> "Kernel":
        """Σ aₘ k(x, z)ᵐ with aₘ ≥ 0: a list for a polynomial, a function of m for a power series."""
        from learnable.problems.kernels.combined import PowerSeries, Series

        if callable(coefficients):
            return PowerSeries(self, coefficients)
        return Series(self, tuple(map(float, coefficients)))

    def exp(self) -> "Kernel":
        """e^{k(x, z)}."""
        from learnable.problems.kernels.combined import Exponential

        return Exponential(self)

    def normalised(self) -> "Kernel":
        """k(x, z) / √(k(x, x) k(z, z)): the cosine of the angle in feature space."""
        from learnable.problems.kernels.combined import Normalised

        return Normalised(self)

    def weighted(self, function) -> "Kernel":
        """f(x) k(x, z) f(z); `function` maps rows to one number each."""
        from learnable.problems.kernels.combined import Weighted

        return Weighted(function, self)

    def distances(self, X: Any, Z: Any = None) -> np.ndarray:
        """‖Φ(x) − Φ(z)‖ = √(k(x, x) − 2 k(x, z) + k(z, z))."""
        Z = X if Z is None else Z
        squares = self.diagonal(X)[:, None] + self.diagonal(Z)[None, :] - 2.0 * self(X, Z)
        return np.sqrt(np.maximum(squares, 0.0))

    def angles(self, X: Any, Z: Any = None) -> np.ndarray:
        """The angle between Φ(x) and Φ(z), in radians; a right angle with a point at the origin."""
        return np.arccos(np.clip(self.normalised()(X, Z), -1.0, 1.0))


def rows(X: Any) -> Any:
    """X as a table of numbers: an array of doubles with two axes, or a sparse matrix by rows."""
    if sparse.issparse(X):
        return X.tocsr()
    X = np.asarray(X)
    X = X if X.dtype == object else X.astype(float, copy=False)
    if X.ndim != 2:
        raise ValueError(f"a kernel takes a table with two axes, rows and columns; X has shape {X.shape}")
    return X


def products(X: Any, Z: Any) -> np.ndarray:
    """xᵢ·zⱼ as an array."""
    found = X @ Z.T
    return found.toarray() if sparse.issparse(found) else np.asarray(found)


def squares(X: Any) -> np.ndarray:
    """‖xᵢ‖²."""
    if sparse.issparse(X):
        X = X.tocsr()
        found, full = np.zeros(X.shape[0]), np.flatnonzero(np.diff(X.indptr))
        found[full] = np.add.reduceat(X.data**2, X.indptr[full]) if len(full) else 0.0
        return found
    return np.einsum("ij,ij->i", X, X)


def squared_distances(X: Any, Z: Any, factor: float = 1.0) -> np.ndarray:
    """factor · ‖xᵢ − zⱼ‖². Dense rows are taken from the mean of Z, so that an offset costs no digits."""
    same, dense = X is Z, not (sparse.issparse(X) or sparse.issparse(Z)) and Z.shape[0] > 0
    if dense:
        centre = Z.sum(axis=0) / len(Z)
        Z = Z - centre
        X = Z if same else X - centre
    one, two = squares(X)[:, None], squares(Z)[:, None]
    if dense and 1e-100 < abs(factor) < 1e100:
        # One product of the rows with two columns more: every pass over the table costs as much as a few columns.
        p = X.shape[1]
        left, right = np.empty((len(X), p + 2)), np.empty((len(Z), p + 2))
        np.multiply(X, -2.0 * factor, out=left[:, :p])
        left[:, p : p + 1], left[:, p + 1] = factor * one, factor
        right[:, :p], right[:, p], right[:, p + 1 :] = Z, 1.0, two
        found = left @ right.T
    else:
        found = products(X, Z)
        found *= -2.0
        found += one
        found += two.T
        found *= factor
    (np.minimum if factor < 0.0 else np.maximum)(found, 0.0, out=found)
    rounding = ROUNDING * abs(factor)
    # Below rounding the points are one; a factor so large that this can be seen is rare, and a pass dear.
    if rounding * (one.max(initial=0.0) + two.max(initial=0.0)) > 1e-6:
        found[np.abs(found) < rounding * (one + two.T)] = 0.0
    if same:
        np.fill_diagonal(found, 0.0)
    return found
