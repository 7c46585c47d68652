"""Scores Σ cₛ k(x, xₛ) of many points, by blocks of rows over threads."""

from collections.abc import Callable
from math import fsum
from typing import Any

import numpy as np

from learnable._jit.kernels.radial import radial
from learnable.config import get_config
from learnable.device import DeviceRows, kernel_product, place_for
from learnable.problems.kernels.basic import RBF, Linear, Precomputed
from learnable.problems.kernels.kernel import Kernel, products, squares
from learnable.rows.threads import in_order, one_blas_thread_meanwhile, worker_count
from learnable.solvers.kernels.kernel_rows import BLOCK, DEVICE_BLOCK, centred

# Multiplications of a block of the linear kernel: some milliseconds, after which Ctrl-C is heard.
WORK = 2**24


def scores(kernel: Kernel, X: Any, anchors: Any, coefficients: np.ndarray, chosen: np.ndarray | None = None):
    """(n, m) scores of the rows of X.

    Parameters
    ----------
    anchors : the points xₛ; ignored for `Precomputed`, where X holds the values.
    coefficients : (s, m).
    chosen : for `Precomputed`, the columns of X that belong to the anchors.
    """
    if isinstance(kernel, Precomputed):
        return np.asarray((X if chosen is None else X[:, chosen]) @ coefficients)
    n = X.shape[0]
    if not anchors.shape[0]:
        return np.zeros((n, coefficients.shape[1]))
    out = np.empty((n, coefficients.shape[1]))
    if isinstance(kernel, Linear):
        # Through the weights; the anchors from their mean, so that offsets cost no digits.
        near = centred(anchors)
        weights = np.asarray(near.T @ coefficients)
        if near is not anchors:
            weights = weights + np.outer(anchors[0] - near[0], [fsum(column) for column in coefficients.T])
        return _filled(out, lambda rows: X[rows] @ weights, max(1, WORK * n // max(X.size * out.shape[1], 1)))
    step = max(32, BLOCK // max(anchors.shape[0], 1))
    fast = isinstance(kernel, RBF)
    gamma = kernel.gamma if isinstance(kernel, RBF) else 0.0
    centre = np.zeros(0)
    own = np.zeros(0)
    if fast:
        middle = centred(anchors)
        centre = anchors[0] - middle[0] if middle is not anchors and anchors.shape[0] else np.zeros(0)
        anchors, own = middle, squares(middle)
        if isinstance(X, np.ndarray) and isinstance(anchors, np.ndarray):
            place = place_for(get_config()["device"], 2.0 * n * anchors.size, X.nbytes)
            if place.is_device:
                near = X - centre if len(centre) else X
                rows = DeviceRows(near, place, block_rows=max(1, DEVICE_BLOCK // len(anchors)))
                return kernel_product(rows, anchors, gamma, coefficients)

    def of(rows: slice) -> np.ndarray:
        if not fast:
            return kernel.matrix(X[rows], anchors) @ coefficients
        part = X[rows] - centre if len(centre) else X[rows]
        block = np.ascontiguousarray(products(part, anchors))
        radial(block, squares(part), own, gamma)
        return block @ coefficients

    return _filled(out, of, step)


def _filled(out: np.ndarray, of: Callable[[slice], Any], step: int) -> np.ndarray:
    """The rows of `out`, so many at a time, over threads."""

    def fill(start: int) -> None:
        rows = slice(start, min(start + step, len(out)))
        out[rows] = of(rows)

    with one_blas_thread_meanwhile() as granted:
        starts = range(0, len(out), step)
        for _ in in_order(fill, iter(starts), worker_count(None, granted, len(starts))):
            pass
    return out
