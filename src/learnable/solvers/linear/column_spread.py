"""Where the columns lie and how far they spread, roughly: what a stop rule needs to do without units."""

import numpy as np
from scipy import sparse

from learnable.rows import Block, Rows
from learnable.rows.arrays import ArrayRows

# Rows that tell the spread of a column well enough for a stop rule.
ENOUGH = 4096


def column_spread(rows: Rows, about_mean: bool, first: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """(origin, spread) of every column: its mean and deviation, or 0 and its root mean square.

    From some of the rows; from all of them where a column does not vary in those. A column that never varies gets the
    spread 1.

    Parameters
    ----------
    first : `column_sums` of the first block, where they are known.
    """
    if first is not None:
        found = first
    elif isinstance(rows, ArrayRows) and rows.n_rows > ENOUGH:
        places = np.linspace(0, rows.n_rows - 1, ENOUGH).astype(np.intp)
        found = _sums(rows.take(places))
    else:
        found = rows.of_first(column_sums)
    origin, spread = _spread(found, about_mean)
    if np.any(spread == 0.0):
        origin, spread = _spread(rows.coarser().reduce(column_sums), about_mean)
    return origin, np.where(spread > 0.0, spread, 1.0)


def column_sums(block: Block) -> np.ndarray:
    """Σ 1, Σ x, Σ x² of every column."""
    return _sums(block.X)


def _sums(X) -> np.ndarray:
    squares = X.multiply(X).sum(axis=0) if sparse.issparse(X) else np.einsum("ij,ij->j", X, X, dtype=float)
    total = np.asarray(X.sum(axis=0), dtype=float).ravel()
    return np.vstack([np.full(len(total), X.shape[0]), total, np.asarray(squares, dtype=float).ravel()])


def _spread(found: np.ndarray, about_mean: bool) -> tuple[np.ndarray, np.ndarray]:
    n, total, squares = found
    mean = total / n if about_mean else np.zeros_like(total)
    variance = squares / n - mean**2
    # Rounding of the squares, where the mean outweighs the deviation.
    return mean, np.sqrt(np.where(variance > 1e-12 * squares / n, variance, 0.0))
