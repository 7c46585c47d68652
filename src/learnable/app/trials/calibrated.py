"""Probabilities for a classifier that has none, from its own scores on rows it was not trained on."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from learnable.app.table.splits import folds

# Parts of a cross-fitted calibration: each is fitted on two thirds.
PARTS = 3
# Settings of the logistic regression on the scores.
CALIBRATOR = {"C": 10.0}


class Calibrated(ClassifierMixin, BaseEstimator):
    """A classifier with probabilities by cross-fitting.

    Each third of the rows is scored by the learner trained on the other two; a logistic regression on these scores
    gives probabilities; the learner is then trained on all rows. Scores are the decision function, or the predicted
    class where there is none. (J. Platt, 1999.)

    Attributes
    ----------
    estimator_ : the learner, fitted on all rows.
    calibrator_ : the logistic regression, on scores standardised by `centre_` and `scale_`.
    """

    def __init__(self, estimator: Any = None):
        self.estimator = estimator

    def set_params(self, **params: Any) -> "Calibrated":
        """Parameters of the learner can be named as its own."""
        own = {key: value for key, value in params.items() if key.partition("__")[0] == "estimator"}
        if own:
            super().set_params(**own)
        self.estimator.set_params(**{key: value for key, value in params.items() if key not in own})
        return self

    def fit(self, X: np.ndarray, y: np.ndarray, sample_weight: np.ndarray | None = None) -> "Calibrated":
        from learnable.linear import LogisticRegression

        self.classes_ = np.unique(y)
        raw = self.cross_fitted(X, y, sample_weight)
        self.centre_, self.scale_ = spread(raw)
        self.calibrator_ = LogisticRegression(**CALIBRATOR).fit((raw - self.centre_) / self.scale_, y)
        self.estimator_ = self._trained(X, y, sample_weight)
        return self

    def cross_fitted(self, X: np.ndarray, y: np.ndarray, sample_weight: np.ndarray | None = None) -> np.ndarray:
        """Scores of each third of the rows by the learner trained on the other two."""
        dealt = folds(np.asarray(y), PARTS, np.random.default_rng(0))
        raw = np.empty(0)
        for part in range(PARTS):
            seen, held = dealt != part, dealt == part
            weight = None if sample_weight is None else sample_weight[seen]
            found = self._raw(self._trained(X[seen], y[seen], weight), X[held])
            if part == 0:
                raw = np.empty((len(y), found.shape[1]))
            raw[held] = found
        return raw

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        return self.calibrator_.predict_proba((self._raw(self.estimator_, X) - self.centre_) / self.scale_)

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]

    def _trained(self, X: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> Any:
        from sklearn.utils.validation import has_fit_parameter

        model = clone(self.estimator)
        weighted = weight is not None and has_fit_parameter(model, "sample_weight")
        return model.fit(X, y, sample_weight=weight) if weighted else model.fit(X, y)

    def _raw(self, model: Any, X: np.ndarray) -> np.ndarray:
        if hasattr(model, "decision_function"):
            found = np.asarray(model.decision_function(X), dtype=float)
            return found.reshape(len(X), -1)
        return (model.predict(X)[:, None] == self.classes_[None, 1:]).astype(float)


def spread(raw: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means and deviations of the scores, 1 where they do not vary."""
    deviation = raw.std(axis=0)
    return raw.mean(axis=0), np.where(deviation > 0, deviation, 1.0)
