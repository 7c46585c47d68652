"""The draws of bagging: which rows are in a bag follows from its seed alone."""

import numpy as np


def bag_rows(seed: int, n: int, drawn: int) -> np.ndarray:
    """`drawn` rows out of n, with replacement.

    >>> len(bag_rows(3, 10, 10))
    10
    """
    return np.random.default_rng(seed).integers(0, n, drawn)


def bag_counts(seed: int, n: int, drawn: int) -> np.ndarray:
    """(n,) how often each row is in the bag."""
    return np.bincount(bag_rows(seed, n, drawn), minlength=n).astype(float)
