"""Linear regression by stochastic gradient descent."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from learnable.base import Data, LinearRegressor
from learnable.base.fit_context import fit_context
from learnable.linear.stochastic_gradient_model import (
    DEFAULT_EPSILON,
    Problems,
    StochasticGradientModel,
)
from learnable.problems.linear.losses import Squared
from learnable.problems.linear.regression_losses import EpsilonInsensitive, Huber, SquaredEpsilonInsensitive
from learnable.rows import Block, Rows, is_streamed


class SGDRegressor(StochasticGradientModel, LinearRegressor):
    """Linear regression by stochastic gradient descent on J(θ, b) = Σ wᵢ ℓ(yᵢ, θ·xᵢ + b) / n + α φ(θ).

    Scale the columns first: one rate serves them all. Drop-in for `sklearn.linear_model.SGDRegressor`; the random
    orders are not the same as there. Syllabus: O2, D4.

    Parameters
    ----------
    loss : {"squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive"}, default="squared_error"
        ½ r²; ½ r² up to `epsilon` and a line beyond; (|r| − ε)₊; its square.
    penalty, alpha, l1_ratio, fit_intercept, max_iter, tol, shuffle, verbose, epsilon, random_state, early_stopping, \
validation_fraction, n_iter_no_change, warm_start, average : as in `SGDClassifier`.
    learning_rate : default="invscaling"
        As in `SGDClassifier`.
    eta0 : float, default=0.01
    power_t : float, default=0.25
    batch_size : int, default=1
        Rows a step: each moves against the mean gradient of so many rows, the last one of an epoch of what is left.

    Attributes
    ----------
    coef_ : array (p,)
    intercept_ : array (1,)
    n_iter_ : int, epochs made. t_ : float, steps made plus one.
    objective_ : float, J over all rows given to `fit`.
    standard_coef_, standard_intercept_ : with `average`, the last point itself.
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        O2 : the objective reported is that of this answer, and no worse than that of zero.
        O6 : the objective is above its minimum by at most a duality gap (for the squared error, by exactly so much),
        which is proved where it is within 1e-6 of the objective without coefficients; with a larger one nothing is.
        Nothing is claimed about `n_iter_`, `t_` and the last point.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.linear import SGDRegressor
    >>> X = np.linspace(-1.0, 1.0, 50)[:, None]
    >>> model = SGDRegressor(learning_rate="adaptive", eta0=0.1, random_state=0).fit(X, 3.0 * X[:, 0] + 1.0)
    >>> model.coef_.round(1), model.certificate_.holds
    (array([3.]), True)
    """

    loss_functions: ClassVar = {
        "squared_error": (Squared,),
        "huber": (Huber, DEFAULT_EPSILON),
        "epsilon_insensitive": (EpsilonInsensitive, DEFAULT_EPSILON),
        "squared_epsilon_insensitive": (SquaredEpsilonInsensitive, DEFAULT_EPSILON),
    }
    _parameter_constraints: ClassVar = StochasticGradientModel.shared_constraints | {
        "loss": [StrOptions(set(loss_functions))]
    }

    def __init__(
        self,
        loss="squared_error",
        *,
        penalty="l2",
        alpha=0.0001,
        l1_ratio=0.15,
        fit_intercept=True,
        max_iter=1000,
        tol=1e-3,
        shuffle=True,
        verbose=0,
        epsilon=DEFAULT_EPSILON,
        random_state=None,
        learning_rate="invscaling",
        eta0=0.01,
        power_t=0.25,
        early_stopping=False,
        validation_fraction=0.1,
        n_iter_no_change=5,
        warm_start=False,
        average=False,
        batch_size=1,
    ):
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.epsilon = epsilon
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.average = average
        self.batch_size = batch_size

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, coef_init=None, intercept_init=None, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array or sparse matrix (n, p). Also a dask array or data frame, or `rows.ParquetRows`: an epoch goes through
            the blocks in their order, and with `shuffle` through the rows of a block in random order, so that without
            `shuffle` the answer is that of an array, to rounding.
        y : array (n,), None for rows that carry their targets
        coef_init, intercept_init : start other than zero
        sample_weight : array (n,), default=None
        """
        return self._learn(X, y, coef_init=coef_init, intercept_init=intercept_init, sample_weight=sample_weight)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y=None, sample_weight=None):
        """One epoch over some rows, from where the last call ended.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        y : array (n,)
        sample_weight : array (n,), default=None
        """
        if is_streamed(X):
            return self._through_blocks(X, y, sample_weight)
        first = not hasattr(self, "coef_")
        if first:
            self._refuse_combinations(streaming=True)
        data = self._checked(X, y, sample_weight, reset=first)
        self._continue(data.X, self._problems(data), first)
        return self

    def _problems(self, data: Data) -> Problems:
        weight = np.ones(len(data.y)) if data.sample_weight is None else np.asarray(data.sample_weight, dtype=float)
        return Problems(np.asarray(data.y, dtype=float)[None, :], weight[None, :])

    def _problems_of_blocks(self, rows: Rows) -> tuple[int, Callable[[Block], Problems]]:
        return 1, _of_block

    def _split(self, data: Data) -> tuple[np.ndarray, np.ndarray]:
        from sklearn.model_selection import ShuffleSplit

        split = ShuffleSplit(test_size=self.validation_fraction, random_state=self.random_state)
        learn_from, aside = next(split.split(np.zeros((len(data.y), 1))))
        return np.sort(learn_from), np.sort(aside)

    def _error(self, target: np.ndarray, score: np.ndarray, weight: np.ndarray) -> float:
        """1 − R²."""
        spread = weight @ (target - np.average(target, weights=weight)) ** 2
        lost = weight @ (target - score) ** 2
        return float(lost / spread) if spread > 0.0 else float(lost > 0.0)

    def _answer(self, coef: np.ndarray, intercept: np.ndarray) -> dict[str, np.ndarray]:
        return {"coef_": coef[0], "intercept_": intercept}

    def _reported(self, objective: np.ndarray, margin: np.ndarray) -> dict[str, Any]:
        return {"objective_": float(objective[0])}


def _of_block(block: Block) -> Problems:
    weight = np.ones(block.stop - block.start) if block.weight is None else block.weight
    return Problems(np.asarray(block.y, dtype=float)[None, :], np.asarray(weight, dtype=float)[None, :])
