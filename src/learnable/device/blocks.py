"""Rows on a device: held there whole if they fit, else sent block by block, the next one while one is worked on."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from learnable.device.devices import Place

# Numbers of a block, most and least: enough to fill a GPU, few enough that what is made of a block, a score for each
# row and centre say, fits beside it.
MOST, LEAST = 2**28, 2**22


class DeviceRows:
    """A table on a device, in blocks of rows.

    Parameters
    ----------
    X : NumPy array (n, p), in memory or mapped from a file, or an array that lives on the device already.
    place : where to work.
    dtype : precision there; None for that of X.
    resident : True to hold all rows there, False to send blocks, None to decide by the memory that is free.
    block_rows : rows of a block; None for up to 2²⁸ numbers, as the free memory allows.
    weight : of the rows (n,), None for 1 each; it is held on the device.

    Attributes
    ----------
    total : the sum of the weights.

    >>> rows = DeviceRows(np.arange(6.0).reshape(3, 2), Place("cpu"), block_rows=2)
    >>> [block.shape for _, block in rows]
    [(2, 2), (1, 2)]
    """

    def __init__(
        self,
        X: Any,
        place: Place,
        dtype: Any = None,
        resident: bool | None = None,
        block_rows: int | None = None,
        weight: np.ndarray | None = None,
    ):
        self.place, self.shape = place, tuple(X.shape)
        given = isinstance(X, np.ndarray)
        self.dtype = np.dtype(dtype if dtype is not None else X.dtype) if given else dtype
        free = place.free_bytes()
        numbers = MOST // 4 if free is None else max(LEAST, min(MOST, free // 64))
        self.block_rows = block_rows or max(1, numbers // max(1, self.shape[1]))
        if resident is None:
            resident = free is None or not given or X.size * self.dtype.itemsize < 0.7 * free
        self.resident = resident
        self.X = place.put(X, self.dtype) if given and resident else X
        self.weight = None if weight is None else place.put(weight, self.dtype)
        self.total = float(self.shape[0]) if weight is None else float(np.sum(weight))

    def __iter__(self) -> Iterator[tuple[slice, Any]]:
        """(which rows, these rows on the device)."""
        n = self.shape[0]
        for start in range(0, n, self.block_rows):
            rows = slice(start, min(start + self.block_rows, n))
            yield rows, self.X[rows] if self.resident else self.place.put(self.X[rows], self.dtype)
