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
    one, two = np.asarray(K, dtype=float), np.asarray(L, dtype=float)
    two = np.outer(two, two) if two.ndim == 1 else two
    if one.shape != two.shape or one.ndim != 2 or one.shape[0] != one.shape[1]:
        raise ValueError(f"alignment: two square matrices of one size are needed, not {one.shape} and {two.shape}")
    if centred:
        one, two = _centred(one), _centred(two)
    size = np.sqrt(np.sum(one * one) * np.sum(two * two))
    return float(np.sum(one * two) / size) if size > 0.0 else 0.0


def _centred(K: np.ndarray) -> np.ndarray:
    """The values between features less their mean."""
    return K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
