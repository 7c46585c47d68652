"""Weights, means and scatter of the rows of each class, in one pass. Syllabus: C1, C2."""

from collections.abc import Iterator
from functools import partial, reduce
from typing import NamedTuple

import numpy as np
from scipy import sparse

from learnable.config import get_config
from learnable.rows import Block, Rows, cross_products, weighted_sums
from learnable.rows.memory import check_square_fits
from learnable.rows.numbers import row_weights
from learnable.rows.triangle import stacked_triangles, triangle_of

# Rows of a sparse block that are made dense at a time: enough for a matrix product to be worth it.
DENSE_ELEMENTS = 2**20
# A standard deviation below this multiple of the mean is rounding.
CONSTANT = 32.0 * float(np.finfo(float).eps)


class ClassMoments(NamedTuple):
    """What discriminant analysis needs of the data.

    Attributes
    ----------
    members : (K,) number of rows with a positive weight.
    weight : (K,) sum of the weights, W_k.
    mean : (K, p), μ_k = Σ_{i in k} wᵢ xᵢ / W_k.
    rounding : (K, p), what μ_k is beyond `mean`, the nearest number.
    scatter : Σ wᵢ (xᵢ − μ)(xᵢ − μ)ᵀ about the mean of the row's class: (p, p) over all rows, or (K, p, p) by class.
    """

    members: np.ndarray
    weight: np.ndarray
    mean: np.ndarray
    rounding: np.ndarray
    scatter: np.ndarray

    def centre(self, priors: np.ndarray) -> np.ndarray:
        """(p,) Σ π_k μ_k."""
        return self.mean[0] + priors @ self._from_first

    def about_centre(self, priors: np.ndarray) -> np.ndarray:
        """(K, p) μ_k − Σ π_j μ_j, with the digits that the means themselves have no room for far from zero."""
        return self._from_first - priors @ self._from_first

    @property
    def _from_first(self) -> np.ndarray:
        """(K, p) μ_k less the number nearest to μ_0."""
        return (self.mean - self.mean[0]) + self.rounding

    @property
    def share(self) -> np.ndarray:
        """(K,) W_k / W."""
        return self.weight / self.weight.sum()

    @property
    def pooled(self) -> np.ndarray:
        """(p, p) scatter over all rows, divided by W."""
        total = self.scatter.sum(axis=0) if self.scatter.ndim == 3 else self.scatter
        return total / self.weight.sum()


class _Partial(NamedTuple):
    """Moments of some rows; means are kept as origin + offset, unrounded, as in `rows.moments`."""

    members: np.ndarray
    weight: np.ndarray
    origin: np.ndarray
    offset: np.ndarray
    scatter: np.ndarray


def class_moments(
    rows: Rows, n_classes: int, *, each: bool = False, scale: np.ndarray | None = None, n_jobs: int | None = None
) -> ClassMoments:
    """One pass: rows are centred at the means of their class within the block, blocks are merged by Chan's formula.

    Parameters
    ----------
    rows : Rows whose targets are class numbers 0 … K − 1.
    each : whether the scatter is kept by class.
    scale : (p,), divides the columns.

    Examples
    --------
    >>> from learnable.rows import as_rows
    >>> class_moments(as_rows([[0.0], [2.0], [5.0], [5.0]], y=[0, 0, 1, 1]), 2).scatter
    array([[2.]])
    """
    check_square_fits(int(rows.n_columns * np.sqrt(n_classes if each else 1)), "the class covariances")
    # Longer blocks: fewer covariances to merge. `benchmarks tall`, QDA: 26.5 ms without certificates, and 30.2.
    found = rows.coarser(8, few_at_once=False).reduce(
        partial(_of_block, n_classes=n_classes, each=each, scale=scale, device=get_config()["device"]),
        partial(_merge, each=each),
        n_jobs=n_jobs,
    )
    mean = found.origin + found.offset
    clear_constant_columns(found.scatter, found.weight, mean)
    rounding = (found.origin - mean) + found.offset
    return ClassMoments(found.members, found.weight, mean, rounding, found.scatter)


def clear_constant_columns(scatter: np.ndarray, weight: np.ndarray, mean: np.ndarray) -> None:
    """What centring leaves of a column that does not vary is rounding: its scatter is set to zero.

    `scatter` is one matrix of rows that weigh Σ `weight`, or one for each weight and mean.
    """
    groups = [(scatter, weight.sum(), np.abs(mean).max(axis=0))]
    if scatter.ndim == 3:
        groups = list(zip(scatter, weight, np.abs(mean)))
    for squares, total, size in groups:
        constant = np.diagonal(squares) <= total * (CONSTANT * size) ** 2
        if constant.any():
            squares[constant] = 0.0
            squares[:, constant] = 0.0


def _of_block(block: Block, n_classes: int, each: bool, scale: np.ndarray | None, device: str) -> _Partial:
    parts = (_of_rows(*piece, n_classes, each, scale, device) for piece in dense_pieces(block))
    return reduce(partial(_merge, each=each), parts)


