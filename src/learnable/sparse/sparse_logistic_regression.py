"""Logistic regression with few coefficients."""

from collections.abc import Callable, Iterator
from numbers import Integral, Real
from typing import ClassVar, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils._param_validation import Interval, StrOptions

from learnable.base import Data, Fitting, LinearClassifier, SparseCoefficients, class_indices, class_weights
from learnable.base.fit_context import fit_context
from learnable.base.kept import kept_as_data
from learnable.base.validation import block_squares
from learnable.panel import Entry
from learnable.problems.core.conventions import violation_target
from learnable.problems.linear.categorical import probabilities
from learnable.problems.sparse.penalties import ElasticNet
from learnable.rows import Rows, examine, is_streamed, one_blas_thread
from learnable.rows.labels import labels
from learnable.rows.mapped import with_class_numbers
from learnable.rows.targets import Target, with_target
from learnable.solvers.sparse import newton_in_blocks, proximal_newton
from learnable.solvers.sparse.proximal_newton import ProximalState
from learnable.sparse.near_columns import near_columns
from learnable.trace import Status, budget, drive, first_of, reached


class SparseLogisticRegression(SparseCoefficients, LinearClassifier):
    """min over (B, b) of Σ wᵢ (−log P(yᵢ | xᵢ)) / Σ wᵢ + α ‖B‖₁, between two classes or softmax among more.

    The same minimum as `LogisticRegression(l1_ratio=1, C=1/(α Σ wᵢ))`, with the penalty in the units of the other
    sparse models: from α = `largest_alpha` on every coefficient is zero. Proximal Newton steps on a growing working
    set of coefficients, those of all classes together. Syllabus: L21.

    Parameters
    ----------
    alpha : float, default=0.01
        Penalty, > 0.
    fit_intercept : bool, default=True
    class_weight : dict, "balanced" or None, default=None
    max_iter : int, default=1000
        Rounds over growing working sets at most.
    tol : float, default=1e-4
        The fit ends once no optimality condition is violated by more than tol, in units of α for coefficients and of
        the mean slope without columns for intercepts.
    warm_start : bool, default=False
        Start from the last solution.

    Attributes
    ----------
    classes_ : array (K,)
    coef_ : array (1, p) for two classes, else (K, p)
    intercept_ : array (1,) or (K,)
    n_iter_ : array (1,), rounds made
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        L21 : the duality gap, of the loss of the best constant, and the shares of the classes. O6 : the gap itself.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.sparse import SparseLogisticRegression
    >>> X = np.array([[-2.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [2.0, 1.0]])
    >>> model = SparseLogisticRegression(alpha=0.1).fit(X, ["no", "no", "yes", "yes"])
    >>> model.coef_.round(2), model.certificate_.holds
    (array([[1.78, 0.  ]]), True)
    """

    _parameter_constraints: ClassVar = {
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "fit_intercept": ["boolean"],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "warm_start": ["boolean"],
    }
    panel = (Entry("classification", "sparse logistic regression", {"alpha": [0.0003, 0.001, 0.003, 0.01, 0.03, 0.1]}),)

    def __init__(self, alpha=0.01, *, fit_intercept=True, class_weight=None, max_iter=1000, tol=1e-4, warm_start=False):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start

    @fit_context(prefer_skip_nested_validation=True)
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
        X : array or sparse matrix (n, p)
        """
        scores = self.decision_function(X)
        if scores.ndim == 2:
            return probabilities(scores)
        second = probabilities(scores[:, None])
        return np.hstack([1.0 - second, second])

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        data = self._validated(
            X, y, sample_weight, accept_sparse=["csr", "csc"], dtype=[np.float64, np.float32], extremes=False,
        )  # fmt: skip
        iterates, centre = self._iterates_in_blocks(data.rows) if data.y is None else self._iterates(data)
        p, K = self.n_features_in_, 1 if len(self.classes_) == 2 else len(self.classes_)

        def attributes(state):
            intercept = state.theta[p] - centre @ state.theta[:p] if self.fit_intercept else np.zeros(K)
            coef, intercept = kept_as_data(state.theta[:p], intercept, data.rows, self.fit_intercept)
            # One number added to all classes changes no probability.
            intercept = intercept - intercept.mean() if K > 1 else intercept
            return {
                "coef_": coef.T,
                "intercept_": intercept,
                "n_iter_": np.array([state.steps], dtype=np.int32),
            }

        return Fitting(
            iterates,
            first_of(reached("relative_violation", violation_target(self.tol)), budget(self.max_iter + 1)),
            attributes,
            Data(data.X, data.y, data.sample_weight),
            max_steps=self.max_iter + 1,
            ended=Status.STATIONARY,
        )

    def _iterates(self, data: Data) -> tuple[Iterator[ProximalState], np.ndarray]:
        """(states, what was taken off the columns)."""
        self.classes_, index = class_indices(data.y, type(self).__name__)
        weight = class_weights(self.class_weight, self.classes_, data.y, data.sample_weight)
        K, penalty = 1 if len(self.classes_) == 2 else len(self.classes_), ElasticNet(float(self.alpha), 1.0)
        near, centre = near_columns(data.X, self.fit_intercept)
        start = self._start(K, centre)
        return proximal_newton.iterates(near, index, K, weight, penalty, self.fit_intercept, start), centre

    def _iterates_in_blocks(self, rows: Rows) -> tuple[Iterator[ProximalState], np.ndarray]:
        if self.class_weight is not None:
            raise ValueError("class_weight is not available for rows read in blocks; give the rows weights instead")
        self.classes_ = labels(rows, type(self).__name__)
        class_indices(self.classes_, type(self).__name__)
        numbered, centre = with_class_numbers(rows, self.classes_), np.zeros(self.n_features_in_)
        K, penalty = len(self.classes_), ElasticNet(float(self.alpha), 1.0)
        start = self._start(1 if K == 2 else K, centre)
        return newton_in_blocks.categorical_iterates(numbered, K, penalty, self.fit_intercept, start), centre

    def _start(self, n_scores: int, centre: np.ndarray) -> np.ndarray | None:
        if not self.warm_start or not hasattr(self, "coef_"):
            return None
        coef = self.coef_.toarray() if sparse.issparse(self.coef_) else self.coef_
        if coef.T.shape != (self.n_features_in_, n_scores):
            return None
        return np.vstack([coef.T, self.intercept_ + coef @ centre]) if self.fit_intercept else coef.T


class LogisticPath(NamedTuple):
    """Solutions along falling penalties.

    Attributes
    ----------
    alphas : (k,) penalties.
    coefs : (k, K, p) and intercepts : (k, K), K = 1 for two classes.
    violations : (k,) largest violation of an optimality condition.
    """

    alphas: np.ndarray
    coefs: np.ndarray
    intercepts: np.ndarray
    violations: np.ndarray


def largest_alpha(X, y=None, sample_weight=None, *, fit_intercept=True) -> float:
    """The least α of `SparseLogisticRegression` at which every coefficient is zero: max |Xᵀ(indicator − share)| / n.

    Parameters
    ----------
    X, y, sample_weight : as in `SparseLogisticRegression.fit`.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.sparse import largest_alpha
    >>> largest_alpha(np.array([[-1.0], [1.0], [3.0], [5.0]]), [0, 0, 1, 1])
    1.0
    """
    return _posed(X, y, sample_weight, fit_intercept, "largest_alpha").largest()


def sparse_logistic_path(
    X, y=None, alphas=30, *, eps: float = 1e-2, sample_weight=None, fit_intercept=True, tol=1e-4, max_iter=100
) -> LogisticPath:
    """`SparseLogisticRegression` for many penalties, each starting at the solution before.

    Parameters
    ----------
    X, y, sample_weight : as in `SparseLogisticRegression.fit`.
    alphas : int or array, default=30
        Penalties, or how many from `largest_alpha` down to `eps` of it.
    eps : float, default=1e-2
    fit_intercept, tol, max_iter : as in `SparseLogisticRegression`.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.sparse import sparse_logistic_path
    >>> X = np.random.default_rng(0).standard_normal((100, 5))
    >>> path = sparse_logistic_path(X, X[:, 0] > 0.2 * X[:, 1], alphas=4)
    >>> [int(np.count_nonzero(coef)) for coef in path.coefs][:2]
    [0, 2]
    """
    with one_blas_thread():
        posed = _posed(X, y, sample_weight, fit_intercept, "sparse_logistic_path")
        if isinstance(alphas, Integral):
            top = posed.largest()
            alphas = np.geomspace(top, eps * top, int(alphas))
        alphas = np.sort(np.asarray(alphas, dtype=float))[::-1]
        if not len(alphas) or not alphas[-1] > 0.0:
            raise ValueError(f"sparse_logistic_path: alphas must be > 0, got {alphas}")
        theta, found = None, []
        for alpha in alphas:
            rounds = posed.iterates(ElasticNet(float(alpha), 1.0), theta)
            enough = reached("relative_violation", violation_target(tol))
            state = drive(rounds, first_of(enough, budget(max_iter + 1))).state
            theta, p = state.theta, len(state.theta) - fit_intercept
            found.append((theta[:p].T, theta[p] if fit_intercept else np.zeros(theta.shape[1]), state.violation))
    coefs, intercepts, violations = (np.array(part) for part in zip(*found))
    return LogisticPath(alphas, coefs, intercepts, violations)


class _Posed(NamedTuple):
    """A table in memory or in blocks: the largest penalty of use, and the states for a penalty from a start."""

    largest: Callable[[], float]
    iterates: Callable[[ElasticNet, np.ndarray | None], Iterator[ProximalState]]


def _posed(X, y, sample_weight, fit_intercept: bool, name: str) -> _Posed:
    if is_streamed(X):
        target = Target(numbers=False)
        rows = with_target(X, y, sample_weight, name, target)
        examine(rows, name, squares=block_squares, target=target)
        classes = labels(rows, name)
        class_indices(classes, name)
        rows, K = with_class_numbers(rows, classes), len(classes)
        return _Posed(
            lambda: newton_in_blocks.largest_level(rows, K, fit_intercept),
            lambda penalty, start: newton_in_blocks.categorical_iterates(rows, K, penalty, fit_intercept, start),
        )
    from sklearn.utils import check_X_y

    X, y = check_X_y(X, y, accept_sparse=["csr", "csc"], dtype=np.float64)
    classes, index = class_indices(np.asarray(y), name)
    K = 1 if len(classes) == 2 else len(classes)
    loss = proximal_newton.CategoricalLoss(index, K, sample_weight)
    return _Posed(
        lambda: proximal_newton.largest_level(X, loss, fit_intercept),
        lambda penalty, start: proximal_newton.loss_iterates(X, loss, penalty, fit_intercept, start),
    )
