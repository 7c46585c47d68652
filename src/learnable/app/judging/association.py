"""Whether the columns tell anything of the target at all: answers shuffled among the rows, without a single fit.

Cross-validated losses of a few dozen rows are so uncertain that their interval reaches zero even where the tie between
columns and target is beyond doubt. Shuffling is exact for any number of rows, and needs no learner.
"""

from itertools import islice

import numpy as np

SHUFFLES = 999
SURE = 0.01
"""A tie is called one, on its own, when chance does as well in at most this share of shufflings."""
BESIDE = 0.05
"""The same beside a loss that is clearly smaller than that of guessing, were not so many learners asked."""
RIDGE = 0.1
"""Penalty of the joint fit: this share of the mean square of a column, per row."""
MOST_CELLS = 200_000
"""Of more, as many rows are drawn as have so many cells: the test stays exact."""


def association(X: np.ndarray, y: np.ndarray, seed: int, groups: np.ndarray | None = None) -> float:
    """The share of shufflings of the target, this order counted in, that fit the columns at least as well.

    Two statistics on the ranks, since either may be blind to what the other sees: the largest correlation ratio of one
    column, and the share of the target that all columns explain together in a ridge regression. The p-value is that of
    the smaller of the two, judged among the same shufflings; 1 where no column varies.

    Rows of one group are alike, and only those change places: what is judged is then the tie within groups.

    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(40, 3))
    >>> association(X, X[:, 1] + 0.5 * rng.normal(size=40), 0), association(X, rng.normal(size=40), 0) > 0.05
    (0.001, True)
    """
    rng = np.random.default_rng([seed, 3])
    if X.size > MOST_CELLS:
        some = rng.choice(len(y), max(MOST_CELLS // X.shape[1], 2), replace=False)
        X, y = X[some], y[some]
        groups = None if groups is None else groups[some]
    ranked = _ranks(X, groups)
    target = _indicators(y) if y.dtype.kind in "UO" else _ranks(y[:, None])
    if not ranked.shape[1] or not target.any():
        return 1.0
    axes, sizes, _ = np.linalg.svd(ranked, full_matrices=False)
    joint = axes * (sizes / np.sqrt(sizes**2 + RIDGE * len(y)))
    found = np.empty((SHUFFLES + 1, 2))
    orders = (_shuffled(groups, len(y), rng) if number else np.arange(len(y)) for number in range(SHUFFLES + 1))
    at_once = max(1, MOST_CELLS // target.size)
    for start in range(0, SHUFFLES + 1, at_once):
        own = target[np.array(list(islice(orders, at_once)))]
        found[start : start + len(own), 0] = ((ranked.T @ own) ** 2).sum(axis=2).max(axis=1)
        found[start : start + len(own), 1] = ((joint.T @ own) ** 2).sum(axis=(1, 2))
    return _smaller(found)


def _shuffled(groups: np.ndarray | None, n: int, rng: np.random.Generator) -> np.ndarray:
    """The rows in a random order in which every group keeps its places."""
    if groups is None:
        return rng.permutation(n)
    order = np.empty(n, dtype=np.intp)
    order[np.argsort(groups, kind="stable")] = np.lexsort((rng.random(n), groups))
    return order


def _within(X: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Distances from the means of the groups; 0 where only rounding is left."""
    _, group = np.unique(groups, return_inverse=True)
    sums = np.zeros((group.max() + 1, X.shape[1]))
    np.add.at(sums, group, X)
    found = X - (sums / np.bincount(group)[:, None])[group]
    return np.where(np.abs(found) <= 1e-9 * len(X), 0.0, found)


def _smaller(found: np.ndarray) -> float:
    """p-value of the first row by the smaller of the p-values of its columns."""
    from scipy.stats import rankdata

    share = rankdata(-found, method="max", axis=0).min(axis=1)  # how many do at least as well
    return float(np.mean(share <= share[0]))


def _ranks(X: np.ndarray, groups: np.ndarray | None = None) -> np.ndarray:
    """Ranks of the columns that vary, within groups where there are such, with mean 0 and mean square 1."""
    from scipy.stats import rankdata

    ranks = rankdata(X, axis=0)
    centred = ranks - ranks.mean(axis=0) if groups is None else _within(ranks, groups)
    size = np.sqrt(np.mean(centred**2, axis=0))
    return centred[:, size > 0] / size[size > 0]


def _indicators(y: np.ndarray) -> np.ndarray:
    """One column a class, centred, and scaled so that a column's correlation ratio is the sum of its squares."""
    levels, place = np.unique(y, return_inverse=True)
    made = np.eye(len(levels))[place]
    share = made.mean(axis=0)
    return (made - share) / np.sqrt(share)
