"""Small well-posed data for checking an estimator: a regression table, or classes with a margin."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import get_tags


class CheckData(NamedTuple):
    """Data on which a sound estimator's certificate must hold."""

    X: np.ndarray
    y: Any

    def first(self, n_rows: int, n_columns: int) -> "CheckData":
        """The table cut down to its first rows and columns."""
        return CheckData(
            self.X[:n_rows, : min(n_columns, self.X.shape[1])], None if self.y is None else self.y[:n_rows]
        )

    def with_another_row(self) -> "CheckData":
        """The same table but for its first row: far away where X is real, the next value where it holds categories."""
        X = self.X.copy()
        X[0] = -40.0 * X[0] if X.dtype.kind == "f" else (X[0] + 1) % (X.max(axis=0) + 1)
        return CheckData(X, self.y)


def well_posed(estimator, seed: int = 0) -> CheckData:
    """200 rows, 6 columns: a linear target with noise (its exponential where it must be positive), or two classes.

    An estimator of data of another kind (categories, counts, sequences) brings its own: a static method
    `check_data(seed)` that returns (X, y), y being None for unsupervised learners.
    """
    if hasattr(estimator, "check_data"):
        return CheckData(*estimator.check_data(seed))
    random = np.random.default_rng(seed)
    X = random.standard_normal((200, 6))
    score = X @ np.array([2.0, -1.5, 1.0, 0.5, 0.0, 0.0])
    if not is_classifier(estimator):
        y = score + 0.5 * random.standard_normal(200)
        return CheckData(X, np.exp(0.3 * y) if get_tags(estimator).target_tags.positive_only else y)
    # A margin of 0.3 in the score, so that learners of separable classes end as well.
    X = X + 0.3 * np.sign(score)[:, None] * np.array([2.0, -1.5, 1.0, 0.5, 0.0, 0.0]) / np.sqrt(7.5)
    return CheckData(X, np.where(score > 0.0, "up", "down"))
