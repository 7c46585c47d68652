"""χ² and G² tests for the PC algorithm, set by set. Syllabus: G13."""

from typing import Any, NamedTuple

import numpy as np

from learnable._jit.graphical.contingency import dependence
from learnable.problems.graphical import contingency


class DiscreteTest(NamedTuple):
    """Judges (i, j, S) on coded columns.

    Attributes
    ----------
    codes : (p, n) whole numbers from 0.
    levels : (p,) how many values each column has.
    likelihood : G² instead of Pearson's χ².
    """

    codes: np.ndarray
    levels: np.ndarray
    likelihood: bool

    def __call__(self, i: int, j: int, given: tuple[int, ...]) -> tuple[float, float] | None:
        """(statistic, p-value), None where there are too few rows for the degrees of freedom."""
        degrees = contingency.degrees(self.levels, i, j, given)
        if not contingency.testable(self.codes.shape[1], degrees):
            return None
        S = np.array(given, dtype=np.int64)
        statistic = dependence(self.codes, self.levels, i, j, S, self.likelihood)
        return statistic, float(contingency.p_value(statistic, degrees))


def coded(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(codes, levels): each column as whole numbers 0 … levels − 1."""
    codes = np.ascontiguousarray([_numbered(column) for column in X.T])
    return codes, codes.max(axis=1, initial=-1) + 1


def _numbered(column: np.ndarray) -> np.ndarray:
    """In the order of the values, or in that of their appearance where values of several types have none."""
    try:
        return np.unique(column, return_inverse=True)[1].astype(np.int64)
    except TypeError:
        place: dict[Any, int] = {}
        return np.array([place.setdefault((type(value), value), len(place)) for value in column], dtype=np.int64)
