"""Centred columns and their lengths: the units in which every column has length one."""

import math
from typing import NamedTuple

import numpy as np

from learnable.base import Data
from learnable.solvers.sparse.coordinate_descent import mean_of

EPS = float(np.finfo(float).eps)


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
    def varying(self) -> np.ndarray:
        """X with zeros for constant columns."""
        varies = self.length > 0.0
        return self.X if varies.all() else self.X * varies

    @property
    def cross(self) -> np.ndarray:
        """Correlations of the columns with y; zero for constant ones."""
        return self.y_of_length_one @ self.X / self._divisor

    @property
    def of_length_one(self) -> tuple[np.ndarray, np.ndarray]:
        """Columns and y divided by their lengths; zeros for constant ones."""
        return self.X / self._divisor, self.y_of_length_one

    @property
    def y_of_length_one(self) -> np.ndarray:
        """y divided by its length; zeros where it is constant."""
        return self.y / (self.y_length if self.y_length > 0.0 else 1.0)

    @property
    def gram(self) -> np.ndarray:
        """(p, p) correlations of the columns; zero for constant ones."""
        U, _ = self.of_length_one
        return U.T @ U

    def intercept(self, coef: np.ndarray) -> float:
        """ȳ − x̄·β, which is 0 where nothing was subtracted."""
        return float(self.y_mean - self.mean @ coef)

    @property
    def _divisor(self) -> np.ndarray:
        return np.where(self.length > 0.0, self.length, np.inf)


def unit_columns(data: Data, intercept: bool) -> UnitColumns:
    """Units in which RSS / ‖y‖² = 1 − 2c·β + βᵀGβ, c and G being correlations."""
    X, y, weight = np.asarray(data.X, dtype=float), np.asarray(data.y, dtype=float), data.sample_weight
    total = float(len(y) if weight is None else weight.sum())
    share = np.full(len(y), 1.0 / total) if weight is None else weight / total
    mean, y_mean = (share @ X, float(mean_of(y, share))) if intercept else (np.zeros(X.shape[1]), 0.0)
    Z, t = X - mean, y - y_mean
    length = _lengths(Z, weight)
    if intercept:
        # Far from zero a mean has few digits after the point: that of what is left is taken off too.
        t -= share @ t
        far = np.abs(mean) * math.sqrt(total)
        if (far > 1e3 * length).any():
            Z -= share @ Z
            length = _lengths(Z, weight)
            # A constant column has nothing left after centring but rounding.
            length[length <= 1e-13 * far] = 0.0
    if weight is not None:
        root = np.sqrt(weight)
        Z *= root[:, None]
        t *= root
    y_length = math.sqrt(t @ t)
    if y_length <= EPS * float(np.abs(y).max(initial=0.0)) * math.sqrt(total):  # nor has a constant target
        t, y_length = np.zeros_like(t), 0.0
    return UnitColumns(Z, t, length, y_length, mean, y_mean)


def _lengths(Z: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    return np.sqrt(np.einsum("ij,ij->j", Z, Z) if weight is None else np.einsum("i,ij,ij->j", weight, Z, Z))
