"""Columns of a sparse matrix that is stored by rows: products with vectors, and some of the columns alone.

Entries are counted by unsigned numbers, so that no index is asked whether it counts from the end.
"""

import numpy as np

from learnable._jit.core.compile import kernel


@kernel
def times(rows, coef, out):
    """out ← X coef for the X of these rows (`_jit.vectors.SparseVectors`)."""
    for i in range(out.shape[0]):
        total = 0.0
        for a in range(np.uint64(rows.starts[i]), np.uint64(rows.starts[i + 1])):
            total += rows.values[a] * coef[rows.places[a]]
        out[i] = total


@kernel
def transposed_times(rows, v, out):
    """out ← out + Xᵀ v."""
    for i in range(v.shape[0]):
        for a in range(np.uint64(rows.starts[i]), np.uint64(rows.starts[i + 1])):
            out[rows.places[a]] += v[i] * rows.values[a]


@kernel
def choose(rows, place, nowhere, values, places, starts):
    """Write the rows with only the columns chosen into `values`, `places` and `starts`; returns how many entries.

    Parameters
    ----------
    place : (p,) unsigned, where each column goes; `nowhere` for those left out.
    values, places : room for the entries of all columns.
    starts : (n + 1,), zero before.
    """
    k = np.uint64(0)
    for i in range(rows.starts.shape[0] - 1):
        # Written first and counted then: a branch would often be predicted wrongly.
        for a in range(np.uint64(rows.starts[i]), np.uint64(rows.starts[i + 1])):
            target = place[rows.places[a]]
            values[k] = rows.values[a]
            places[k] = target
            k += np.uint64(target != nowhere)
        starts[i + 1] = k
    return k
