"""Regression of several targets with a penalty on the singular values of the coefficient matrix."""

from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import MultiOutputMixin
from sklearn.utils import check_array
from sklearn.utils._param_validation import Interval

from learnable.base import Data, Fitting, LinearRegressor
from learnable.base.fit_context import fit_context
from learnable.problems.core.conventions import gap_target
from learnable.problems.sparse.matrix_penalties import NuclearNorm
from learnable.rows import one_blas_thread
from learnable.solvers.linear import least_squares
from learnable.solvers.linear.several_targets import several_targets
from learnable.solvers.sparse import nuclear_descent
from learnable.trace import Status, budget, drive, first_of, reached, to_the_end


class NuclearNormRegression(MultiOutputMixin, LinearRegressor):
    """min over (B, b) of Σ wᵢ ‖yᵢ − Bᵀxᵢ − b‖² / (2 Σ wᵢ) + α ‖B‖_*, the sum of the singular values of B (p, q).

    The convex relative of `ReducedRankRegression`: singular values are shrunk, small ones to zero, so that the rank is
    chosen by α. The form ‖Y − XB‖² + λ‖B‖_* is the same with α = λ / (2n)
    (`problems.matrix_penalties.nuclear_alpha_from_sum`). Accelerated proximal gradient with singular-value thresholds;
    once the rank has settled, Newton steps on the factors. Syllabus: L18.

    Parameters
    ----------
    alpha : float, default=1.0
        Penalty; 0 is least squares, which is solved directly.
    fit_intercept : bool, default=True
    max_iter : int, default=1000
        Bursts of proximal steps at most.
    tol : float, default=1e-6
        The fit ends once the duality gap is at most tol times what the answer explains of Σ wᵢ ‖yᵢ − ȳ‖² / Σ wᵢ.
    warm_start : bool, default=False
        Start from the last solution.

    Attributes
    ----------
    coef_ : array (q, p); B is its transpose
    intercept_ : array (q,)
    rank_ : int, of `coef_`
    dual_gap_ : float, duality gap of the answer; 0 for least squares
    n_iter_ : int, bursts made
    status_ : `trace.Status`
    certificate_ : `certificates.Certificate`, which claims
        L18 : the duality gap, recomputed from the data, within the tolerance asked for; the conditions of optimality:
        the spectral norm of the correlations against α, and how far B is from being aligned with them; the rank.
        With alpha=0, R1 : the residuals are orthogonal to every column.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.sparse import NuclearNormRegression
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    >>> Y = X @ np.diag([3.0, 0.5])
    >>> model = NuclearNormRegression(alpha=0.5).fit(X, Y)     # singular values 3 and ½ fall by α / (½) = 1
    >>> model.coef_.round(4) + 0.0
    array([[2., 0.],
           [0., 0.]])
    >>> model.rank_, model.certificate_.holds
    (1, True)
    """

    _by_moments: ClassVar[bool] = True
    _parameter_constraints: ClassVar = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "warm_start": ["boolean"],
    }

    def __init__(self, alpha=1.0, *, fit_intercept=True, max_iter=1000, tol=1e-6, warm_start=False):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        y : array (n, q), or (n,), for which the penalty is the length of β
        sample_weight : array (n,), default=None
        """
        return self._learn(X, y, sample_weight=sample_weight)

    def _pose(self, X, y=None, sample_weight=None) -> Fitting:
        data = self._validated(
            X, y, sample_weight, accept_sparse=["csc", "csr"], y_numeric=True, multi_output=True,
            dtype=[np.float64, np.float32], extremes=False, blocks=False)  # fmt: skip
        return self._pose_directly(data) if self.alpha == 0.0 else self._pose_descent(data)

    def _pose_directly(self, data: Data) -> Fitting:
        rows = data._replace(X=data.X.tocsr() if sparse.issparse(data.X) else data.X).rows

        def attributes(state):
            rank = int(np.linalg.matrix_rank(state.coef))
            return self._answer(data, state.coef, state.intercept, rank, 0.0, 1)

        return Fitting(
            least_squares.iterates(rows, np.zeros(1), self.fit_intercept),
            to_the_end,
            attributes,
            data,
            max_steps=1,
            ended=Status.OPTIMAL,
        )

    def _pose_descent(self, data: Data) -> Fitting:
        targets = data.y if data.y.ndim == 2 else data.y[:, None]
        problem = several_targets(data.X, targets, data.sample_weight, self.fit_intercept)
        last = np.atleast_2d(self.coef_) if self.warm_start and hasattr(self, "coef_") else np.zeros((0, 0))
        start = last.T if last.shape == (targets.shape[1], data.X.shape[1]) else None
        posed = nuclear_descent.diagonalised(problem)
        end = gap_target(self.tol)
        iterates = nuclear_descent.iterates(posed, float(self.alpha), start, end)

        def attributes(state):
            # From the rows: cross-products have lost the digits of a gap under a weak penalty.
            gap, _ = problem.judged(NuclearNorm(float(self.alpha)), state.coef)
            return self._answer(data, state.coef, problem.intercept(state.coef), state.rank, gap.gap, state.bursts)

        stop = first_of(reached("relative_gap", end), budget(self.max_iter + 1))
        return Fitting(iterates, stop, attributes, data, max_steps=self.max_iter + 1, ended=Status.OPTIMAL)

    def _answer(self, data: Data, coef, intercept, rank: int, gap: float, bursts: int) -> dict[str, Any]:
        dtype = self._precision(data)
        coef, intercept = coef.T.astype(dtype), np.asarray(intercept).astype(dtype)
        one = data.y.ndim == 1
        return {
            "coef_": coef[0] if one else coef,
            "intercept_": (intercept[0] if one else intercept) if self.fit_intercept else 0.0,
            "rank_": rank,
            "dual_gap_": float(gap),
            "n_iter_": bursts,
        }


class RankPath(NamedTuple):
    """Solutions along falling penalties.

    Attributes
    ----------
    alphas : (k,) penalties.
    ranks : (k,) rank of the solution at each.
    coefs : (k, q, p), intercepts : (k, q).
    gaps : (k,) duality gaps.
    """

    alphas: np.ndarray
    ranks: np.ndarray
    coefs: np.ndarray
    intercepts: np.ndarray
    gaps: np.ndarray


def nuclear_norm_path(
    X, y, alphas=20, *, eps: float = 1e-3, sample_weight=None, fit_intercept=True, tol=1e-6, max_iter=1000
) -> RankPath:
    """`NuclearNormRegression` for many penalties, each starting at the solution before; one decomposition serves all.

    Parameters
    ----------
    X : array or sparse matrix (n, p)
    y : array (n, q)
    alphas : int or array, default=20
        Penalties, or how many from the smallest that gives B = 0, the spectral norm of XᵀY / n, down to `eps` of it.
    eps : float, default=1e-3
    sample_weight, fit_intercept, tol, max_iter : as in `NuclearNormRegression`.

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.sparse import nuclear_norm_path
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    >>> nuclear_norm_path(X, X @ np.diag([3.0, 0.5]), alphas=[2.0, 0.5, 0.1]).ranks
    array([0, 1, 2])
    """
    X = check_array(X, accept_sparse=["csc", "csr"], dtype=np.float64)
    y = check_array(y, dtype=np.float64, ensure_2d=False, input_name="y")
    Y = y if y.ndim == 2 else y[:, None]
    if len(Y) != X.shape[0]:
        raise ValueError(f"nuclear_norm_path: X has {X.shape[0]} rows, but y has {len(Y)}")
    with one_blas_thread():
        problem = several_targets(X, Y, sample_weight, fit_intercept)
        posed = nuclear_descent.diagonalised(problem)
        if isinstance(alphas, Integral):
            largest = posed.largest_alpha or 1.0
            alphas = np.geomspace(largest, eps * largest, int(alphas))
        alphas = np.sort(np.asarray(alphas, dtype=float))[::-1]
        if not len(alphas) or not alphas[-1] > 0.0:
            raise ValueError(
                f"nuclear_norm_path: alphas must be > 0, but one is {alphas[-1] if len(alphas) else 'missing'}"
            )
        coef, found = None, []
        stop = first_of(reached("relative_gap", tol), budget(max_iter + 1))
        for alpha in alphas:
            state = drive(nuclear_descent.iterates(posed, float(alpha), coef, tol), stop).state
            coef = state.coef
            found.append((state.rank, coef.T, problem.intercept(coef), state.gap))
    ranks, coefs, intercepts, gaps = (np.array(part) for part in zip(*found))
    return RankPath(alphas, ranks, coefs, intercepts, gaps)
