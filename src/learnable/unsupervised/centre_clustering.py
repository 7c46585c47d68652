"""What clusterings by centres share: labels, distances and scores of new rows."""

from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from learnable.base import Learner
from learnable.rows import Block
from learnable.solvers.unsupervised.assignment import centred, distances, nearest
from learnable.unsupervised.reading import read_table, refuse_unusual

# Squared distances below this share of the squared lengths have lost half their digits.
NEAR = 1e-8


class CentreClustering(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, Learner):
    """Base of the estimators whose answer is `cluster_centers_`."""

    cluster_centers_: np.ndarray
    labels_: np.ndarray

    def fit_predict(self, X, y=None, sample_weight=None) -> np.ndarray:
        """Fit, and the cluster of each row."""
        return self.fit(X, sample_weight=sample_weight).labels_

    def predict(self, X) -> np.ndarray:
        """The number of the nearest centre, the first one of several as near.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks.
        """
        rows, centres, origin = self._new_rows(X)
        return rows.concatenate(partial(nearest, centres=centres, origin=origin))

    def transform(self, X) -> np.ndarray:
        """Distance to each centre, (n, K).

        Parameters
        ----------
        X : as in `predict`.
        """
        rows, centres, origin = self._new_rows(X)
        return rows.concatenate(partial(_distances_to_all, centres=centres, origin=origin))

    def fit_transform(self, X, y=None, sample_weight=None) -> np.ndarray:
        """Fit, and the distances of the same rows."""
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def score(self, X, y=None, sample_weight=None) -> float:
        """−J of these rows.

        Parameters
        ----------
        X : as in `predict`. y : ignored.
        sample_weight : array (n,), default=None
        """
        rows, centres, origin = self._new_rows(X, sample_weight)
        found = float(rows.reduce(partial(_objective, centres=centres, origin=origin)))
        if not np.isfinite(found):
            refuse_unusual(self, X, rows, reset=False, sparse_too=True)
        return -found

    def _new_rows(self, X, sample_weight=None) -> tuple[Any, np.ndarray, np.ndarray | None]:
        """The rows, and the centres about an origin near them, where their products keep their digits."""
        check_is_fitted(self)
        data = read_table(self, X, sample_weight, reset=False, sparse_too=True)
        centres = np.asarray(self.cluster_centers_, dtype=float)
        if sparse.issparse(data.X) or (hasattr(data.X, "blocks") and _comes_sparse(data.X)):
            return data.rows, centres, None
        origin = centres.mean(axis=0)
        return data.rows, centres - origin, origin

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _comes_sparse(rows: Any) -> bool:
    return sparse.issparse(getattr(rows, "_X", None))


def _objective(block: Block, centres: np.ndarray, origin: np.ndarray | None) -> float:
    squares = distances(block, centres, origin)
    return float(squares.sum() if block.weight is None else block.weight @ squares)


def _distances_to_all(block: Block, centres: np.ndarray, origin: np.ndarray | None) -> np.ndarray:
    sizes = np.einsum("kj,kj->k", centres, centres)
    if sparse.issparse(block.X):
        norms = np.asarray(block.X.multiply(block.X).sum(axis=1), dtype=float).reshape(-1, 1)
        return np.sqrt(np.maximum(norms + sizes - 2.0 * (block.X @ centres.T), 0.0))
    X = centred(block.X, origin)
    both = np.einsum("ij,ij->i", X, X)[:, None] + sizes
    squares = X @ (-2.0 * centres.T)
    squares += both
    # Where a row is next to a centre, the difference of large numbers is mostly rounding: from the row itself.
    near = squares < np.multiply(both, NEAR, out=both)
    if near.any():
        i, k = np.nonzero(near)
        squares[i, k] = np.sum((X[i] - centres[k]) ** 2, axis=1)
    return np.sqrt(squares, out=squares)
