"""Kernels made of kernels, each by a rule that keeps them positive semidefinite. Syllabus: K3, K7."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnable.problems.kernels.kernel import Kernel, rows
from learnable.problems.kernels.proof import Proof

# A power series is added up until so many terms in turn are below this share of the sum, or has no end.
FEW_UNSEEN, UNSEEN, MOST_TERMS = 20, 1e-19, 100_000


@dataclass(frozen=True)
class Sum(Kernel):
    """k + l; its features are those of both."""

    first: Kernel
    second: Kernel

    def matrix(self, X, Z):
        return self.first.matrix(X, Z) + self.second.matrix(X, Z)

    def diagonal(self, X):
        return self.first.diagonal(X) + self.second.diagonal(X)

    def feature_map(self, X):
        return np.hstack([self.first.feature_map(X), self.second.feature_map(X)])

    def proof(self):
        given = (self.first.proof(), self.second.proof())
        statement = f"[{given[0].statement} + {given[1].statement}]"
        return Proof(statement, "a sum: cᵀKc and cᵀLc are added", given)


@dataclass(frozen=True)
class Product(Kernel):
    """k · l; its features are all products of one of each."""

    first: Kernel
    second: Kernel

    def matrix(self, X, Z):
        return self.first.matrix(X, Z) * self.second.matrix(X, Z)

    def diagonal(self, X):
        return self.first.diagonal(X) * self.second.diagonal(X)

    def feature_map(self, X):
        one, two = self.first.feature_map(X), self.second.feature_map(X)
        return (one[:, :, None] * two[:, None, :]).reshape(len(one), -1)

    def proof(self):
        given = (self.first.proof(), self.second.proof())
        statement = f"[{given[0].statement} * {given[1].statement}]"
        rule = "a product entry by entry (Schur): part of the Kronecker product, whose eigenvalues are products"
        return Proof(statement, rule, given)


@dataclass(frozen=True)
class Scaled(Kernel):
    """a · k with a ≥ 0."""

    factor: float
    kernel: Kernel

    def __post_init__(self) -> None:
        if not self.factor >= 0.0:
            raise ValueError(f"{self.factor} * kernel: the factor must be >= 0 to stay positive semidefinite")

    def matrix(self, X, Z):
        return self.factor * self.kernel.matrix(X, Z)

    def diagonal(self, X):
        return self.factor * self.kernel.diagonal(X)

    def feature_map(self, X):
        return np.sqrt(self.factor) * self.kernel.feature_map(X)

    def proof(self):
        given = self.kernel.proof()
        return Proof(f"{self.factor:g} {given.statement}", "a multiple by a number >= 0", (given,))


@dataclass(frozen=True)
class Series(Kernel):
    """Σ aₘ kᵐ with aₘ ≥ 0: a polynomial."""

    kernel: Kernel
    coefficients: tuple[float, ...]

    def __post_init__(self) -> None:
        negative = [a for a in self.coefficients if not a >= 0.0]
        if negative:
            raise ValueError(f"Series: coefficient {negative[0]} is negative; all must be >= 0")

    def matrix(self, X, Z):
        K = self.kernel.matrix(X, Z)
        total = np.zeros_like(K)
        for a in reversed(self.coefficients):
            total = total * K + a
        return total

    def diagonal(self, X):
        return np.polynomial.polynomial.polyval(self.kernel.diagonal(X), self.coefficients)

    def feature_map(self, X):
        one = self.kernel.feature_map(X)
        power, parts = np.ones((len(one), 1)), []
        for m, a in enumerate(self.coefficients):
            if m:
                power = (power[:, :, None] * one[:, None, :]).reshape(len(one), -1)
            if a > 0.0:
                parts.append(np.sqrt(a) * power)
        return np.hstack(parts) if parts else np.zeros((len(one), 1))

    def proof(self):
        given = self.kernel.proof()
        terms = [f"{a:g} {given.statement}^{m}" for m, a in enumerate(self.coefficients) if a > 0.0]
        rule = "products, multiples and sums of it with coefficients >= 0"
        return Proof("[" + (" + ".join(terms) or "0") + "]", rule, (given,))


@dataclass(frozen=True)
class PowerSeries(Kernel):
    """Σ aₘ kᵐ over all m ≥ 0 with aₘ = coefficient(m) ≥ 0, added up until the terms are beyond rounding."""

    kernel: Kernel
    coefficient: Callable[[int], float]

    def matrix(self, X, Z):
        return self._sum(self.kernel.matrix(X, Z))

    def diagonal(self, X):
        return self._sum(self.kernel.diagonal(X))

    def _sum(self, values: np.ndarray) -> np.ndarray:
        total, power, unseen = np.zeros_like(values), np.ones_like(values), 0
        for m in range(MOST_TERMS):
            a = float(self.coefficient(m))
            if not 0.0 <= a < np.inf:
                raise ValueError(f"PowerSeries: coefficient({m}) is {a:g}; all must be numbers >= 0")
            term = a * power
            total += term
            unseen = unseen + 1 if np.abs(term).max(initial=0.0) <= UNSEEN * np.abs(total).max(initial=0.0) else 0
            if unseen == FEW_UNSEEN or not np.isfinite(total).all():
                break
            power = power * values
        if unseen < FEW_UNSEEN or not np.isfinite(total).all():
            largest = float(np.abs(values).max(initial=0.0))
            raise ValueError(f"PowerSeries: the sum has no end at kernel values up to {largest:.3g}; scale the kernel")
        return total

    def proof(self):
        given = self.kernel.proof()
        rule = "the limit of polynomials of it, whose coefficients are checked to be >= 0 as far as they are used"
        return Proof(f"sum of a_m {given.statement}^m", rule, (given,))


@dataclass(frozen=True)
class Exponential(Kernel):
    """e^{k}."""

    kernel: Kernel

    def matrix(self, X, Z):
        return np.exp(self.kernel.matrix(X, Z))

    def diagonal(self, X):
        return np.exp(self.kernel.diagonal(X))

    def proof(self):
        given = self.kernel.proof()
        rule = "the limit of its power series, whose coefficients 1/m! are positive"
        return Proof(f"exp({given.statement})", rule, (given,))


@dataclass(frozen=True)
class Weighted(Kernel):
    """f(x) k(x, z) f(z)."""

    function: Callable[[Any], np.ndarray]
    kernel: Kernel

    def weights(self, X: Any) -> np.ndarray:
        f = np.asarray(self.function(X), dtype=float).ravel()
        if len(f) != X.shape[0]:
            raise ValueError(f"weighted kernel: f gave {len(f)} numbers for {X.shape[0]} rows; one each is needed")
        return f

    def matrix(self, X, Z):
        return self.weights(X)[:, None] * self.kernel.matrix(X, Z) * self.weights(Z)

    def diagonal(self, X):
        return self.weights(rows(X)) ** 2 * self.kernel.diagonal(X)

    def feature_map(self, X):
        return self.weights(rows(X))[:, None] * self.kernel.feature_map(X)

    def proof(self):
        given = self.kernel.proof()
        return Proof(f"f(x) {given.statement} f(z)", "the features of x times f(x)", (given,))


@dataclass(frozen=True)
class Normalised(Kernel):
    """k(x, z) / √(k(x, x) k(z, z)); 0 where a point is at the origin of feature space.

    >>> from learnable.problems.kernels.basic import Linear
    >>> Normalised(Linear())([[3.0, 4.0], [0.0, 0.0]], [[1.0, 0.0]])
    array([[0.6],
           [0. ]])
    """

    kernel: Kernel

    def matrix(self, X, Z):
        one, two = (self._reciprocal(part) for part in (X, Z))
        return one[:, None] * self.kernel.matrix(X, Z) * two

    def diagonal(self, X):
        return np.where(self._reciprocal(rows(X)) > 0.0, 1.0, 0.0)

    def feature_map(self, X):
        return self._reciprocal(rows(X))[:, None] * self.kernel.feature_map(X)

    def _reciprocal(self, X) -> np.ndarray:
        length = np.sqrt(np.maximum(self.kernel.diagonal(X), 0.0))
        return np.divide(1.0, length, out=np.zeros_like(length), where=length > 0.0)

    def proof(self):
        given = self.kernel.proof()
        return Proof(
            f"normalised {given.statement}", "f(x) k(x, z) f(z) with f(x) = k(x, x)^(-1/2), 0 at the origin", (given,)
        )
