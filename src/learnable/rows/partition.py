"""Where to cut rows into blocks: a function of the data's shape alone, never of the number of threads."""

from functools import lru_cache

import numpy as np

# A block of 2**17 doubles is 1 MiB: it stays in a core's L2 cache while several passes are made over it.
BLOCK_ELEMENTS = 2**17
# A p × p result must be worth merging: wide blocks grow towards p rows, up to 8 MiB.
WIDE_BLOCK_ELEMENTS = 2**20
FEWEST_ROWS = 256
# Entries that one thread goes through before others have begun.
ONE_THREAD_ELEMENTS = 2**18


@lru_cache(maxsize=1000)
def dense_cuts(n_rows: int, n_columns: int) -> np.ndarray:
    """Boundaries of the blocks of a dense table, read-only: block b holds the rows ``cuts[b] … cuts[b + 1] - 1``.

    Examples
    --------
    >>> dense_cuts(3000, 100)
    array([   0, 1280, 2560, 3000])
    """
    wanted = max(BLOCK_ELEMENTS // n_columns, min(n_columns, WIDE_BLOCK_ELEMENTS // n_columns), FEWEST_ROWS)
    cuts = np.append(np.arange(0, n_rows, wanted // 64 * 64), n_rows)
    cuts.flags.writeable = False
    return cuts


def sparse_cuts(indptr: np.ndarray, n_columns: int) -> np.ndarray:
    """Boundaries of blocks of CSR rows with about as many stored entries each.

    A row counts one on top of its entries, so that empty rows do not pile up in one block.

    Examples
    --------
    >>> sparse_cuts(np.arange(0, 3001) * 200, n_columns=300)
    array([   0,  768, 1536, 2048, 2816, 3000])
    """
    n_rows = len(indptr) - 1
    cost = indptr + np.arange(n_rows + 1)
    wanted = max(BLOCK_ELEMENTS, min(n_columns**2, WIDE_BLOCK_ELEMENTS // 2))
    ends = np.searchsorted(cost, np.arange(wanted, cost[-1], wanted))
    ends = -(-ends // FEWEST_ROWS) * FEWEST_ROWS
    return np.unique(np.concatenate(([0], ends[ends < n_rows], [n_rows])))
