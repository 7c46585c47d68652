"""Dividing rows: a held-out test set, validation folds, a subsample; by class where there are classes."""

import numpy as np


def folds(strata: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """The fold, 0 to k - 1, of each row: sizes differ by at most one, and so do the counts of each class.

    The rows of a class are dealt in turn, and the next class goes on where the last one stopped. So a class with two
    rows or more is never missing from the training part of a fold.

    >>> dealt = folds(np.array(["a"] * 7 + ["b"] * 3), 5, np.random.default_rng(0))
    >>> np.bincount(dealt).tolist(), int(np.bincount(dealt[:7]).max())
    ([2, 2, 2, 2, 2], 2)
    """
    shuffled = rng.permutation(len(strata))
    by_class = shuffled[np.argsort(strata[shuffled], kind="stable")]
    dealt = np.empty(len(strata), dtype=int)
    dealt[by_class] = np.arange(len(strata)) % k
    return dealt


def holdout(strata: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Mask of the held-out rows: about `share` of every class, at least one row of it, and never more than all but two.

    >>> held = holdout(np.array([0] * 50 + [1] * 5), 0.2, np.random.default_rng(0))
    >>> int(held[:50].sum()), int(held[50:].sum())
    (10, 1)
    """
    held = np.zeros(len(strata), dtype=bool)
    for level in np.unique(strata):
        rows = rng.permutation(np.flatnonzero(strata == level))
        count = min(max(round(share * len(rows)), 1), max(len(rows) - 2, 0))
        held[rows[:count]] = True
    return held


def subsample(strata: np.ndarray, most: int, rng: np.random.Generator) -> np.ndarray:
    """Indices, in order, of at most about `most` rows, classes in proportion with at least two rows of each.

    >>> len(subsample(np.zeros(1000), 100, np.random.default_rng(0)))
    100
    """
    if len(strata) <= most:
        return np.arange(len(strata))
    chosen = []
    for level in np.unique(strata):
        rows = rng.permutation(np.flatnonzero(strata == level))
        chosen.append(rows[: max(round(most * len(rows) / len(strata)), 2)])
    return np.sort(np.concatenate(chosen))


def grouped(groups: np.ndarray, strata: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """The fold of each row, with the rows of a group together: large groups first, each to the emptiest fold.

    >>> dealt = grouped(np.repeat(["a", "b", "c", "d"], 3), np.zeros(12), 2, np.random.default_rng(0))
    >>> np.bincount(dealt).tolist(), len(set(dealt[:3].tolist()))
    ([6, 6], 1)
    """
    names, member = np.unique(groups, return_inverse=True)
    sizes = np.bincount(member)
    order = rng.permutation(len(names))
    order = order[np.argsort(-sizes[order], kind="stable")]
    filled = np.zeros(k, dtype=int)
    fold = np.empty(len(names), dtype=int)
    for name in order:
        fold[name] = int(np.argmin(filled))
        filled[fold[name]] += sizes[name]
    return fold[member]


def forward(times: np.ndarray, k: int) -> np.ndarray:
    """Block 0 to k of each row in the order of time; fold i learns from blocks 0 to i and is judged on block i + 1.

    Rows of one moment stay together.

    >>> forward(np.array([3, 1, 2, 4]), 1).tolist()
    [1, 0, 0, 1]
    """
    place = np.unique(times, return_inverse=True)[1]
    before = np.concatenate([[0], np.cumsum(np.bincount(place))[:-1]])
    return np.minimum(before * (k + 1) // len(times), k)[place]
