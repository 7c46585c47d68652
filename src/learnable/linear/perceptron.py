"""The perceptron."""

from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from learnable.base import Data, Fitting, LinearClassifier, SparseCoefficients, class_indices, class_weights
from learnable.base.fit_context import fit_context
from learnable.panel import Entry
from learnable.plain import plain
from learnable.problems.sparse.penalties import L1, L2, ElasticNet
from learnable.solvers.linear import perceptron
from learnable.trace import Status, budget, first_of, reached, stalled


class Perceptron(SparseCoefficients, LinearClassifier):
    """The perceptron: on every mistake, y(θ·x + b) ≤ 0, move θ ← θ + η y x and b ← b + η y.

    Starts at zero, visits the rows pass after pass and ends with the first pass without a mistake: then y(θ·x + b) > 0
    for every row. With `fit_intercept=False` the separator passes through the origin, and a mistake is yθ·x ≤ 0;
    with an offset it is the same algorithm on the points (x, 1). The rows come as they stand (`shuffle=False`), or in
    a new order each pass; `RandomMisclassifiedPerceptron` takes any misclassified row instead. Every mistake is
    logged: their number is `n_mistakes_`, and the rows of `mistake_log_` add up to θ = η Σ y x.

    If some separator θ* has margin γ on rows of length at most R, there are no more than (R‖θ*‖/γ)² mistakes, whatever
    the order: see `mistake_bound`. `watch` gives every pass, and in its `updates` every single update: the number of
    the visit, the row, its margin before and after, θ. More than two classes: one against the rest. Drop-in for
    `sklearn.linear_model.Perceptron`. Syllabus: P5–P8, P10, P11.

    Parameters
    ----------
    penalty : {"l2", "l1", "elasticnet"} or None, default=None
        Followed by a proximal step after every visit.
    alpha : float, default=0.0001
        Strength of the penalty.
    l1_ratio : float, default=0.15
        Mix of the elastic net.
    fit_intercept : bool, default=True
        Whether b is free; otherwise the separator passes through the origin.
    max_iter : int, default=1000
        Passes at most.
    tol : float or None, default=1e-3
        Give up when the mean loss of a pass has not improved by this for `n_iter_no_change` passes.
    shuffle : bool, default=True
        Visit the rows in a new random order in each pass, rather than as they stand.
    verbose, n_jobs : kept for compatibility; without effect.
    eta0 : float, default=1.0
        Learning rate η; it scales θ and changes nothing else.
    random_state : int, RandomState or None, default=0
    early_stopping : bool, default=False
        Give up on the error of a part of the rows set aside instead of the loss.
    validation_fraction : float, default=0.1
        That part; the same rows as in scikit-learn's split with the same `random_state`.
    n_iter_no_change : int, default=5
    class_weight : dict, "balanced" or None, default=None
    warm_start : bool, default=False

    Attributes
    ----------
    classes_ : array (K,)
    coef_ : array (1, p) for two classes, else (K, p)
    intercept_ : array (1,) or (K,)
    n_iter_ : int, passes made
    t_ : int, rows visited plus one
    n_mistakes_ : int, mistakes made in all
    mistake_log_ : list of arrays, the rows on which mistakes were made, in order, one array a binary problem; only
        when the fit started at zero
    status_ : `trace.Status`; "optimal" when the last pass made no mistake
    certificate_ : `certificates.Certificate`, which claims
        P5 : every logged update answered a mistake, and no row is on the wrong side. P9 : the updates add up to θ.
        P8 : when θ separates the rows, the number of mistakes is within Novikoff's bound with θ itself as the
        witness. Where rows are left on the wrong side, or there is no log, nothing is proved. Nothing is claimed
        about `n_iter_` and `t_`.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.linear import Perceptron
    >>> X, y = np.array([[2.0, 1.0], [1.0, 2.0], [-1.0, -1.0], [-2.0, 0.5]]), np.array([1, 1, 0, 0])
    >>> model = Perceptron(shuffle=False).fit(X, y)
    >>> model.n_mistakes_, str(model.status_), model.certificate_.holds
    (1, 'optimal', True)
    >>> from learnable import watch
    >>> for step in watch(Perceptron(shuffle=False), X, y):
    ...     for update in step.state.updates[0]:
    ...         print(update.t, update.row, update.before, update.after, update.theta)
    1 0 0.0 6.0 [2. 1.]
    """

    _redone = True
    _draws_as_given = True
    _parameter_constraints: ClassVar = {
        "penalty": [StrOptions({"l2", "l1", "elasticnet"}), None],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "l1_ratio": [Interval(Real, 0, 1, closed="both")],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left"), None],
        "shuffle": ["boolean"],
        "verbose": ["verbose"],
        "eta0": [Interval(Real, 0, None, closed="neither")],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "warm_start": ["boolean"],
    }
    panel = (Entry("classification", "perceptron", fixed={"max_iter": 100}),)

    def __init__(
        self,
        *,
        penalty=None,
        alpha=0.0001,
        l1_ratio=0.15,
        fit_intercept=True,
        max_iter=1000,
        tol=1e-3,
        shuffle=True,
        verbose=0,
        eta0=1.0,
        n_jobs=None,
        random_state=0,
        early_stopping=False,
        validation_fraction=0.1,
        n_iter_no_change=5,
        class_weight=None,
        warm_start=False,
    ):
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.eta0 = eta0
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, coef_init=None, intercept_init=None, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        y : array (n,) of class labels
        coef_init, intercept_init : start other than zero
        sample_weight : array (n,), default=None
            Scales the step on each row.
        """
        return self._learn(X, y, coef_init=coef_init, intercept_init=intercept_init, sample_weight=sample_weight)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """One pass over some rows, from where the last call ended.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        y : array (n,) of class labels
        classes : array (K,), all classes; needed in the first call
        sample_weight : array (n,), default=None
        """
        first = not hasattr(self, "classes_")
        if first and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        if not first and classes is not None and not np.array_equal(self.classes_, np.unique(classes)):
            raise ValueError(
                f"classes={plain(classes)!r} is not the same as on last call to partial_fit: {self.classes_!r}"
            )
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' is not supported for partial_fit: the classes of rows to come are not known; "
                "pass the weights as a dict"
            )
        data = self._validated(
            X,
            y,
            sample_weight,
            accept_sparse="csr",
            dtype=np.float64,
            order="C",
            reset=first,
            blocks=False,
            extremes=False,
        )
        known = np.unique(classes) if first else self.classes_
        if strangers := set(np.unique(data.y).tolist()) - set(known.tolist()):
            raise ValueError(f"y holds classes {sorted(strangers)} that were not passed to the first partial_fit")
        start = None if first else (self.coef_, self.intercept_)
        state = next(iter(self._iterates(data, known, start)))
        self.classes_ = known
        self.t_ = getattr(self, "t_", 1) + len(data.y)
        self.n_iter_ = 1
        self.coef_, self.intercept_ = state.coef, state.intercept
        # What a fit says about itself does not hold of rows added since.
        self._drop({"certificate_", "status_", "mistake_log_", "n_mistakes_"} & set(vars(self)))
        return self

    def _pose(self, X, y, coef_init=None, intercept_init=None, sample_weight=None) -> Fitting:
        data = self._validated(
            X, y, sample_weight, accept_sparse="csr", dtype=np.float64, order="C", blocks=False, extremes=False
        )
        before = getattr(self, "classes_", np.zeros(0))
        self.classes_, _ = class_indices(data.y, type(self).__name__)
        start = self._start(coef_init, intercept_init, same_classes=np.array_equal(before, self.classes_))
        self._drop({"mistake_log_"} & set(vars(self)))  # of the fit that a warm start begins with
        rules = [reached("mistakes", 0)] if self.penalty is None else []
        training, chosen = data, np.arange(len(data.y), dtype=np.int32)
        if self.early_stopping:
            training, held_out, chosen = self._set_aside(data)
            rules.append(stalled(lambda state: self._error(state, held_out), self.tol or 0.0, self.n_iter_no_change))
        elif self.tol is not None:
            rules.append(stalled("objective", self.tol, self.n_iter_no_change))
        passes = 0
        logs: list[list[np.ndarray]] = [[] for _ in range(1 if len(self.classes_) == 2 else len(self.classes_))]

        def logged():
            nonlocal passes
            for state in self._iterates(training, self.classes_, start):
                passes += 1
                for log, made in zip(logs, state.log):
                    log.append(made)
                yield state

        def attributes(state):
            log = [chosen[np.concatenate(passes_made)] for passes_made in logs]
            found = {
                "coef_": state.coef.copy(),
                "intercept_": state.intercept.copy(),
                "n_iter_": passes,
                "t_": passes * len(training.y) + 1,
                "n_mistakes_": sum(len(made) for made in log),
            }
            # The log adds up to the answer only when it tells of every update since zero.
            return found if start is not None else found | {"mistake_log_": log}

        return Fitting(
            logged(),
            first_of(*rules, budget(self.max_iter)),
            attributes,
            data,
            max_steps=self.max_iter,
            advice="raise max_iter, or tol if the classes overlap",
            ended=Status.OPTIMAL,
        )

    def _iterates(self, data: Data, classes: np.ndarray, start):
        positive = classes[1:] if len(classes) == 2 else classes
        labels = np.where(data.y == positive[:, None], np.int8(1), np.int8(-1))
        rate = self.eta0 * self._rates(data, classes, labels)
        generator = np.random.default_rng(_seed(self.random_state)) if self.shuffle else None
        penalty = {
            None: L2(0.0),
            "l2": L2(self.alpha),
            "l1": L1(self.alpha),
            "elasticnet": ElasticNet(self.alpha, self.l1_ratio),
        }[self.penalty]
        return perceptron.iterates(
            data.X,
            labels,
            rate,
            perceptron.Orders(len(data.y), generator),
            self.fit_intercept,
            penalty,
            self.eta0 if self.penalty is not None else 0.0,
            start,
        )

    def _rates(self, data: Data, classes: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """(K, n): the weight of each row in each one-against-rest problem; a class weight counts for its own rows.

        (K, 1) where every row has weight one.
        """
        rows = np.ones(1) if data.sample_weight is None else data.sample_weight
        weight = class_weights(self.class_weight, classes, data.y, None)
        if weight is None:
            return np.tile(rows, (len(labels), 1))
        own = (labels > 0) if len(classes) > 2 else np.ones_like(labels, dtype=bool)
        return np.where(own, weight, 1.0) * rows

    def _start(self, coef_init, intercept_init, same_classes: bool):
        K = 1 if len(self.classes_) == 2 else len(self.classes_)
        if coef_init is None and self.warm_start and same_classes and hasattr(self, "coef_"):
            coef_init, intercept_init = self.coef_, self.intercept_
        if coef_init is None and intercept_init is None:
            return None
        coef = np.zeros((K, self.n_features_in_)) if coef_init is None else np.asarray(coef_init, dtype=float)
        offset = np.zeros(K) if intercept_init is None else np.asarray(intercept_init, dtype=float)
        if coef.size != K * self.n_features_in_ or offset.size != K:
            raise ValueError(
                f"Provided coef_init has shape {coef.shape} and intercept_init {offset.shape}, which does not match "
                f"dataset: {(K, self.n_features_in_)} and {(K,)} are needed"
            )
        return coef.reshape(K, self.n_features_in_), offset.reshape(K)

    def _set_aside(self, data: Data) -> tuple[Data, Data, np.ndarray]:
        from sklearn.model_selection import train_test_split

        index = np.arange(len(data.y))
        train, held_out = train_test_split(
            index, test_size=self.validation_fraction, random_state=self.random_state, stratify=data.y
        )

        def part(rows):
            weight = None if data.sample_weight is None else data.sample_weight[rows]
            return Data(data.X[rows], data.y[rows], weight)

        return part(train), part(held_out), train.astype(np.int32)

    def _error(self, state, held_out: Data) -> float:
        scores = np.asarray(held_out.X @ state.coef.T) + state.intercept
        index = (scores[:, 0] >= 0.0).astype(int) if len(state.intercept) == 1 else scores.argmax(axis=1)
        return float(np.average(self.classes_[index] != held_out.y, weights=held_out.sample_weight))


def _seed(random_state) -> int | None:
    """A seed for a NumPy generator from scikit-learn's `random_state`."""
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    return random_state
