"""Say that something cannot fit before the system kills the process for trying."""

import os
from functools import cache

import numpy as np


@cache
def _present() -> float:
    # Asking the system takes longer than multiplying small tables.
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else np.inf


def check_table_fits(n_rows: int, n_columns: int, what: str) -> None:
    """Raise MemoryError when a float64 table exceeds the machine's memory.

    Examples
    --------
    >>> check_table_fits(10**8, 10**6, "a sparse table made dense")
    Traceback (most recent call last):
    MemoryError: a sparse table made dense takes 800,000 GB ...
    """
    needed, present = n_rows * n_columns * np.dtype(np.float64).itemsize, _present()
    if needed > present:
        raise MemoryError(
            f"{what} takes {needed / 1e9:,.0f} GB and the machine has {present / 1e9:,.0f} GB: choose rows or columns"
        )


def check_square_fits(size: int, what: str) -> None:
    """Raise MemoryError when two float64 matrices of `size` × `size` exceed the machine's memory.

    Examples
    --------
    >>> check_square_fits(10, "the cross-products")
    >>> check_square_fits(10**8, "the cross-products")
    Traceback (most recent call last):
    MemoryError: the cross-products of 100000000 columns take 160,000,000 GB ...
    """
    needed, present = 16 * size**2, _present()
    if needed > present:
        raise MemoryError(
            f"{what} of {size} columns take {needed / 1e9:,.0f} GB and the machine has {present / 1e9:,.0f} GB: "
            "choose columns, or a method that does not form them"
        )
