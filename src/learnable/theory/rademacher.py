"""Empirical Rademacher complexity: E_σ sup_h (1/m) Σ σ_i h(x_i), exactly or by drawing signs."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnable.seeds import generator_from

Array = NDArray[np.floating]
Supremum = Callable[[Array], Array]

# Signs that are enumerated on request, without asking, and at a time.
_LARGEST_EXACT = 22
_FEW_SIGNS = 14
_BLOCK = 1 << 14


@dataclass(frozen=True)
class RademacherEstimate:
    """A complexity estimated from random signs, with an interval that holds with probability `level`."""

    value: float
    low: float
    high: float
    level: float
    repeats: int


@dataclass(frozen=True)
class SupremumOracle:
    """sup_h Σ σ_i h(x_i) of a class on a sample, for many sign vectors at once.

    Attributes
    ----------
    m : int
        Number of points.
    supremum : callable
        Takes an array of shape (repeats, m) of signs, returns the `repeats` suprema (not divided by m).
    reach : array of shape (m,)
        sup_h |h(x_i)|: how much one sign can matter.

    Syllabus: T12.
    """

    m: int
    supremum: Supremum
    reach: Array

    def exact(self) -> float:
        """The expectation over all 2ᵐ sign vectors.

        Examples
        --------
        >>> finite_class_oracle([[1, 1], [-1, -1]]).exact()
        0.5
        """
        if self.m > _LARGEST_EXACT:
            raise ValueError(f"exact(): 2^{self.m} sign vectors are too many; use monte_carlo (m <= {_LARGEST_EXACT})")
        total = math.fsum(float(np.sum(self.supremum(signs))) for signs in _all_signs(self.m))
        return total / (2**self.m * self.m)

    def monte_carlo(self, repeats: int = 1000, level: float = 0.95, random_state: int | None = 0) -> RademacherEstimate:
        """The mean over random sign vectors.

        All repeats·m signs are independent and one of them moves the mean by at most 2·reach_i/(m·repeats), so
        McDiarmid's inequality gives an interval valid for every number of repeats.
        """
        if repeats < 1:
            raise ValueError(f"monte_carlo(repeats={repeats}): repeats must be >= 1")
        if not 0 < level < 1:
            raise ValueError(f"monte_carlo(level={level}): level must be in (0, 1)")
        rng = generator_from(random_state, "monte_carlo")
        block = max(1, _BLOCK * 16 // self.m)
        total = 0.0
        for start in range(0, repeats, block):
            signs = rng.integers(0, 2, size=(min(block, repeats - start), self.m)) * 2.0 - 1.0
            total += float(np.sum(self.supremum(signs)))
        value = total / (repeats * self.m)
        half = math.sqrt(2 * float(np.sum(self.reach**2)) * math.log(2 / (1 - level)) / repeats) / self.m
        return RademacherEstimate(value, value - half, value + half, level, repeats)


def rademacher_complexity(
    predictions: ArrayLike | SupremumOracle,
    *,
    repeats: int | None = None,
    level: float = 0.95,
    random_state: int | None = 0,
) -> RademacherEstimate:
    """R̂ad(H) = E_σ sup_h (1/m) Σ σ_i h(x_i) of a class on a sample.

    Over all 2ᵐ sign vectors while m ≤ 14 and `repeats` is left out; else over random ones, with an interval.

    Parameters
    ----------
    predictions : array-like of shape (size, m), or SupremumOracle
        The values of a finite class, one row a function, one column a point; or the oracle of an infinite one, from
        `stump_oracle`, `linear_ball_oracle` or `kernel_ball_oracle`.
    repeats : int, default=None
        Sign vectors drawn; None for all of them, or for 1000 where they are too many.
    level : float, default=0.95
        Confidence of the interval.
    random_state : int or None, default=0
        Seed.

    Returns
    -------
    RademacherEstimate
        `value`, and `low` and `high`, which are equal to it where it is exact.

    Syllabus: T12.

    Examples
    --------
    >>> rademacher_complexity([[1, 1], [-1, -1]]).value
    0.5
    >>> estimate = rademacher_complexity(stump_oracle([[float(i)] for i in range(100)]), repeats=500)
    >>> estimate.low < estimate.value < estimate.high
    True
    """
    oracle = predictions if isinstance(predictions, SupremumOracle) else finite_class_oracle(predictions)
    if repeats is None and oracle.m <= _FEW_SIGNS:
        value = oracle.exact()
        return RademacherEstimate(value, value, value, 1.0, 2**oracle.m)
    return oracle.monte_carlo(1000 if repeats is None else repeats, level, random_state)


def finite_class_oracle(predictions: ArrayLike) -> SupremumOracle:
    """A finite class: one row a function, one column a point.

    Syllabus: T12.

    Examples
    --------
    >>> finite_class_oracle([[1, 1, 1]]).exact()
    0.0
    """
    values = _table("finite_class_oracle", predictions)
    return SupremumOracle(
        values.shape[1], lambda signs: np.max(signs @ values.T, axis=1), np.max(np.abs(values), axis=0)
    )


def stump_oracle(X: ArrayLike) -> SupremumOracle:
    """±1 decision stumps, both ways up: the best cut of every column is found by a running sum.

    Syllabus: T12, B10.

    Examples
    --------
    >>> stump_oracle([[0.0], [1.0]]).exact() == 1.0        # two points on a line are shattered
    True
    """
    X = _table("stump_oracle", X)
    orders = np.argsort(X, axis=0, kind="stable")
    # a cut is possible only between different values
    cuts = [np.flatnonzero(np.diff(X[order, j]) > 0) for j, order in enumerate(orders.T)]

    def supremum(signs: Array) -> Array:
        total = signs.sum(axis=1)
        best = np.abs(total)
        for order, cut in zip(orders.T, cuts):
            if cut.size:
                below = np.cumsum(signs[:, order], axis=1)[:, cut]
                best = np.maximum(best, np.max(np.abs(total[:, None] - 2 * below), axis=1))
        return best

    return SupremumOracle(len(X), supremum, np.ones(len(X)))


def linear_ball_oracle(X: ArrayLike, norm: float) -> SupremumOracle:
    """{x → w·x, ‖w‖ ≤ B}: the supremum is B‖Σ σ_i x_i‖.

    Syllabus: S15.

    Examples
    --------
    >>> round(linear_ball_oracle([[3.0, 4.0]], norm=2.0).exact(), 12)
    10.0
    """
    X = _table("linear_ball_oracle", X)
    norm = _positive("linear_ball_oracle", "norm", norm)
    return SupremumOracle(
        len(X), lambda signs: norm * np.linalg.norm(signs @ X, axis=1), norm * np.linalg.norm(X, axis=1)
    )


def kernel_ball_oracle(K: ArrayLike, norm: float) -> SupremumOracle:
    """The ball ‖f‖ ≤ B of the space of a kernel: the supremum is B√(σᵀKσ).

    Parameters
    ----------
    K : array-like of shape (m, m)
        Gram matrix, symmetric positive semidefinite.
    norm : float
        B.

    Syllabus: S15.

    Examples
    --------
    >>> X = [[1.0, 0.0], [1.0, 1.0], [0.0, 2.0]]
    >>> import numpy as np
    >>> a, b = kernel_ball_oracle(np.dot(X, np.transpose(X)), 1.0).exact(), linear_ball_oracle(X, 1.0).exact()
    >>> bool(np.isclose(a, b))
    True
    """
    K = _table("kernel_ball_oracle", K)
    norm = _positive("kernel_ball_oracle", "norm", norm)
    if K.shape[0] != K.shape[1] or not np.allclose(K, K.T):
        raise ValueError(f"kernel_ball_oracle(K): shape {K.shape}; needs a symmetric m by m matrix")
    least = float(np.linalg.eigvalsh(K)[0])
    if least < -1e-8 * max(float(np.trace(K)), 1e-300):
        raise ValueError(f"kernel_ball_oracle(K): least eigenvalue {least:g}; needs a positive semidefinite matrix")

    def supremum(signs: Array) -> Array:
        return norm * np.sqrt(np.maximum(np.einsum("ij,ij->i", signs @ K, signs), 0.0))

    return SupremumOracle(len(K), supremum, norm * np.sqrt(np.maximum(np.diag(K), 0.0)))


def linear_ball_bounds(X: ArrayLike, norm: float) -> tuple[float, float]:
    """The two closed bounds (B/m)√Σ‖x_i‖² ≤ Br/√m on the complexity of a ball of linear functions.

    Syllabus: S15.

    Examples
    --------
    >>> linear_ball_bounds([[3.0, 4.0], [0.0, 0.0]], norm=1.0)
    (2.5, 3.53...)
    """
    X = _table("linear_ball_bounds", X)
    return kernel_ball_bounds(np.einsum("ij,ij->i", X, X), norm)


def kernel_ball_bounds(diagonal: ArrayLike, norm: float) -> tuple[float, float]:
    """The same for a kernel, from the diagonal k(x_i, x_i): (B/m)√tr K ≤ Br/√m, r² the largest entry.

    Syllabus: S15.

    Examples
    --------
    >>> kernel_ball_bounds([1.0] * 100, norm=1.0)
    (0.1, 0.1)
    """
    diagonal = np.asarray(diagonal, dtype=float)
    norm = _positive("kernel_ball_bounds", "norm", norm)
    if diagonal.ndim != 1 or diagonal.size == 0 or not np.all(np.isfinite(diagonal)) or np.any(diagonal < 0):
        raise ValueError("kernel_ball_bounds(diagonal): needs at least one entry, all finite and >= 0")
    m = diagonal.size
    return norm * math.sqrt(diagonal.sum()) / m, norm * math.sqrt(diagonal.max() / m)


def zero_one_losses(predictions: ArrayLike, labels: ArrayLike) -> Array:
    """The loss class of ±1 functions: (1 − y h(x))/2, one row a function.

    Its empirical complexity is half that of the functions, whatever the labels.

    Syllabus: T14.

    Examples
    --------
    >>> zero_one_losses([[1, -1], [1, 1]], [1, 1]).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    values = _table("zero_one_losses", predictions)
    signs = np.asarray(labels, dtype=float)
    if not np.all(np.abs(values) == 1) or signs.shape != (values.shape[1],) or not np.all(np.abs(signs) == 1):
        raise ValueError("zero_one_losses: predictions and labels must be -1 or +1, one label a column")
    return (1 - values * signs) / 2


