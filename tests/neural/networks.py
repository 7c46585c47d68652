"""Small networks for the laws: parameters drawn at random, as one vector and as layers."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from learnable.problems.neural.layers import Moments, keep_mask
from learnable.problems.neural.network import Architecture, Parameters


class Small(NamedTuple):
    """A network with data, and what it normalises and masks by."""

    architecture: Architecture
    theta: Parameters
    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None
    moments: tuple[Moments, ...] | None
    masks: tuple[np.ndarray, ...]


def small_network(
    seed, activation="tanh", output="softmax", hidden=(4, 3), batch_norm=False, dropout=0.0, running=False,
    weighted=False, l2=0.1, l1=0.05, n=7, n_in=3, n_out=3,
) -> Small:  # fmt: skip
    """A network of these options with parameters, rows and targets drawn from `seed`."""
    random = np.random.default_rng(seed)
    sizes = (n_in, *hidden, n_out)
    theta = Parameters(
        tuple(random.standard_normal(shape) for shape in pairwise(sizes)),
        tuple(random.standard_normal(size) for size in sizes[1:]),
        tuple(random.uniform(0.5, 1.5, size) for size in hidden) if batch_norm else (),
        tuple(random.standard_normal(size) for size in hidden) if batch_norm else (),
    )
    X = random.standard_normal((n, n_in))
    if output == "softmax":
        y = np.eye(n_out)[random.integers(n_out, size=n)]
    elif output in ("logistic", "sigmoid_squared"):
        y = random.integers(2, size=(n, n_out)).astype(float)
    elif output == "exp":
        y = random.poisson(2.0, size=(n, n_out)).astype(float)
    else:
        y = random.standard_normal((n, n_out))
    moments = None
    if batch_norm and running:
        moments = tuple(Moments(random.standard_normal(k), random.uniform(0.5, 2.0, k)) for k in hidden)
    masks = tuple(keep_mask(np, random.random((n, k)), dropout) for k in hidden) if dropout else ()
    weight = random.uniform(0.0, 2.0, n) if weighted else None
    return Small(Architecture(activation, output, l2, l1), theta, X, y, weight, moments, masks)


def flat(theta: Parameters) -> np.ndarray:
    """All parameters as one vector."""
    return np.concatenate([np.ravel(array) for part in theta for array in part])


def unflat(vector: np.ndarray, like: Parameters) -> Parameters:
    """The vector cut into the shapes of `like`."""
    place, parts = 0, []
    for part in like:
        arrays = []
        for array in part:
            arrays.append(vector[place : place + array.size].reshape(array.shape))
            place += array.size
        parts.append(tuple(arrays))
    return Parameters(*parts)
