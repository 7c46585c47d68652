"""Forests of regression trees."""

from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import StrOptions

from learnable.base import Data
from learnable.ensembles.forest import Forest


class ForestRegressor(RegressorMixin, Forest):
    """A mean of trees."""

    _parameter_constraints: ClassVar[dict[str, Any]] = Forest._parameter_constraints | {
        "criterion": [StrOptions({"squared_error", "absolute_error", "friedman_mse", "poisson"})],
    }

    def _targets(self, data: Data) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
        y = np.asarray(data.y, dtype=float)
        weight = np.ones(len(y)) if data.sample_weight is None else data.sample_weight.astype(float)
        if self.criterion == "poisson" and (np.any(y < 0.0) or not np.sum(y * weight) > 0.0):
            raise ValueError(f"{type(self).__name__}(criterion='poisson'): y must be >= 0 and not all zero")
        return y, weight, {}

    @property
    def _n_classes(self) -> int:
        return 0

    def predict(self, X) -> np.ndarray:
        """The mean of the leaves."""
        return self._mean_value(X)[:, 0]
