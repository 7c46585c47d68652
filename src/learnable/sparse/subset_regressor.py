"""What regressions on a subset of the columns share: at most k of them, and the answer in the caller's units."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from learnable.base import Data
from learnable.sparse.dense_regressor import DenseRegressor
from learnable.sparse.unit_columns import UnitColumns


class SubsetRegressor(DenseRegressor):
    """Base of least squares on at most `k` columns."""

    k: Any

    _by_moments: ClassVar[bool] = True
    _of_sums: ClassVar[bool] = True

    _parameter_constraints: ClassVar = {
        "k": [Interval(Integral, 1, None, closed="left")],
        "fit_intercept": ["boolean"],
    }

    def _read(self, X, y, sample_weight) -> tuple[Data, UnitColumns]:
        data, units = self._centred(X, y, sample_weight)
        if self.k is not None and self.k > data.X.shape[1]:
            raise ValueError(
                f"{type(self).__name__}(k={self.k}): X has {data.X.shape[1]} columns; k must be at most that"
            )
        return data, units

    def _answer(self, units: UnitColumns, support: np.ndarray, coef: np.ndarray, rss: float) -> dict[str, Any]:
        """Fitted attributes in the units of the caller."""
        full, length = np.zeros(len(units.length)), units.length[support]
        full[support] = np.divide(coef * units.y_length, length, out=np.zeros(len(support)), where=length > 0.0)
        return {
            "coef_": full,
            "intercept_": units.intercept(full),
            "support_": full.nonzero()[0],
            "rss_": max(rss, 0.0) * units.y_length**2,  # below zero it is rounding
        }
