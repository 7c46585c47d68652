"""Feasible starts of machines whose coefficients have a prescribed sum."""

import numpy as np


def filled(capacity: np.ndarray, total: float) -> np.ndarray:
    """0 ≤ α ≤ capacity with Σα = total, the first rows to the brim.

    >>> filled(np.array([1.0, 1.0, 1.0]), 1.5)
    array([1. , 0.5, 0. ])
    """
    before = np.zeros(len(capacity))
    capacity[:-1].cumsum(out=before[1:])
    return np.minimum(np.maximum(total - before, 0.0), capacity)
