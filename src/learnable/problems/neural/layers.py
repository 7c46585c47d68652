"""The layers of a network, each as a map and the vector chain rule back through it. Syllabus: NN3, NN6, NN7.

δ stands for ∂J/∂(what a layer puts out); each `…_back` turns it into the same for what the layer took in, and for the
parameters of the layer. One source for NumPy arrays and tensors.
"""

from typing import Any, NamedTuple

# Keeps the division by the standard deviation of a batch defined when a unit is constant.
EPSILON = 1e-5
# Share of the newest batch in the running statistics.
RUNNING = 0.1


def dense(h, W, b):
    """u = h W + b."""
    return h @ W + b


def dense_slopes(xp, h, delta):
    """(∂J/∂W, ∂J/∂b) = (hᵀ δ, Σ δ): the values h that came in, not what the layer before had before its activation."""
    return h.T @ delta, xp.sum(delta, axis=0)


def dense_back(W, delta):
    """∂J/∂h = δ Wᵀ."""
    return delta @ W.T


def keep_mask(xp, uniform, rate: float):
    """Mask of inverted dropout: 1/(1 − rate) with probability 1 − rate, else 0, so that its expectation is 1.

    Parameters
    ----------
    uniform : numbers drawn uniformly from [0, 1).
    rate : probability that a unit is dropped, 0 ≤ rate < 1.
    """
    return xp.where(uniform >= rate, xp.ones_like(uniform), xp.zeros_like(uniform)) / (1.0 - rate)


class Moments(NamedTuple):
    """Mean and variance of each unit."""

    mean: Any
    variance: Any


def batch_moments(xp, u) -> Moments:
    """The moments of the rows of a batch, the variance divided by the number of rows."""
    mean = xp.mean(u, axis=0)
    return Moments(mean, xp.mean((u - mean) ** 2, axis=0))


def normalise(xp, u, moments: Moments):
    """(z, 1/σ) with z = (u − mean) / σ, σ = √(variance + ε)."""
    inverse = 1.0 / xp.sqrt(moments.variance + EPSILON)
    return (u - moments.mean) * inverse, inverse


def normalise_back(xp, z, inverse, delta, of_batch: bool):
    """∂J/∂u. If the moments are those of this batch they move with u, and two means are taken off δ."""
    if not of_batch:
        return delta * inverse
    return (delta - xp.mean(delta, axis=0) - z * xp.mean(delta * z, axis=0)) * inverse


def follow(running: Moments, batch: Moments, n_rows: int) -> Moments:
    """The running statistics after one more batch; its variance enters without bias, divided by n − 1."""
    share = batch.variance * (n_rows / max(n_rows - 1, 1))
    return Moments(
        (1.0 - RUNNING) * running.mean + RUNNING * batch.mean,
        (1.0 - RUNNING) * running.variance + RUNNING * share,
    )
