"""Points whose inner products are the kernel values of the training rows: Φ with ΦΦᵀ = K. Syllabus: K2, K11, K12."""

from typing import NamedTuple

import numpy as np
from numpy.linalg import eigh

from learnable.rows.threads import interruptible, one_blas_thread

# Eigenvalues below this share of the largest are rounding.
RANK = 1e-12


class EmpiricalMap(NamedTuple):
    """K = U diag(values) Uᵀ.

    Attributes
    ----------
    values : (r,) positive eigenvalues, falling.
    vectors : (n, r).
    least : least eigenvalue of K; well below 0 where K is not positive semidefinite.
    """

    values: np.ndarray
    vectors: np.ndarray
    least: float

    @property
    def points(self) -> np.ndarray:
        """Φ, (n, r): row i is (√λ₁ uᵢ₁, √λ₂ uᵢ₂, …)."""
        return self.vectors * np.sqrt(self.values)


def empirical_map(K: np.ndarray) -> EmpiricalMap:
    """The eigenvectors of a symmetric matrix of kernel values."""
    with one_blas_thread():
        values, vectors = interruptible(eigh, K)
    keep = np.flatnonzero(values > RANK * max(float(values[-1]), 0.0))[::-1] if len(values) else np.zeros(0, int)
    return EmpiricalMap(values[keep], np.ascontiguousarray(vectors[:, keep]), float(values[0]) if len(values) else 0.0)


def points(K: np.ndarray) -> np.ndarray:
    """Φ with ΦΦᵀ = K; ValueError where K has a negative eigenvalue beyond rounding."""
    found = empirical_map(K)
    if found.least < -1e-8 * max(float(found.values[0]) if len(found.values) else 0.0, np.finfo(float).tiny):
        raise ValueError(
            f"the matrix of kernel values has the negative eigenvalue {found.least:.3g}: it is not positive "
            "semidefinite; learnable.kernels.verdict gives a witness"
        )
    return found.points
