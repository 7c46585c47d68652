"""Leading rows to their leaves."""

import numpy as np

from learnable._jit.core.compile import inner_kernel, kernel
from learnable._jit.core.lean import lean

# Of a packed node, the bits that hold its column.
BITS = 16


@lean
@inner_kernel
def leaf_of(left, right, feature, threshold, missing_left, category_row, category_left, row, node):
    """The leaf that a row comes to from a node; categories are codes, missing cells are NaN."""
    while left[node] >= 0:
        x = row[feature[node]]
        if category_row[node] >= 0:
            if np.isnan(x) or x < 0 or x >= category_left.shape[1]:
                goes = missing_left[node] == 1
            else:
                goes = category_left[category_row[node], int(x)] == 1
        elif x <= threshold[node]:
            goes = True
        else:
            goes = np.isnan(x) and missing_left[node] == 1
        node = left[node] if goes else right[node]
    return node


@lean
@kernel
def descend(left, right, feature, threshold, missing_left, category_row, category_left, X, out):
    """out[i] = leaf of row i of X."""
    for i in range(X.shape[0]):
        out[i] = leaf_of(left, right, feature, threshold, missing_left, category_row, category_left, X[i], 0)


@lean
@kernel
def descend_together(words, threshold, number, X, out):
    """out[i] = number of the leaf of row i, of packed nodes (`solvers.trees.descent`); no cell is missing.

    Eight rows go down together, without a branch that would be guessed wrong every other time: their steps do not wait
    for each other. Paid for by `python -m benchmarks trees`: 123 → 45 ns a row of a tree of 3,663 nodes (aarch64).
    """
    n = X.shape[0]
    last = n - 1
    for i in range(0, n, 8):
        # The last row stands in for those beyond it.
        r1, r2, r3, r4 = min(i + 1, last), min(i + 2, last), min(i + 3, last), min(i + 4, last)
        r5, r6, r7 = min(i + 5, last), min(i + 6, last), min(i + 7, last)
        a = b = c = d = e = f = g = h = np.uintp(0)
        moved = True
        while moved:
            a1, b1 = _below(words, threshold, X, i, a), _below(words, threshold, X, r1, b)
            c1, d1 = _below(words, threshold, X, r2, c), _below(words, threshold, X, r3, d)
            e1, f1 = _below(words, threshold, X, r4, e), _below(words, threshold, X, r5, f)
            g1, h1 = _below(words, threshold, X, r6, g), _below(words, threshold, X, r7, h)
            moved = ((a1 ^ a) | (b1 ^ b) | (c1 ^ c) | (d1 ^ d) | (e1 ^ e) | (f1 ^ f) | (g1 ^ g) | (h1 ^ h)) != 0
            a, b, c, d, e, f, g, h = a1, b1, c1, d1, e1, f1, g1, h1
        out[r7], out[r6], out[r5], out[r4] = number[h], number[g], number[f], number[e]
        out[r3], out[r2], out[r1], out[i] = number[d], number[c], number[b], number[a]


@lean
@inner_kernel
def _below(words, threshold, X, i, node):
    """The child of a node that row i goes to; a leaf stays."""
    word = np.uintp(words[node])
    column = word & np.uintp((1 << BITS) - 1)
    return (word >> np.uintp(BITS)) + np.uintp(X[np.uintp(i), column] > threshold[node])


@lean
@kernel
def add_values(value, leaf, out):
    """out[i] += value of the leaf of row i."""
    for i in range(len(leaf)):
        at = np.uintp(leaf[i])
        for k in range(value.shape[1]):
            out[i, k] += value[at, k]
