"""How well a device agrees with NumPy in double precision: one row a computation, worst relative difference."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from learnable.device import products
from learnable.device.blocks import DeviceRows
from learnable.device.devices import Place
from learnable.problems.neural.network import Architecture, Parameters, evaluate


class Agreement(NamedTuple):
    """‖theirs − ours‖ / ‖ours‖ of one computation, for rows of double and of single precision."""

    what: str
    double: float
    single: float


# What single precision may differ by, stated once: sums of products of a few hundred columns.
SINGLE = 2e-4
DOUBLE = 1e-10


def agreement(place: Place, n: int = 3000, p: int = 24, seed: int = 0) -> list[Agreement]:
    """Compare every computation of this room, and the gradient of a network, between a place and NumPy.

    >>> all(row.double <= DOUBLE and row.single <= SINGLE for row in agreement(Place("cpu"), n=400, p=5))
    True
    """
    X = np.random.default_rng(seed).standard_normal((n, p)) + 3.0
    reference = _computed(DeviceRows(X, Place("cpu")), seed + 1)
    block = max(1, n // 3)
    found = [_computed(DeviceRows(X, place, dtype, block_rows=block), seed + 1) for dtype in (np.float64, np.float32)]
    return [
        Agreement(what, *(float(np.linalg.norm(there[what] - ours) / np.linalg.norm(ours)) for there in found))
        for what, ours in reference.items()
    ]


def _computed(rows: DeviceRows, seed: int) -> dict[str, np.ndarray]:
    n, p = rows.shape
    random = np.random.default_rng(seed)
    centres = random.standard_normal((5, p)) + 3.0
    classes = random.integers(4, size=n)
    coef, intercept = 0.3 * random.standard_normal((4, p)), random.standard_normal(4)
    direction = random.standard_normal((4, p + 1))
    _, mean, scatter = products.moments(rows)
    lloyd = products.lloyd_pass(rows, centres)
    newton = products.multinomial_newton(rows, classes, coef, intercept, hessian=True)
    return {
        "Gram matrix": products.gram(rows),
        "Gram matrix, centred": products.gram(rows, mean),
        "means": mean,
        "scatter": scatter,
        "principal components (variances)": np.linalg.eigvalsh(scatter / n),
        "k-means: sums of a Lloyd pass": lloyd.sums,
        "k-means: inertia": np.array([lloyd.inertia]),
        "RBF kernel times vectors": products.kernel_product(rows, centres, 0.05, random.standard_normal((5, 2))),
        "multinomial logistic: loss": np.array([newton.loss]),
        "multinomial logistic: gradient": newton.gradient,
        "multinomial logistic: Hessian": newton.hessian,  # type: ignore[dict-item]
        "multinomial logistic: Hessian product": products.multinomial_hessian_product(rows, coef, intercept, direction),
        "network: gradient": _network_gradient(rows, random),
    }


def _network_gradient(rows: DeviceRows, random: np.random.Generator) -> np.ndarray:
    p, place, dtype = rows.shape[1], rows.place, rows.dtype
    sizes = (p, 7, 4)
    shapes = list(pairwise(sizes))
    theta = Parameters(
        [place.put(0.3 * random.standard_normal(shape), dtype) for shape in shapes],
        [place.put(random.standard_normal(shape[1]), dtype) for shape in shapes],
        [place.put(np.ones(7), dtype)],
        [place.put(np.zeros(7), dtype)],
    )
    y = np.eye(4)[random.integers(4, size=rows.shape[0])]
    found = evaluate(Architecture("tanh", "softmax", 0.01), theta, rows.X, place.put(y, dtype))
    return np.concatenate([place.get(array).astype(float).ravel() for part in found.gradient for array in part])
