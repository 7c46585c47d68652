"""The lasso of several targets that share their predictors."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import MultiOutputMixin
from sklearn.utils._param_validation import Interval, StrOptions

from learnable.base import Data, Fitting, LinearRegressor
from learnable.base.fit_context import fit_context
from learnable.problems.core.conventions import gap_target
from learnable.solvers.linear import least_squares
from learnable.solvers.linear.several_targets import several_targets
from learnable.solvers.sparse import multi_task_descent
from learnable.sparse.elastic_net import ADVICE
from learnable.trace import Status, budget, first_of, reached, to_the_end


class MultiTaskLasso(MultiOutputMixin, LinearRegressor):
    """Row selection: min over (B, b) of Σ wᵢ ‖yᵢ − Bᵀxᵢ − b‖² / (2 Σ wᵢ) + α Σ_j ‖B_j‖₂ over the rows B_j of B (p, q).

    A predictor is selected for every target or for none. The entrywise form, in which each target selects its own, is
    `Lasso` with several targets. Block coordinate descent on a growing working set, with Newton steps on the rows that
    are not zero. Drop-in for `sklearn.linear_model.MultiTaskLasso`; weights and sparse X are extras. Syllabus: L16.

    Parameters
    ----------
    alpha : float, default=1.0
        Penalty; 0 is least squares, which is solved directly.
    fit_intercept : bool, default=True
    copy_X, random_state, selection : kept for compatibility; X is never modified.
    max_iter : int, default=1000
        Rounds over growing working sets at most.
    tol : float, default=1e-4
        The fit ends once the duality gap is at most tol times what the answer explains of Σ wᵢ ‖yᵢ − ȳ‖² / Σ wᵢ.
    warm_start : bool, default=False
        Start from the last solution.

    Attributes
    ----------
    coef_ : array (q, p)
    sparse_coef_ : the same as a sparse matrix
    intercept_ : array (q,)
    dual_gap_ : float, duality gap of the answer; 0 for least squares
    eps_ : float, the gap that `tol` asks for
    n_iter_ : int, rounds made
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        L16 : the duality gap, recomputed from the data; the conditions of optimality:
        the longest row of correlations against α, and how far the rows of B are from pointing along theirs.
        With alpha=0, R1 : the residuals are orthogonal to every column.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.sparse import MultiTaskLasso
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    >>> Y = np.array([[3.0, 4.0], [0.1, 0.0], [-3.0, -4.0], [-0.1, 0.0]])
    >>> model = MultiTaskLasso(alpha=0.5).fit(X, Y)     # the first row (3, 4) shrinks from length 5 to 4
    >>> model.coef_.round(6)
    array([[2.4, 0. ],
           [3.2, 0. ]])
    >>> model.certificate_.holds
    True
    """

    _by_moments: ClassVar[bool] = True
    _parameter_constraints: ClassVar = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "copy_X": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "warm_start": ["boolean"],
        "random_state": ["random_state"],
        "selection": [StrOptions({"cyclic", "random"})],
    }

    def __init__(
        self,
        alpha=1.0,
        *,
        fit_intercept=True,
        copy_X=True,
        max_iter=1000,
        tol=1e-4,
        warm_start=False,
        random_state=None,
        selection="cyclic",
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.random_state = random_state
        self.selection = selection

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        y : array (n, q)
        sample_weight : array (n,), default=None
        """
        return self._learn(X, y, sample_weight=sample_weight)

    @property
    def sparse_coef_(self):
        """`coef_` as a sparse matrix."""
        return sparse.csr_matrix(self.coef_)

    def _pose(self, X, y=None, sample_weight=None) -> Fitting:
        data = self._validated(
            X, y, sample_weight, accept_sparse=["csc", "csr"], y_numeric=True, multi_output=True,
            dtype=[np.float64, np.float32], extremes=False, blocks=False)  # fmt: skip
        if data.y.ndim == 1:
            raise ValueError("MultiTaskLasso: y has one dimension. For mono-task outputs, use Lasso")
        data = data._replace(y=np.asarray(data.y, dtype=float))
        return self._pose_directly(data) if self.alpha == 0.0 else self._pose_descent(data)

    def _pose_directly(self, data: Data) -> Fitting:
        rows = data._replace(X=data.X.tocsr() if sparse.issparse(data.X) else data.X).rows

        def attributes(state):
            return self._answer(data, state.coef, state.intercept, 0.0, 0.0, 1)

        return Fitting(
            least_squares.iterates(rows, np.zeros(1), self.fit_intercept),
            to_the_end,
            attributes,
            data,
            max_steps=1,
            ended=Status.OPTIMAL,
        )

    def _pose_descent(self, data: Data) -> Fitting:
        problem = several_targets(data.X, data.y, data.sample_weight, self.fit_intercept)
        shape = (data.y.shape[1], data.X.shape[1])
        known = self.warm_start and getattr(self, "coef_", np.zeros(0)).shape == shape
        end = gap_target(self.tol)
        iterates = multi_task_descent.iterates(problem, float(self.alpha), self.coef_.T if known else None, end)

        def attributes(state):
            enough = self.tol * problem.mean_square
            return self._answer(data, state.coef, problem.intercept(state.coef), state.gap, enough, state.rounds)

        stop = first_of(reached("relative_gap", end), budget(self.max_iter + 1))
        return Fitting(
            iterates, stop, attributes, data, max_steps=self.max_iter + 1, advice=ADVICE, ended=Status.OPTIMAL
        )

    def _answer(self, data: Data, coef, intercept, gap: float, enough: float, rounds: int) -> dict[str, Any]:
        dtype = self._precision(data)
        return {
            "coef_": np.array(coef.T, dtype=dtype),
            "intercept_": np.array(intercept, dtype=dtype) if self.fit_intercept else np.zeros(len(coef.T)),
            "dual_gap_": float(gap),
            "eps_": float(enough),
            "n_iter_": rounds,
        }

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = False
        return tags
