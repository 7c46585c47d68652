"""Some eigenpairs of a symmetric matrix, whatever they share their eigenvalues with."""

import numpy as np
from scipy import linalg


def some_eigenpairs(S: np.ndarray, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
    """(eigenvalues, eigenvectors in columns) from the `first` smallest one to the `last`, rising.

    LAPACK's routine for some of them finds none, or fails, where one eigenvalue has many eigenvectors, as of I − 11ᵀ/n;
    then all are asked for.

    >>> [some_eigenpairs(np.eye(n) - 1.0 / n, n - 2, n - 1)[1].shape for n in (20, 40)]
    [(20, 2), (40, 2)]
    """
    try:
        values, vectors = linalg.eigh(S, subset_by_index=(first, last), driver="evr")
    except linalg.LinAlgError:
        values = vectors = np.zeros(0)
    if len(values) > last - first:
        return values, vectors
    values, vectors = np.linalg.eigh(S)
    return values[first : last + 1], vectors[:, first : last + 1]


def one_eigenvalue(S: np.ndarray, place: int) -> float:
    """The eigenvalue that is at a place among all, rising.

    >>> round(one_eigenvalue(np.eye(40) - 1.0 / 40, 39), 12)
    1.0
    """
    try:
        found = linalg.eigvalsh(S, subset_by_index=(place, place))
    except linalg.LinAlgError:
        found = np.zeros(0)
    return float(found[0] if len(found) else np.linalg.eigvalsh(S)[place])
