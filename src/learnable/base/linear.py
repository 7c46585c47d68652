"""Estimators whose answer is `coef_` and `intercept_`."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from learnable.base.learner import Learner
from learnable.base.scores import AccuracyScore, RSquaredScore
from learnable.base.validation import refuse_unreadable, validate_data
from learnable.rows import as_rows, is_streamed


class LinearPredictor(Learner):
    """Shared by estimators whose answer is `coef_` and `intercept_`."""

    coef_: Any
    intercept_: Any
    n_features_in_: int

    def _scores(self, X) -> np.ndarray:
        """xᵢ·coef + intercept for every row, block by block for data that do not come as an array."""
        check_is_fitted(self)
        if is_streamed(X):
            rows = as_rows(X)
            if rows.n_columns != self.n_features_in_:
                raise ValueError(
                    f"X has {rows.n_columns} features, but {type(self).__name__} is expecting "
                    f"{self.n_features_in_} features as input"
                )
            return rows.concatenate(lambda block: block.X @ self.coef_.T + self.intercept_)
        refuse_unreadable(X)
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        return np.asarray(X @ self.coef_.T + self.intercept_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class SparseCoefficients:
    """Mixin for answers that may be kept as a sparse matrix: `sparsify` and `densify`."""

    coef_: Any

    def densify(self):
        """Turn `coef_` into an array."""
        check_is_fitted(self)
        if sparse.issparse(self.coef_):
            self.coef_ = self.coef_.toarray()
        return self

    def sparsify(self):
        """Turn `coef_` into a sparse matrix."""
        check_is_fitted(self)
        self.coef_ = sparse.csr_matrix(self.coef_)
        return self


class LinearRegressor(RSquaredScore, RegressorMixin, LinearPredictor):
    """Predicts xᵢ·coef + intercept."""

    def predict(self, X) -> np.ndarray:
        """Predicted targets.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks.
        """
        return self._scores(X)


class LinearClassifier(AccuracyScore, ClassifierMixin, LinearPredictor):
    """Predicts the class of the largest score; between two classes the second one when its score is ≥ 0."""

    classes_: np.ndarray

    def decision_function(self, X) -> np.ndarray:
        """Scores: one column per class, or one number per row between two classes.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks.
        """
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X) -> np.ndarray:
        """Predicted classes.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks.
        """
        scores = self.decision_function(X)
        index = (scores >= 0.0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[index]
