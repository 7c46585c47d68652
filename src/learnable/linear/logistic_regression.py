"""Logistic regression, binary and multinomial."""

import warnings
from collections.abc import Iterator
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Hidden, Interval, StrOptions

from learnable.base import Data, Fitting, LinearClassifier, class_indices, class_weights
from learnable.panel import Entry
from learnable.problems.categorical import probabilities
from learnable.problems.conventions import l2_from_inverse_strength
from learnable.solvers import newton, newton_cg, sampled_newton
from learnable.solvers.likelihood import CategoricalLikelihood
from learnable.solvers.newton import NewtonState
from learnable.trace import Status, budget, first_of, reached

# A Hessian with more rows than this is not formed; its products with vectors are.
LARGEST_HESSIAN = 1200
# Rows a parameter in the sample whose curvature stands for that of all rows, where there are many.
SAMPLE_ROWS = 100


class LogisticRegression(LinearClassifier):
    """Logistic regression: min over (B, b) of C Σ wᵢ (−log P(yᵢ | xᵢ)) + ½ ‖B‖².

    Two classes: P(second class | x) = 1 / (1 + e^{−(x·β + b)}). More: P(k | x) = e^{x·β_k + b_k} / Σ_l e^{x·β_l + b_l}.
    The objective is convex, so a vanishing gradient is a global minimum. Found by Newton's method (iteratively
    reweighted least squares) with step halving; with the curvature of a sample of the rows when there are very many
    rows, and by conjugate gradients when there are very many parameters.
    Drop-in for `sklearn.linear_model.LogisticRegression` with the L2 penalty or none. Syllabus: C5, C6, C7.

    Parameters
    ----------
    penalty : deprecated; "l2" or None (which means C=inf).
    C : float, default=1.0
        Inverse of the penalty; `np.inf` for none.
    l1_ratio : float, default=0.0
        Kept for compatibility; must be 0.
    dual, intercept_scaling, random_state, verbose : kept for compatibility; without effect.
    tol : float, default=1e-4
        The fit ends once the largest entry of the gradient of the mean loss is at most this.
    fit_intercept : bool, default=True
    class_weight : dict, "balanced" or None, default=None
    solver : default="lbfgs"
        Every name of scikit-learn's is accepted; the minimum is the same.
    max_iter : int, default=100
        Newton steps at most.
    warm_start : bool, default=False
        Start from the last solution.
    n_jobs : int, default=None
        Threads over blocks of rows; the answer is the same for any number.

    Attributes
    ----------
    classes_ : array (K,)
    coef_ : array (1, p) for two classes, else (K, p)
    intercept_ : array (1,) or (K,)
    n_iter_ : array (1,), Newton steps made
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`

    Claims
    ------
    C5 : the gradient vanishes to `tol`; with a penalty, a duality gap that bounds the distance to the minimum.
    C8 : without a penalty, the classes are not separated, so that the maximum likelihood estimate exists.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.linear import LogisticRegression
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array(["no", "no", "yes", "yes"])
    >>> model = LogisticRegression().fit(X, y)
    >>> model.predict([[3.0]]), model.certificate_.holds
    (array(['yes'], dtype='<U3'), True)
    """

    _parameter_constraints: ClassVar = {
        "penalty": [StrOptions({"l1", "l2", "elasticnet"}), None, Hidden(StrOptions({"deprecated"}))],
        "C": [Interval(Real, 0, None, closed="right")],
        "l1_ratio": [Interval(Real, 0, 1, closed="both"), None],
        "dual": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "intercept_scaling": [Interval(Real, 0, None, closed="neither")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "random_state": ["random_state"],
        "solver": [StrOptions({"lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"})],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "verbose": ["verbose"],
        "warm_start": ["boolean"],
        "n_jobs": [None, Integral],
    }
    panel = (Entry("classification", "logistic regression", {"C": [0.001, 0.01, 0.1, 1.0, 10.0, 100.0]}),)

    def __init__(
        self,
        penalty="deprecated",
        *,
        C=1.0,
        l1_ratio=0.0,
        dual=False,
        tol=1e-4,
        fit_intercept=True,
        intercept_scaling=1,
        class_weight=None,
        random_state=None,
        solver="lbfgs",
        max_iter=100,
        verbose=0,
        warm_start=False,
        n_jobs=None,
    ):
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.dual = dual
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.random_state = random_state
        self.solver = solver
        self.max_iter = max_iter
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        y : array (n,) of class labels; None when the rows carry them
        sample_weight : array (n,), default=None
        """
        return self._learn(X, y, sample_weight=sample_weight)

    def predict_proba(self, X) -> np.ndarray:
        """P(class | x), one column a class in the order of `classes_`.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        """
        scores = self.decision_function(X)
        if scores.ndim == 2:
            return probabilities(scores)
        second = probabilities(scores[:, None])
        return np.hstack([1.0 - second, second])

    def predict_log_proba(self, X) -> np.ndarray:
        """log P(class | x).

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        """
        return np.log(self.predict_proba(X))

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        self._refuse_other_penalties()
        data = self._validated(
            X,
            y,
            sample_weight,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            accept_large_sparse=True,
        )
        if data.y is None:
            self.classes_ = data.rows.reduce(lambda block: np.unique(block.y), np.union1d)
            class_indices(self.classes_, type(self).__name__)
            if self.class_weight is not None:
                raise ValueError("class_weight is not available for rows read in blocks; give the rows weights instead")
            encoded = data
        else:
            self.classes_, index = class_indices(data.y, type(self).__name__)
            weight = class_weights(self.class_weight, self.classes_, data.y, data.sample_weight)
            encoded = Data(data.X, index, weight)
        objective = self._likelihood(encoded)
        p, K = objective.p, objective.n_scores
        dtype = np.float32 if encoded.rows.dtype == np.float32 else np.float64

        def attributes(state):
            coef = state.theta[:p].T.astype(dtype)
            intercept = state.theta[p].astype(dtype) if self.fit_intercept else np.zeros(K, dtype=dtype)
            return {"coef_": coef, "intercept_": intercept, "n_iter_": np.array([state.steps], dtype=np.int32)}

        return Fitting(
            self._iterates(objective, encoded),
            first_of(reached("gradient_norm", self.tol), budget(self.max_iter + 1)),
            attributes,
            data,
            max_steps=self.max_iter + 1,
            ended=Status.STATIONARY,
        )

    def _likelihood(self, data: Data) -> CategoricalLikelihood:
        classes = self.classes_
        encode = (lambda labels: np.searchsorted(classes, labels)) if data.y is None else None
        objective = CategoricalLikelihood(
            data.rows, 1 if len(classes) == 2 else len(classes), self.fit_intercept, encode, self.n_jobs
        )
        if self.penalty is not None and np.isfinite(self.C):
            objective.alpha = l2_from_inverse_strength(self.C, objective.weight_sum)
        return objective

    def _iterates(self, objective: CategoricalLikelihood, data: Data) -> Iterator[NewtonState]:
        """Newton's method in the form that the numbers of rows and parameters call for."""
        start = self._start(objective.shape)
        parameters = int(np.prod(objective.shape))
        if parameters > LARGEST_HESSIAN:
            return newton_cg.iterates(objective, start)
        n_sample = max(SAMPLE_ROWS * parameters, 5000)
        if data.y is not None and objective.rows.n_rows >= 4 * n_sample:
            # Any fixed choice serves: the sample shapes the steps, not the answer.
            chosen = np.sort(np.random.default_rng(0).choice(objective.rows.n_rows, n_sample, replace=False))
            weight = None if data.sample_weight is None else data.sample_weight[chosen]
            sample = Data(data.X[chosen], data.y[chosen], weight)
            if np.bincount(sample.y, minlength=len(self.classes_)).min() >= 10:
                over_sample = self._likelihood(sample)
                over_sample.alpha = objective.alpha
                return sampled_newton.iterates(objective, over_sample, start)
        return newton.iterates(objective, start)

    def _start(self, shape: tuple[int, int]) -> np.ndarray | None:
        if not self.warm_start or not hasattr(self, "coef_") or self.coef_.T.shape != (self.n_features_in_, shape[1]):
            return None
        return np.vstack([self.coef_.T, self.intercept_]) if self.fit_intercept else self.coef_.T

    def _refuse_other_penalties(self) -> None:
        if self.penalty in ("l1", "elasticnet") or self.l1_ratio:
            raise ValueError(
                f"LogisticRegression(penalty={self.penalty!r}, l1_ratio={self.l1_ratio}): only the L2 penalty "
                "(l1_ratio=0) or none (C=inf) is fitted here"
            )
        if self.penalty != "deprecated":
            warnings.warn(
                "LogisticRegression: 'penalty' is deprecated; use C=np.inf instead of penalty=None and leave it out "
                "for the L2 penalty",
                FutureWarning,
                stacklevel=5,
            )
