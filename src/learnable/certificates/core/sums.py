"""Sums over rows as the certificates make them, apart from those of `rows` that the solvers use."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from learnable.rows import Block, Rows


def sums_over_rows(weights: np.ndarray, X: Any) -> np.ndarray:
    """``weights @ X`` for weights (n,) or (m, n). `np.dot` lets other threads go on where ``@`` may not.

    >>> sums_over_rows(np.array([1.0, 2.0]), np.array([[1.0, 0.0], [1.0, 3.0]]))
    array([3., 6.])
    """
    if sparse.issparse(X):
        return np.asarray(X.T @ np.transpose(weights)).T
    # A table of one row would take longer to multiply by than a vector.
    return np.dot(weights[0], X)[np.newaxis] if np.shape(weights)[:-1] == (1,) else np.dot(weights, X)


def times_columns(X: Any, columns: np.ndarray) -> np.ndarray:
    """``X @ columns`` for columns (p, K), dense.

    >>> times_columns(np.array([[1.0, 0.0], [1.0, 3.0]]), np.array([[2.0], [1.0]]))
    array([[2.],
           [5.]])
    """
    if sparse.issparse(X):
        return np.asarray(X @ columns)
    return np.dot(X, columns[:, 0])[:, np.newaxis] if columns.shape[1] == 1 else np.dot(X, columns)


class CrossProducts(NamedTuple):
    """Weight, means of z = (x, y), and Σ w (z − a)(z − a)ᵀ about the means or about zero."""

    weight: float
    mean: np.ndarray
    products: np.ndarray


def cross_products(rows: Rows, about_mean: bool) -> CrossProducts:
    """Two passes: the means first, then the products of the rows less the means. Nothing is merged but by adding.

    >>> from learnable.rows import as_rows
    >>> cross_products(as_rows([[1.0], [2.0], [6.0]], y=[0.0, 1.0, 5.0]), about_mean=True)
    CrossProducts(weight=3.0, mean=array([3., 2.]), products=array([[14., 14.],
           [14., 14.]]))
    """
    weight, mean = means(rows)
    return CrossProducts(weight, mean, products_about(rows, mean if about_mean else np.zeros_like(mean)))


def products_about(rows: Rows, centre: np.ndarray) -> np.ndarray:
    """Σ w (z − centre)(z − centre)ᵀ of z = (x, y), or of x where the centre has no more entries than that.

    >>> from learnable.rows import as_rows
    >>> products_about(as_rows([[1.0], [3.0]], y=[5.0, 6.0]), np.array([2.0]))
    array([[2.]])
    """

    def products(block: Block) -> np.ndarray:
        Z = _weighted(block if len(centre) > rows.n_columns else block._replace(y=None), centre, None)
        return Z.T @ Z

    return rows.reduce(products)


def means(rows: Rows) -> tuple[float, np.ndarray]:
    """(Σ w, Σ w z / Σ w) of z = (x, y).

    >>> from learnable.rows import as_rows
    >>> means(as_rows([[1.0], [3.0]], y=[0.0, 1.0], sample_weight=[1.0, 3.0]))
    (4.0, array([2.5 , 0.75]))
    """
    weight, total = rows.reduce(_totals)
    return weight, total / weight


def triangle(rows: Rows, centre: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """An upper triangular R with RᵀR = AᵀA for the rows √w ((x, y) − centre) / scale of A: blocks, then their stack.

    It has no more rows than A.

    >>> from learnable.rows import as_rows
    >>> R = triangle(as_rows([[3.0], [4.0]], y=[5.0, 10.0]), np.zeros(2), np.ones(2))
    >>> np.abs(R).round(12)
    array([[ 5., 11.],
           [ 0.,  2.]])
    """

    def of_block(block: Block) -> np.ndarray:
        return np.asarray(np.linalg.qr(_weighted(block, centre, scale), mode="r"))

    return rows.reduce(of_block, lambda above, below: np.linalg.qr(np.vstack([above, below]), mode="r"))


def targets(block: Block) -> np.ndarray:
    """The targets as columns; none without targets."""
    if block.y is None:
        return np.zeros((block.stop - block.start, 0))
    y = np.asarray(block.y, dtype=float)
    return y[:, None] if y.ndim == 1 else y


def weights(block: Block) -> np.ndarray:
    """The weights of a block, ones where none were given."""
    return np.ones(block.stop - block.start) if block.weight is None else np.asarray(block.weight, dtype=float)


def _totals(block: Block) -> tuple[float, np.ndarray]:
    w = weights(block)
    return float(w.sum()), np.concatenate([sums_over_rows(w, block.X).astype(float), w @ targets(block)])


def _weighted(block: Block, centre: np.ndarray, scale: np.ndarray | None) -> np.ndarray:
    X = block.X.toarray() if sparse.issparse(block.X) else block.X
    Z = np.asarray(X, dtype=float) if block.y is None else np.concatenate([X, targets(block)], axis=1, dtype=float)
    Z = Z - centre
    Z = Z if scale is None else Z / scale
    return Z if block.weight is None else Z * np.sqrt(weights(block))[:, None]
