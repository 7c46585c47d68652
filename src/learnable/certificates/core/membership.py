"""Which row belongs to which class, as a matrix to multiply by."""

from typing import Any

import numpy as np
from scipy import sparse

# Classes, or classes times rows, up to which the matrix is written out, zeros and all: a sparse product holds up other
# threads. Paid for by `python -m benchmarks shares`: sums of two threads 13 → 7 ms for 2 classes, 12.5 → 8.8 for 8, and
# 12.6 → 13.7 for 16 (aarch64, 200,000 × 32).
FEW_CLASSES, FEW = 8, 2**14


def membership(label: np.ndarray, weight: np.ndarray, n_classes: int) -> Any:
    """(K, n): the weight of row i at (label[i], i), zeros elsewhere; dense for few, sparse for many.

    >>> membership(np.array([1, 0, 1]), np.array([1.0, 2.0, 3.0]), 2)
    array([[0., 2., 0.],
           [1., 0., 3.]])
    """
    if n_classes <= FEW_CLASSES or n_classes * len(label) <= FEW:
        return weight * (np.asarray(label) == np.arange(n_classes)[:, np.newaxis])
    return sparse.csr_array((weight, (label, np.arange(len(label)))), shape=(n_classes, len(label)))
