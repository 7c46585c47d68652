"""Is a symmetric matrix positive semidefinite? Either way with a witness that anyone can check."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg

from learnable.theory.algebra.inner_products import symmetric_matrix


class SpectralDecomposition(NamedTuple):
    """A = U Λ Uᵀ.

    Attributes
    ----------
    values : (n,) eigenvalues, rising.
    vectors : (n, n) orthonormal columns U.
    residual : ‖A − UΛUᵀ‖ relative to ‖A‖ (Frobenius).
    orthogonality : ‖UᵀU − I‖ (Frobenius).
    """

    values: NDArray[np.float64]
    vectors: NDArray[np.float64]
    residual: float
    orthogonality: float


class SemidefiniteTest(NamedTuple):
    """The verdict with its witness.

    Attributes
    ----------
    holds : whether vᵀAv ≥ 0 for every v, up to the tolerance.
    smallest : the smallest eigenvalue.
    factor : (n, n) F with A ≈ FFᵀ when it holds, which proves it; None otherwise.
    witness : unit vector v with vᵀAv < 0 when it does not; None otherwise.
    """

    holds: bool
    smallest: float
    factor: NDArray[np.float64] | None
    witness: NDArray[np.float64] | None

    def __bool__(self) -> bool:
        return self.holds

    def check(self, matrix: ArrayLike, tolerance: float = 1e-10) -> bool:
        """Whether the witness proves the verdict about `matrix`, by multiplication alone."""
        matrix = np.asarray(matrix, dtype=float)
        evidence = self.factor if self.witness is None else self.witness
        if evidence is None or np.iscomplexobj(evidence):  # products without conjugates prove nothing
            return False
        if self.witness is not None:
            return not self.holds and float(self.witness @ matrix @ self.witness) < 0
        assert self.factor is not None
        # Divided by the largest entry, so that no square overflows or vanishes.
        scale = _largest(matrix)
        factor, matrix = self.factor / np.sqrt(scale), matrix / scale
        off = linalg.norm(factor @ factor.T - matrix)
        return self.holds and bool(off <= 2 * len(matrix) * tolerance * linalg.norm(matrix))


def spectral_decomposition(matrix: ArrayLike) -> SpectralDecomposition:
    """A = U Λ Uᵀ of a symmetric matrix, with what is left of the two identities that define it. Syllabus: A3.

    Examples
    --------
    >>> from learnable.theory import spectral_decomposition
    >>> found = spectral_decomposition([[2.0, 1.0], [1.0, 2.0]])
    >>> found.values.round(6).tolist(), found.residual < 1e-15, found.orthogonality < 1e-15
    ([1.0, 3.0], True, True)
    """
    matrix = symmetric_matrix("spectral_decomposition", matrix)
    values, vectors = linalg.eigh(matrix)
    scale = _largest(matrix)
    off = linalg.norm(matrix / scale - (vectors * (values / scale)) @ vectors.T)
    return SpectralDecomposition(
        values,
        vectors,
        float(off / (linalg.norm(matrix / scale) or 1.0)),
        float(linalg.norm(vectors.T @ vectors - np.eye(len(matrix)))),
    )


def _largest(matrix: NDArray[np.float64]) -> float:
    """The largest entry in size, or 1 where all are 0."""
    return float(np.abs(matrix).max(initial=0.0)) or 1.0


def semidefinite_test(matrix: ArrayLike, *, tolerance: float = 1e-10) -> SemidefiniteTest:
    """Test vᵀAv ≥ 0 for every v: λ_min ≥ −tolerance · λ_max.

    Yes comes with a factor F, A ≈ FFᵀ; no with a vector v such that vᵀAv < 0. Syllabus: A2.

    Parameters
    ----------
    matrix : (n, n) symmetric; of a matrix that is so up to rounding the symmetric part is judged.
    tolerance : how far below zero, relative to the largest eigenvalue in size, an eigenvalue counts as rounding.

    Returns
    -------
    SemidefiniteTest

    Examples
    --------
    >>> from learnable.theory import semidefinite_test
    >>> found = semidefinite_test([[1.0, 2.0], [2.0, 1.0]])
    >>> found.holds, found.witness.round(4).tolist(), found.check([[1.0, 2.0], [2.0, 1.0]])
    (False, [-0.7071, 0.7071], True)
    """
    if not 0 <= tolerance < 1:
        raise ValueError(f"semidefinite_test(tolerance={tolerance}): tolerance must be in [0, 1)")
    found = spectral_decomposition(matrix)
    smallest = float(found.values[0])
    if smallest >= -tolerance * np.abs(found.values).max():
        return SemidefiniteTest(True, smallest, found.vectors * np.sqrt(np.maximum(found.values, 0.0)), None)
    return SemidefiniteTest(False, smallest, None, found.vectors[:, 0])


def smallest_eigenvalues(matrices: Iterable[ArrayLike]) -> NDArray[np.float64]:
    """λ_min along a sequence of symmetric matrices.

    λ_min is continuous, so the entrywise limit of positive semidefinite matrices is positive semidefinite; a limit of
    positive definite ones need not be positive definite. Syllabus: A7.

    Examples
    --------
    >>> from learnable.theory import smallest_eigenvalues
    >>> smallest_eigenvalues([[[1.0, 1 - 1 / n], [1 - 1 / n, 1.0]] for n in (1, 2, 4, 8)]).round(6).tolist()
    [1.0, 0.5, 0.25, 0.125]
    """
    return np.array([linalg.eigvalsh(symmetric_matrix("smallest_eigenvalues", matrix))[0] for matrix in matrices])
