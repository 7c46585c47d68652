"""A short table with the means and cross-products of a long one: the same to whoever minimises squared errors."""

import numpy as np

from .moments import moments
from .source import Rows
from .triangle import triangular_factor


def condensed(rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    """(X, y) in memory, of 2 k rows for k columns and targets, with the weighted means and covariances of `rows`.

    With z = (x, y), the rows z̄ ± √(k/W) rⱼ have the mean z̄ and the mean product z̄z̄ᵀ + RᵀR/W, where RᵀR is the
    scatter of the long table: every mean squared error, with an intercept or without, has the same value on both. Two
    passes; R comes from Householder reflections, so that nothing is squared on the way.

    Parameters
    ----------
    rows : Rows
        With targets, and with or without weights.

    Returns
    -------
    X : ndarray of shape (2 k, n_columns)
    y : ndarray of shape (2 k,), or (2 k, n_targets) where the targets have columns

    Examples
    --------
    >>> from learnable.rows import as_rows
    >>> x = np.arange(1000.0)
    >>> X, y = condensed(as_rows(np.column_stack([x, x**2]), y=3 * x + 1))
    >>> X.shape, np.linalg.lstsq(np.column_stack([X, np.ones(len(X))]), y)[0].round(6) + 0.0
    ((6, 2), array([3., 0., 1.]))
    """
    like = rows.targets_like()
    if like is None:
        raise TypeError("the rows have no targets: give y, or name the target of `ParquetRows`")
    found = moments(rows)
    mean = np.concatenate([found.mean_x, found.mean_y])
    R = triangular_factor(rows, centre_at=mean)
    X, y = halves(mean, R * np.sqrt(len(R) / found.weight), rows.n_columns)
    return X, y.reshape(len(y), *like.shape[1:])


def halves(mean: np.ndarray, steps: np.ndarray, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    """(X, y) of the rows mean + step and mean − step.

    >>> halves(np.array([5.0, 1.0]), np.array([[2.0, 0.5]]), 1)
    (array([[7.],
           [3.]]), array([1.5, 0.5]))
    """
    table = np.concatenate([mean + steps, mean - steps])
    X, y = table[:, :n_columns], table[:, n_columns:]
    return np.ascontiguousarray(X), np.ascontiguousarray(y[:, 0] if y.shape[1] == 1 else y)
