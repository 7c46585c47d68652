"""Columns of unit norm, or of norm √n."""

from functools import partial

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from learnable.base.in_chunks import InChunks
from learnable.base.validation import validate_data
from learnable.features.in_blocks import looked_at
from learnable.rows import Block, is_streamed


class NormScaler(InChunks, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Divide each column by its Euclidean norm, so that ‖x_j‖ = 1 or ‖x_j‖ = √n on the training rows.

    The two normalisations under which the lasso is usually analysed; nothing is centred, so zeros stay zeros. A column
    of zeros has no direction: it is left as it is (scale 1).

    Syllabus: D9.

    Parameters
    ----------
    norm : {"unit", "sqrt_n"}, default="unit"
        "unit" makes every column norm 1, "sqrt_n" makes it √n (mean square 1).

    Attributes
    ----------
    scale_ : ndarray of shape (n_features,)
        What each column is divided by.

    >>> NormScaler().fit_transform([[3.0, 0.0], [4.0, 0.0]])
    array([[0.6, 0. ],
           [0.8, 0. ]])
    """

    def __init__(self, norm: str = "unit"):
        self.norm = norm

    def fit(self, X, y=None) -> "NormScaler":
        """Compute the norms of the columns.

        Parameters
        ----------
        X : array (n, p), or rows read in blocks
        y : ignored.
        """
        if self.norm not in ("unit", "sqrt_n"):
            raise ValueError(f"NormScaler(norm={self.norm!r}): choose 'unit' or 'sqrt_n'")
        # A power of two near the largest entry is taken out first: squares of 1e200 or 1e-200 would leave the range of
        # floats, and dividing by a power of two rounds nothing.
        if is_streamed(X):
            rows, unit = looked_at(self, X)
            squares, n = rows.reduce(partial(_squares, unit=unit)), rows.n_rows
        else:
            X = validate_data(self, X, dtype=np.float64)
            unit, n = np.ldexp(1.0, np.frexp(np.abs(X).max(axis=0))[1] - 1), len(X)
            squares = ((X / unit) ** 2).sum(axis=0)
        with np.errstate(over="ignore"):
            scale = unit * np.sqrt(squares if self.norm == "unit" else squares / n)
        if not np.isfinite(scale).all():
            j = int(np.flatnonzero(~np.isfinite(scale))[0])
            raise ValueError(f"NormScaler: the norm of column {j} is beyond 64-bit numbers; rescale it first")
        self.scale_ = np.where(squares > 0.0, scale, 1.0)
        return self

    def transform(self, X) -> np.ndarray:
        """Divide by the training norms."""
        check_is_fitted(self)
        return validate_data(self, X, dtype=np.float64, reset=False) / self.scale_

    def inverse_transform(self, X) -> np.ndarray:
        """Multiply by the training norms."""
        check_is_fitted(self)
        return np.asarray(X, dtype=np.float64) * self.scale_


def _squares(block: Block, unit: np.ndarray) -> np.ndarray:
    X = np.asarray(block.X.toarray() if sparse.issparse(block.X) else block.X, dtype=float)
    return ((X / unit) ** 2).sum(axis=0)
