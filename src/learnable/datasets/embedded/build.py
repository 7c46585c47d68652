"""Columns from simulated arrays."""

from collections.abc import Sequence

import numpy as np

from learnable.datasets.column import Column, Kind


def number(name: str, values: np.ndarray, missing: np.ndarray | None = None) -> Column:
    """A number column; `missing` masks cells to blank out.

    >>> number("x", np.array([1, 2]), np.array([False, True])).values
    array([ 1., nan])
    """
    values = np.asarray(values, dtype=np.float64)
    return Column(name, Kind.NUMBER, values if missing is None else np.where(missing, np.nan, values))


def category(
    name: str,
    codes: np.ndarray,
    levels: Sequence[str],
    kind: Kind = Kind.CATEGORY,
    missing: np.ndarray | None = None,
) -> Column:
    """A category column from codes 0..k-1 into `levels`.

    >>> category("x", np.array([1, 0, 1]), ("low", "high"), Kind.ORDERED).values
    array(['high', 'low', 'high'], dtype=object)
    """
    values = np.array(levels, dtype=object)[codes]
    if missing is not None:
        values[missing] = None
    return Column(name, kind, values, tuple(levels))
