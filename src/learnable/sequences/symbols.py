"""Numbers as observations: symbols, counts, vectors; what cannot be one is named."""

import numpy as np


def symbols_of(table: np.ndarray, name: str) -> np.ndarray:
    """One column of whole numbers >= 0 as int64, NaN as −1.

    >>> symbols_of(np.array([[2.0], [np.nan], [0.0]]), "CategoricalHMM")
    array([ 2, -1,  0])
    """
    if table.shape[1] != 1:
        raise ValueError(
            f"{name}: X has {table.shape[1]} columns; an observation is one symbol, so X must have one column (number "
            "the combinations of several), or be a list of sequences"
        )
    column = table[:, 0]
    missing = np.isnan(column)
    if np.any(column < 0.0):
        t = int(np.argmax(column < 0.0))
        raise ValueError(
            f"Negative values in data passed to {name}: row {t} holds {column[t]:g}; symbols are 0, 1, 2 …"
        )
    wrong = ~missing & (column != np.floor(column))
    if wrong.any():
        t = int(np.argmax(wrong))
        raise ValueError(f"{name}: row {t} holds {column[t]:g}; symbols are the whole numbers 0, 1, 2 …")
    if column[~missing].max(initial=0.0) >= 2**31:
        raise ValueError(f"{name}: symbol {column[~missing].max():g} is too large; number the symbols from 0")
    return np.where(missing, -1.0, column).astype(np.int64)


def counts_of(table: np.ndarray, name: str) -> np.ndarray:
    """Numbers >= 0; they need not be whole, as in `sklearn.naive_bayes.MultinomialNB`."""
    if np.any(table < 0.0):
        t, v = np.argwhere(table < 0.0)[0]
        raise ValueError(f"Negative values in data passed to {name}: X[{t}, {v}] = {table[t, v]:g}; counts are >= 0")
    return table


def vectors_of(table: np.ndarray, name: str) -> np.ndarray:
    """Numbers whose squares can be represented."""
    largest = np.where(np.isnan(table), 0.0, np.abs(table)).max(axis=0)
    if np.any(largest > 1e120):
        j = int(np.argmax(largest > 1e120))
        raise ValueError(
            f"{name}: column {j} of X has entries of size {largest[j]:.1e}, whose squares cannot be "
            "represented; rescale it"
        )
    return table
