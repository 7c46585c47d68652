"""Networks that classify."""

from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import column_or_1d

from learnable.base import class_indices
from learnable.base.fit_context import fit_context
from learnable.neural.multilayer_perceptron import STOCHASTIC, LabelledRows, MultilayerPerceptron
from learnable.panel import Entry
from learnable.plain import plain
from learnable.solvers.neural.targets import Targets


def goes_on(model) -> bool:
    """Whether `partial_fit` exists: L-BFGS needs all rows at once."""
    if model.solver not in STOCHASTIC:
        raise AttributeError(
            f"partial_fit is only available for stochastic optimizers. {model.solver} is not stochastic."
        )
    return True


class MLPClassifier(ClassifierMixin, MultilayerPerceptron):
    """Classifier by a network of dense layers, minimising the mean negative log-likelihood.

    J(θ) = Σᵢ wᵢ ℓ(yᵢ, uᵢ) / Σᵢ wᵢ + (α/2 ‖W‖² + l1 ‖W‖₁) / m, where u is what the last layer gives, ℓ = log Σ e^u − u_y
    for several classes (softmax output) and ℓ = log(1 + e^u) − y u for two; W are the weights without biases, and m is
    the number of rows of a batch (of all rows, by weight, for L-BFGS), as in scikit-learn. Training goes once forward
    and once back through the layers for each batch. Drop-in for `sklearn.neural_network.MLPClassifier`; the random
    numbers are not the same as there. Syllabus: NN1, NN3 to NN7, C11.

    Parameters
    ----------
    hidden_layer_sizes : ints, default=(100,)
        Units of each hidden layer; `()` gives logistic regression.
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
        Whether a part of the rows is set aside, and the epoch with the best accuracy there is kept.
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

    Attributes
    ----------
    coefs_, intercepts_ : lists of arrays, weights (in, out) and biases of each layer.
    scales_, shifts_, running_means_, running_variances_ : lists of arrays, with `batch_norm` only.
    objective_ : float, J over the rows learned from, as the network predicts.
    gradient_norms_ : array, length of ∂J for each array of parameters.
    loss_, loss_curve_, best_loss_ : J as met by the batches of the last epoch, of every epoch, and the least of them.
    validation_rows_, validation_scores_, best_validation_score_ : with early stopping.
    classes_, n_iter_, t_, n_layers_, n_outputs_, out_activation_, n_features_in_
    status_ : `trace.Status`.
    certificate_ : see `learnable.certify`. Claimed are J and the gradient's lengths as reported, the gradient
        by differences along directions nobody chose, and a stationary point only where one was reached.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.neural import MLPClassifier
    >>> X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), ["no", "yes", "yes", "no"]
    >>> model = MLPClassifier((8,), activation="tanh", solver="lbfgs", random_state=0).fit(X, y)
    >>> model.predict(X).tolist()
    ['no', 'yes', 'yes', 'no']
    >>> model.certificate_.holds
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = MultilayerPerceptron.shared_constraints
    panel = (
        Entry(
            "classification",
            "neural network",
            {"alpha": [0.1, 1.0, 10.0]},
            {"hidden_layer_sizes": (50,), "learning_rate_init": 0.01, "tol": 1e-3},
            fewest_rows=100,
        ),
    )
    classes_: np.ndarray

    def __init__(
        self,
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
    ):
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

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Train the network.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        y : array (n,) of class labels, or (n, K) of 0 and 1 where a row may have several
        sample_weight : array (n,), default=None
        """
        self.__dict__.pop("_rule", None)
        return self._learn(X, y, sample_weight=sample_weight)

    @available_if(goes_on)
    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, sample_weight=None, classes=None):
        """One epoch over some rows, from where the last call ended.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        y : array (n,) of class labels
        sample_weight : array (n,), default=None
        classes : array (K,), all classes; needed in the first call
        """
        known = getattr(self, "classes_", None)
        if known is None:
            if classes is None:
                raise ValueError("classes must be passed on the first call to partial_fit.")
            known = np.unique(classes)
            if len(known) < 2:
                raise ValueError(f"partial_fit(classes={plain(list(known))!r}): at least 2 classes are needed")
        elif classes is not None and not np.array_equal(known, np.unique(classes)):
            raise ValueError(
                f"`classes={plain(classes)!r}` is not the same as on last call to partial_fit, was: {known!r}"
            )
        self._continue(X, y, sample_weight, known)
        self.classes_ = known
        return self

    def predict(self, X) -> np.ndarray:
        """The most probable class of each row; with several labels a row, 1 for each above one half.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        """
        found = self._outputs(X)
        if self.out_activation_ == "softmax":
            return self.classes_[found.argmax(axis=1)]
        if found.shape[1] == 1:
            return self.classes_[(found[:, 0] >= 0.5).astype(np.intp)]
        return (found > 0.5).astype(int)

    def predict_proba(self, X) -> np.ndarray:
        """P(class | x), one column a class.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        """
        found = self._outputs(X)
        return np.column_stack([1.0 - found[:, 0], found[:, 0]]) if found.shape[1] == 1 else found

    def predict_log_proba(self, X) -> np.ndarray:
        """log P(class | x).

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _targets(self, y: np.ndarray, known: Any) -> Targets:
        if y.ndim == 2 and y.shape[1] > 1:
            if type_of_target(y) != "multilabel-indicator":
                raise ValueError(
                    f"{type(self).__name__}: y has {y.shape[1]} columns that are not all 0 and 1; give class labels, "
                    "or one column of 0 and 1 a label"
                )
            self.classes_ = np.arange(y.shape[1])
            return Targets(np.asarray(y, dtype=bool))
        y = column_or_1d(y, warn=True)
        if known is None:
            self.classes_, index = class_indices(y, type(self).__name__)
        else:
            index = self._places(y, known)
            self.classes_ = known
        if len(self.classes_) == 2:
            return Targets((index == 1)[:, None])
        return Targets.of_classes(index.astype(np.intp), len(self.classes_))

    def _places(self, y: np.ndarray, known: np.ndarray) -> np.ndarray:
        present = np.unique(y)
        if self.warm_start and "coefs_" in vars(self) and not np.array_equal(present, known):
            raise ValueError(
                "warm_start can only be used where `y` has the same classes as in the previous call to fit. "
                f"Previously got {known}, `y` has {present}"
            )
        if len(np.setdiff1d(present, known)):
            raise ValueError(
                f"{type(self).__name__}: `y` has classes not in `self.classes_`. `self.classes_` has {known}. 'y' has "
                f"{present}."
            )
        return np.searchsorted(known, y)

    def _output(self, targets: Targets) -> str:
        return "logistic" if targets.classes is None else "softmax"

    def _merit(self, found: np.ndarray, held_out: LabelledRows) -> float:
        """Accuracy: the share of rows with every label right."""
        targets = held_out.targets
        if targets.classes is not None:
            right = found.argmax(axis=1) == targets.classes
        else:
            right = np.all((found > 0.5) == targets.values, axis=1)
        return float(np.average(right, weights=held_out.weight))

    def _strata(self, y: np.ndarray, targets: Targets) -> np.ndarray | None:
        return np.ravel(y) if targets.values.shape[1] == 1 else None

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
