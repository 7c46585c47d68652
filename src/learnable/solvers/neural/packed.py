"""All parameters of a network in one vector, seen as the arrays of its layers."""

from math import prod
from typing import Any, NamedTuple

import numpy as np

from learnable.problems.neural.layers import Moments
from learnable.problems.neural.network import Parameters


class Layout(NamedTuple):
    """Where each array of a network lies in a vector: weights first, then biases, scales and shifts.

    Attributes
    ----------
    sizes : units of each layer, the inputs first.
    batch_norm : whether hidden layers are normalised.

    >>> layout = Layout((3, 4, 2), batch_norm=True)
    >>> layout.n_weights, layout.n_parameters
    (20, 34)
    """

    sizes: tuple[int, ...]
    batch_norm: bool = False

    @property
    def n_weights(self) -> int:
        return sum(a * b for a, b in zip(self.sizes[:-1], self.sizes[1:]))

    @property
    def hidden(self) -> tuple[int, ...]:
        return self.sizes[1:-1]

    @property
    def n_parameters(self) -> int:
        return self.n_weights + sum(self.sizes[1:]) + 2 * self.batch_norm * sum(self.hidden)

    def view(self, vector: Any) -> Parameters:
        """The arrays of the layers, sharing the memory of a vector (of NumPy, or a tensor)."""
        place = 0

        def take(*shape: int) -> Any:
            nonlocal place
            start, place = place, place + prod(shape)
            return vector[start:place].reshape(shape)

        coefs = tuple(take(a, b) for a, b in zip(self.sizes[:-1], self.sizes[1:]))
        intercepts = tuple(take(size) for size in self.sizes[1:])
        normed = self.hidden if self.batch_norm else ()
        return Parameters(coefs, intercepts, tuple(take(size) for size in normed), tuple(take(size) for size in normed))

    def view_moments(self, vector: Any) -> tuple[Moments, ...]:
        """The running statistics of the normalised layers, kept in a vector as mean, variance, mean, …"""
        if not self.batch_norm:
            return ()
        moments, place = [], 0
        for size in self.hidden:
            moments.append(Moments(vector[place : place + size], vector[place + size : place + 2 * size]))
            place += 2 * size
        return tuple(moments)

    def pack(self, theta: Parameters, dtype: Any) -> np.ndarray:
        """A new vector with these arrays in it."""
        vector = np.empty(self.n_parameters, dtype=dtype)
        for part, given in zip(self.view(vector), theta):
            for array, value in zip(part, given):
                array[...] = value
        return vector

    def pack_moments(self, moments: tuple[Moments, ...], dtype: Any) -> np.ndarray:
        return np.concatenate([np.ravel(array) for pair in moments for array in pair] or [np.empty(0)]).astype(dtype)


def initial(layout: Layout, activation: str, random: np.random.Generator, dtype: Any) -> np.ndarray:
    """Parameters to start from: uniform within √(6 / (units in + units out)), 2 for 6 at logistic units (Glorot).

    Scales begin at 1 and shifts at 0.
    """
    theta = layout.view(vector := np.zeros(layout.n_parameters))
    for W, b in zip(theta.coefs, theta.intercepts):
        bound = np.sqrt((2.0 if activation == "logistic" else 6.0) / sum(W.shape))
        W[...] = random.uniform(-bound, bound, W.shape)
        b[...] = random.uniform(-bound, bound, b.shape)
    for scale in theta.scales:
        scale[...] = 1.0
    return vector.astype(dtype)


def initial_moments(layout: Layout, dtype: Any) -> np.ndarray:
    """Running statistics to start from: mean 0, variance 1."""
    vector = np.zeros(2 * sum(layout.hidden) if layout.batch_norm else 0, dtype=dtype)
    for _, variance in layout.view_moments(vector):
        variance[...] = 1.0
    return vector
