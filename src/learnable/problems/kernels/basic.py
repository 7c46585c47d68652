"""Kernels to begin with: linear, polynomial, radial, sigmoid, a table, somebody's function. Syllabus: K4, K5, K6."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import factorial, prod, sqrt

import numpy as np
from scipy import sparse

from learnable.problems.kernels.kernel import Kernel, products, rows, squared_distances, squares
from learnable.problems.kernels.proof import Proof

# Coordinates beyond which an explicit map is refused.
LARGEST_MAP = 100_000


@dataclass(frozen=True)
class Linear(Kernel):
    """x·z.

    >>> Linear()([[1.0, 2.0]], [[3.0, 4.0]])
    array([[11.]])
    """

    def matrix(self, X, Z):
        return products(X, Z)

    def diagonal(self, X):
        return squares(rows(X))

    def feature_map(self, X):
        X = rows(X)
        return X.toarray() if sparse.issparse(X) else X

    def proof(self):
        return Proof("<x, z>", "an inner product of the points themselves")


@dataclass(frozen=True)
class Polynomial(Kernel):
    """(γ x·z + c)^p with γ, c ≥ 0: all monomials of degree at most p, weighted by √ of the multinomial coefficients.

    >>> k = Polynomial(degree=3)
    >>> k.feature_map([[2.0]]).round(3)          # 1, √3 x, √3 x², x³
    array([[1.   , 3.464, 6.928, 8.   ]])
    >>> bool(np.isclose(k([[2.0]], [[5.0]])[0, 0], k.feature_map([[2.0]]) @ k.feature_map([[5.0]]).T))
    True
    """

    degree: float = 2
    constant: float = 1.0
    gamma: float = 1.0

    def matrix(self, X, Z):
        return (self.gamma * products(X, Z) + self.constant) ** self.degree

    def diagonal(self, X):
        return (self.gamma * squares(rows(X)) + self.constant) ** self.degree

    def proof(self):
        sound = float(self.degree).is_integer() and self.degree >= 0 and self.constant >= 0.0 and self.gamma >= 0.0
        rule = (
            "a polynomial with non-negative coefficients of an inner product"
            if sound
            else "needs a whole degree >= 0, constant >= 0 and gamma >= 0"
        )
        statement = f"({self.gamma:g}<x, z> + {self.constant:g})^{self.degree:g}"
        return Proof(statement, rule, (Linear().proof(),), sound)

    def feature_map(self, X):
        """All monomials √(p! / Π mⱼ!) c^{m₀/2} Π (√γ xⱼ)^{mⱼ}, in order of degree."""
        X = Linear().feature_map(X)
        if not self.proof().sound:
            raise ValueError(f"{self}: a feature map {self.proof().rule}")
        p = X.shape[1]
        count = prod(range(p + 1, p + int(self.degree) + 1)) // factorial(int(self.degree))
        if count > LARGEST_MAP:
            raise ValueError(f"{self}: the feature map of {p} columns has {count} coordinates, over {LARGEST_MAP}")
        columns = []
        for total in range(int(self.degree) + 1):
            for chosen in combinations_with_replacement(range(p), total):
                powers = np.bincount(np.array(chosen, dtype=int), minlength=p)
                ways = factorial(int(self.degree)) / factorial(int(self.degree) - total)
                ways /= prod(factorial(int(m)) for m in powers)
                size = sqrt(ways * self.constant ** (int(self.degree) - total) * self.gamma**total)
                columns.append(size * np.prod(X**powers, axis=1))
        return np.column_stack(columns)


@dataclass(frozen=True)
class RBF(Kernel):
    """e^{−γ‖x − z‖²}, γ ≥ 0; γ = 1/(2 l²) for a length l, and for a standard deviation σ.

    >>> RBF.from_length(2.0) == RBF.from_sigma(2.0) == RBF(gamma=0.125)
    True
    """

    gamma: float = 1.0

    @classmethod
    def from_length(cls, length: float) -> "RBF":
        """e^{−‖x − z‖²/(2l²)}."""
        if not length > 0.0:
            raise ValueError(f"RBF.from_length({length}): the length must be > 0")
        return cls(1.0 / (2.0 * length**2))

    @classmethod
    def from_sigma(cls, sigma: float) -> "RBF":
        """e^{−‖x − z‖²/(2σ²)}."""
        return cls.from_length(sigma)

    @property
    def length(self) -> float:
        """l = σ = 1/√(2γ)."""
        return float(np.inf) if self.gamma == 0.0 else 1.0 / sqrt(2.0 * self.gamma)

    def as_normalised(self) -> Kernel:
        """The same kernel as the normalised e^{2γ x·z}."""
        return (2.0 * self.gamma * Linear()).exp().normalised()

    def matrix(self, X, Z):
        found = squared_distances(X, Z, -self.gamma)
        return np.exp(found, out=found)

    def diagonal(self, X):
        return np.ones(rows(X).shape[0])

    @property
    def is_semidefinite(self):
        return self.gamma >= 0.0  # what the proof ends with, without its text

    def proof(self):
        sound = self.gamma >= 0.0
        given = self.as_normalised().proof() if sound else Linear().proof()
        rule = "the normalised kernel of e^{2 gamma <x, z>}" if sound else "needs gamma >= 0"
        return Proof(f"exp(-{self.gamma:g}|x - z|^2)", rule, (given,), sound)


@dataclass(frozen=True)
class Laplacian(Kernel):
    """e^{−γ‖x − z‖₁}, γ ≥ 0."""

    gamma: float = 1.0

    def matrix(self, X, Z):
        X, Z = (part.toarray() if sparse.issparse(part) else part for part in (X, Z))
        total = np.zeros((X.shape[0], Z.shape[0]))
        for j in range(X.shape[1]):
            total += np.abs(X[:, j, None] - Z[None, :, j])
        return np.exp(-self.gamma * total)

    def diagonal(self, X):
        return np.ones(rows(X).shape[0])

    def proof(self):
        rule = "a product over the columns of e^{-gamma |s - t|}, the Fourier transform of a Cauchy density"
        return Proof(f"exp(-{self.gamma:g}|x - z|_1)", rule, (), self.gamma >= 0.0)


@dataclass(frozen=True)
class Sigmoid(Kernel):
    """tanh(γ x·z + c): not positive semidefinite in general, and it says so.

    >>> Sigmoid().is_semidefinite
    False
    """

    gamma: float = 1.0
    constant: float = 0.0

    def matrix(self, X, Z):
        return np.tanh(self.gamma * products(X, Z) + self.constant)

    def diagonal(self, X):
        return np.tanh(self.gamma * squares(rows(X)) + self.constant)

    def proof(self):
        statement = f"tanh({self.gamma:g}<x, z> + {self.constant:g})"
        return Proof(statement, "tanh has negative coefficients in its power series", (), False)


class Precomputed(Kernel):
    """A table of values: "X" holds k(xᵢ, zⱼ) itself."""

    def __repr__(self) -> str:
        return "Precomputed()"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Precomputed)

    def __hash__(self) -> int:
        return hash(Precomputed)

    def matrix(self, X, Z):
        if X is not Z:
            raise ValueError("Precomputed: the table is all there is; it has no values for other points")
        return X.toarray() if sparse.issparse(X) else X

    def proof(self):
        return Proof("K[i, j]", "a table of numbers; ask for the verdict on it", (), False)


class FunctionKernel(Kernel):
    """Somebody's function, of two tables (`of_pairs=False`) or of two points (`of_pairs=True`)."""

    def __init__(self, function: Callable, of_pairs: bool = False):
        self.function, self.of_pairs = function, of_pairs

    def __repr__(self) -> str:
        return f"FunctionKernel({getattr(self.function, '__name__', self.function)!s})"

    def matrix(self, X, Z):
        if self.of_pairs:
            X, Z = Linear().feature_map(X), Linear().feature_map(Z)
            return np.array([[float(self.function(x, z)) for z in Z] for x in X]).reshape(len(X), len(Z))
        found = self.function(X, Z)
        found = np.asarray(found.toarray() if sparse.issparse(found) else found, dtype=float)
        if found.shape != (X.shape[0], Z.shape[0]):
            raise ValueError(f"{self}: returned shape {found.shape} for {X.shape[0]} and {Z.shape[0]} rows")
        return found

    def proof(self):
        name = getattr(self.function, "__name__", "function")
        return Proof(f"{name}(x, z)", "a function that nothing is known of", (), False)
