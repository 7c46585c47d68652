"""Columns of mean 0 and standard deviation 1."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from learnable.base.validation import validate_data


class Standardizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """(x_ij − x̄_j) / σ_j, with σ_j² = Σ wᵢ (x_ij − x̄_j)² / (Σ wᵢ − ddof), on the training rows.

    The mean is subtracted before anything is squared, and corrected by the mean of what is left, so that a column far
    from zero loses no digits. A constant column becomes zeros (scale 1).

    Syllabus: D9.

    Parameters
    ----------
    ddof : int, default=0
        1 for the unbiased variance of rows without weights.

    Attributes
    ----------
    mean_, scale_ : ndarray of shape (n_features,)
        x̄_j and σ_j.

    >>> Standardizer().fit_transform([[1.0, 7.0], [3.0, 7.0]])
    array([[-1.,  0.],
           [ 1.,  0.]])
    """

    def __init__(self, ddof: int = 0):
        self.ddof = ddof

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "Standardizer":
        """Compute the means and the standard deviations of the columns.

        Parameters
        ----------
        X : array (n, p)
        y : ignored.
        sample_weight : array (n,), default=None
        """
        if self.ddof not in (0, 1):
            raise ValueError(f"Standardizer(ddof={self.ddof!r}): choose 0 or 1")
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=1 + self.ddof)
        weight = np.ones(len(X))
        if sample_weight is not None:
            weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        total = weight.sum()
        if not total > self.ddof:
            raise ValueError(f"Standardizer: the weights sum to {total:g}; more than ddof={self.ddof} is needed")
        # A power of two takes out the size of the column, and rounds nothing.
        unit = np.ldexp(1.0, np.frexp(np.abs(X).max(axis=0))[1] - 1)
        Z = X / unit
        mean = Z[0].copy()
        for _ in range(2):
            mean += weight @ (Z - mean) / total
        spread = np.sqrt(weight @ (Z - mean) ** 2 / (total - self.ddof))
        constant = np.ptp(Z[weight > 0.0], axis=0) == 0.0
        self.mean_ = np.where(constant, X[int(np.argmax(weight > 0.0))], unit * mean)
        self.scale_ = np.where(constant, 1.0, unit * spread)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Subtract the training means and divide by the training standard deviations.

        Parameters
        ----------
        X : array (n, p)
        """
        check_is_fitted(self)
        return (validate_data(self, X, dtype=np.float64, reset=False) - self.mean_) / self.scale_

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Multiply by the standard deviations and add the means.

        Parameters
        ----------
        X : array (n, p)
        """
        check_is_fitted(self)
        return np.asarray(X, dtype=np.float64) * self.scale_ + self.mean_
