"""Means of the columns and the targets, where nobody asks for their products."""

from typing import NamedTuple

import numpy as np

from .numbers import row_weights, target_columns
from .source import Block, Rows
from .weighted_sums import weighted_sums


class Means(NamedTuple):
    """The sum of the weights, and the weighted means of columns and targets."""

    weight: float
    mean_x: np.ndarray
    mean_y: np.ndarray


def means(rows: Rows, n_jobs: int | None = None) -> Means:
    """Weighted means in float64, in one pass.

    Examples
    --------
    >>> from learnable.rows import as_rows, means
    >>> means(as_rows([[1.0], [3.0]], y=[0.0, 1.0], sample_weight=[1.0, 3.0]))
    Means(weight=4.0, mean_x=array([2.5]), mean_y=array([0.75]))
    """
    weight, total_x, total_y = rows.reduce(_totals, n_jobs=n_jobs)
    if weight == 0:
        raise ValueError("means: the sample weights sum to 0; at least one must be positive")
    return Means(weight, total_x / weight, total_y / weight)


def _totals(block: Block) -> tuple[float, np.ndarray, np.ndarray]:
    y, weight = target_columns(block), row_weights(block)
    w = np.ones(len(y)) if weight is None else weight
    return float(w.sum()), np.asarray(weighted_sums(w, block.X), dtype=float), w @ y
