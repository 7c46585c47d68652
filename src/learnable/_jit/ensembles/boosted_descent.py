"""Scores of rows by boosted trees."""

import numpy as np

from learnable._jit.core.compile import kernel
from learnable._jit.trees.descend import leaf_of


@kernel
def add_trees(first, left, right, feature, threshold, missing_left, category_row, category_left, value, X, score):
    """score[i, k] += Σ over rounds of the leaf of tree (round, k) that row i comes to."""
    for t in range(first.shape[0]):
        for k in range(first.shape[1]):
            for i in range(X.shape[0]):
                node = leaf_of(
                    left, right, feature, threshold, missing_left, category_row, category_left, X[i], first[t, k]
                )
                score[i, k] += value[node]


@kernel
def add_plain_trees(first, left, feature, threshold, value, X, score):
    """`add_trees` where no cell is missing, no column holds categories and right children follow left ones.

    Four rows go down together: their steps do not wait for each other.
    """
    n = X.shape[0]
    for t in range(first.shape[0]):
        for k in range(first.shape[1]):
            root = np.uintp(first[t, k])
            for i in range(0, n - n % 4, 4):
                a = b = c = d = root
                la = lb = lc = ld = left[root]
                x0, x1, x2, x3 = X[i], X[i + 1], X[i + 2], X[i + 3]
                while la >= 0 or lb >= 0 or lc >= 0 or ld >= 0:
                    a = np.uintp(la + (x0[np.uintp(feature[a])] > threshold[a])) if la >= 0 else a
                    b = np.uintp(lb + (x1[np.uintp(feature[b])] > threshold[b])) if lb >= 0 else b
                    c = np.uintp(lc + (x2[np.uintp(feature[c])] > threshold[c])) if lc >= 0 else c
                    d = np.uintp(ld + (x3[np.uintp(feature[d])] > threshold[d])) if ld >= 0 else d
                    la, lb, lc, ld = left[a], left[b], left[c], left[d]
                score[i, k] += value[a]
                score[i + 1, k] += value[b]
                score[i + 2, k] += value[c]
                score[i + 3, k] += value[d]
            for i in range(n - n % 4, n):
                a = root
                while left[a] >= 0:
                    a = np.uintp(left[a] + (X[i, np.uintp(feature[a])] > threshold[a]))
                score[i, k] += value[a]
