"""What regressions on a subset of the columns share: units in which every column has length one, and the way back."""

from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval

from learnable.base import Data, LinearRegressor


class UnitColumns(NamedTuple):
    """Centred columns and target with their lengths; columns that are constant have length zero.

    Attributes
    ----------
    X, y : centred, rows multiplied by √w.
    length, y_length : of each centred column, and of y.
    mean, y_mean : what was subtracted.
    """

    X: np.ndarray
    y: np.ndarray
    length: np.ndarray
    y_length: float
    mean: np.ndarray
    y_mean: float

    @property
    def cross(self) -> np.ndarray:
        """Correlations of the columns with y; zero for constant ones."""
        return self._per_length(self.y @ self.X) / (self.y_length if self.y_length > 0.0 else 1.0)

    def gram(self, columns: np.ndarray) -> np.ndarray:
        """(p, len(columns)) correlations of all columns with these."""
        part = self.X[:, columns]
        return self._per_length((part.T @ self.X) / self._divisor[columns][:, None]).T

    @property
    def _divisor(self) -> np.ndarray:
        return np.where(self.length > 0.0, self.length, np.inf)

    def _per_length(self, products: np.ndarray) -> np.ndarray:
        return products / self._divisor


def unit_columns(data: Data, intercept: bool) -> UnitColumns:
    """Units in which RSS / ‖y‖² = 1 − 2c·β + βᵀGβ, c and G being correlations."""
    X, y, weight = np.asarray(data.X, dtype=float), np.asarray(data.y, dtype=float), data.sample_weight
    share = np.full(len(y), 1.0 / len(y)) if weight is None else weight / weight.sum()
    mean, y_mean = (share @ X, float(share @ y)) if intercept else (np.zeros(X.shape[1]), 0.0)
    Z, t = X - mean, y - y_mean
    if weight is not None:
        root = np.sqrt(weight)
        Z *= root[:, None]
        t *= root
    length = np.sqrt(np.einsum("ij,ij->j", Z, Z))
    # A constant column has nothing left after centring but rounding.
    length[length <= 1e-13 * np.sqrt(len(y)) * np.abs(mean)] = 0.0
    return UnitColumns(Z, t, length, float(np.linalg.norm(t)), mean, y_mean)


class SubsetRegressor(LinearRegressor):
    """Base of least squares on at most `k` columns."""

    k: Any
    fit_intercept: bool

    _parameter_constraints: ClassVar = {
        "k": [Interval(Integral, 1, None, closed="left")],
        "fit_intercept": ["boolean"],
    }

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array (n, p)
        y : array (n,)
        sample_weight : array (n,), default=None
        """
        return self._learn(X, y, sample_weight=sample_weight)

    def _read(self, X, y, sample_weight) -> tuple[Data, UnitColumns]:
        data = self._validated(X, y, sample_weight, y_numeric=True, dtype=np.float64, extremes=False, blocks=False)
        if self.k is not None and self.k > data.X.shape[1]:
            raise ValueError(
                f"{type(self).__name__}(k={self.k}): X has {data.X.shape[1]} columns; k must be at most that"
            )
        return data, unit_columns(data, self.fit_intercept)

    def _answer(self, units: UnitColumns, support: np.ndarray, coef: np.ndarray, rss: float) -> dict[str, Any]:
        """Fitted attributes in the units of the caller."""
        full = np.zeros(len(units.length))
        kept = units.length[support] > 0.0
        full[support[kept]] = coef[kept] * units.y_length / units.length[support[kept]]
        return {
            "coef_": full,
            "intercept_": float(units.y_mean - units.mean @ full) if self.fit_intercept else 0.0,
            "support_": np.flatnonzero(full),
            "rss_": rss * units.y_length**2,
        }

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags
