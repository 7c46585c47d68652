"""Kronecker and Hadamard products: where one sits inside the other, and the laws of their eigenvalues."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg

from learnable.theory.algebra.inner_products import symmetric_matrix
from learnable.theory.algebra.semidefinite import SemidefiniteTest, semidefinite_test


class ProductLaws(NamedTuple):
    """The laws of A ⊗ B and A ∘ B for symmetric A and B of one size, as residuals.

    Attributes
    ----------
    submatrix : largest entry of (A ∘ B) − (A ⊗ B)[u, u], relative to the largest product.
    eigenvalues : largest difference between the eigenvalues of A ⊗ B and the products λ_i(A) λ_j(B), relative.
    first, second, hadamard : whether A, B and A ∘ B are positive semidefinite, each with its witness.
    """

    submatrix: float
    eigenvalues: float
    first: SemidefiniteTest
    second: SemidefiniteTest
    hadamard: SemidefiniteTest

    @property
    def schur(self) -> bool:
        """Schur's law: if A and B are positive semidefinite, so is A ∘ B."""
        return bool(self.hadamard) or not (self.first and self.second)


def kronecker_place(i: int, j: int, k: int, l: int, shape: tuple[int, int]) -> tuple[int, int]:
    """Row and column of A[i, j] B[k, l] in A ⊗ B, for B of the given shape (p, q): (ip + k, jq + l), from 0.

    Syllabus: A5.

    Examples
    --------
    >>> from learnable.theory import kronecker_place
    >>> kronecker_place(1, 0, 2, 3, shape=(3, 4))
    (5, 3)
    """
    rows, columns = shape
    if not (0 <= k < rows and 0 <= l < columns and i >= 0 and j >= 0):
        raise ValueError(f"kronecker_place(i={i}, j={j}, k={k}, l={l}): B of shape {shape} has no entry [{k}, {l}]")
    return i * rows + k, j * columns + l


def hadamard_rows(n: int) -> NDArray[np.intp]:
    """The rows (and columns) u of A ⊗ B, for A and B of n rows, at which A ∘ B stands: u_i = in + i.

    Syllabus: A5.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.theory import hadamard_rows
    >>> A, B = np.arange(4.0).reshape(2, 2), np.array([[1.0, 3.0], [5.0, 7.0]])
    >>> u = hadamard_rows(2)
    >>> bool((np.kron(A, B)[np.ix_(u, u)] == A * B).all())
    True
    """
    if n < 1:
        raise ValueError(f"hadamard_rows(n={n}): n must be a whole number >= 1")
    return np.arange(n) * (n + 1)


def product_laws(first: ArrayLike, second: ArrayLike) -> ProductLaws:
    """Check the laws of A ⊗ B and A ∘ B on two symmetric matrices of one size.

    A ∘ B is a principal submatrix of A ⊗ B; the eigenvalues of A ⊗ B are the products of those of A and B; hence
    Schur: A ∘ B is positive semidefinite whenever A and B are (it needs both). Syllabus: A5.

    Examples
    --------
    >>> from learnable.theory import product_laws
    >>> laws = product_laws([[2.0, 1.0], [1.0, 2.0]], [[1.0, -0.5], [-0.5, 3.0]])
    >>> laws.submatrix, laws.eigenvalues < 1e-14, laws.schur, bool(laws.hadamard)
    (0.0, True, True, True)
    """
    first, second = symmetric_matrix("product_laws", first), symmetric_matrix("product_laws", second)
    if first.shape != second.shape:
        raise ValueError(f"product_laws: shapes {first.shape} and {second.shape}; an entrywise product needs one shape")
    product, places = np.kron(first, second), hadamard_rows(len(first))
    scale = float(np.abs(product).max()) or 1.0
    pairwise = np.sort(np.outer(linalg.eigvalsh(first), linalg.eigvalsh(second)), axis=None)
    return ProductLaws(
        float(np.abs(product[np.ix_(places, places)] - first * second).max()) / scale,
        float(np.abs(linalg.eigvalsh(product) - pairwise).max()) / (float(np.abs(pairwise).max()) or 1.0),
        semidefinite_test(first),
        semidefinite_test(second),
        semidefinite_test(first * second),
    )
