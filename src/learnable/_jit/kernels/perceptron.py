"""The next row on which a perceptron errs."""

from learnable._jit.core.compile import kernel


@kernel
def next_mistake(scores, z, start):
    """The first i ≥ start with zᵢ scoresᵢ ≤ 0, or n."""
    for i in range(start, z.shape[0]):
        if z[i] * scores[i] <= 0.0:
            return i
    return z.shape[0]
