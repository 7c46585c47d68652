"""Means and centred cross-products of the columns and the targets, in one pass over the rows."""

import math
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse

from learnable.config import get_config

from .cross_products import cross_products
from .memory import check_square_fits
from .numbers import row_weights, target_columns
from .source import Block, Rows
from .stretches import stretches
from .weighted_sums import weighted_sums

# Rows of an outer product at a time: they stay in the first cache.
STRIP = 64


class Moments(NamedTuple):
    """Weighted first and second moments of a table.

    Attributes
    ----------
    weight : float
        The sum of the weights, ``W = Σᵢ wᵢ``; the number of rows when there are none.
    mean_x : ndarray of shape (n_columns,)
        ``x̄ = Σᵢ wᵢ xᵢ / W``.
    mean_y : ndarray of shape (n_targets,)
        ``ȳ``; empty without targets.
    scatter_xx : ndarray of shape (n_columns, n_columns)
        ``Σᵢ wᵢ (xᵢ - x̄)(xᵢ - x̄)ᵀ``.
    scatter_xy : ndarray of shape (n_columns, n_targets)
        ``Σᵢ wᵢ (xᵢ - x̄)(yᵢ - ȳ)ᵀ``.
    scatter_yy : ndarray of shape (n_targets, n_targets)
        ``Σᵢ wᵢ (yᵢ - ȳ)(yᵢ - ȳ)ᵀ``.
    """

    weight: float
    mean_x: np.ndarray
    mean_y: np.ndarray
    scatter_xx: np.ndarray
    scatter_xy: np.ndarray
    scatter_yy: np.ndarray


class _Joint(NamedTuple):
    """Moments of the columns and the targets side by side, z = (x, y).

    The mean is kept as ``origin + offset``, unrounded: far from zero, the difference of two rounded means
    would be mostly rounding.
    """

    weight: float
    origin: np.ndarray
    offset: np.ndarray
    scatter: np.ndarray


def moments(
    rows: Rows, *, centre: bool = True, n_jobs: int | None = None, dtype: type[np.floating] = np.float64
) -> Moments:
    """Means and cross-products of the columns of ``X`` and ``y`` in float64, in one pass.

    Each block is centred at its own mean, and blocks A and B are merged by Chan's formula,

        S = S_A + S_B + (W_A W_B / W) (m_B - m_A)(m_B - m_A)ᵀ,

    so nothing large is subtracted from anything large: columns with mean 1e8 and deviation 1 keep their digits.
    The exception is a sparse block, whose zeros must stay zeros: there ``XᵀX - W m mᵀ`` loses up to two digits.
    Columns that lie ten deviations or more from zero have hardly any zeros, and are centred like dense ones.

    Parameters
    ----------
    rows : Rows
        With any number of targets, and with or without weights.
    centre : bool, default=True
        With False the scatter is about the origin: ``Σᵢ wᵢ xᵢ xᵢᵀ`` and so on. The means are the means still.
    n_jobs : int, default=None
        Threads; the result does not depend on it.
    dtype : float64 or float32, default=float64
        In which dense blocks are multiplied. Single precision takes half the time and leaves about six digits, for
        those who correct what they compute from it.

    Returns
    -------
    Moments

    Notes
    -----
    Memory: a buffer the size of a (longer) block and a few (p + q) × (p + q) matrices for each thread; no copy of X.

    Examples
    --------
    >>> from learnable.rows import as_rows, moments
    >>> m = moments(as_rows([[1.0], [2.0], [6.0]], y=[0.0, 1.0, 5.0]))
    >>> m.weight, m.mean_x, m.mean_y, m.scatter_xx, m.scatter_xy
    (3.0, array([3.]), array([2.]), array([[14.]]), array([[14.]]))
    """
    of_block = partial(_block_moments, centre=centre, dtype=dtype, device=get_config()["device"])
    joint = rows.coarser(few_at_once=False).reduce(of_block, partial(_merge, centre=centre), n_jobs=n_jobs)
    if joint.weight == 0:
        raise ValueError("moments: the sample weights sum to 0; at least one must be positive")
    p = rows.n_columns
    mean, scatter = joint.origin + joint.offset, joint.scatter
    return Moments(joint.weight, mean[:p], mean[p:], scatter[:p, :p], scatter[:p, p:], scatter[p:, p:])


def _block_moments(block: Block, centre: bool, dtype: type[np.floating], device: str) -> _Joint:
    y, weight = target_columns(block), row_weights(block)
    check_square_fits(block.X.shape[1] + y.shape[1], "the cross-products")
    total = float(len(y)) if weight is None else float(weight.sum())
    if total == 0:
        size = block.X.shape[1] + y.shape[1]
        return _Joint(0.0, np.zeros(size), np.zeros(size), np.zeros((size, size)))
    if scipy.sparse.issparse(block.X):
        return _sparse_moments(block.X, y, weight, total, centre)
    return _dense_moments(block.X, y, weight, total, centre, dtype, device)


