"""Marks of rows, one bit each, that travel to where the rows are."""

import numpy as np

from .source import Block


def packed(chosen: np.ndarray, n_rows: int) -> np.ndarray:
    """A bit for each row, set for those with these numbers.

    >>> packed(np.array([1, 9]), 10)
    array([64, 64], dtype=uint8)
    """
    marked = np.zeros(n_rows, dtype=bool)
    marked[chosen] = True
    return np.packbits(marked)


def marked(bits: np.ndarray, block: Block) -> np.ndarray:
    """Which rows of a block are marked, as booleans.

    >>> marked(packed(np.array([1, 9]), 10), Block(np.zeros((3, 1)), None, None, 7, 10))
    array([False, False,  True])
    """
    first, last = block.start // 8, -(-block.stop // 8)
    return np.unpackbits(bits[first:last])[block.start - 8 * first : block.stop - 8 * first].astype(bool)
