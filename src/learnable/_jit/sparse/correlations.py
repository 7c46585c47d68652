"""Which correlations a residual may have brought to a level, from those of earlier residuals."""

import numpy as np

from learnable._jit.core.compile import kernel
from learnable._jit.core.small_systems import solved

# Room for the rounding of the split.
SLACK = 2e-6


@kernel
def within_reach(references, correlations, products, residual, weight_sum, length, level, needed, wanted, found):
    """Into `found`: correlations of the part of a residual that lies in the span of earlier ones.

    Returns at which places the other part may bring the correlation to `level`.

    Parameters
    ----------
    references, correlations, products : residuals, one a row, with all columns and with each other.
    length : (p,) √(mean square) of each column.
    needed, wanted : places that are so, or not, in any case.
    """
    r, n = references.shape
    along = np.zeros(r)
    for i in range(r):
        for k in range(n):
            along[i] += references[i, k] * residual[k]
    share = solved(products, along)
    square = 0.0
    for k in range(n):
        rest = residual[k]
        for i in range(r):
            rest -= share[i] * references[i, k]
        square += rest * rest
    off = (1.0 + SLACK) * np.sqrt(square / weight_sum)
    unsure = np.empty(level.shape[0], dtype=np.bool_)
    for j in range(level.shape[0]):
        total = 0.0
        for i in range(r):
            total += share[i] * correlations[i, j]
        found[j] = total
        unsure[j] = abs(total) + off * length[j] >= level[j]
    for k in range(needed.shape[0]):
        unsure[needed[k]] = wanted
    return unsure
