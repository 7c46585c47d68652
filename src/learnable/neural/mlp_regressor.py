"""Networks that predict numbers."""

from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import column_or_1d

from learnable.base.fit_context import fit_context
from learnable.neural.mlp_classifier import goes_on
from learnable.neural.multilayer_perceptron import LabelledRows, MultilayerPerceptron
from learnable.panel import Entry
from learnable.solvers.neural.targets import Targets

# Targets whose deviation is less than this, beside their mean, do not vary.
ROUNDING = 64.0 * float(np.finfo(float).eps)


def _goes_on(model: Any) -> bool:
    """As `goes_on`, for targets as they are: of those still to come nobody knows the mean."""
    if model.standardize_targets:
        raise AttributeError(
            f"{type(model).__name__}.partial_fit: standardize_targets=True needs the mean of all targets, of which "
            "some rows tell nothing; scale y yourself and set standardize_targets=False"
        )
    return goes_on(model)


class MLPRegressor(RegressorMixin, MultilayerPerceptron):
    """Regression by a network of dense layers, minimising half the squared error or half the Poisson deviance.

    J(θ) = Σᵢ wᵢ ℓ(yᵢ, uᵢ) / Σᵢ wᵢ + (α/2 ‖W‖² + l1 ‖W‖₁) / m, where u is what the last layer gives, ℓ = ½ ‖y − u‖² or
    the Poisson deviance of e^u, each summed over the targets; W are the weights without biases, and m is the number of
    rows of a batch (of all rows, by weight, for L-BFGS). Drop-in for `sklearn.neural_network.MLPRegressor`; with
    several targets its `loss_` there is a mean over them, while the gradient, there as here, is that of the sum. The
    random numbers are not the same as there. Syllabus: NN1, NN3, NN5 to NN7.

    Parameters
    ----------
    loss : {"squared_error", "poisson"}, default="squared_error"
        "poisson" has the output e^u and needs y ≥ 0.
    hidden_layer_sizes : ints, default=(100,)
        Units of each hidden layer; `()` gives a linear model.
    activation : {"identity", "logistic", "tanh", "relu"}, default="relu"
    solver : {"lbfgs", "sgd", "adam"}, default="adam"
    alpha : float, default=0.0001
        Strength of the ℓ2 penalty.
    batch_size : int or "auto", default="auto"
        Rows of a batch; "auto" is min(200, n). All rows give gradient descent, one row stochastic gradient descent.
    learning_rate : {"constant", "invscaling", "adaptive"}, default="constant"
        For "sgd": η, η / (t + 1)^power_t after t rows, or η divided by 5 whenever the loss stops falling.
    learning_rate_init : float, default=0.001
        η.
    power_t : float, default=0.5
    max_iter : int, default=200
        Epochs at most.
    shuffle : bool, default=True
        Whether rows are put in a new order before each epoch.
    random_state : int, RandomState, Generator or None, default=None
    tol : float, default=1e-4
        Progress by less than this, for more than `n_iter_no_change` epochs, ends the training; for "lbfgs", the
        largest entry of the gradient.
    verbose : bool, default=False
        Whether to print the loss of every epoch; callbacks see more.
    warm_start : bool, default=False
        Whether to begin where the last fit ended.
    momentum : float, default=0.9
    nesterovs_momentum : bool, default=True
    early_stopping : bool, default=False
        Whether a part of the rows is set aside, and the epoch with the best R² there is kept.
    validation_fraction : float, default=0.1
    beta_1, beta_2, epsilon : floats, default=0.9, 0.999, 1e-8
        For "adam".
    n_iter_no_change : int, default=10
    max_fun : int, default=15000
        Evaluations of J at most, for "lbfgs".
    l1 : float, default=0.0
        Strength of the ℓ1 penalty.
    dropout : float in [0, 1), default=0.0
        Probability that a hidden unit is dropped for a batch; those kept count 1/(1 − dropout).
    batch_norm : bool, default=False
        Whether what enters each hidden activation is normalised to mean 0 and variance 1 over the batch, then scaled
        and shifted; for prediction by running averages.
    clip_norm : float or None, default=None
        Longest gradient of a step.
    device : {"cpu", "cuda", "cuda:<number>", "torch", "auto"} or None, default=None
        Where mini-batches are computed, see `learnable.device.place_for`; None for what `config_context(device=...)`
        says, the CPU if nothing. L-BFGS runs on the CPU.
    dtype : {"float32", "float64"} or None, default=None
        Precision of the training; None for that of X.
    standardize_targets : bool, default=False
        Whether the network learns (y − mean) / deviation, of the rows learned from, and predictions are put back into
        the units of y. Weights begin small: to reach targets far from zero, or of other sizes than 1, takes them many
        steps. J, its gradient and `alpha` are then about the standardised targets.

    Attributes
    ----------
    coefs_, intercepts_ : lists of arrays, weights (in, out) and biases of each layer.
    scales_, shifts_, running_means_, running_variances_ : lists of arrays, with `batch_norm` only.
    objective_ : float, J over the rows learned from, as the network predicts.
    gradient_norms_ : array, length of ∂J for each array of parameters.
    loss_, loss_curve_, best_loss_ : J as met by the batches of the last epoch, of every epoch, and the least of them.
    validation_rows_, validation_scores_, best_validation_score_ : with early stopping.
    target_means_, target_deviations_ : arrays (targets,), with `standardize_targets` only.
    n_iter_, t_, n_layers_, n_outputs_, out_activation_, n_features_in_
    status_ : `trace.Status`.
    certificate_ : the claims of `MLPClassifier`: J, the gradient, and a stationary point only where one was reached.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.neural import MLPRegressor
    >>> X = np.linspace(-1.0, 1.0, 40)[:, None]
    >>> model = MLPRegressor(hidden_layer_sizes=(10,), activation="tanh", solver="lbfgs", random_state=0, max_iter=500)
    >>> bool(model.fit(X, X[:, 0] ** 2).score(X, X[:, 0] ** 2) > 0.99)
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = MultilayerPerceptron.shared_constraints | {
        "loss": [StrOptions({"squared_error", "poisson"})],
        "standardize_targets": ["boolean"],
    }
    target_means_: np.ndarray
    target_deviations_: np.ndarray
    panel = (
        Entry(
            "regression",
            "neural network",
            {"alpha": [0.1, 1.0, 10.0]},
            {"hidden_layer_sizes": (50,), "learning_rate_init": 0.01, "tol": 1e-3, "standardize_targets": True},
            fewest_rows=100,
        ),
    )  # fmt: skip

    def __init__(
        self,
        loss="squared_error",
        hidden_layer_sizes=(100,),
        activation="relu",
        *,
        solver="adam",
        alpha=0.0001,
        batch_size="auto",
        learning_rate="constant",
        learning_rate_init=0.001,
        power_t=0.5,
        max_iter=200,
        shuffle=True,
        random_state=None,
        tol=1e-4,
        verbose=False,
        warm_start=False,
        momentum=0.9,
        nesterovs_momentum=True,
        early_stopping=False,
        validation_fraction=0.1,
        beta_1=0.9,
        beta_2=0.999,
        epsilon=1e-8,
        n_iter_no_change=10,
        max_fun=15000,
        l1=0.0,
        dropout=0.0,
        batch_norm=False,
        clip_norm=None,
        device=None,
        dtype=None,
        standardize_targets=False,
    ):
        self.loss = loss
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.solver = solver
        self.alpha = alpha
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.learning_rate_init = learning_rate_init
        self.power_t = power_t
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.random_state = random_state
        self.tol = tol
        self.verbose = verbose
        self.warm_start = warm_start
        self.momentum = momentum
        self.nesterovs_momentum = nesterovs_momentum
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.epsilon = epsilon
        self.n_iter_no_change = n_iter_no_change
        self.max_fun = max_fun
        self.l1 = l1
        self.dropout = dropout
        self.batch_norm = batch_norm
        self.clip_norm = clip_norm
        self.device = device
        self.dtype = dtype
        self.standardize_targets = standardize_targets

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Train the network.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        y : array (n,) or (n, targets)
        sample_weight : array (n,), default=None
        """
        self.__dict__.pop("_rule", None)
        if not self.standardize_targets:  # a warm start goes on from a fit that may have done so
            self._drop({"target_means_", "target_deviations_"} & vars(self).keys())
        return self._learn(X, y, sample_weight=sample_weight)

    @available_if(_goes_on)
    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, sample_weight=None):
        """One epoch over some rows, from where the last call ended.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        y : array (n,) or (n, targets)
        sample_weight : array (n,), default=None
        """
        self._continue(X, y, sample_weight, None)
        return self

    def predict(self, X) -> np.ndarray:
        """Predicted targets.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        """
        found = self._outputs(X)
        if self.standardize_targets:
            found = found * self.target_deviations_.astype(found.dtype) + self.target_means_.astype(found.dtype)
        return found[:, 0] if found.shape[1] == 1 else found

    def _targets(self, y: np.ndarray, known: Any) -> Targets:
        if y.ndim == 2 and y.shape[1] == 1:
            y = column_or_1d(y, warn=True)
        if self.loss == "poisson" and self.standardize_targets:
            raise ValueError(
                f"{type(self).__name__}(loss='poisson', standardize_targets=True): counts have no other unit; set "
                "standardize_targets=False"
            )
        if self.loss == "poisson" and np.any(y < 0.0):
            raise ValueError(f"{type(self).__name__}(loss='poisson'): y must be >= 0, but {np.min(y)} is in it")
        return Targets(y.reshape(len(y), -1).astype(float))

    def _units(self, rows: LabelledRows) -> dict[str, np.ndarray]:
        if not self.standardize_targets:
            return {}
        y = rows.targets.values
        mean = np.average(y, axis=0, weights=rows.weight)
        deviation = np.sqrt(np.average((y - mean) ** 2, axis=0, weights=rows.weight))
        varies = deviation > ROUNDING * np.abs(mean)
        return {"target_means_": mean, "target_deviations_": np.where(varies, deviation, 1.0)}

    def _output(self, targets: Targets) -> str:
        return "exp" if self.loss == "poisson" else "identity"

    def _merit(self, found: np.ndarray, held_out: LabelledRows) -> float:
        from sklearn.metrics import r2_score

        return float(r2_score(held_out.targets.values, found, sample_weight=held_out.weight))

    def _strata(self, y: np.ndarray, targets: Targets) -> np.ndarray | None:
        return None
