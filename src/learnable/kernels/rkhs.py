"""Functions of a reproducing kernel Hilbert space, and the eigen-expansion of a kernel. Syllabus: K10, K12, S10."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from learnable.problems.kernels.kernel import Kernel, rows
from learnable.solvers.kernels import empirical_map as maps


class RKHSFunction(NamedTuple):
    """f = Σ cᵢ k(·, xᵢ).

    Attributes
    ----------
    kernel : k.
    centres : (m, p) the xᵢ.
    coefficients : (m,).

    Examples
    --------
    ⟨f, k(·, t)⟩ = f(t), the reproducing property:

    >>> from learnable.kernels import RBF
    >>> k = RBF(1.0)
    >>> f = RKHSFunction(k, np.array([[0.0], [1.0]]), np.array([1.0, -2.0]))
    >>> t = np.array([[0.3]])
    >>> bool(np.isclose(f.inner(representer(k, t)), f(t)[0]))
    True
    """

    kernel: Kernel
    centres: Any
    coefficients: np.ndarray

    def __call__(self, X: ArrayLike) -> np.ndarray:
        """f(x) of every row."""
        return self.kernel(X, self.centres) @ self.coefficients

    def inner(self, other: "RKHSFunction") -> float:
        """⟨f, g⟩ = Σ cᵢ dⱼ k(xᵢ, zⱼ)."""
        if other.kernel != self.kernel:
            raise ValueError("inner: the two functions belong to different kernels, so to different spaces")
        return float(self.coefficients @ self.kernel(self.centres, other.centres) @ other.coefficients)

    @property
    def norm(self) -> float:
        """√(cᵀKc)."""
        return float(np.sqrt(max(self.inner(self), 0.0)))

    def __add__(self, other: Any) -> "RKHSFunction":
        if other.kernel != self.kernel:
            raise ValueError("f + g: the two functions belong to different kernels, so to different spaces")
        return RKHSFunction(
            self.kernel, np.vstack([self.centres, other.centres]), np.append(self.coefficients, other.coefficients)
        )

    def scaled(self, factor: float) -> "RKHSFunction":
        """factor · f."""
        return self._replace(coefficients=factor * self.coefficients)


def representer(kernel: Kernel, point: ArrayLike) -> RKHSFunction:
    """k(·, t), the function whose inner product with f is f(t)."""
    return RKHSFunction(kernel, rows(np.atleast_2d(point)), np.ones(1))


class EigenExpansion(NamedTuple):
    """K = Σ σₘ φₘφₘᵀ on a sample, φₘ of mean square 1, and its extension to other points.

    A function Σ θₘφₘ has the norm Σ θₘ²/σₘ: ridge regression with a penalty of its own for each φₘ.

    Attributes
    ----------
    kernel, sample : what was expanded.
    sigma : (r,) positive eigenvalues of K/n.
    phi : (n, r) eigenfunctions on the sample.
    """

    kernel: Kernel
    sample: Any
    sigma: np.ndarray
    phi: np.ndarray

    def __call__(self, X: ArrayLike) -> np.ndarray:
        """φₘ(x) of every row, by Nyström's formula φₘ(x) = Σᵢ k(x, xᵢ) φₘ(xᵢ) / (n σₘ)."""
        return self.kernel(X, self.sample) @ self.phi / (len(self.phi) * self.sigma)

    def norm_squared(self, theta: ArrayLike) -> float:
        """Σ θₘ²/σₘ of f = Σ θₘφₘ."""
        return float(np.sum(np.asarray(theta, dtype=float) ** 2 / self.sigma))

    def ridge(self, y: ArrayLike, alpha: float) -> np.ndarray:
        """θ that minimises Σ (yᵢ − Σ θₘφₘ(xᵢ))² + alpha Σ θₘ²/σₘ: kernel ridge regression on the sample."""
        if not alpha > 0.0:
            raise ValueError(f"ridge(alpha={alpha}): alpha must be > 0")
        # φᵀφ = n I, so that each θₘ stands alone.
        n = len(self.phi)
        return (self.phi.T @ np.asarray(y, dtype=float)) / (n + alpha / self.sigma)


def eigen_expansion(kernel: Kernel, X: ArrayLike) -> EigenExpansion:
    """The eigen-expansion of a kernel with respect to the sample X.

    Examples
    --------
    >>> from learnable.kernels import RBF
    >>> X = np.linspace(0.0, 1.0, 5)[:, None]
    >>> found = eigen_expansion(RBF(1.0), X)
    >>> bool(np.allclose((found.phi * found.sigma) @ found.phi.T, RBF(1.0)(X)))
    True
    """
    sample = rows(X)
    n = sample.shape[0]
    found = maps.empirical_map(kernel(sample))
    return EigenExpansion(kernel, sample, found.values / n, np.sqrt(n) * found.vectors)
