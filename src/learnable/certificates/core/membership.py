"""Which row belongs to which class, as a matrix to multiply by."""

from typing import Any

import numpy as np
from scipy import sparse

# Classes times rows up to which the matrix is written out, zeros and all.
FEW = 2**14


def membership(label: np.ndarray, weight: np.ndarray, n_classes: int) -> Any:
    """(K, n): the weight of row i at (label[i], i), zeros elsewhere; dense for few rows, sparse for many.

    >>> membership(np.array([1, 0, 1]), np.array([1.0, 2.0, 3.0]), 2)
    array([[0., 2., 0.],
           [1., 0., 3.]])
    """
    if n_classes * len(label) <= FEW:
        return weight * (np.asarray(label) == np.arange(n_classes)[:, np.newaxis])
    return sparse.csr_array((weight, (label, np.arange(len(label)))), shape=(n_classes, len(label)))
