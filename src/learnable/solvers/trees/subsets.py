"""The best subset of categories of some rows: by order for two classes, all subsets if few, greedily otherwise."""

import numpy as np

from learnable._jit.trees.scan import score_of_classes


def best_subset(
    codes: np.ndarray, label: np.ndarray, weight: np.ndarray, K: int, criterion: int, min_leaf: int, exhaustive: int,
    tie: float,
) -> tuple[float, dict[int, int]] | None:  # fmt: skip
    """(score, {category: 1 if it goes left}), or None where there is no split."""
    names, place = np.unique(codes, return_inverse=True)
    c = len(names)
    if c < 2:
        return None
    table = np.zeros((c, K))
    np.add.at(table, (place, label), weight)
    rows = np.bincount(place, minlength=c)
    best, chosen = -np.inf, None
    for subset in _candidates(table, rows, K, c, exhaustive, criterion):
        left, n_left = table[subset].sum(axis=0), int(rows[subset].sum())
        right = table.sum(axis=0) - left
        if min(n_left, len(codes) - n_left) < min_leaf or left.sum() <= 0.0 or right.sum() <= 0.0:
            continue
        score = score_of_classes(criterion, left, left.sum()) + score_of_classes(criterion, right, right.sum())
        if score > best + tie:
            best, chosen = score, subset
    if chosen is None:
        return None
    return best, {int(name): int(inside) for name, inside in zip(names, chosen)}


def _candidates(table, rows, K: int, c: int, exhaustive: int, criterion: int):
    if K == 2:
        order = np.argsort(table[:, 1] / np.maximum(table.sum(axis=1), 1e-300), kind="stable")
        for k in range(1, c):
            subset = np.zeros(c, dtype=bool)
            subset[order[:k]] = True
            yield subset
    elif c <= exhaustive:
        for code in range(1, 1 << (c - 1)):
            yield (code >> np.arange(c)) & 1 == 1
    else:
        # Greedily, as SLIQ does: add the category that helps most, as long as there is one left.
        subset = np.zeros(c, dtype=bool)
        for _ in range(c - 1):
            scores = []
            for category in np.flatnonzero(~subset):
                left = table[subset].sum(axis=0) + table[category]
                right = table.sum(axis=0) - left
                score = score_of_classes(criterion, left, left.sum()) + score_of_classes(criterion, right, right.sum())
                scores.append((score, -category))
            subset = subset.copy()
            subset[-max(scores)[1]] = True
            yield subset
