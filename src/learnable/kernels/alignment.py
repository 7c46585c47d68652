"""How well a kernel suits a target. Syllabus: K1."""

import numpy as np
from numpy.typing import ArrayLike


def alignment(K: ArrayLike, L: ArrayLike, *, centred: bool = True) -> float:
    """⟨K, L⟩ / (‖K‖ ‖L‖): the cosine between two matrices of kernel values, of centred features unless told otherwise.

    With a vector of targets for L, the alignment with the kernel yyᵀ that knows the answer.

    Parameters
    ----------
    K : array (n, n)
    L : array (n, n), or targets (n,)
    centred : bool, default=True

    References
    ----------
    Cristianini, Shawe-Taylor, Elisseeff and Kandola (2002), "On kernel-target alignment"; Cortes, Mohri and
    Rostamizadeh (2012) for the centred form.

    Examples
    --------
    >>> y = np.array([1.0, 1.0, -1.0, -1.0])
    >>> alignment(np.outer(y, y), y)
    1.0
    """
    K, L = np.asarray(K, dtype=float), np.asarray(L, dtype=float)
    L = np.outer(L, L) if L.ndim == 1 else L
    if K.shape != L.shape or K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise ValueError(f"alignment: two square matrices of one size are needed, not {K.shape} and {L.shape}")
    if centred:
        K, L = (M - M.mean(axis=0) - M.mean(axis=1)[:, None] + M.mean() for M in (K, L))
    size = np.sqrt(np.sum(K * K) * np.sum(L * L))
    return float(np.sum(K * L) / size) if size > 0.0 else 0.0