def contraction(predictions: ArrayLike, phi: Callable[[Array], Array], lipschitz: float) -> tuple[float, float]:
    """Both sides of Talagrand's contraction lemma R̂ad(Φ∘H) ≤ L·R̂ad(H), exactly, for a finite class.

    Syllabus: T23.

    Examples
    --------
    >>> import numpy as np
    >>> left, right = contraction([[1, -1], [1, 1], [-1, -1]], np.abs, 1.0)
    >>> left <= right
    True
    """
    values = _table("contraction", predictions)
    lipschitz = _positive("contraction", "lipschitz", lipschitz)
    return finite_class_oracle(phi(values)).exact(), lipschitz * finite_class_oracle(values).exact()


def _all_signs(m: int) -> Iterator[Array]:
    bits = np.arange(m)
    for start in range(0, 1 << m, _BLOCK):
        codes = np.arange(start, min(start + _BLOCK, 1 << m))
        yield ((codes[:, None] >> bits) & 1) * 2.0 - 1.0


def _table(owner: str, values: ArrayLike) -> Array:
    array = np.asarray(values, dtype=float)
    if array.ndim != 2 or 0 in array.shape or not np.all(np.isfinite(array)):
        raise ValueError(f"{owner}: shape {array.shape}; needs a finite, non-empty two-dimensional array")
    return array


def _positive(owner: str, name: str, value: float) -> float:
    if not 0 < value < math.inf:
        raise ValueError(f"{owner}({name}={value}): {name} must be > 0 and finite")
    return float(value)
