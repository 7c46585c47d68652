"""B-splines on equally spaced knots, one set a column. Syllabus: K15."""

import numpy as np


def knots_of(X: np.ndarray, n_knots: int, degree: int) -> np.ndarray:
    """(p, n_knots + 2 degree) knots, equally spaced over the range of each column, and `degree` more beyond either end.

    >>> knots_of(np.array([[0.0], [1.0]]), 3, 1)
    array([[-0.5,  0. ,  0.5,  1. ,  1.5]])
    """
    low, high = X.min(axis=0), X.max(axis=0)
    step = np.where(high > low, (high - low) / (n_knots - 1), 1.0)
    return low[:, None] + step[:, None] * np.arange(-degree, n_knots + degree)


def basis(X: np.ndarray, knots: np.ndarray, degree: int) -> np.ndarray:
    """(n, p m) values of the B-splines of each column, by de Boor's recursion; beyond the range as at its ends.

    They sum to one within each column.

    >>> basis(np.array([[0.25]]), np.array([[-0.5, 0.0, 0.5, 1.0, 1.5]]), 1)
    array([[0.5, 0.5, 0. ]])
    """
    columns = []
    for j, t in enumerate(knots):
        last = len(t) - degree - 1
        x = np.clip(X[:, j], t[degree], t[last])
        # The interval of each point; the last one is closed on both sides.
        cell = np.clip(np.searchsorted(t, x, side="right") - 1, degree, last - 1)
        values = np.zeros((len(x), len(t) - 1))
        values[np.arange(len(x)), cell] = 1.0
        for d in range(1, degree + 1):
            rising = (x[:, None] - t[None, : -d - 1]) / (t[d:-1] - t[: -d - 1])
            falling = (t[None, d + 1 :] - x[:, None]) / (t[d + 1 :] - t[1:-d])
            values = rising * values[:, : len(t) - d - 1] + falling * values[:, 1 : len(t) - d]
        columns.append(values)
    return np.hstack(columns)


def basis_mean(values: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Σ w B / Σ w; where all rows of weight have one value it is that value, which sums would round.

    >>> basis_mean(np.array([[0.1, 0.0], [0.1, 1.0], [0.1, 1.0]]), np.ones(3)).round(3)
    array([0.1  , 0.667])
    """
    counted = values[weight > 0.0]
    mean = weight @ values / weight.sum()
    return np.where(counted.max(axis=0) == counted.min(axis=0), counted[0], mean)


def second_differences(p: int, m: int) -> np.ndarray:
    """D with ‖Dc‖² the sum of squared second differences within each of p blocks of m weights."""
    one = np.diff(np.eye(m), n=2, axis=0) if m > 2 else np.zeros((0, m))
    return np.kron(np.eye(p), one)
