"""Gradient boosting on histograms for classes."""

from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.class_weight import compute_sample_weight

from learnable.base import Data, refuse_continuous
from learnable.ensembles.histogram_boosting import HistogramBoosting
from learnable.panel import Entry
from learnable.plain import plain
from learnable.problems.ensembles.boosting_losses import BinomialLoss, MultinomialLoss
from learnable.solvers.ensembles.boosting_places import Targets

# Rows whose labels are looked up as one.
BLOCK = 2**16


class HistGradientBoostingClassifier(ClassifierMixin, HistogramBoosting):
    """Gradient boosting of the log loss: one tree a round for two classes, K trees for K classes.

    See `HistGradientBoostingRegressor` for how trees grow. Drop-in for
    `sklearn.ensemble.HistGradientBoostingClassifier`. Syllabus: B6, B7, B12.

    Parameters
    ----------
    loss : "log_loss"
    class_weight : dict, "balanced" or None
    learning_rate, max_iter, max_leaf_nodes, max_depth, min_samples_leaf, l2_regularization, max_features, max_bins :
        as in `HistGradientBoostingRegressor`.
    categorical_features, monotonic_cst, interaction_cst, warm_start, early_stopping, scoring, validation_fraction :
        as in `HistGradientBoostingRegressor`.
    n_iter_no_change, tol, verbose, random_state : as in `HistGradientBoostingRegressor`.

    Attributes
    ----------
    classes_ : array (K,)
    trees_, baseline_, bin_thresholds_, n_iter_, n_trees_per_iteration_, train_score_, validation_score_ :
        as in `HistGradientBoostingRegressor`
    do_early_stopping_, train_rows_ : as in `HistGradientBoostingRegressor`
    certificate_ : `certificates.Certificate`; claims B7, B12 as there.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.ensembles import HistGradientBoostingClassifier
    >>> X = np.random.default_rng(0).standard_normal((200, 2))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> model = HistGradientBoostingClassifier(max_iter=30).fit(X, y)
    >>> model.score(X, y) > 0.95, model.certificate_.holds
    (True, True)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = HistogramBoosting._parameter_constraints | {
        "loss": [StrOptions({"log_loss"})],
        "class_weight": [dict, StrOptions({"balanced"}), None],
    }
    # Few rows are judged by nested cross-validation, whose many fits cost more than a rate well chosen brings.
    panel = (
        Entry(
            "classification", "boosting", {"min_samples_leaf": [5, 20]},
            fixed={"max_iter": 60, "learning_rate": 0.05, "max_leaf_nodes": 8}, most_rows=199,
        ),
        # Too few rows to give some up to early stopping.
        Entry(
            "classification", "boosting", {"learning_rate": [0.02, 0.06, 0.15], "min_samples_leaf": [5, 20]},
            fixed={"max_iter": 100, "max_leaf_nodes": 8}, fewest_rows=200, most_rows=1999,
        ),
        # Settings are tried from the middle on, of two the second first.
        Entry(
            "classification", "boosting", {"max_leaf_nodes": [31, 8]},
            fixed={"early_stopping": True, "max_iter": 300, "learning_rate": 0.05}, fewest_rows=2000,
        ),
    )  # fmt: skip

    def __init__(
        self,
        loss="log_loss",
        *,
        learning_rate=0.1,
        max_iter=100,
        max_leaf_nodes=31,
        max_depth=None,
        min_samples_leaf=20,
        l2_regularization=0.0,
        max_features=1.0,
        max_bins=255,
        categorical_features="from_dtype",
        monotonic_cst=None,
        interaction_cst=None,
        warm_start=False,
        early_stopping="auto",
        scoring="loss",
        validation_fraction=0.1,
        n_iter_no_change=10,
        tol=1e-7,
        verbose=0,
        random_state=None,
        class_weight=None,
    ):
        self.loss = loss
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.warm_start = warm_start
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.class_weight = class_weight

    def _targets(self, data: Data) -> tuple[np.ndarray, np.ndarray]:
        refuse_continuous(data.y)
        self.classes_ = np.unique(data.y)
        if len(self.classes_) < 2:
            raise ValueError(
                f"HistGradientBoostingClassifier: y holds only one class, {plain(self.classes_[0])!r}; at least 2 "
                "classes are needed"
            )
        return self._numbered(data)

    def _targets_of_more(self, data: Data) -> tuple[np.ndarray, np.ndarray]:
        strange = ~np.isin(data.y, self.classes_)
        if strange.any():
            raise ValueError(
                f"HistGradientBoostingClassifier: y_val holds {plain(data.y[np.argmax(strange)])!r}, which is no class "
                "of y; leave its rows out"
            )
        return self._numbered(data)

    def _numbered(self, data: Data) -> tuple[np.ndarray, np.ndarray]:
        """Labels as numbers of classes, and the weights of the rows with those of their classes."""
        weight = self._weights(data, len(data.y))
        if self.class_weight is not None:
            weight = weight * compute_sample_weight(self.class_weight, data.y)
            if not weight.any():
                raise ValueError(
                    f"HistGradientBoostingClassifier(class_weight={self.class_weight!r}): no row is left with a "
                    "positive weight"
                )
        return _class_numbers(np.asarray(data.y), self.classes_), weight

    def _recoding(self, y: np.ndarray) -> Targets:
        if self.class_weight is None:
            return Targets(self.classes_)
        _, first = np.unique(y, return_index=True)
        return Targets(self.classes_, compute_sample_weight(self.class_weight, y)[first])

    def _loss(self) -> Any:
        K = len(self.classes_)
        return BinomialLoss() if K == 2 else MultinomialLoss(K)

    def decision_function(self, X) -> np.ndarray:
        """Raw scores: log odds for two classes, one column a class for more."""
        raw = self._raw_predict(X)
        return raw[:, 0] if raw.shape[1] == 1 else raw

    def predict_proba(self, X) -> np.ndarray:
        """Class probabilities."""
        return self._probabilities(self._raw_predict(X))

    def predict(self, X) -> np.ndarray:
        """The most probable class; of two, the second where its score is above 0."""
        return self._label(self._raw_predict(X))

    def _label(self, raw: np.ndarray) -> np.ndarray:
        # Scores near 0 give two probabilities of ½: the sign is what is left to go by.
        return self.classes_[(raw[:, 0] > 0.0).astype(int) if raw.shape[1] == 1 else raw.argmax(axis=1)]

    def staged_decision_function(self, X):
        """Raw scores after every round, as `decision_function` gives them."""
        for raw in self._staged_raw(X):
            yield raw[:, 0] if raw.shape[1] == 1 else raw

    def staged_predict(self, X):
        """Classes after every round."""
        for raw in self._staged_raw(X):
            yield self._label(raw)

    def staged_predict_proba(self, X):
        """Class probabilities after every round."""
        for raw in self._staged_raw(X):
            yield self._probabilities(raw)

    def _probabilities(self, raw: np.ndarray) -> np.ndarray:
        p = self._mean(raw)
        return p if p.ndim == 2 else np.column_stack([1.0 - p, p])


def _class_numbers(y: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The place of each label among the classes, in as few bytes as will do: 64 bits are found a block at a time."""
    found = np.empty(len(y), dtype=np.min_scalar_type(len(classes) - 1))
    for low in range(0, len(y), BLOCK):
        found[low : low + BLOCK] = np.searchsorted(classes, y[low : low + BLOCK])
    return found
