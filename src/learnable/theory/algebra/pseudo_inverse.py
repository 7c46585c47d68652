"""The Moore-Penrose inverse with the residuals of the identities that define it."""

from typing import NamedTuple

import numpy as np
from scipy import linalg


class PseudoInverse(NamedTuple):
    """A⁺ and how well it satisfies the four identities that only A⁺ satisfies.

    Attributes
    ----------
    matrix : (p, n) A⁺.
    rank : number of singular values above the cut-off.
    singular : all singular values of A.
    penrose : relative residuals of A A⁺A = A, A⁺A A⁺ = A⁺, (A A⁺)ᵀ = A A⁺ and (A⁺A)ᵀ = A⁺A.
    """

    matrix: np.ndarray
    rank: int
    singular: np.ndarray
    penrose: np.ndarray


def pseudo_inverse(A, *, cut_off: float | None = None) -> PseudoInverse:
    """A⁺ = V diag(1/d) Uᵀ over the singular values d above the cut-off.

    At full column rank it is (AᵀA)⁻¹Aᵀ; at any rank A⁺y is the least-squares solution of least norm. Syllabus: A4.

    Parameters
    ----------
    A : array (n, p)
    cut_off : float, default=None
        Singular values up to cut_off times the largest count as zero; max(n, p) times the rounding unit by default.

    Returns
    -------
    PseudoInverse

    Examples
    --------
    >>> import numpy as np
    >>> found = pseudo_inverse([[1.0, 1.0], [1.0, 1.0]])
    >>> found.matrix.round(6), found.rank
    (array([[0.25, 0.25],
           [0.25, 0.25]]), 1)
    >>> bool((found.penrose < 1e-15).all())
    True
    """
    A = np.asarray(A, dtype=float)
    if A.ndim != 2 or 0 in A.shape:
        raise ValueError(f"pseudo_inverse: A has shape {A.shape}; a matrix with rows and columns is needed")
    if not np.all(np.isfinite(A)):
        raise ValueError("pseudo_inverse: A contains NaN or infinity; drop or impute them first")
    if cut_off is None:
        cut_off = max(A.shape) * np.finfo(float).eps
    if not 0.0 <= cut_off < 1.0:
        raise ValueError(f"pseudo_inverse(cut_off={cut_off}): cut_off must be in [0, 1)")
    U, d, Vt = linalg.svd(A, full_matrices=False)
    rank = int(np.count_nonzero(d > cut_off * d[0]))
    inverse = (Vt[:rank].T / d[:rank]) @ U[:, :rank].T
    AB, BA = A @ inverse, inverse @ A
    pairs = ((AB @ A, A), (BA @ inverse, inverse), (AB.T, AB), (BA.T, BA))
    penrose = np.array([linalg.norm(left - right) / max(linalg.norm(right), 1e-300) for left, right in pairs])
    return PseudoInverse(inverse, rank, d, penrose)
