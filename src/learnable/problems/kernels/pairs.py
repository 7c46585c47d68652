"""Machines between pairs of classes: which rows stand on which side. Syllabus: S3."""

from itertools import combinations

import numpy as np


def pair_sides(index: np.ndarray, K: int) -> np.ndarray:
    """(n, pairs) of ±1, 0 for the rows of other classes; +1 is the second of two classes, the first of a pair of many.

    >>> pair_sides(np.array([0, 1, 2]), 3)
    array([[ 1.,  1.,  0.],
           [-1.,  0.,  1.],
           [ 0., -1., -1.]])
    """
    if K == 2:
        return np.where(index == 1, 1.0, -1.0)[:, None]
    sides = np.zeros((K, K * (K - 1) // 2))
    for column, (i, j) in enumerate(combinations(range(K), 2)):
        sides[i, column], sides[j, column] = 1.0, -1.0
    return sides[index]
