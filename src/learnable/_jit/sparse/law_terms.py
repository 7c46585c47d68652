"""A likelihood as a function of the scores of its rows."""

import numpy as np

from learnable._jit.core.compile import kernel
from learnable._jit.linear.likelihood import terms

# Rows at a time: what is made of them stays in the first cache.
CHUNK = 1024


@kernel
def law_terms(law, y, score, weight, pull, bend):
    """Σ wᵢ ℓ(yᵢ, fᵢ); pull ← w ∂ℓ/∂f and bend ← w ∂²ℓ/∂f².

    Parameters
    ----------
    law : a law of `_jit.likelihood`.
    y, score, weight : (n,).
    """
    n = score.shape[0]
    e, bits = np.empty(CHUNK), np.empty(CHUNK, dtype=np.int64)
    loss = 0.0
    for start in range(0, n, CHUNK):
        stop = min(start + CHUNK, n)
        chunk = slice(start, stop)
        c = stop - start
        loss += terms(law, y[chunk], score[chunk], weight[chunk], pull[chunk], bend[chunk], e[:c], bits[:c])
    return loss
