"""Targets of a network: numbers, or classes as rows of 0 and a single 1."""

from typing import Any, NamedTuple

import numpy as np


class Targets(NamedTuple):
    """Targets (n, outputs), and the index of each row's class where every row has one of several.

    >>> Targets.of_classes(np.array([1, 0]), 3).values
    array([[False,  True, False],
           [ True, False, False]])
    """

    values: np.ndarray
    classes: np.ndarray | None = None

    @classmethod
    def of_classes(cls, index: np.ndarray, n_classes: int) -> "Targets":
        return cls(index[:, None] == np.arange(n_classes), index)

    def take(self, rows: np.ndarray) -> "Targets":
        return Targets(self.values[rows], None if self.classes is None else self.classes[rows])

    def judged(self, rows: Any, dtype: Any) -> np.ndarray:
        """What `BufferedNetwork` takes: classes where there are any, else numbers."""
        return self.values[rows].astype(dtype) if self.classes is None else self.classes[rows]
