"""Random Fourier features of rows. Syllabus: K5."""

from typing import Any

import numpy as np

from learnable._jit.core.vectors import read_only
from learnable._jit.kernels.cosines import cosines


def features(X: Any, weights: np.ndarray, offset: np.ndarray) -> np.ndarray:
    """√(2/m) cos(xᵀΩ + φ).

    >>> features(np.eye(2), np.zeros((2, 2)), np.array([0.0, np.pi])).round(6)
    array([[ 1., -1.],
           [ 1., -1.]])
    """
    phases = np.ascontiguousarray(X @ weights)
    cosines(phases, read_only(offset), np.sqrt(2.0 / len(offset)))
    return phases
