"""What regressions that need all columns at once, centred and dense, share."""

import numpy as np

from learnable.base import Data, LinearRegressor
from learnable.base.fit_context import fit_context
from learnable.sparse.unit_columns import UnitColumns, unit_columns


class DenseRegressor(LinearRegressor):
    """Base of regressions that work on the cross-products of centred columns: X is an array, never sparse."""

    fit_intercept: bool

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array (n, p); least squares on a subset and kin also take rows read in blocks
        y : array (n,)
        sample_weight : float or array (n,), default=None
        """
        return self._learn(X, y, sample_weight=sample_weight)

    def _centred(self, X, y, sample_weight) -> tuple[Data, UnitColumns]:
        data = self._validated(X, y, sample_weight, y_numeric=True, dtype=np.float64, extremes=False, blocks=False)
        return data, unit_columns(data, self.fit_intercept)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags
