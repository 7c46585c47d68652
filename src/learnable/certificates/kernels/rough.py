"""Sums of radial kernel values in single precision, each with a bound on its error: half the time of doubles."""

import numpy as np

from learnable.problems.kernels.basic import RBF
from learnable.problems.kernels.kernel import squares
from learnable.rows.threads import in_order, one_blas_thread, worker_count

# Rows and anchors of a tile.
TILE = (256, 1024)
# Half a unit in the last place of a single, and what its exponential may be off by, NumPy says, twice over.
UNIT = 2.0**-24
EXPONENTIAL = 16.0 * UNIT
# Below the smallest single there is none.
SMALLEST = 1e-37


def rough_sums(
    kernel: RBF, X: np.ndarray, anchors: np.ndarray, coefficients: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(Σₛ k(x, xₛ) cₛ for every row x, what each may be off by), threads over the rows.

    −γ‖x − z‖² is one product of p + 2 terms, whose sizes add up to 2γ(‖x‖² + ‖z‖²) at most, x and z from the mean of
    the anchors. Rounded to singles, multiplied and added in any order, it is off by at most (p + 6) units of that, the
    value k by as much of itself; the values are added up in double precision.

    Parameters
    ----------
    X, anchors : (n, p), (m, p), dense. coefficients : (m,).

    Examples
    --------
    >>> X = np.linspace(0.0, 3.0, 7)[:, None]
    >>> found, off = rough_sums(RBF(0.5), X, X[:3], np.array([1.0, -2.0, 0.5]))
    >>> exact = np.exp(-0.5 * (X - X[:3].T) ** 2) @ [1.0, -2.0, 0.5]
    >>> bool(np.all(np.abs(found - exact) <= off) and off.max() < 1e-4)
    True
    """
    (n, p), m = X.shape, len(anchors)
    centre, gamma = anchors.sum(axis=0) / m, kernel.gamma
    near, about = X - centre, anchors - centre
    one, two = gamma * squares(near), gamma * squares(about)
    left, right = np.empty((n, p + 2), dtype=np.float32), np.empty((m, p + 2), dtype=np.float32)
    with np.errstate(over="ignore"):
        left[:, :p], left[:, p], left[:, p + 1] = 2.0 * gamma * near, -one, -1.0
        right[:, :p], right[:, p], right[:, p + 1] = about, 1.0, two
    weights = np.column_stack([coefficients, np.abs(coefficients)])
    sums = np.zeros((n, 2))

    def fill(start: int) -> None:
        rows = slice(start, start + TILE[0])
        with np.errstate(all="ignore"):
            for first in range(0, m, TILE[1]):
                part = slice(first, first + TILE[1])
                values = np.dot(left[rows], right[part].T)
                np.minimum(values, 0.0, out=values)
                np.exp(values, out=values)
                sums[rows] += np.dot(values.astype(float), weights[part])

    starts = range(0, n, TILE[0])
    with one_blas_thread() as granted:
        for _ in in_order(fill, iter(starts), worker_count(None, granted, len(starts))):
            pass
    with np.errstate(over="ignore", invalid="ignore"):
        share = np.expm1((p + 6) * UNIT * 2.0 * (one + two.max())) + EXPONENTIAL
        return sums[:, 0], share * sums[:, 1] + SMALLEST * weights[:, 1].sum()
