"""How clusters are numbered, whatever an algorithm calls them."""

import numpy as np


def by_first_row(labels: np.ndarray) -> np.ndarray:
    """Clusters numbered in the order in which their first rows come.

    >>> by_first_row(np.array([9, 4, 9, 7]))
    array([0, 1, 0, 2])
    """
    _, first, place = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[place]
