"""Eigenvalues are counted by the signs of an LDLᵀ factor (Sylvester), without a spectrum. Syllabus: U8, U10."""

import numpy as np
from scipy import linalg


def eigenvalues_above(S: np.ndarray, threshold: float) -> int:
    """How many eigenvalues of a symmetric matrix are larger.

    >>> S = np.array([[0.0, 3.0, 0.0], [3.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    >>> [eigenvalues_above(S, threshold) for threshold in (-4.0, 0.0, 2.0, 3.5)]
    [3, 2, 1, 0]
    """
    _, D, _ = linalg.ldl(0.5 * (S + S.T) - threshold * np.eye(len(S)))
    count, i = 0, 0
    while i < len(D):
        if i + 1 < len(D) and D[i + 1, i] != 0.0:
            a, b, c = D[i, i], D[i + 1, i], D[i + 1, i + 1]
            determinant, trace = a * c - b * b, a + c
            count += 1 if determinant < 0.0 else (2 if trace > 0.0 else 0)
            i += 2
        else:
            count += int(D[i, i] > 0.0)
            i += 1
    return count
