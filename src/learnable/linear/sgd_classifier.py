"""Linear classifiers fitted by stochastic gradient descent."""

from collections.abc import Callable
from functools import partial
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if

from learnable.base import Data, LinearClassifier, SparseCoefficients, class_indices, class_weights
from learnable.base.fit_context import fit_context
from learnable.linear.stochastic_gradient_model import (
    DEFAULT_EPSILON,
    Problems,
    StochasticGradientModel,
)
from learnable.plain import plain
from learnable.problems.linear.losses import Hinge, Logistic, PerceptronLoss, Squared
from learnable.problems.linear.margin_losses import ModifiedHuber, SquaredHinge
from learnable.problems.linear.regression_losses import EpsilonInsensitive, Huber, SquaredEpsilonInsensitive
from learnable.rows import Block, Rows, is_streamed
from learnable.rows.labels import labels


def _gives_probabilities(model) -> bool:
    if model.loss not in ("log_loss", "modified_huber"):
        raise AttributeError(f"probability estimates are not available for loss={model.loss!r}")
    return True


class SGDClassifier(SparseCoefficients, StochasticGradientModel, LinearClassifier):
    """Linear classifier by stochastic gradient descent on J(θ, b) = Σ wᵢ ℓ(yᵢ(θ·xᵢ + b)) / n + α φ(θ).

    Visits the rows in random order and moves against the gradient of one row at a time, or the mean gradient of
    `batch_size` rows, at a falling rate; what it finds is near the minimum, and its certificate says how near. More
    than two classes: one against the rest. For data that arrive as a stream there is `partial_fit`. Drop-in for
    `sklearn.linear_model.SGDClassifier`; the random orders are not the same as there. Syllabus: O2, P10, D3.

    Parameters
    ----------
    loss : default="hinge"
        "hinge", "log_loss", "modified_huber", "squared_hinge", "perceptron", or a regression loss on labels ±1:
        "squared_error", "huber", "epsilon_insensitive", "squared_epsilon_insensitive".
    penalty : {"l2", "l1", "elasticnet"} or None, default="l2"
    alpha : float, default=0.0001
        Strength of the penalty, and of the rate "optimal".
    l1_ratio : float, default=0.15
        Mix of the elastic net.
    fit_intercept : bool, default=True
    max_iter : int, default=1000
        Epochs at most; exactly as many when `tol` is None.
    tol : float or None, default=1e-3
        Give up when the mean objective met in an epoch has not improved by this for `n_iter_no_change` epochs.
    shuffle : bool, default=True
    verbose, n_jobs : kept for compatibility; without effect.
    epsilon : float, default=0.1
        Width of the regression losses.
    random_state : int, RandomState or None, default=None
    learning_rate : default="optimal"
        η: "optimal" 1/(α(t₀ + t)), "constant" eta0, "invscaling" eta0/t^power_t, "adaptive" eta0 divided by 5 when
        progress stalls, "pa1" min(eta0, ℓ/‖x‖²), "pa2" ℓ/(‖x‖² + 1/(2 eta0)).
    eta0 : float, default=0.01
    power_t : float, default=0.5
    early_stopping : bool, default=False
        Watch the error on rows set aside instead of the objective.
    validation_fraction : float, default=0.1
        That part; the same rows as in scikit-learn with the same `random_state`.
    n_iter_no_change : int, default=5
    class_weight : dict, "balanced" or None, default=None
    warm_start : bool, default=False
    average : bool or int, default=False
        Answer with the mean of all points passed, or of those from this step on.
    batch_size : int, default=1
        Rows a step: each moves against the mean gradient of so many rows, the last one of an epoch of what is left.

    Attributes
    ----------
    classes_ : array (K,)
    coef_ : array (1, p) for two classes, else (K, p)
    intercept_ : array (1,) or (K,)
    n_iter_ : int, epochs made. t_ : float, steps made plus one.
    objective_ : array, J of each binary problem over all rows given to `fit`.
    smallest_margin_ : array, smallest y·f of each binary problem.
    standard_coef_, standard_intercept_ : with `average`, the last point itself.
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        O2 : the objective reported is that of this answer, and no worse than that of zero. P3 : so is the margin.
        O6 : the objective is above its minimum by at most a duality gap, which is proved where it is within 1e-6 of
        the objective without coefficients. The algorithm promises no accuracy: with a larger gap nothing is proved.
        Nothing is claimed about `n_iter_`, `t_` and the last point.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.linear import SGDClassifier
    >>> X, y = np.array([[-1.0, -1.0], [-2.0, -1.0], [1.0, 1.0], [2.0, 1.0]]), np.array([1, 1, 2, 2])
    >>> model = SGDClassifier(random_state=0).fit(X, y)
    >>> model.predict([[-0.8, -1.0]]), str(model.certificate_.verdict)
    (array([1]), 'nothing asserted')
    >>> model.certificate_.claim("O6").value < 0.1  # how near to the minimum
    True
    """

    loss_functions: ClassVar = {
        "hinge": (Hinge,),
        "squared_hinge": (SquaredHinge,),
        "perceptron": (PerceptronLoss,),
        "log_loss": (Logistic,),
        "modified_huber": (ModifiedHuber,),
        "squared_error": (Squared,),
        "huber": (Huber, DEFAULT_EPSILON),
        "epsilon_insensitive": (EpsilonInsensitive, DEFAULT_EPSILON),
        "squared_epsilon_insensitive": (SquaredEpsilonInsensitive, DEFAULT_EPSILON),
    }
    _parameter_constraints: ClassVar = StochasticGradientModel.shared_constraints | {
        "loss": [StrOptions(set(loss_functions))],
        "n_jobs": [Integral, None],
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

    classes_: np.ndarray

    def __init__(
        self,
        loss="hinge",
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
        n_jobs=None,
        random_state=None,
        learning_rate="optimal",
        eta0=0.01,
        power_t=0.5,
        early_stopping=False,
        validation_fraction=0.1,
        n_iter_no_change=5,
        class_weight=None,
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
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
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
        y : array (n,) of class labels; None for rows that carry them
        coef_init, intercept_init : start other than zero
        sample_weight : array (n,), default=None
        """
        return self._learn(X, y, coef_init=coef_init, intercept_init=intercept_init, sample_weight=sample_weight)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y=None, classes=None, sample_weight=None):
        """One epoch over some rows, from where the last call ended.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        y : array (n,) of class labels
        classes : array (K,), all classes; needed in the first call
        sample_weight : array (n,), default=None
        """
        if is_streamed(X):
            return self._through_blocks(X, y, sample_weight, classes=classes)
        first = not hasattr(self, "classes_")
        if first:
            self._refuse_combinations(streaming=True)
        if first and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        if not first and classes is not None and not np.array_equal(self.classes_, np.unique(classes)):
            raise ValueError(
                f"classes={plain(classes)!r} is not the same as on last call to partial_fit: {self.classes_!r}"
            )
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight 'balanced' is not supported for partial_fit. In order to use 'balanced' weights, use "
                "compute_class_weight('balanced', classes=classes, y=y). In place of y you can use a large enough "
                "sample of the full training set target to properly estimate the class frequency distributions. Pass "
                "the resulting weights as the class_weight parameter."
            )
        data = self._checked(X, y, sample_weight, reset=first)
        known = np.unique(classes) if first else self.classes_
        if strangers := set(np.unique(data.y).tolist()) - set(known.tolist()):
            raise ValueError(f"y holds classes {sorted(strangers)} that were not passed to the first partial_fit")
        if len(known) < 2:
            raise ValueError(f"SGDClassifier.partial_fit(classes={plain(classes)!r}): at least 2 classes are needed")
        self._continue(data.X, self._one_against_rest(data, known), first)
        self.classes_ = known
        return self

    @available_if(_gives_probabilities)
    def predict_proba(self, X) -> np.ndarray:
        """P(class | x), one column a class: σ(f) for the log loss, (clip(f, −1, 1) + 1) / 2 for the modified Huber.

        More than two classes: each against the rest, divided by their sum.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        """
        scores = self.decision_function(X)
        share = expit(scores) if self.loss == "log_loss" else 0.5 * (np.clip(scores, -1.0, 1.0) + 1.0)
        if share.ndim == 1:
            return np.column_stack([1.0 - share, share])
        total = share.sum(axis=1, keepdims=True)
        # When no class claims the row, all are equally likely.
        share[total[:, 0] == 0.0] = 1.0
        return share / np.where(total == 0.0, share.shape[1], total)

    @available_if(_gives_probabilities)
    def predict_log_proba(self, X) -> np.ndarray:
        """log P(class | x).

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        """
        return np.log(self.predict_proba(X))

    def _problems(self, data: Data) -> Problems:
        self.classes_, _ = class_indices(data.y, type(self).__name__)
        return self._one_against_rest(data, self.classes_)

    def _problems_of_blocks(self, rows: Rows) -> tuple[int, Callable[[Block], Problems]]:
        if self.class_weight is not None:
            raise ValueError("class_weight is not available for rows read in blocks; give the rows weights instead")
        self.classes_ = labels(rows, type(self).__name__)
        class_indices(self.classes_, type(self).__name__)
        positive = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        return len(positive), partial(_of_block, positive)

    def _one_against_rest(self, data: Data, classes: np.ndarray) -> Problems:
        """Labels ±1 and row weights; with several classes, a class weight counts for the rows of its own class."""
        positive = classes[1:] if len(classes) == 2 else classes
        labels = np.where(data.y == positive[:, None], 1.0, -1.0)
        weight = np.ones(labels.shape) if data.sample_weight is None else np.tile(data.sample_weight, (len(labels), 1))
        of_class = class_weights(self.class_weight, classes, data.y, None)
        if of_class is not None:
            weight = weight * np.where((labels > 0.0) | (len(classes) == 2), of_class, 1.0)
        return Problems(labels, weight.astype(float))

    def _split(self, data: Data) -> tuple[np.ndarray, np.ndarray]:
        from sklearn.model_selection import StratifiedShuffleSplit

        split = StratifiedShuffleSplit(test_size=self.validation_fraction, random_state=self.random_state)
        learn_from, aside = next(split.split(np.zeros((len(data.y), 1)), data.y))
        return np.sort(learn_from), np.sort(aside)

    def _error(self, target: np.ndarray, score: np.ndarray, weight: np.ndarray) -> float:
        return float(np.average((score >= 0.0) != (target > 0.0), weights=weight))

    def _answer(self, coef: np.ndarray, intercept: np.ndarray) -> dict[str, np.ndarray]:
        return {"coef_": coef, "intercept_": intercept}

    def _reported(self, objective: np.ndarray, margin: np.ndarray) -> dict[str, Any]:
        return {"objective_": objective, "smallest_margin_": margin}


def _of_block(positive: np.ndarray, block: Block) -> Problems:
    labels = np.where(block.y == positive[:, None], 1.0, -1.0)
    weight = np.ones(labels.shape[1]) if block.weight is None else np.asarray(block.weight, dtype=float)
    return Problems(labels, np.tile(weight, (len(labels), 1)))
