"""The draws of bagging: which rows are in a bag follows from its seed alone."""

from numbers import Integral

import numpy as np

# Rows drawn at a time.
BLOCK = 2**20


def drawn_from(n: int, share: float | None, mass: float | None = None) -> int:
    """How many rows a bag holds: all, a number, or a share of n, or of the `mass` of n rows that have weights.

    >>> drawn_from(10, None), drawn_from(10, 4), drawn_from(10, 0.26), drawn_from(10, 0.5, mass=30.0)
    (10, 4, 3, 15)
    """
    if share is None or isinstance(share, Integral):
        return n if share is None else int(share)
    return max(1, round((n if mass is None else mass) * share))


def most_drawn(n: int) -> int:
    """How many rows a bag of a forest may hold: more would say nothing new of n rows, and fill the memory.

    >>> most_drawn(50), most_drawn(10**6)
    (10000000, 100000000)
    """
    return max(100 * n, 10_000_000)


def bag_rows(seed: int, n: int, drawn: int, replace: bool = True, share: np.ndarray | None = None) -> np.ndarray:
    """`drawn` rows out of n, with replacement or without; with chances `share` where they are given.

    >>> len(bag_rows(3, 10, 10)), sorted(bag_rows(3, 4, 4, replace=False).tolist())
    (10, [0, 1, 2, 3])
    """
    generator = np.random.default_rng(seed)
    if share is not None:
        return generator.choice(n, drawn, replace=replace, p=share)
    return generator.integers(0, n, drawn) if replace else generator.permutation(n)[:drawn]


def bag_columns(seed: int, p: int, drawn: int, replace: bool) -> np.ndarray:
    """Columns of a member: all of them in order, or as many as are drawn.

    >>> bag_columns(3, 4, 4, False)
    array([0, 1, 2, 3])
    """
    if drawn == p and not replace:
        return np.arange(p)
    generator = np.random.default_rng([seed, 1])
    return generator.integers(0, p, drawn) if replace else np.sort(generator.permutation(p)[:drawn])


def bag_counts(seed: int, n: int, drawn: int) -> np.ndarray:
    """(n,) how often each row is in the bag.

    >>> bool(np.all(bag_counts(3, 9, 2 * BLOCK + 1) == np.bincount(bag_rows(3, 9, 2 * BLOCK + 1))))
    True
    """
    generator, counts = np.random.default_rng(seed), np.zeros(n)
    for done in range(0, drawn, BLOCK):  # the same rows as drawn at once
        counts += np.bincount(generator.integers(0, n, min(BLOCK, drawn - done)), minlength=n)
    return counts


def balance(label: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """(n,) weights by which the classes that are in a bag weigh the same in it: n / (K · rows of the class).

    >>> balance(np.array([0, 0, 1, 2]), np.array([1.0, 2.0, 1.0, 0.0])).round(3)
    array([0.667, 0.667, 2.   , 0.   ])
    """
    of_class = np.bincount(label, counts)
    seen = of_class > 0.0
    factor = np.divide(counts.sum(), seen.sum() * of_class, out=np.zeros(len(of_class)), where=seen)
    return factor[label]


def misses_others(y: np.ndarray, rows: np.ndarray, n_classes: int) -> bool:
    """Whether the rows drawn are all of one class, of several.

    >>> [misses_others(np.array(["a", "b", "a"]), np.array(rows), 2) for rows in ([0, 2], [0, 1])]
    [True, False]
    """
    return n_classes > 1 and bool(np.all(y[rows] == y[rows[0]]))
