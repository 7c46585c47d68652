"""Principal axes of a table: from the cross-products of its shorter side, from its SVD, or from random directions.

Each route gives the leading right singular vectors of the centred rows and their squared singular values.

Syllabus: U10.
"""

from collections.abc import Iterator
from contextlib import nullcontext
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import linalg, sparse

from learnable._jit.core.scatter import add_scatter, scatter_room
from learnable._jit.core.vectors import read_only
from learnable.config import get_config
from learnable.rows import (
    Block,
    Rows,
    centred_adjoint,
    centred_product,
    column_sums,
    moments,
    squares_about,
    triangular_factor,
)
from learnable.rows.arrays import ArrayRows
from learnable.rows.threads import one_blas_thread_meanwhile
from learnable.solvers.core.eigenpairs import some_eigenpairs

# Squared singular values below this share of the largest are known from cross-products to few digits.
RESOLVED = 1e-9
# Up to so many columns one thread finds the eigenvectors: more would wait for one another.
FEW = 300
# Rows whose mean is near enough to that of all of them for cross-products about it to keep their digits.
NEAR_MEAN = 1024
# Entries of a table up to which looking for a shorter way to its cross-products takes longer than any.
SMALL = 2**14
# Up to so many columns, and from so many multiplications on, a kernel of our own takes them sooner than BLAS.
NARROW = 512
MANY = 1e8
# Entries of a table up to which short axes come from a triangular factor, three times the work of cross-products.
MOST_ENTRIES = 2**22
# The residual at which the search for axes ends.
RESIDUAL = 2e-8


class AxesState(NamedTuple):
    """Axes found so far.

    Attributes
    ----------
    objective : Σ of the squared singular values left out.
    mean : (p,). axes : (q, p) orthonormal rows. squares : (q,) squared singular values, largest first.
    total : Σ ‖x_i − x̄‖².
    residual : largest ‖Sv − d²v‖ / d₁² over the axes, 0 where they come from a decomposition.
    """

    objective: float
    mean: np.ndarray
    axes: np.ndarray
    squares: np.ndarray
    total: float
    residual: float


class Scatter(NamedTuple):
    """x̄ (p,) and Σ (x − x̄)(x − x̄)ᵀ (p, p)."""

    mean: np.ndarray
    products: np.ndarray


def scatter(rows: Rows) -> Scatter:
    """Mean and scatter matrix of the rows, wherever they are, in one pass over them."""
    n, p = rows.n_rows, rows.n_columns
    if isinstance(rows, ArrayRows) and n * p <= SMALL and not sparse.issparse(X := rows.take(slice(None))):
        mean = X.sum(axis=0, dtype=float) / n
        about = X - mean
        offset = about.sum(axis=0) / n  # far from zero the mean is rounded
        about -= offset
        return Scatter(mean + offset, about.T @ about)
    pays = p <= NARROW and n * p**2 >= MANY and get_config()["device"] == "cpu"
    origin = _near_the_mean(rows) if pays else None
    if origin is not None:
        sums, products = rows.coarser(16).reduce(partial(_about, origin=origin))
        offset = sums / n
        products = np.triu(products) + np.triu(products, 1).T
        return Scatter(origin + offset, products - n * np.outer(offset, offset))
    found = moments(rows)
    return Scatter(found.mean_x, found.scatter_xx)


