"""Gradient boosting on histograms for numbers."""

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import Interval, StrOptions

from learnable.base import Data
from learnable.ensembles.histogram_boosting import HistogramBoosting
from learnable.panel import Entry
from learnable.problems.ensembles.boosting_losses import (
    AbsoluteLoss,
    GammaLoss,
    PoissonLoss,
    QuantileLoss,
    SquaredLoss,
)


class HistGradientBoostingRegressor(RegressorMixin, HistogramBoosting):
    """Gradient boosting: f ← f + η h_m, where h_m is a tree fitted to the gradients of the loss at f.

    Cells are put into at most 255 bins. A tree of at most 31 leaves grows at the leaf of the largest gain
    G_L²/(H_L+λ) + G_R²/(H_R+λ) − G²/(H+λ), with sums of gradients G and curvatures H; a leaf holds −G/(H+λ), and for
    absolute error and quantiles the best constant of its residuals. Missing cells go to the better side,
    infinite ones of a table in memory are numbers beyond all others.
    Drop-in for `sklearn.ensemble.HistGradientBoostingRegressor`. Syllabus: B7, B12.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "gamma", "poisson", "quantile"}, default="squared_error"
    quantile : float, needed for loss="quantile"
    learning_rate : float, default=0.1
    max_iter : int, default=100
    max_leaf_nodes, max_depth, min_samples_leaf, l2_regularization, max_features, max_bins : the trees
    categorical_features : mask, numbers, names, "from_dtype" (default) or None
    monotonic_cst : array of −1, 0, 1 or {name: sign}
    interaction_cst : "pairwise", "no_interactions" or sets of columns that may meet in a tree
    warm_start : bool, default=False
    early_stopping : "auto" (above 10 000 rows, or with `X_val`) or bool
    scoring : "loss", the name of a score, a scorer, or None for `score`; what rounds are judged by
    validation_fraction : the share of the rows that judge them, or how many; None for the training rows themselves
        The same rows as in scikit-learn with the same number as `random_state`.
    n_iter_no_change, tol : rounds without a gain above `tol` that end the fit, which keeps them
    verbose : kept for compatibility
    random_state : int or None

    Attributes
    ----------
    trees_ : `problems.ensembles.boosted_trees.BoostedTrees`, all trees
    baseline_ : array (1,), the best constant
    bin_thresholds_ : list of arrays
    n_iter_, n_trees_per_iteration_ : int
    train_score_, validation_score_ : arrays, minus the mean loss after 0, 1, … rounds; with another `scoring` that
        score of the rows which decide, at most 10 000 where these are training rows
    do_early_stopping_ : bool; train_rows_ : the rows that were not held out
    certificate_ : `certificates.Certificate`, which claims
        B7 : with the gradients computed again from the data, round by round: leaf values, counts of rows, splits
        against all candidates, losses stated, predictions; squared, absolute and quantile loss never rise.
        B12 : validation losses.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.ensembles import HistGradientBoostingRegressor
    >>> X = np.linspace(0.0, 1.0, 200)[:, None]
    >>> model = HistGradientBoostingRegressor(max_iter=30).fit(X, np.sin(6.0 * X[:, 0]))
    >>> model.score(X, np.sin(6.0 * X[:, 0])) > 0.95, model.certificate_.holds
    (True, True)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = HistogramBoosting._parameter_constraints | {
        "loss": [StrOptions({"squared_error", "absolute_error", "gamma", "poisson", "quantile"})],
        "quantile": [Interval(Real, 0, 1, closed="both"), None],
    }
    # Few rows are judged by nested cross-validation, whose many fits cost more than a rate well chosen brings.
    panel = (
        Entry(
            "regression", "boosting", {"min_samples_leaf": [5, 20]},
            fixed={"max_iter": 60, "learning_rate": 0.05, "max_leaf_nodes": 8}, most_rows=199,
        ),
        # Too few rows to give some up to early stopping.
        Entry(
            "regression", "boosting", {"learning_rate": [0.02, 0.06, 0.15], "min_samples_leaf": [5, 20]},
            fixed={"max_iter": 100, "max_leaf_nodes": 8}, fewest_rows=200, most_rows=1999,
        ),
        # Settings are tried from the middle on, of two the second first.
        Entry(
            "regression", "boosting", {"max_leaf_nodes": [31, 8]},
            fixed={"early_stopping": True, "max_iter": 300, "learning_rate": 0.05}, fewest_rows=2000,
        ),
    )  # fmt: skip

    def __init__(
        self,
        loss="squared_error",
        *,
        quantile=None,
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
    ):
        self.loss = loss
        self.quantile = quantile
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

    def _targets(self, data: Data) -> tuple[np.ndarray, np.ndarray]:
        y = np.asarray(data.y, dtype=float)
        weight = self._weights(data, len(y))
        owner = "HistGradientBoostingRegressor"
        if self.loss == "poisson" and (np.any(y < 0.0) or not y.sum() > 0.0):
            raise ValueError(
                f"{owner}: loss='poisson' requires non-negative y and sum(y) > 0. The least y is {y.min():g} and their "
                f"sum {y.sum():g}: choose another loss"
            )
        if self.loss == "gamma" and np.any(y <= 0.0):
            raise ValueError(
                f"{owner}: loss='gamma' requires strictly positive y. The least y is {y.min():g}: choose another loss"
            )
        return y, weight

    def _loss(self) -> Any:
        if self.loss == "quantile":
            if self.quantile is None:
                raise ValueError("HistGradientBoostingRegressor(loss='quantile'): give quantile, a number in [0, 1]")
            return QuantileLoss(float(self.quantile))
        return {
            "squared_error": SquaredLoss(), "absolute_error": AbsoluteLoss(), "poisson": PoissonLoss(),
            "gamma": GammaLoss(),
        }[self.loss]  # fmt: skip

    def predict(self, X) -> np.ndarray:
        """Predicted means (quantiles, medians)."""
        return self._mean(self._raw_predict(X))

    def staged_predict(self, X):
        """Predictions after every round."""
        for raw in self._staged_raw(X):
            yield self._mean(raw)
