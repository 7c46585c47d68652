"""Columns of mean 0 and standard deviation 1."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from learnable.base.in_chunks import InChunks
from learnable.base.validation import checked_weights, validate_data
from learnable.features.in_blocks import looked_at
from learnable.rows import Block, Rows, is_streamed
from learnable.rows.numbers import row_weights


class Standardizer(InChunks, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
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
        X : array (n, p), or rows read in blocks
        y : ignored.
        sample_weight : array (n,), default=None
        """
        if self.ddof not in (0, 1):
            raise ValueError(f"Standardizer(ddof={self.ddof!r}): choose 0 or 1")
        if is_streamed(X):
            self.mean_, self.scale_ = self._of_blocks(*looked_at(self, X, sample_weight, 1 + self.ddof))
            return self
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=1 + self.ddof)
        weight = np.ones(len(X))
        if sample_weight is not None:
            weight = checked_weights(sample_weight, X)
        total = weight.sum()
        self._refuse_weight(total)
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

    def _of_blocks(self, rows: Rows, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(means, standard deviations) in two passes: about zero, then about the means."""
        seen = rows.reduce(partial(_about, about=np.zeros(rows.n_columns), unit=unit), _together)
        self._refuse_weight(seen.weight)
        mean = seen.total / seen.weight
        near = rows.reduce(partial(_about, about=mean, unit=unit), _together)
        off = near.total / near.weight
        spread = np.sqrt(np.maximum(near.squares - near.weight * off**2, 0.0) / (near.weight - self.ddof))
        constant = seen.least == seen.most
        return unit * np.where(constant, seen.least, mean + off), np.where(constant, 1.0, unit * spread)

    def _refuse_weight(self, total: float) -> None:
        if not total > self.ddof:
            raise ValueError(f"Standardizer: the weights sum to {total:g}; more than ddof={self.ddof} is needed")

    def transform(self, X: Any) -> np.ndarray:
        """Subtract the training means and divide by the training standard deviations.

        Parameters
        ----------
        X : array (n, p), or rows read in blocks; a dask table is transformed chunk by chunk, when that is asked for
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


class _Sums(NamedTuple):
    """Σ w, Σ w z and Σ w z² of the columns about some place, and the least and most of those that weigh something."""

    weight: float
    total: np.ndarray
    squares: np.ndarray
    least: np.ndarray
    most: np.ndarray


def _about(block: Block, about: np.ndarray, unit: np.ndarray) -> _Sums:
    Z = np.asarray(block.X.toarray() if sparse.issparse(block.X) else block.X, dtype=float) / unit
    given = row_weights(block)
    weight = np.ones(len(Z)) if given is None else given
    counted = Z[weight > 0.0]
    away = Z - about
    return _Sums(
        float(weight.sum()), weight @ away, weight @ away**2, counted.min(axis=0, initial=np.inf),
        counted.max(axis=0, initial=-np.inf),
    )  # fmt: skip


def _together(one: _Sums, two: _Sums) -> _Sums:
    return _Sums(
        one.weight + two.weight, one.total + two.total, one.squares + two.squares,
        np.minimum(one.least, two.least), np.maximum(one.most, two.most),
    )  # fmt: skip
