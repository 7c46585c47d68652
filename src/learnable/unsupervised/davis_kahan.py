"""How far the leading eigenvectors turn when a matrix changes."""

from typing import Any

import numpy as np
from scipy import linalg

from learnable.certificates.core import Certificate, Claim


def davis_kahan(A: Any, B: Any, n_vectors: int) -> Certificate:
    """Davis and Kahan: ‖sin Θ‖ ≤ ‖(A − B)U‖ / δ between the spaces of the n_vectors smallest eigenvalues. Syllabus: U9.

    U spans the space of A; δ is the distance from its eigenvalues to the other eigenvalues of B, so that the theorem
    says something where it is positive.

    Parameters
    ----------
    A, B : symmetric arrays (n, n), say the Laplacians of two graphs.
    n_vectors : dimension of the spaces.

    Examples
    --------
    >>> A = np.diag([0.0, 1.0, 3.0])
    >>> davis_kahan(A, A + 0.01 * np.ones((3, 3)), 1).holds
    True
    """
    A, B = np.asarray(A, dtype=float), np.asarray(B, dtype=float)
    if A.shape != B.shape or A.ndim != 2 or not 1 <= n_vectors < len(A):
        raise ValueError(
            f"davis_kahan: matrices of shapes {A.shape} and {B.shape} with n_vectors={n_vectors}; two symmetric "
            "matrices of one size and fewer vectors than rows are needed"
        )
    for name, matrix in (("A", A), ("B", B)):
        skew = float(np.abs(matrix - matrix.T).max())
        if not skew <= 1e-10 * float(np.abs(matrix).max()):
            raise ValueError(f"davis_kahan: {name} is not symmetric (by {skew:.3g}); give ({name} + {name}ᵀ) / 2")
    alpha, U = linalg.eigh(A)
    beta, V = linalg.eigh(B)
    inside, U, others = alpha[:n_vectors], U[:, :n_vectors], beta[n_vectors:]
    delta = float(others[0] - inside[-1])
    sine = float(np.linalg.norm(V[:, n_vectors:].T @ U, 2))
    change = float(np.linalg.norm((A - B) @ U, 2))
    claims = [Claim.disclosure("U9", "distance δ between the eigenvalues inside and those outside", delta)]
    if delta > 0.0:
        claims.append(
            Claim.at_most("U9", "sine of the largest angle between the spaces, within ‖(A − B)U‖/δ", sine,
                          change / delta * (1.0 + 1e-9) + 1e-12)
        )  # fmt: skip
    else:
        claims.append(Claim.disclosure("U9", "sine of the largest angle; the theorem is silent", sine))
    return Certificate("Davis-Kahan", claims)