def _near_the_mean(rows: Rows) -> np.ndarray | None:
    """The mean of some rows, of the first ones where they come in blocks; None for sparse rows."""
    if isinstance(rows, ArrayRows):
        return _dense_mean(rows.take(slice(None, None, max(1, rows.n_rows // NEAR_MEAN))))
    return rows.of_first(lambda block: _dense_mean(block.X))


def _dense_mean(X) -> np.ndarray | None:
    return None if sparse.issparse(X) else X.mean(axis=0, dtype=float)


def _about(block: Block, origin: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Σ (x − origin) and the upper triangle of Σ (x − origin)(x − origin)ᵀ of a block."""
    p = len(origin)
    sums, products, strip = scatter_room(p)
    width = len(sums)
    flat = np.ascontiguousarray(block.X, dtype=float).reshape(-1)
    add_scatter(read_only(flat), p, np.pad(origin, (0, width - p)), sums, products, strip)
    return sums[:p], products.reshape(width, width)[:p, :p]


def from_columns(rows: Rows, found: Scatter, n_axes: int) -> Iterator[AxesState]:
    """Eigenvectors of the p × p scatter matrix.

    Where an axis is too short to be told from rounding, those of a triangular factor of the rows are taken instead, as
    long as these are not many.
    """
    S, p = found.products, len(found.mean)
    wanted = None if n_axes == p else (p - n_axes, p - 1)
    with one_blas_thread_meanwhile() if p <= FEW else nullcontext():
        squares, V = np.linalg.eigh(S) if wanted is None else some_eigenpairs(S, *wanted)
    if squares[0] <= RESOLVED * squares[-1] and rows.n_rows * p <= MOST_ENTRIES and not rows.of_first(_is_sparse):
        _, d, V = linalg.svd(triangular_factor(rows, centre_at=found.mean), full_matrices=False)
        yield _state(found.mean, V[:n_axes], d[:n_axes] ** 2, float(np.sum(d**2)))
        return
    yield _state(found.mean, V.T[::-1], squares[::-1], float(S.trace()))


def from_rows(X: np.ndarray, n_axes: int) -> Iterator[AxesState]:
    """Eigenvectors of the n × n Gram matrix, for tables wider than long; n_axes < n.

    Where an axis is too short to be told from rounding, the SVD is taken instead.
    """
    X = np.asarray(X, dtype=float)
    mean = X.mean(axis=0)
    about = X - mean
    n = len(X)
    squares, U = some_eigenpairs(about @ about.T, n - n_axes, n - 1)
    if squares[0] <= RESOLVED * squares[-1]:
        yield from by_svd(X, n_axes)
        return
    # One more product and a QR bring the axes to full accuracy: V ← qr(Xᵀ U).
    V, R = linalg.qr(about.T @ U[:, ::-1], mode="economic")
    _, d, turn = linalg.svd(R.T)
    yield _state(mean, (V @ turn.T).T, d**2, float(np.einsum("ij,ij->", about, about)))


def by_svd(X: np.ndarray, n_axes: int) -> Iterator[AxesState]:
    """All singular vectors, of which the leading ones are kept."""
    X = np.asarray(X, dtype=float)
    mean = X.mean(axis=0)
    _, d, V = linalg.svd(X - mean, full_matrices=False, overwrite_a=True)
    yield _state(mean, V[:n_axes], d[:n_axes] ** 2, float(np.sum(d**2)))


def from_random_directions(rows: Rows, n_axes: int, more: int, generator: np.random.Generator) -> Iterator[AxesState]:
    """Block Krylov iteration from random directions: one state for each two passes over the rows, until they stay.

    The axes are the best within span(G, SG, S²G, …), so each state's variance is at least that of a power iteration;
    the residual says how far they are from being eigenvectors.
    """
    mean = rows.reduce(_sums) / rows.n_rows
    total = float(rows.reduce(partial(_squares_about, mean=mean)))
    p = rows.n_columns
    width = min(n_axes + more, p)
    basis = np.empty((p, 0))
    images = np.empty((p, 0))
    block = linalg.qr(generator.standard_normal((p, width)), mode="economic")[0]
    while True:
        image = rows.reduce(partial(_applied, mean=mean, directions=block))
        basis, images = np.hstack([basis, block]), np.hstack([images, image])
        values, T = linalg.eigh(basis.T @ images)
        keep = slice(None, -n_axes - 1, -1)
        axes, image_of = basis @ T[:, keep], images @ T[:, keep]
        squares = np.maximum(values[keep], 0.0)
        away = (image_of - axes * squares) / max(squares[0], np.finfo(float).tiny)
        residual = float(np.sqrt(np.sum(away**2, axis=0)).max())
        yield _state(mean, axes.T, squares, total)._replace(residual=residual)
        # The next block: the images, off everything found so far (twice, for rounding).
        for _ in range(2):
            image = image - basis @ (basis.T @ image)
        block, R = linalg.qr(image, mode="economic")
        fresh = np.abs(np.diag(R)) > 1e-12 * max(squares[0], np.finfo(float).tiny)
        block = block[:, fresh][:, : max(p - basis.shape[1], 0)]
        if block.shape[1] == 0:
            return
        block = linalg.qr(block - basis @ (basis.T @ block), mode="economic")[0]


def _state(mean: np.ndarray, axes: np.ndarray, squares: np.ndarray, total: float) -> AxesState:
    """Axes with a sign that does not hang on the route: the largest entry of each is positive."""
    largest = np.argmax(np.abs(axes), axis=1)
    signs = np.where(axes[np.arange(len(axes)), largest] < 0.0, -1.0, 1.0)
    squares = np.maximum(squares, 0.0)
    axes = np.ascontiguousarray(axes * signs[:, None])
    return AxesState(max(total - float(squares.sum()), 0.0), mean, axes, squares, total, 0.0)


def _is_sparse(block: Block) -> bool:
    return sparse.issparse(block.X)


def _sums(block: Block) -> np.ndarray:
    return column_sums(block.X)


def _squares_about(block: Block, mean: np.ndarray) -> float:
    return float(squares_about(block.X, mean).sum())


def _applied(block: Block, mean: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """(X − x̄)ᵀ (X − x̄) G of a block."""
    return centred_adjoint(block.X, mean, centred_product(block.X, mean, directions))
