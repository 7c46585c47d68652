"""The largest magnitude in each column, in one pass over the rows."""

import numpy as np
import scipy.sparse

from .numbers import target_columns
from .source import Block, Rows


def largest_magnitudes(rows: Rows, *, n_jobs: int | None = None) -> np.ndarray:
    """``maxᵢ |aᵢⱼ|`` for every column of ``A = [X y]``.

    Examples
    --------
    >>> from learnable.rows import as_rows, largest_magnitudes
    >>> largest_magnitudes(as_rows([[1.0, -5.0], [-2.0, 0.0]], y=[3.0, -4.0]))
    array([2., 5., 4.])
    """
    return rows.reduce(_block_magnitudes, np.maximum, n_jobs=n_jobs)


def _block_magnitudes(block: Block) -> np.ndarray:
    if scipy.sparse.issparse(block.X):
        X = abs(block.X).max(axis=0).toarray().ravel()
    else:
        X = np.abs(block.X).max(axis=0)
    return np.concatenate([X, np.abs(target_columns(block)).max(axis=0)])
