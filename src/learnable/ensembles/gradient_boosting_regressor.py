"""Gradient boosting for numbers, with exact trees."""

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from learnable.base import Data
from learnable.ensembles.gradient_boosting import GradientBoosting
from learnable.problems.ensembles.boosting_losses import AbsoluteLoss, HuberLoss, QuantileLoss, SquaredLoss


class GradientBoostingRegressor(RegressorMixin, GradientBoosting):
    """Gradient boosting: pseudo-residuals −∂L/∂f, a regression tree fitted to them, the best step in every leaf.

    Trees search all thresholds; for many rows `HistGradientBoostingRegressor` is faster. Huber: ½r² up to δ, then
    δ(|r| − ½δ), with δ the `alpha`-quantile of |r| in each round. Parameters and defaults of
    `sklearn.ensemble.GradientBoostingRegressor`, without ccp_alpha. Syllabus: B7, B12.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "huber", "quantile"}, default="squared_error"
    learning_rate, n_estimators : steps η and rounds
    subsample : float, default=1.0, share of the rows drawn for each round
    max_depth, max_leaf_nodes, max_features, min_samples_split, min_samples_leaf : the trees
    min_weight_fraction_leaf, min_impurity_decrease : the trees too
    alpha : float, default=0.9, quantile of "huber" and "quantile"
    criterion : has no effect, for its two values rank the splits of a node in the same way; warned about where given
    n_iter_no_change, validation_fraction, tol : early stopping on rows set aside
        The same rows as in scikit-learn with the same number as `random_state`.
    init : None, "zero" or an estimator, default=None
        What boosting starts from: the best constant, zero, or the predictions of an estimator fitted first.
    warm_start : bool, default=False, whether a further fit goes on from the trees there are
        The trees to come may have another depth and size, a smaller `subsample` and another `learning_rate`.
    verbose : int, default=0
        1 prints the losses of the first ten rounds, then of every tenth, every hundredth, …; 2 those of every round.
    random_state : int or None

    Attributes
    ----------
    trees_ : list of `Tree`, fitted to pseudo-residuals; steps_ : list of arrays, what their leaves add to f
    oob_scores_, oob_improvement_, oob_score_ : with subsample < 1, losses on the rows that a round leaves out
        0 for rounds before a warm start that leave none out.
    init_ : the estimator `init`, fitted
    grown_with_ : dict, the parameters of the last fit
    grown_before_ : list of (rounds, dict), after a warm start with other ones: those of the trees up to these rounds
    start_ : array (1,), the best constant
    train_loss_, validation_loss_ : mean losses after 0, 1, … rounds
    n_estimators_ : int; train_rows_ : rows not set aside; seed_ : of the draws, with subsample < 1
    certificate_ : `certificates.Certificate`, which claims
        B7 : every tree is the CART tree of the pseudo-residuals computed again, its steps are the best of their
        leaves, losses are as stated and (no subsample, rate ≤ 1, not Huber) never rise. B12 : validation losses.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.ensembles import GradientBoostingRegressor
    >>> X = np.linspace(0.0, 1.0, 80)[:, None]
    >>> model = GradientBoostingRegressor(loss="huber", n_estimators=30).fit(X, np.sin(6.0 * X[:, 0]))
    >>> model.score(X, np.sin(6.0 * X[:, 0])) > 0.95, model.certificate_.holds
    (True, True)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = GradientBoosting._parameter_constraints | {
        "init": [StrOptions({"zero"}), None, HasMethods(["fit", "predict"])],
        "loss": [StrOptions({"squared_error", "absolute_error", "huber", "quantile"})],
        "alpha": [Interval(Real, 0, 1, closed="neither")],
    }

    def __init__(
        self,
        *,
        loss="squared_error",
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
        alpha=0.9,
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
        self.alpha = alpha
        self.verbose = verbose
        self.max_leaf_nodes = max_leaf_nodes
        self.warm_start = warm_start
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol

    def _targets(self, data: Data) -> tuple[np.ndarray, np.ndarray]:
        y = np.asarray(data.y, dtype=float)
        return y, np.ones(len(y)) if data.sample_weight is None else data.sample_weight.astype(float)

    def _loss(self) -> Any:
        return {
            "squared_error": SquaredLoss(), "absolute_error": AbsoluteLoss(), "huber": HuberLoss(self.alpha),
            "quantile": QuantileLoss(self.alpha),
        }[self.loss]  # fmt: skip

    def predict(self, X) -> np.ndarray:
        """Predicted means (medians, quantiles)."""
        return self._mean(self._raw_predict(X))

    def staged_predict(self, X):
        """Predictions after every round."""
        for raw in self._staged_raw(X):
            yield self._mean(raw).copy()
