"""Yes/no questions about the columns of a table: x > threshold."""

from typing import NamedTuple

import numpy as np


class Questions(NamedTuple):
    """x[feature] > threshold, one a question."""

    feature: np.ndarray
    threshold: np.ndarray

    def answers(self, X: np.ndarray) -> np.ndarray:
        """(n, F) of booleans."""
        return X[:, self.feature] > self.threshold


def questions_about(X: np.ndarray, max_thresholds: int) -> Questions:
    """Middles between neighbouring values of each column; at equally spaced ranks where there are more than allowed.

    >>> questions_about(np.array([[0.0, 1.0], [1.0, 1.0]]), 8)
    Questions(feature=array([0]), threshold=array([0.5]))
    """
    feature, threshold = [], []
    for j in range(X.shape[1]):
        values = np.unique(X[:, j])
        middles = 0.5 * values[:-1] + 0.5 * values[1:]
        if len(middles) > max_thresholds:
            line = np.sort(X[:, j])
            places = np.unique((np.arange(1, max_thresholds + 1) * len(line)) // (max_thresholds + 1))
            cuts = np.searchsorted(values, line[places], side="left")
            middles = middles[np.unique(np.clip(cuts, 1, len(middles)) - 1)]
        feature += [j] * len(middles)
        threshold += middles.tolist()
    return Questions(np.array(feature, dtype=np.int64), np.array(threshold, dtype=float))
