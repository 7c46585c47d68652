"""A short table in place of a long one, for claims about mean squared errors; another way than that of `rows`."""

import numpy as np
from scipy import linalg

from learnable.certificates.core.sums import cross_products
from learnable.rows import Rows


def condensed(rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    """(X, y) with the weighted means and cross-products of the rows: z̄ ± √(k λⱼ/W) vⱼ, by an eigendecomposition.

    The solvers' short table is made by reflections. A claim about means of squares has the same value on either of them
    and on the rows themselves, up to rounding.

    >>> from learnable.rows import as_rows
    >>> X, y = condensed(as_rows([[1.0], [2.0], [6.0]], y=[0.0, 1.0, 5.0]))
    >>> X.shape, float(X.mean().round(9)), float(X.var().round(6))
    ((4, 1), 3.0, 4.666667)
    """
    weight, mean, products = cross_products(rows, about_mean=True)
    scale = np.sqrt(np.maximum(np.diag(products), np.finfo(float).tiny))
    values, V = linalg.eigh(products / np.outer(scale, scale))
    steps = np.sqrt(len(mean) / weight * np.maximum(values, 0.0))[:, None] * V.T * scale
    table = np.vstack([mean + steps, mean - steps])
    like = rows.targets_like()
    columns = like.shape[1:] if like is not None else (0,)
    return table[:, : rows.n_columns].copy(), table[:, rows.n_columns :].reshape(len(table), *columns).copy()


class ShortTable(np.ndarray):
    """A table that stands for a longer one, of which it knows the type of the cells: answers are rounded as these are.

    Attributes
    ----------
    stored : numpy.dtype
    """

    stored: np.dtype

    def __array_finalize__(self, made_from: object) -> None:
        self.stored = getattr(made_from, "stored", self.dtype)


def standing_for(rows: Rows, short: np.ndarray) -> np.ndarray:
    """A short table in place of these rows.

    >>> from learnable.rows import as_rows
    >>> single = as_rows(np.ones((3, 1), dtype=np.float32), y=np.ones(3))
    >>> standing_for(single, condensed(single)[0]).stored.name
    'float32'
    """
    table = short.view(ShortTable)
    table.stored = rows.dtype
    return table if rows.dtype == np.float32 else short
