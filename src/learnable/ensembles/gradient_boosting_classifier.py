"""Gradient boosting for classes, with exact trees."""

from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import HasMethods, StrOptions

from learnable.base import Data, class_indices
from learnable.ensembles.gradient_boosting import GradientBoosting
from learnable.problems.ensembles.boosting_losses import BinomialLoss, ExponentialLoss, MultinomialLoss


class GradientBoostingClassifier(ClassifierMixin, GradientBoosting):
    """Gradient boosting of the log loss (one tree a class and round, one for two classes) or the exponential loss.

    A leaf takes one Newton step. See `GradientBoostingRegressor`; parameters and defaults of
    `sklearn.ensemble.GradientBoostingClassifier`, without ccp_alpha. Syllabus: B5–B7, B12.

    Parameters
    ----------
    loss : {"log_loss", "exponential"}, default="log_loss"
        "exponential" is AdaBoost's, for two classes.
    learning_rate, n_estimators, subsample, max_depth, max_leaf_nodes, min_samples_split, min_samples_leaf :
        as in `GradientBoostingRegressor`
    criterion, min_weight_fraction_leaf, min_impurity_decrease, max_features, n_iter_no_change, validation_fraction :
        as in `GradientBoostingRegressor`
    tol, init, warm_start, verbose, random_state :
        as in `GradientBoostingRegressor`

    Attributes
    ----------
    classes_ : array (K,)
    trees_, steps_, start_, init_, train_loss_, validation_loss_, n_estimators_, train_rows_, seed_ :
        as in `GradientBoostingRegressor`; trees of a round stand one after the other
    oob_scores_, oob_improvement_, oob_score_, grown_with_, grown_before_ : as there
    certificate_ : `certificates.Certificate`; claims B7, B12 as there.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.ensembles import GradientBoostingClassifier
    >>> X = np.random.default_rng(0).standard_normal((80, 2))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> model = GradientBoostingClassifier(n_estimators=20).fit(X, y)
    >>> model.score(X, y) > 0.9, model.certificate_.holds
    (True, True)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = GradientBoosting._parameter_constraints | {
        "init": [StrOptions({"zero"}), None, HasMethods(["fit", "predict_proba"])],
        "loss": [StrOptions({"log_loss", "exponential"})],
    }

    def __init__(
        self,
        *,
        loss="log_loss",
        learning_rate=0.1,
        n_estimators=100,
        subsample=1.0,
        criterion="deprecated",
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_depth=3,
        min_impurity_decrease=0.0,
        init=None,
        random_state=None,
        max_features=None,
        verbose=0,
        max_leaf_nodes=None,
        warm_start=False,
        validation_fraction=0.1,
        n_iter_no_change=None,
        tol=1e-4,
    ):
        self.loss = loss
        self.learning_rate = learning_rate
        self.n_estimators = n_estimators
        self.subsample = subsample
        self.criterion = criterion
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_depth = max_depth
        self.min_impurity_decrease = min_impurity_decrease
        self.init = init
        self.random_state = random_state
        self.max_features = max_features
        self.verbose = verbose
        self.max_leaf_nodes = max_leaf_nodes
        self.warm_start = warm_start
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol

    def _targets(self, data: Data) -> tuple[np.ndarray, np.ndarray]:
        self.classes_, index = class_indices(data.y, type(self).__name__)
        if data.sample_weight is not None and len(np.unique(index[data.sample_weight > 0.0])) < 2:
            raise ValueError(
                "GradientBoostingClassifier: y contains 1 class after sample_weight trimmed classes with zero weights, "
                "while a minimum of 2 classes are required."
            )
        if self.loss == "exponential" and len(self.classes_) > 2:
            raise ValueError(
                "GradientBoostingClassifier: loss='exponential' is only suitable for a binary classification, and y "
                f"has {len(self.classes_)} classes; use loss='log_loss'"
            )
        return index.astype(float), (
            np.ones(len(index)) if data.sample_weight is None else data.sample_weight.astype(float)
        )

    def _loss(self) -> Any:
        if self.loss == "exponential":
            return ExponentialLoss()
        K = len(self.classes_)
        return BinomialLoss() if K == 2 else MultinomialLoss(K)

    def decision_function(self, X) -> np.ndarray:
        """Raw scores: one number a row for two classes, else one column a class."""
        raw = self._raw_predict(X)
        return raw[:, 0] if raw.shape[1] == 1 else raw

    def staged_decision_function(self, X):
        """Raw scores (n, K) after every round."""
        for raw in self._staged_raw(X):
            yield raw.copy()

    def _probabilities(self, raw: np.ndarray) -> np.ndarray:
        p = self._mean(raw)
        return p if p.ndim == 2 else np.column_stack([1.0 - p, p])

    def predict_proba(self, X) -> np.ndarray:
        """Class probabilities."""
        return self._probabilities(self._raw_predict(X))

    def predict_log_proba(self, X) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def staged_predict_proba(self, X):
        """Class probabilities after every round."""
        for raw in self._staged_raw(X):
            yield self._probabilities(raw)

    def predict(self, X) -> np.ndarray:
        """The most probable class; of two, the second where its score is above 0."""
        return self._label(self._raw_predict(X))

    def _label(self, raw: np.ndarray) -> np.ndarray:
        # Scores near 0 give two probabilities of ½: the sign is what is left to go by.
        return self.classes_[(raw[:, 0] > 0.0).astype(int) if raw.shape[1] == 1 else raw.argmax(axis=1)]

    def staged_predict(self, X):
        """Classes after every round."""
        for raw in self._staged_raw(X):
            yield self._label(raw)
