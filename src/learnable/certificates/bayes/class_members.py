"""Sums by class over labelled rows, for the certificates of naive Bayes."""

from typing import Any

import numpy as np
from scipy import sparse

from learnable.rows import Block, Rows, as_rows, is_streamed
from learnable.rows.mapped import with_class_numbers
from learnable.rows.sparse_views import SparseViewRows

EPS = float(np.finfo(float).eps)


def labelled_rows(model: Any, X: Any, y: Any, sample_weight: Any) -> Rows:
    """The training rows with class numbers for labels; a sparse matrix in one block."""
    whole = sparse.issparse(X) and not is_streamed(X)
    rows = SparseViewRows(X, y, sample_weight, X.nnz) if whole else as_rows(X, y, sample_weight)
    return with_class_numbers(rows, model.classes_)


def row_labels(block: Block) -> np.ndarray:
    """The class numbers of the rows."""
    return np.asarray(block.y)


def row_weights(block: Block) -> np.ndarray:
    """The weights of the rows, ones when there are none."""
    return np.ones(block.stop - block.start) if block.weight is None else np.asarray(block.weight, dtype=float)


def class_sums(block: Block, n_classes: int, values: np.ndarray | None = None) -> np.ndarray:
    """(K,) sums over the rows of each class of their weights, times `values` if there are any."""
    if values is not None and block.weight is not None:
        values = values * row_weights(block)
    return np.bincount(row_labels(block), block.weight if values is None else values, n_classes).astype(float)
