"""What scalings need of tables that come in blocks: dask arrays and data frames, files, `Rows`."""

from typing import Any

import numpy as np

from learnable.base.validation import block_squares
from learnable.rows import Rows, as_rows, examine


def looked_at(model: Any, X: Any, sample_weight: Any = None, fewest: int = 1) -> tuple[Rows, np.ndarray]:
    """(the rows, a power of two near the size of each column), after a look for cells that are no numbers.

    The model notes the number of columns and, of a data frame, their names.

    >>> from learnable.features import Standardizer
    >>> looked_at(Standardizer(), as_rows([[3.0, 1e-9], [1.0, 0.0]]))[1]
    array([2.00000000e+00, 9.31322575e-10])
    """
    rows, name = as_rows(X, sample_weight=sample_weight), type(model).__name__
    if rows.n_rows < fewest:
        raise ValueError(f"{name}: X has {rows.n_rows} rows; at least {fewest} are needed")
    sizes = examine(rows, name, squares=block_squares)
    note_columns(model, rows)
    return rows, np.ldexp(1.0, np.frexp(sizes)[1] - 1)


def note_columns(model: Any, rows: Rows) -> int:
    """The number of columns, which the model keeps, with their names where they come from a data frame."""
    model.n_features_in_ = rows.n_columns
    names = getattr(rows, "frame_columns", None)
    if names is not None:
        model.feature_names_in_ = np.array(names, dtype=object)
    return rows.n_columns
