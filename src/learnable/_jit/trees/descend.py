"""Leading rows to their leaves."""

import numpy as np

from learnable._jit.core.compile import inner_kernel, kernel
from learnable._jit.core.lean import lean


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