def dense_pieces(block: Block) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray | None]]:
    """(X, class numbers, weights or None) of the block: as it is, or in runs of rows made dense if it is sparse."""
    weight, y = row_weights(block), block.y
    assert y is not None
    if not sparse.issparse(block.X):
        yield block.X, y, weight
        return
    n, p = block.X.shape
    step = max(DENSE_ELEMENTS // p, 64)
    for start in range(0, n, step):
        run = slice(start, start + step)
        yield block.X[run].toarray(), y[run], None if weight is None else weight[run]


def _of_rows(
    X: np.ndarray, index: np.ndarray, weight: np.ndarray | None, n_classes: int, each: bool, scale: np.ndarray | None,
    device: str,
) -> _Partial:  # fmt: skip
    p = X.shape[1]
    # Sorted by class, the members of a class are a slice, centred and multiplied without further copies.
    # Short integers are sorted by counting.
    order = np.argsort(index.astype(np.int16) if n_classes < 2**15 else index, kind="stable")
    Z = np.asarray(np.take(X, order, axis=0), dtype=np.float64)
    if scale is not None:
        Z /= scale
    members = np.bincount(index, minlength=n_classes)
    ends = np.cumsum(members)
    w = None if weight is None else weight[order]
    found = _Partial(
        members if w is None else np.bincount(index, weight > 0.0, n_classes).astype(np.intp),  # type: ignore[operator]
        members.astype(float) if w is None else np.bincount(index, weight, n_classes),
        np.zeros((n_classes, p)),
        np.zeros((n_classes, p)),
        np.zeros((n_classes, p, p) if each else (p, p)),
    )
    for k in np.flatnonzero(members):
        run = slice(ends[k] - members[k], ends[k])
        inside, total = Z[run], found.weight[k]
        if total == 0.0:
            inside[:] = 0.0
            continue
        share = np.full(len(inside), 1.0 / total) if w is None else w[run] / total
        found.origin[k] = weighted_sums(share, inside)
        inside -= found.origin[k]
        # The rounding of the mean, which this puts right, here and in the scatter.
        found.offset[k] = weighted_sums(share, inside)
        if w is not None:
            inside *= np.sqrt(w[run])[:, np.newaxis]
        if each:
            found.scatter[k] = cross_products(inside, device) - total * _outer(found.offset[k])
    if each:
        return found
    moved = np.sqrt(found.weight)[:, np.newaxis] * found.offset
    return found._replace(scatter=cross_products(Z, device) - moved.T @ moved)


def _outer(vectors: np.ndarray) -> np.ndarray:
    """v vᵀ of a vector, or of each row."""
    return vectors[..., :, np.newaxis] * vectors[..., np.newaxis, :]


def _merge(a: _Partial, b: _Partial, each: bool) -> _Partial:
    weight = a.weight + b.weight
    share = np.divide(b.weight, weight, out=np.zeros_like(weight), where=weight > 0.0)
    new = (a.weight == 0.0)[:, np.newaxis]
    origin, offset = np.where(new, b.origin, a.origin), np.where(new, b.offset, a.offset)
    difference = (b.origin - origin) + (b.offset - offset)
    apart = np.sqrt(a.weight * share)[:, np.newaxis] * difference
    scatter = a.scatter
    scatter += b.scatter
    scatter += _outer(apart) if each else apart.T @ apart
    return _Partial(a.members + b.members, weight, origin, offset + share[:, np.newaxis] * difference, scatter)


def class_triangles(
    rows: Rows,
    found: ClassMoments,
    scale: np.ndarray,
    unit: np.ndarray | float = 1.0,
    chosen: np.ndarray | None = None,
    n_jobs: int | None = None,
) -> tuple[np.ndarray, ...]:
    """Triangular factors R, RᵀR = scatter of the columns divided by `scale`, by orthogonal steps alone.

    The accuracy is that of a QR decomposition of the rows themselves; the scatter would square their condition number.

    Parameters
    ----------
    found : the class means among them, in units of `unit`.
    scale : (p,), or (K, p) by class.
    chosen : class numbers, one factor each; None for one factor over all rows.
    """
    groups: list[int | None] = [None] if chosen is None else chosen.tolist()
    mean, rounding = found.mean * unit, found.rounding * unit
    # What centring leaves of a column that does not vary is rounding.
    varies = np.diagonal(found.scatter, axis1=-2, axis2=-1) > 0.0
    scale = np.broadcast_to(np.where(varies, scale, np.inf), mean.shape)

    def triangles(block: Block) -> tuple[np.ndarray, ...]:
        return reduce(stacked, (of_piece(*piece) for piece in dense_pieces(block)))

    def of_piece(X: np.ndarray, index: np.ndarray, weight: np.ndarray | None) -> tuple[np.ndarray, ...]:
        return tuple(triangle_of(of_class(group, X, index, weight)) for group in groups)

    def of_class(group: int | None, X: np.ndarray, index: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
        inside, of = (slice(None), index) if group is None else (np.flatnonzero(index == group), group)
        Z = ((X[inside] - mean[of]) - rounding[of]) / scale[of]
        return Z if weight is None else Z * np.sqrt(weight[inside])[:, np.newaxis]

    def stacked(above: tuple[np.ndarray, ...], below: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
        return tuple(stacked_triangles(*pair) for pair in zip(above, below))

    return rows.reduce(triangles, stacked, n_jobs=n_jobs)


def fourth_moments(
    rows: Rows, mean: np.ndarray, deviation: np.ndarray, n_jobs: int | None = None
) -> tuple[np.ndarray, float]:
    """(Σᵢ wᵢ ‖zᵢ‖⁴ by class, the same over all rows about one centre).

    Parameters
    ----------
    mean, deviation : (K + 1, p), zᵢ = (xᵢ − mean) / deviation: of each class, then of all rows.
    """
    n_classes = len(mean) - 1

    def sums(block: Block) -> tuple[np.ndarray, float]:
        by_class, overall = np.zeros(n_classes), 0.0
        for X, index, weight in dense_pieces(block):
            w = np.ones(len(index)) if weight is None else weight
            inside = np.sum(((X - mean[index]) / deviation[index]) ** 2, axis=1) ** 2
            by_class += np.bincount(index, w * inside, n_classes)
            overall += float(w @ np.sum(((X - mean[-1]) / deviation[-1]) ** 2, axis=1) ** 2)
        return by_class, overall

    return rows.reduce(sums, n_jobs=n_jobs)
