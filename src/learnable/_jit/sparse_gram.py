"""Weighted cross-products of sparse rows: every row adds the products of its own few entries."""

from learnable._jit.compile import kernel


@kernel
def sparse_gram(vectors, weight, out):
    """out ← out + Σᵢ wᵢ xᵢ xᵢᵀ over the rows of `vectors` (`_jit.vectors.SparseVectors`), both triangles."""
    values, places, starts = vectors.values, vectors.places, vectors.starts
    for i in range(starts.shape[0] - 1):
        for a in range(starts[i], starts[i + 1]):
            wx = weight[i] * values[a]
            row = places[a]
            for b in range(starts[i], starts[i + 1]):
                out[row, places[b]] += wx * values[b]