def _dense_moments(
    X: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray | None,
    total: float,
    centre: bool,
    dtype: type[np.floating],
    device: str,
) -> _Joint:
    n, p = X.shape
    origin = _near_the_mean(X, y, weight, total) if centre else np.zeros(p + y.shape[1])
    if dtype is not np.float64:
        origin = origin.astype(dtype).astype(float)  # a number of that precision, from which columns are subtracted
    order: Literal["F", "C"] = "F" if X.strides[0] < X.strides[1] else "C"
    Z = np.empty((n, len(origin)), dtype=dtype, order=order)
    np.subtract(X, origin[:p].astype(dtype, copy=False), out=Z[:, :p])
    if y.shape[1]:
        Z[:, p:] = y - origin[p:]
    root = np.ones(n, dtype=dtype) if weight is None else np.sqrt(weight).astype(dtype)
    if weight is not None:
        Z *= root[:, np.newaxis]
    scatter = cross_products(Z, device)
    # When centred, how far `origin` is from the mean, which is put right.
    offset = weighted_sums(root, Z).astype(float, copy=False) / total
    if centre:
        _add_product(scatter, offset, -total)
    return _Joint(total, origin, offset, scatter)


def _near_the_mean(X: np.ndarray, y: np.ndarray, weight: np.ndarray | None, total: float) -> np.ndarray:
    """A point about which the rows scatter little more than about their mean: the mean of some rows, here and there.

    With weights it is the mean of all: those picked might count for nothing.
    """
    if weight is None:
        some = slice(None, None, max(1, len(X) // STRIP))
        sums = [np.add.reduce(part[some], axis=0, dtype=float) for part in (X, y) if part.shape[1]]
        return (np.concatenate(sums) if len(sums) > 1 else sums[0]) / len(y[some])
    mean = np.zeros(X.shape[1])
    for chosen, part in stretches(X):
        mean += weighted_sums(weight[chosen] / total, part)
    return np.concatenate([mean, weight @ y / total])


def _sparse_moments(X: Any, y: np.ndarray, weight: np.ndarray | None, total: float, centre: bool) -> _Joint:
    n, p = X.shape
    root = np.ones(n) if weight is None else np.sqrt(weight)
    X = scipy.sparse.csr_array(X, dtype=np.float64, copy=True)
    X.data *= np.repeat(root, np.diff(X.indptr))
    y = y.astype(np.float64)
    mean = np.concatenate([root @ X, root**2 @ y]) / total
    if centre:
        y -= mean[p:]
    y *= root[:, np.newaxis]
    scatter = np.empty((len(mean), len(mean)))
    scatter[:p, :p] = (X.T @ X).toarray()
    scatter[:p, p:] = X.T @ y
    scatter[p:, :p] = scatter[:p, p:].T
    scatter[p:, p:] = y.T @ y
    offset = np.zeros_like(mean)
    if centre:
        squares = scatter.diagonal()[:p].copy()
        _add_product(scatter[:p, :p], mean[:p], -total)
        far = np.flatnonzero(101.0 * total * mean[:p] ** 2 > 100.0 * squares)
        far = far[2 * np.bincount(X.indices, minlength=p)[far] >= n] if len(far) else far
        if len(far):
            Z = X[:, far].toarray() - np.multiply.outer(root, mean[far])
            offset[far] = root @ Z / total
            cross = np.hstack([(X.T @ Z).T, Z.T @ y])
            cross[:, :p] -= total * np.multiply.outer(offset[far], mean[:p])
            cross[:, far] = Z.T @ Z - total * np.multiply.outer(offset[far], offset[far])
            scatter[far], scatter[:, far] = cross, cross.T
    return _Joint(total, mean, offset, scatter)


def _merge(a: _Joint, b: _Joint, centre: bool) -> _Joint:
    weight = a.weight + b.weight
    share = b.weight / weight if weight else 0.0
    difference = (b.origin - a.origin) + (b.offset - a.offset)
    scatter = np.add(a.scatter, b.scatter, out=a.scatter)
    if centre:
        _add_product(scatter, difference, a.weight * share)
    return _Joint(weight, a.origin, a.offset + share * difference, scatter)


def _add_product(scatter: np.ndarray, v: np.ndarray, factor: float) -> None:
    """Add ``factor v vᵀ`` in place, exactly symmetric, a strip at a time so that no second matrix is made."""
    u = math.sqrt(abs(factor)) * v
    change = np.add if factor >= 0.0 else np.subtract
    for i in range(0, len(v), STRIP):
        strip = scatter[i : i + STRIP]
        change(strip, np.multiply.outer(u[i : i + STRIP], u), out=strip)
