"""Weighted cross-products of sparse rows: every row adds the products of its own few entries."""

import numpy as np

from learnable._jit.core.compile import kernel


@kernel
def sparse_gram(vectors, weight, out):
    """out ← Σᵢ wᵢ xᵢ xᵢᵀ over the rows of `vectors` (`_jit.vectors.SparseVectors`), both triangles; zero before."""
    values, places, starts = vectors.values, vectors.places, vectors.starts
    m = out.shape[0]
    # Every pair of entries is met once and lands in either triangle; half the diagonal then waits for its other half.
    for i in range(starts.shape[0] - 1):
        w = weight[i]
        # Unsigned, so that no index is asked whether it counts from the end.
        first = np.uint64(starts[i])
        for a in range(first, np.uint64(starts[i + 1])):
            wx = w * values[a]
            row = out[places[a]]
            for b in range(first, a):
                row[places[b]] += wx * values[b]
            row[places[a]] += 0.5 * wx * values[a]
    for j in range(m):
        for k in range(j + 1):
            total = out[j, k] + out[k, j]
            out[j, k] = total
            out[k, j] = total


@kernel
def bordered_sparse_gram(vectors, weight, out):
    """As `sparse_gram` with a column of ones after the others: `out` has one row more than there are columns."""
    values, places, starts = vectors.values, vectors.places, vectors.starts
    p = out.shape[0] - 1
    sparse_gram(vectors, weight, out[:p, :p])
    side = out[p]
    for i in range(starts.shape[0] - 1):
        w = weight[i]
        for a in range(starts[i], starts[i + 1]):
            side[places[a]] += w * values[a]
        side[p] += w
    for j in range(p):
        out[j, p] = side[j]
