"""Values of a radial kernel from products of rows."""

import numpy as np

from learnable._jit.core.compile import kernel
from learnable._jit.core.exponential import exp_negative


@kernel
def radial(products, squares, others, gamma):
    """products[i, j] ← e^{−γ (squares[i] + others[j] − 2 products[i, j])}, in place, the distance never below 0."""
    m, n = products.shape
    bits = np.empty(n, np.int64)
    for i in range(m):
        row = products[i]
        own = squares[i]
        for j in range(n):
            row[j] = gamma * max(own + others[j] - 2.0 * row[j], 0.0)
        exp_negative(row, row, bits)
